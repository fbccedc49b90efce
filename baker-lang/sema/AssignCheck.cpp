// Variables read before they are set.
//
//     u32 best;
//     if (best > x)        warning: 'best' is read before …: it is 0 here
//       best = x;
//
// Goes through each body in the order of the text with the set of variables
// that some path may have assigned to. A loop may have assigned whatever stands
// in it, so that none is gone through twice. `x += 1` and `x++` count as
// assignments: to count from zero is what local variables begin at zero for.

#include "baker-lang/sema/AssignCheck.h"

#include "baker-lang/syntax/AstWalk.h"
#include "baker-lang/syntax/Declarations.h"
#include "baker-lang/syntax/DiagnosticCatalogue.h"

#include <set>

namespace karakal::lang {

namespace {

class AssignCheck {
public:
  explicit AssignCheck(Diagnostics &diagnostics) : diagnostics(diagnostics) {}
  void run(const FunctionDecl &function) { visit(function.body.get()); }

private:
  /// The variables that may be set; none are known of where control cannot be.
  struct State {
    std::set<const Decl *> set;
    bool isReachable = true;
  };

  void visit(const Stmt *stmt);
  void visit(const Initializer &initializer);
  void visitLoop(const Stmt &stmt);
  void visitSwitch(const SwitchStmt &stmt);
  void visit(const Expr *expr);
  void assign(const Expr &target);
  void read(const NameExpr &name);
  void join(const State &other);

  Diagnostics &diagnostics;
  State state;
  std::set<const Decl *> reported;
  bool isQuiet = false; ///< collecting what a loop assigns to
};

} // namespace

void AssignCheck::join(const State &other) {
  if (!other.isReachable)
    return;
  if (!state.isReachable)
    state = other;
  else
    state.set.insert(other.set.begin(), other.set.end());
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

void AssignCheck::read(const NameExpr &name) {
  auto *variable = llvm::dyn_cast_or_null<VarDecl>(name.decl);
  if (!variable || isQuiet || !state.isReachable || variable->isParameter ||
      variable->type->isPacket() || state.set.count(variable) ||
      !reported.insert(variable).second)
    return;
  report(diagnostics, DiagId::Uninitialized, name.range,
         "'" + variable->name +
             "' is read before anything is assigned to it: it is 0 here")
      .note(variable->range, "declared here");
}

void AssignCheck::assign(const Expr &target) {
  if (auto *name = llvm::dyn_cast<NameExpr>(&target)) {
    state.set.insert(name->decl);
  } else if (auto *index = llvm::dyn_cast<IndexExpr>(&target)) {
    visit(index->index.get());
    assign(*index->base);
  } else if (auto *field = llvm::dyn_cast<FieldExpr>(&target);
             field && field->access == Access::StructField && !field->isArrow) {
    assign(*field->base);
  } else {
    visit(&target);
  }
}

void AssignCheck::visit(const Expr *expr) {
  if (!expr)
    return;
  if (auto *name = llvm::dyn_cast<NameExpr>(expr)) {
    read(*name);
  } else if (auto *call = llvm::dyn_cast<CallExpr>(expr)) {
    for (const ExprPtr &argument : call->arguments)
      visit(argument.get());
  } else if (auto *step = llvm::dyn_cast<StepExpr>(expr)) {
    assign(*step->operand);
  } else if (auto *assignment = llvm::dyn_cast<AssignExpr>(expr)) {
    visit(assignment->value.get());
    assign(*assignment->target);
  } else {
    forEachOperand(*expr, [&](const Expr &operand) { visit(&operand); });
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void AssignCheck::visit(const Initializer &initializer) {
  visit(initializer.expr.get());
  for (const Initializer &part : initializer.list)
    visit(part);
}

void AssignCheck::visit(const Stmt *stmt) {
  if (!stmt)
    return;
  switch (stmt->kind) {
  case StmtKind::Block:
    for (const StmtPtr &part : llvm::cast<BlockStmt>(stmt)->body)
      visit(part.get());
    return;
  case StmtKind::Declaration:
    for (const Declarator &part :
         llvm::cast<DeclarationStmt>(stmt)->declarators) {
      if (part.initializer) {
        visit(*part.initializer);
        state.set.insert(part.decl);
      } else if (!isQuiet) {
        state.set.erase(part.decl);
      }
    }
    return;
  case StmtKind::If: {
    auto *part = llvm::cast<IfStmt>(stmt);
    visit(part->condition.get());
    State before = state;
    visit(part->whenTrue.get());
    std::swap(state, before);
    visit(part->whenFalse.get());
    return join(before);
  }
  case StmtKind::While:
  case StmtKind::Do:
  case StmtKind::For:
    return visitLoop(*stmt);
  case StmtKind::Switch:
    return visitSwitch(*llvm::cast<SwitchStmt>(stmt));
  case StmtKind::Critical:
    return visit(llvm::cast<CriticalStmt>(stmt)->body.get());
  case StmtKind::Break:
  case StmtKind::Continue:
    state.isReachable = isQuiet;
    return;
  case StmtKind::Return:
    visit(llvm::cast<ReturnStmt>(stmt)->value.get());
    state.isReachable = isQuiet;
    return;
  case StmtKind::Expression:
    return visit(llvm::cast<ExpressionStmt>(stmt)->expr.get());
  default:
    return;
  }
}

void AssignCheck::visitLoop(const Stmt &stmt) {
  auto *forLoop = llvm::dyn_cast<ForStmt>(&stmt);
  auto *whileLoop = llvm::dyn_cast<WhileStmt>(&stmt);
  auto *doLoop = llvm::dyn_cast<DoStmt>(&stmt);
  const Expr *condition = forLoop     ? forLoop->condition.get()
                          : whileLoop ? whileLoop->condition.get()
                                      : doLoop->condition.get();
  auto turn = [&] {
    if (!doLoop)
      visit(condition);
    visit(forLoop     ? forLoop->body.get()
          : whileLoop ? whileLoop->body.get()
                      : doLoop->body.get());
    if (forLoop)
      for (const ExprPtr &step : forLoop->steps)
        visit(step.get());
    if (doLoop)
      visit(condition);
  };
  if (forLoop)
    visit(forLoop->init.get());
  if (!isQuiet) {
    isQuiet = true;
    turn();
    isQuiet = false;
  }
  State whole = state;
  turn();
  state.isReachable = true;
  join(whole);
}

void AssignCheck::visitSwitch(const SwitchStmt &stmt) {
  visit(stmt.subject.get());
  State entry = state, all = state;
  state.isReachable = isQuiet;
  for (const SwitchStmt::Case &part : stmt.cases) {
    join(entry); // beside what falls in from the case above
    for (const StmtPtr &item : part.body)
      visit(item.get());
    all.set.insert(state.set.begin(), state.set.end());
  }
  state = all;
}

void checkAssigned(const Program &program, Diagnostics &diagnostics) {
  program.forEachList([&](const DeclList &list, const ModuleDecl *) {
    for (auto *functions : {&list.functions, &list.bodies})
      for (const auto &function : *functions)
        AssignCheck(diagnostics).run(*function);
  });
}

} // namespace karakal::lang
