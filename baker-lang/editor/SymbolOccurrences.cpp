#include "baker-lang/editor/SymbolOccurrences.h"

#include "baker-lang/tree/AstWalk.h"
#include "support/Error.h"

#include <tuple>

namespace karakal::lang {

namespace {

class OccurrenceSearch {
public:
  OccurrenceSearch(const Program &program, const SourceManager &sources)
      : program(program), sources(sources) {}

  /// By file, begin and end of the place.
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Symbol> found;

  void visit(const DeclList &list, const ModuleDecl *owner);
  void addDecl(const Decl &decl) { add(decl.range, &decl); }

private:
  /// Ignores names that did not resolve and places outside of the text.
  void add(SourceRange range, const Decl *decl,
           const StructField *field = nullptr);
  void addType(const TypeSyntax &type);
  void addPath(const std::vector<Identifier> &path);
  Decl *lookUp(const std::string &name) const;
  void visit(const FunctionDecl &function);
  void visit(const Stmt &stmt);
  void visit(const Expr &expr);
  void visitAll(const std::vector<ExprPtr> &exprs);

  const Program &program;
  const SourceManager &sources;
  const ModuleDecl *module = nullptr; ///< that is visited
};

void OccurrenceSearch::add(SourceRange range, const Decl *decl,
                           const StructField *field) {
  if (!decl || range.end == 0)
    return;
  if (auto *metadata = llvm::dyn_cast<MetadataDecl>(decl))
    decl = metadata->first ? metadata->first : metadata;
  KARAKAL_ASSERT(range.file < sources.size(), "a name outside of the sources");
  found.emplace(std::tuple(range.file, range.begin, range.end),
                Symbol{decl, field});
}

Decl *OccurrenceSearch::lookUp(const std::string &name) const {
  Decl *own = module ? module->scope.find(name) : nullptr;
  return own ? own : program.scope.find(name);
}

/// A struct or enum, `module.struct`, or the `ether` of `ether_pkt` and
/// `ether_queue`.
void OccurrenceSearch::addType(const TypeSyntax &type) {
  std::string_view text = sources.text(type.range);
  text = text.substr(0, text.find_first_of(" \t\r\n*"));
  size_t dot = text.find('.');
  SourceRange range = type.range;
  range.end = range.begin + uint32_t(text.size());
  if (dot != std::string_view::npos) {
    Decl *owner = lookUp(std::string(text.substr(0, dot)));
    add({range.file, range.begin, range.begin + uint32_t(dot)}, owner);
    range.begin += uint32_t(dot) + 1;
    if (auto *other = llvm::dyn_cast_or_null<ModuleDecl>(owner))
      add(range, other->scope.find(std::string(text.substr(dot + 1))));
    return;
  }
  if (Decl *decl = lookUp(std::string(text)))
    return add(range, decl);
  llvm::StringRef protocol = text;
  if (!protocol.consume_back("_pkt") && !protocol.consume_back("_queue"))
    return;
  range.end = range.begin + uint32_t(protocol.size());
  Decl *decl = lookUp(protocol.str());
  if (decl && decl->kind == DeclKind::Protocol)
    add(range, decl);
}

/// `module.ppf.endpoint`, or a part of it, as in a wire or before a body.
void OccurrenceSearch::addPath(const std::vector<Identifier> &path) {
  const Decl *found = nullptr;
  for (const Identifier &part : path) {
    if (!found)
      found = lookUp(part.name);
    else if (auto *inner = llvm::dyn_cast<ModuleDecl>(found))
      found = inner->scope.find(part.name);
    else if (auto *ppf = llvm::dyn_cast<PpfDecl>(found))
      found = ppf->scope.find(part.name);
    else
      return;
    if (!found)
      return;
    add(part.range, found);
  }
}

void OccurrenceSearch::visit(const Expr &expr) {
  if (auto *name = llvm::dyn_cast<NameExpr>(&expr))
    add(name->range, name->decl);
  if (auto *size = llvm::dyn_cast<SizeofExpr>(&expr))
    addType(size->target);
  forEachOperand(expr, [&](const Expr &operand) { visit(operand); });
  auto *field = llvm::dyn_cast<FieldExpr>(&expr);
  if (!field)
    return;
  add(field->field.range, field->decl);
  const Type *type = field->base->type;
  if (field->access != Access::StructField || !type)
    return;
  const Type *holder = type->isPointer() ? type->element : type;
  if (holder->structDecl &&
      field->fieldIndex < holder->structDecl->fields.size())
    add(field->field.range, holder->structDecl,
        &holder->structDecl->fields[field->fieldIndex]);
}

void OccurrenceSearch::visitAll(const std::vector<ExprPtr> &exprs) {
  for (const ExprPtr &expr : exprs)
    if (expr)
      visit(*expr);
}

void OccurrenceSearch::visit(const Stmt &stmt) {
  if (auto *constant = llvm::dyn_cast<ConstStmt>(&stmt)) {
    addDecl(*constant->decl);
    if (constant->decl->typeSyntax)
      addType(*constant->decl->typeSyntax);
  }
  if (auto *declaration = llvm::dyn_cast<DeclarationStmt>(&stmt))
    addType(declaration->type);
  forEachPart(
      stmt, [&](const Expr &expr) { visit(expr); },
      [&](const Stmt &part) { visit(part); });
}

void OccurrenceSearch::visit(const FunctionDecl &function) {
  addPath(function.path);
  for (const auto &variable : function.variables)
    addDecl(*variable);
  if (function.path.empty())
    addType(function.resultSyntax);
  for (const Parameter &parameter : function.parameters)
    addType(parameter.typeSyntax);
  if (function.body)
    visit(*function.body);
}

void OccurrenceSearch::visit(const DeclList &list, const ModuleDecl *owner) {
  module = owner;
  auto addAll = [&](const auto &decls) {
    for (const auto &decl : decls)
      addDecl(*decl);
  };
  addAll(list.constants);
  addAll(list.protocols);
  addAll(list.structs);
  addAll(list.enums);
  addAll(list.tables);
  addAll(list.metadata);
  addAll(list.dropReasons);
  addAll(list.globals);
  addAll(list.functions);
  addAll(list.ppfs);
  for (const auto &constant : list.constants) {
    if (constant->typeSyntax)
      addType(*constant->typeSyntax);
    if (constant->value)
      visit(*constant->value);
  }
  for (const StaticAssert &condition : list.asserts)
    visit(*condition.condition);
  for (const auto &protocol : list.protocols) {
    addAll(protocol->fields);
    for (const auto &field : protocol->fields) {
      visit(*field->widthSyntax);
      if (field->countSyntax)
        visit(*field->countSyntax);
    }
    if (protocol->demux)
      visit(*protocol->demux);
  }
  for (const auto &structure : list.structs)
    for (const StructField &field : structure->fields) {
      add(field.name.range, structure.get(), &field);
      addType(field.typeSyntax);
      visitAll(field.dimensions);
    }
  for (const auto &metadata : list.metadata)
    addType(metadata->typeSyntax);
  for (const auto &global : list.globals) {
    addType(global->typeSyntax);
    visitAll(global->declarator.dimensions);
    if (global->declarator.initializer)
      forEachExpr(*global->declarator.initializer,
                  [&](const Expr &expr) { visit(expr); });
  }
  for (const auto &ppf : list.ppfs) {
    addAll(ppf->endpoints);
    for (const auto &endpoint : ppf->endpoints)
      addType(endpoint->typeSyntax);
  }
  for (const Wire &wire : list.wires) {
    addPath(wire.from);
    addPath(wire.to);
  }
  list.forEachFunction([&](const FunctionDecl &function) { visit(function); });
}

} // namespace

std::vector<SymbolOccurrence> findOccurrences(const Program &program,
                                              const SourceManager &sources) {
  OccurrenceSearch search(program, sources);
  for (const auto &module : program.modules)
    search.addDecl(*module);
  program.forEachDeclList([&](const DeclList &list, const ModuleDecl *module) {
    search.visit(list, module);
  });
  std::vector<SymbolOccurrence> occurrences;
  for (auto &[place, symbol] : search.found) {
    auto [file, begin, end] = place;
    occurrences.push_back({{file, begin, end}, symbol});
  }
  return occurrences;
}

namespace {

/// Finds the expression whose name begins at a place.
struct ExpressionSearch {
  uint32_t file, offset;
  const Expr *found = nullptr;

  void visit(const Expr &expr) {
    SourceRange range = expr.range;
    if (auto *field = llvm::dyn_cast<FieldExpr>(&expr))
      range = field->field.range;
    bool isNamed = expr.kind == ExprKind::Name || expr.kind == ExprKind::Field;
    if (isNamed && range.file == file && range.begin == offset)
      found = &expr;
    forEachOperand(expr, [&](const Expr &operand) { visit(operand); });
  }
  void visit(const Stmt &stmt) {
    forEachPart(
        stmt, [&](const Expr &expr) { visit(expr); },
        [&](const Stmt &part) { visit(part); });
  }
};

} // namespace

NamedPlace expressionAt(const Program &program, uint32_t file,
                        uint32_t offset) {
  NamedPlace place;
  program.forEachFunction([&](const FunctionDecl &function) {
    if (!function.body || function.body->range.file != file ||
        function.body->range.begin > offset ||
        function.body->range.end < offset || place.expr)
      return;
    ExpressionSearch search{file, offset};
    search.visit(*function.body);
    place = {&function, search.found};
  });
  return place;
}

} // namespace karakal::lang
