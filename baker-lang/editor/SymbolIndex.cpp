// Where a program's names are declared and used.

#include "baker-lang/editor/SymbolIndex.h"

#include "baker-lang/sema/Sema.h"
#include "baker-lang/syntax/AstWalk.h"

namespace karakal::lang {

namespace {

class Collector {
public:
  std::vector<NamePlace> found;

  void addDecl(const Decl *decl) {
    if (decl && decl->range.end != 0)
      found.push_back({decl->range, decl});
  }
  void add(SourceRange range, const Decl *decl) {
    if (decl && range.end != 0)
      found.push_back({range, decl});
  }

  void visit(const Stmt *stmt);
  void visit(const Expr *expr);
  void visit(const Initializer &initializer);
  void visit(const DeclList &list);

private:
  template <typename List> void visitAll(const List &list) {
    for (const auto &item : list)
      visit(item.get());
  }
};

void Collector::visit(const Initializer &initializer) {
  visit(initializer.expr.get());
  for (const Initializer &part : initializer.list)
    visit(part);
}

void Collector::visit(const Expr *expr) {
  if (!expr)
    return;
  if (auto *name = llvm::dyn_cast<NameExpr>(expr))
    add(name->range, name->decl);
  forEachOperand(*expr, [&](const Expr &operand) { visit(&operand); });
  if (auto *field = llvm::dyn_cast<FieldExpr>(expr))
    add(field->field.range, field->decl);
}

void Collector::visit(const Stmt *stmt) {
  if (!stmt)
    return;
  if (auto *block = llvm::dyn_cast<BlockStmt>(stmt)) {
    visitAll(block->body);
  } else if (auto *part = llvm::dyn_cast<ConstStmt>(stmt)) {
    addDecl(part->decl.get());
    visit(part->decl->value.get());
  } else if (auto *declaration = llvm::dyn_cast<DeclarationStmt>(stmt)) {
    for (const Declarator &part : declaration->declarators)
      if (part.initializer)
        visit(*part.initializer);
  } else if (auto *part = llvm::dyn_cast<IfStmt>(stmt)) {
    visit(part->condition.get());
    visit(part->whenTrue.get());
    visit(part->whenFalse.get());
  } else if (auto *part = llvm::dyn_cast<WhileStmt>(stmt)) {
    visit(part->condition.get());
    visit(part->body.get());
  } else if (auto *part = llvm::dyn_cast<DoStmt>(stmt)) {
    visit(part->body.get());
    visit(part->condition.get());
  } else if (auto *part = llvm::dyn_cast<ForStmt>(stmt)) {
    visit(part->init.get());
    visit(part->condition.get());
    visitAll(part->steps);
    visit(part->body.get());
  } else if (auto *part = llvm::dyn_cast<SwitchStmt>(stmt)) {
    visit(part->subject.get());
    for (const SwitchStmt::Case &item : part->cases) {
      visit(item.value.get());
      visitAll(item.body);
    }
  } else if (auto *part = llvm::dyn_cast<CriticalStmt>(stmt)) {
    visit(part->lock.get());
    visit(part->body.get());
  } else if (auto *part = llvm::dyn_cast<ReturnStmt>(stmt)) {
    visit(part->value.get());
  } else if (auto *part = llvm::dyn_cast<ExpressionStmt>(stmt)) {
    visit(part->expr.get());
  }
}

void Collector::visit(const DeclList &list) {
  auto addAll = [&](const auto &decls) {
    for (const auto &decl : decls)
      addDecl(decl.get());
  };
  addAll(list.constants);
  addAll(list.protocols);
  addAll(list.structs);
  addAll(list.metadata);
  addAll(list.dropReasons);
  addAll(list.globals);
  addAll(list.functions);
  addAll(list.ppfs);
  for (const auto &constant : list.constants)
    visit(constant->value.get());
  for (const auto &protocol : list.protocols) {
    addAll(protocol->fields);
    visit(protocol->demux.get());
  }
  for (const auto &global : list.globals)
    if (global->declarator.initializer)
      visit(*global->declarator.initializer);
  for (const auto &ppf : list.ppfs)
    addAll(ppf->endpoints);
  for (auto *functions : {&list.functions, &list.bodies})
    for (const auto &function : *functions) {
      addAll(function->variables);
      visit(function->body.get());
    }
}

std::string typeText(const Type *type) {
  return type ? type->str() : "(unknown)";
}

std::string signatureOf(const FunctionDecl &decl) {
  std::string text = typeText(decl.result) + " " + decl.name + "(";
  for (size_t i = 0; i < decl.parameters.size(); ++i) {
    const Parameter &parameter = decl.parameters[i];
    text += (i ? ", " : "") +
            typeText(parameter.decl ? parameter.decl->type : nullptr) + " " +
            parameter.name.name;
  }
  return text + ")";
}

std::string describeGlobal(const GlobalDecl &decl) {
  std::string text =
      "global variable '" + decl.name + "' : " + typeText(decl.type);
  if (!decl.type || decl.type->isError())
    return text;
  uint64_t words = wordCountOf(decl.type);
  text += ", " + std::to_string(words) + (words == 1 ? " word" : " words");
  return decl.placeIn.empty() ? text : text + " in " + decl.placeIn;
}

} // namespace

std::vector<NamePlace> namesOf(const Program &program) {
  Collector collector;
  for (const auto &module : program.modules)
    collector.addDecl(module.get());
  program.forEachList(
      [&](const DeclList &list, const ModuleDecl *) { collector.visit(list); });
  return std::move(collector.found);
}

std::string describe(const Decl &decl) {
  std::string named = std::string(noun(decl.kind)) + " '" + decl.name + "'";
  if (auto *constant = llvm::dyn_cast<ConstDecl>(&decl))
    return named + " : " + typeText(constant->type) + " = " +
           (constant->type && constant->type->isScalar()
                ? constantText(constant->bits, constant->type)
                : "?");
  if (auto *global = llvm::dyn_cast<GlobalDecl>(&decl))
    return describeGlobal(*global);
  if (auto *variable = llvm::dyn_cast<VarDecl>(&decl))
    return (variable->isParameter ? "parameter '" : "local variable '") +
           decl.name + "' : " + typeText(variable->type);
  if (auto *function = llvm::dyn_cast<FunctionDecl>(&decl))
    return signatureOf(*function);
  if (auto *field = llvm::dyn_cast<ProtocolFieldDecl>(&decl))
    return "field '" + decl.name + "' : " + typeText(field->type) +
           (field->isArray ? "[" + std::to_string(field->count) + "]" : "") +
           " at bit " + std::to_string(field->offsetBits) +
           (field->protocol ? " of '" + field->protocol->name + "'" : "");
  if (auto *protocol = llvm::dyn_cast<ProtocolDecl>(&decl))
    return named + ", " + (protocol->isConstantSize ? "" : "at least ") +
           std::to_string(protocol->bytesMin) + " bytes";
  if (auto *metadata = llvm::dyn_cast<MetadataDecl>(&decl))
    return named + " : " + typeText(metadata->type);
  if (auto *endpoint = llvm::dyn_cast<EndpointDecl>(&decl))
    return std::string(endpoint->isInput ? "input '" : "output '") + decl.name +
           "' : " + typeText(endpoint->type);
  return named;
}

std::vector<const Decl *> visibleNames(const Program &program) {
  std::vector<const Decl *> names;
  for (auto &[name, decl] : program.scope.names)
    names.push_back(decl);
  for (const auto &module : program.modules)
    for (auto &[name, decl] : module->scope.names)
      names.push_back(decl);
  program.forEachList([&](const DeclList &list, const ModuleDecl *) {
    for (auto *functions : {&list.functions, &list.bodies})
      for (const auto &function : *functions)
        for (const auto &variable : function->variables)
          names.push_back(variable.get());
    for (const auto &ppf : list.ppfs)
      for (const auto &endpoint : ppf->endpoints)
        names.push_back(endpoint.get());
  });
  return names;
}

} // namespace karakal::lang
