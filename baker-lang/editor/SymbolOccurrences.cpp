#include "baker-lang/editor/SymbolOccurrences.h"

#include "baker-lang/tree/AstWalk.h"

namespace karakal::lang {

namespace {

class OccurrenceSearch {
public:
  std::vector<SymbolOccurrence> occurrences;

  void addDecl(const Decl &decl) { add(decl.range, &decl); }
  void visit(const DeclList &list);

private:
  /// Ignores names that did not resolve, and built-in declarations, which have
  /// no range.
  void add(SourceRange range, const Decl *decl) {
    if (decl && range.end != 0)
      occurrences.push_back({range, decl});
  }
  void visit(const Stmt &stmt);
  void visit(const Expr &expr);
};

void OccurrenceSearch::visit(const Expr &expr) {
  if (auto *name = llvm::dyn_cast<NameExpr>(&expr))
    add(name->range, name->decl);
  forEachOperand(expr, [&](const Expr &operand) { visit(operand); });
  if (auto *field = llvm::dyn_cast<FieldExpr>(&expr))
    add(field->field.range, field->decl);
}

void OccurrenceSearch::visit(const Stmt &stmt) {
  if (auto *constant = llvm::dyn_cast<ConstStmt>(&stmt))
    addDecl(*constant->decl);
  forEachPart(
      stmt, [&](const Expr &expr) { visit(expr); },
      [&](const Stmt &part) { visit(part); });
}

void OccurrenceSearch::visit(const DeclList &list) {
  auto addAll = [&](const auto &decls) {
    for (const auto &decl : decls)
      addDecl(*decl);
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
    if (constant->value)
      visit(*constant->value);
  for (const auto &protocol : list.protocols) {
    addAll(protocol->fields);
    if (protocol->demux)
      visit(*protocol->demux);
  }
  for (const auto &global : list.globals)
    if (global->declarator.initializer)
      forEachExpr(*global->declarator.initializer,
                  [&](const Expr &expr) { visit(expr); });
  for (const auto &ppf : list.ppfs)
    addAll(ppf->endpoints);
  list.forEachFunction([&](const FunctionDecl &function) {
    addAll(function.variables);
    if (function.body)
      visit(*function.body);
  });
}

} // namespace

std::vector<SymbolOccurrence> findOccurrences(const Program &program) {
  OccurrenceSearch search;
  for (const auto &module : program.modules)
    search.addDecl(*module);
  program.forEachDeclList(
      [&](const DeclList &list, const ModuleDecl *) { search.visit(list); });
  return std::move(search.occurrences);
}

} // namespace karakal::lang
