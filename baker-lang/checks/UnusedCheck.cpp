// Warns of declarations that are never used.
//
// Walks all bodies and notes which declarations are read and which are written.
// An assignment only writes its target, and so do `x += 1` and a bare `x++`: a
// variable that is read only to compute its own next value is unused. Global
// variables that are only written are not reported, because counters are read
// from outside the program.

#include "baker-lang/checks/UnusedCheck.h"

#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "baker-lang/tree/AstWalk.h"
#include "baker-lang/tree/Program.h"
#include "support/Error.h"

#include <set>

namespace karakal::lang {

namespace {

class UnusedCheck {
public:
  UnusedCheck(const Program &program, Diagnostics &diagnostics)
      : program(program), diagnostics(diagnostics) {}
  void run();

private:
  void visit(const Stmt &stmt);
  /// `isUsed`: the value of the expression is used.
  void visit(const Expr &expr, bool isUsed = true);
  void visit(const CallExpr &call);
  void visitField(const FieldExpr &field);
  void writeTo(const Expr &target);

  void warnOfVariables(const FunctionDecl &function);
  void warnOfList(const DeclList &list);
  void warn(DiagId id, const Decl &decl, const std::string &message) {
    report(diagnostics, id, decl.range, message);
  }

  const Program &program;
  Diagnostics &diagnostics;
  std::set<const Decl *> read, written;
};

void UnusedCheck::run() {
  program.forEachFunction(
      [&](const FunctionDecl &function) { visit(*function.body); });
  program.forEachDeclList([&](const DeclList &list, const ModuleDecl *) {
    for (const auto &protocol : list.protocols)
      visit(*protocol->demux);
  });
  program.forEachDeclList(
      [&](const DeclList &list, const ModuleDecl *) { warnOfList(list); });
}

//===----------------------------------------------------------------------===//
// Reads and writes
//===----------------------------------------------------------------------===//

void UnusedCheck::visit(const Stmt &stmt) {
  auto visitStmt = [&](const Stmt &part) { visit(part); };
  if (auto *expression = llvm::dyn_cast<ExpressionStmt>(&stmt)) {
    visit(*expression->expr, /*isUsed=*/false);
  } else if (auto *loop = llvm::dyn_cast<ForStmt>(&stmt)) {
    if (loop->init)
      visit(*loop->init);
    if (loop->condition)
      visit(*loop->condition);
    for (const ExprPtr &step : loop->steps)
      visit(*step, /*isUsed=*/false);
    visit(*loop->body);
  } else {
    forEachPart(stmt, [&](const Expr &expr) { visit(expr); }, visitStmt);
  }
  if (auto *declaration = llvm::dyn_cast<DeclarationStmt>(&stmt))
    for (const Declarator &part : declaration->declarators)
      if (part.initializer)
        written.insert(part.decl);
}

void UnusedCheck::visit(const Expr &expr, bool isUsed) {
  if (auto *name = llvm::dyn_cast<NameExpr>(&expr)) {
    read.insert(name->decl);
  } else if (auto *call = llvm::dyn_cast<CallExpr>(&expr)) {
    visit(*call);
  } else if (auto *field = llvm::dyn_cast<FieldExpr>(&expr)) {
    visitField(*field);
  } else if (auto *increment = llvm::dyn_cast<IncrementExpr>(&expr)) {
    if (isUsed)
      visit(*increment->operand);
    else
      writeTo(*increment->operand);
  } else if (auto *choice = llvm::dyn_cast<ConditionalExpr>(&expr)) {
    visit(*choice->condition);
    visit(*choice->whenTrue, isUsed);
    visit(*choice->whenFalse, isUsed);
  } else if (auto *assign = llvm::dyn_cast<AssignExpr>(&expr)) {
    visit(*assign->value);
    writeTo(*assign->target);
    if (isUsed)
      visit(*assign->target);
  } else {
    forEachOperand(expr, [&](const Expr &operand) { visit(operand); });
  }
}

void UnusedCheck::visit(const CallExpr &call) {
  KARAKAL_ASSERT(call.function || call.primitive != Primitive::None,
                 "a call of nothing");
  read.insert(call.function);
  read.insert(call.endpoint);
  for (const ExprPtr &argument : call.arguments)
    visit(*argument);
}

void UnusedCheck::visitField(const FieldExpr &field) {
  KARAKAL_ASSERT(field.access != Access::Error, "a field of nothing");
  read.insert(field.decl);
  if (field.access != Access::ModuleMember)
    visit(*field.base);
}

void UnusedCheck::writeTo(const Expr &target) {
  if (auto *name = llvm::dyn_cast<NameExpr>(&target)) {
    written.insert(name->decl);
  } else if (auto *index = llvm::dyn_cast<IndexExpr>(&target)) {
    writeTo(*index->base);
    visit(*index->index);
  } else if (auto *field = llvm::dyn_cast<FieldExpr>(&target)) {
    written.insert(field->decl);
    if (field->access == Access::StructField && !field->isArrow)
      writeTo(*field->base);
    else if (field->access != Access::ModuleMember)
      visit(*field->base);
  } else {
    visit(target);
  }
}

//===----------------------------------------------------------------------===//
// Warnings
//===----------------------------------------------------------------------===//

void UnusedCheck::warnOfVariables(const FunctionDecl &function) {
  for (const auto &variable : function.variables) {
    bool isRead = read.count(variable.get());
    bool isWritten = written.count(variable.get());
    if (isRead || variable->isParameter || !variable->type ||
        variable->type->isPacket()) // PacketFlowCheck reports these
      continue;
    warn(DiagId::UnusedVariable, *variable,
         "the variable '" + variable->name +
             (isWritten ? "' is assigned but never read" : "' is never used"));
  }
}

void UnusedCheck::warnOfList(const DeclList &list) {
  list.forEachFunction(
      [&](const FunctionDecl &function) { warnOfVariables(function); });
  for (const auto &function : list.functions)
    if (function->role == Role::Function && !read.count(function.get()))
      warn(DiagId::UnusedFunction, *function,
           "the function '" + function->name + "' is never called");
  for (const auto &global : list.globals)
    if (!read.count(global.get()) && !written.count(global.get()))
      warn(DiagId::UnusedVariable, *global,
           "the variable '" + global->name + "' is never used");
  for (const auto &field : list.metadata)
    if (!field->first && !read.count(field.get()))
      warn(DiagId::UnusedMetadata, *field,
           "the metadata field '" + field->name + "' is never read");
  for (const auto &ppf : list.ppfs)
    for (const auto &endpoint : ppf->endpoints)
      if (!endpoint->isInput && !read.count(endpoint.get()))
        warn(DiagId::UnusedOutput, *endpoint,
             "nothing is put on the output '" + endpoint->name + "'");
}

} // namespace

void checkUnused(const Program &program, Diagnostics &diagnostics) {
  UnusedCheck(program, diagnostics).run();
}

} // namespace karakal::lang
