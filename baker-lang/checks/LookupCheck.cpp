// Warns of look-ups whose miss is forgotten.
//
//     hops * next = hops.find(route->hop);
//     ph->dst = next->mac;      warning: nothing tests 'next': …
//
// Looks at each body once, without its order: a variable counts as tested if it
// stands anywhere but before an arrow, be it in a condition or as an argument.
// A program that wants zeros for keys without an entry says so by a `default`.

#include "baker-lang/checks/LookupCheck.h"

#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "baker-lang/tree/AstWalk.h"
#include "baker-lang/tree/Program.h"
#include "support/Error.h"

#include <map>
#include <set>

namespace karakal::lang {

namespace {

class LookupCheck {
public:
  explicit LookupCheck(Diagnostics &diagnostics) : diagnostics(diagnostics) {}
  void run(const FunctionDecl &function);

private:
  void visit(const Stmt &stmt);
  void visit(const Expr &expr);
  void visitBase(const Expr &base);
  void warn(const Expr &base, const TableDecl &table);

  Diagnostics &diagnostics;
  /// The variables of the body with the table in which each was found, and
  /// where the first field is read through it.
  std::vector<std::pair<const VarDecl *, const TableDecl *>> found;
  std::map<const VarDecl *, const Expr *> firstRead;
  std::set<const Decl *> tested;
};

/// The table without a default in which `expr` looks up a key, or null.
const TableDecl *tableOfFind(const Expr &expr) {
  auto *call = llvm::dyn_cast<CallExpr>(&expr);
  const FunctionDecl *function = call ? call->function : nullptr;
  if (!function || !function->table || function->name != "find")
    return nullptr;
  return function->table->defaults.empty() ? function->table : nullptr;
}

} // namespace

void LookupCheck::warn(const Expr &base, const TableDecl &table) {
  auto *name = llvm::dyn_cast<NameExpr>(&base);
  std::string subject = name ? "'" + name->decl->name + "'" : "this look-up";
  report(diagnostics, DiagId::UntestedLookup, base.range,
         "nothing tests " + subject + ": where '" + table.name +
             "' has no entry for the key, all fields are 0")
      .note(name ? "test it, for example 'if (!" + name->decl->name +
                       ")', or give the table a default"
                 : "give the table a default, or keep the pointer and test it");
}

void LookupCheck::visitBase(const Expr &base) {
  if (auto *name = llvm::dyn_cast<NameExpr>(&base)) {
    if (auto *variable = llvm::dyn_cast_or_null<VarDecl>(name->decl))
      firstRead.try_emplace(variable, &base);
    return;
  }
  if (const TableDecl *table = tableOfFind(base))
    warn(base, *table);
  visit(base);
}

void LookupCheck::visit(const Expr &expr) {
  if (auto *name = llvm::dyn_cast<NameExpr>(&expr)) {
    tested.insert(name->decl);
  } else if (auto *field = llvm::dyn_cast<FieldExpr>(&expr);
             field && field->isArrow && isTableEntry(field->base->type)) {
    visitBase(*field->base);
  } else {
    forEachOperand(expr, [&](const Expr &operand) { visit(operand); });
  }
}

void LookupCheck::visit(const Stmt &stmt) {
  if (auto *declaration = llvm::dyn_cast<DeclarationStmt>(&stmt))
    for (const Declarator &part : declaration->declarators)
      if (part.initializer && part.initializer->expr)
        if (const TableDecl *table = tableOfFind(*part.initializer->expr))
          found.emplace_back(part.decl, table);
  forEachPart(
      stmt, [&](const Expr &expr) { visit(expr); },
      [&](const Stmt &part) { visit(part); });
}

void LookupCheck::run(const FunctionDecl &function) {
  KARAKAL_ASSERT(function.body, "a function without a body");
  visit(*function.body);
  for (auto [variable, table] : found)
    if (auto read = firstRead.find(variable);
        read != firstRead.end() && !tested.count(variable))
      warn(*read->second, *table);
}

void checkLookups(const Program &program, Diagnostics &diagnostics) {
  program.forEachFunction([&](const FunctionDecl &function) {
    LookupCheck(diagnostics).run(function);
  });
}

} // namespace karakal::lang
