// What a program declares and never uses.
//
// Walks all bodies and notes which declarations are read and which are
// written. An assignment only writes its target, `x += 1` and a bare `x++`
// too: a variable that lives for its own sake counts as unused. Global data
// that is written alone is not: counters are read from outside.

#include "baker-lang/sema/UnusedCheck.h"

#include "baker-lang/syntax/Declarations.h"
#include "baker-lang/syntax/DiagnosticCatalogue.h"

#include <set>

namespace karakal::lang {

namespace {

class Usage {
public:
  Usage(const Program &program, Diagnostics &diagnostics)
      : program(program), diagnostics(diagnostics) {}
  void run();

private:
  void visit(const Stmt *stmt);
  void visit(const std::vector<StmtPtr> &body) {
    for (const StmtPtr &stmt : body)
      visit(stmt.get());
  }
  void visit(const SwitchStmt &stmt);
  void visit(const Initializer &initializer);
  /// `isUsed`: somebody takes the value.
  void visit(const Expr *expr, bool isUsed = true);
  void visit(const CallExpr &call);
  void writeTo(const Expr *target);

  void warnOfVariables(const FunctionDecl &function);
  void warnOfList(const DeclList &list);
  void warn(DiagId id, const Decl &decl, const std::string &what) {
    report(diagnostics, id, decl.range, what);
  }

  const Program &program;
  Diagnostics &diagnostics;
  std::set<const Decl *> read, written;
};

void Usage::run() {
  program.forEachList([&](const DeclList &list, const ModuleDecl *) {
    for (auto *functions : {&list.functions, &list.bodies})
      for (const auto &function : *functions)
        visit(function->body.get());
    for (const auto &protocol : list.protocols)
      visit(protocol->demux.get());
  });
  program.forEachList(
      [&](const DeclList &list, const ModuleDecl *) { warnOfList(list); });
}

//===----------------------------------------------------------------------===//
// Walking
//===----------------------------------------------------------------------===//

void Usage::visit(const Stmt *stmt) {
  if (!stmt)
    return;
  switch (stmt->kind) {
  case StmtKind::Block:
    return visit(llvm::cast<BlockStmt>(stmt)->body);
  case StmtKind::Declaration:
    for (const Declarator &part :
         llvm::cast<DeclarationStmt>(stmt)->declarators)
      if (part.initializer) {
        visit(*part.initializer);
        written.insert(part.decl);
      }
    return;
  case StmtKind::If: {
    auto *part = llvm::cast<IfStmt>(stmt);
    visit(part->condition.get());
    visit(part->whenTrue.get());
    return visit(part->whenFalse.get());
  }
  case StmtKind::While:
    visit(llvm::cast<WhileStmt>(stmt)->condition.get());
    return visit(llvm::cast<WhileStmt>(stmt)->body.get());
  case StmtKind::Do:
    visit(llvm::cast<DoStmt>(stmt)->body.get());
    return visit(llvm::cast<DoStmt>(stmt)->condition.get());
  case StmtKind::For: {
    auto *part = llvm::cast<ForStmt>(stmt);
    visit(part->init.get());
    visit(part->condition.get());
    for (const ExprPtr &step : part->steps)
      visit(step.get(), /*isUsed=*/false);
    return visit(part->body.get());
  }
  case StmtKind::Switch:
    return visit(*llvm::cast<SwitchStmt>(stmt));
  case StmtKind::Critical:
    visit(llvm::cast<CriticalStmt>(stmt)->lock.get());
    return visit(llvm::cast<CriticalStmt>(stmt)->body.get());
  case StmtKind::Return:
    return visit(llvm::cast<ReturnStmt>(stmt)->value.get());
  case StmtKind::Expression:
    return visit(llvm::cast<ExpressionStmt>(stmt)->expr.get(),
                 /*isUsed=*/false);
  default:
    return;
  }
}

void Usage::visit(const Initializer &initializer) {
  visit(initializer.expr.get());
  for (const Initializer &part : initializer.list)
    visit(part);
}

void Usage::visit(const SwitchStmt &stmt) {
  visit(stmt.subject.get());
  for (const SwitchStmt::Case &part : stmt.cases)
    visit(part.body);
}

void Usage::visit(const Expr *expr, bool isUsed) {
  if (!expr)
    return;
  switch (expr->kind) {
  case ExprKind::Name:
    read.insert(llvm::cast<NameExpr>(expr)->decl);
    return;
  case ExprKind::Call:
    return visit(*llvm::cast<CallExpr>(expr));
  case ExprKind::Index:
    visit(llvm::cast<IndexExpr>(expr)->base.get());
    return visit(llvm::cast<IndexExpr>(expr)->index.get());
  case ExprKind::Field: {
    auto *field = llvm::cast<FieldExpr>(expr);
    read.insert(field->decl);
    if (field->access != Access::Qualified)
      visit(field->base.get());
    return;
  }
  case ExprKind::Unary:
    return visit(llvm::cast<UnaryExpr>(expr)->operand.get());
  case ExprKind::Step: {
    const Expr *operand = llvm::cast<StepExpr>(expr)->operand.get();
    return isUsed ? visit(operand) : writeTo(operand);
  }
  case ExprKind::Cast:
    return visit(llvm::cast<CastExpr>(expr)->operand.get());
  case ExprKind::Binary:
    visit(llvm::cast<BinaryExpr>(expr)->left.get());
    return visit(llvm::cast<BinaryExpr>(expr)->right.get());
  case ExprKind::Conditional: {
    auto *part = llvm::cast<ConditionalExpr>(expr);
    visit(part->condition.get());
    visit(part->whenTrue.get(), isUsed);
    return visit(part->whenFalse.get(), isUsed);
  }
  case ExprKind::Assign: {
    auto *assign = llvm::cast<AssignExpr>(expr);
    visit(assign->value.get());
    writeTo(assign->target.get());
    if (isUsed)
      visit(assign->target.get());
    return;
  }
  default:
    return;
  }
}

void Usage::visit(const CallExpr &call) {
  read.insert(call.function);
  read.insert(call.endpoint);
  for (const ExprPtr &argument : call.arguments)
    visit(argument.get());
}

void Usage::writeTo(const Expr *target) {
  if (auto *name = llvm::dyn_cast<NameExpr>(target)) {
    written.insert(name->decl);
  } else if (auto *index = llvm::dyn_cast<IndexExpr>(target)) {
    writeTo(index->base.get());
    visit(index->index.get());
  } else if (auto *field = llvm::dyn_cast<FieldExpr>(target)) {
    written.insert(field->decl);
    if (field->access == Access::StructField && !field->isArrow)
      writeTo(field->base.get());
    else if (field->access != Access::Qualified)
      visit(field->base.get());
  } else {
    visit(target);
  }
}

//===----------------------------------------------------------------------===//
// Warnings
//===----------------------------------------------------------------------===//

void Usage::warnOfVariables(const FunctionDecl &function) {
  for (const auto &variable : function.variables) {
    bool isRead = read.count(variable.get());
    bool isWritten = written.count(variable.get());
    if (isRead || variable->isParameter || !variable->type ||
        variable->type->isPacket()) // FlowCheck looks after packets
      continue;
    warn(DiagId::UnusedVariable, *variable,
         "the variable '" + variable->name +
             (isWritten ? "' is set, but nobody reads it" : "' is never used"));
  }
}

void Usage::warnOfList(const DeclList &list) {
  for (auto *functions : {&list.functions, &list.bodies})
    for (const auto &function : *functions)
      warnOfVariables(*function);
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

void checkUsage(const Program &program, Diagnostics &diagnostics) {
  Usage(program, diagnostics).run();
}

} // namespace karakal::lang
