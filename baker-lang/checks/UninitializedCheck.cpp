// Warns of variables that are read before they are assigned.
//
//     u32 best;
//     if (best > x)        warning: 'best' is read before …: it is 0 here
//       best = x;
//
// Walks each body once, in the order of the text, with the set of variables
// that some path may have assigned. All assignments in a loop count as possible
// at its start, so a loop needs no second iteration. `x += 1` and `x++` count
// as assignments, because local variables start at zero so that programs can
// count with them.

#include "baker-lang/checks/UninitializedCheck.h"

#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "baker-lang/tree/AstWalk.h"
#include "baker-lang/tree/Program.h"
#include "support/Error.h"

#include <set>

namespace karakal::lang {

namespace {

class UninitializedCheck {
public:
  explicit UninitializedCheck(Diagnostics &diagnostics)
      : diagnostics(diagnostics) {}
  void run(const FunctionDecl &function) {
    KARAKAL_ASSERT(function.body, "a function without a body");
    visit(*function.body);
  }

private:
  /// What the paths to one point have assigned.
  struct State {
    std::set<const Decl *> mayBeAssigned;
    bool isReachable = true;

    /// The dataflow meet: adds what another path assigned.
    void join(const State &other);
  };

  void visit(const Stmt &stmt);
  void visitDeclaration(const DeclarationStmt &stmt);
  void visitIf(const IfStmt &stmt);
  void visitLoop(const Stmt &stmt);
  void visitSwitch(const SwitchStmt &stmt);
  void visit(const Expr &expr);
  void assign(const Expr &target);
  void read(const NameExpr &name);

  Diagnostics &diagnostics;
  State state;
  std::set<const Decl *> reported;
  /// Collects what a loop assigns: reports nothing, and jumps do not end paths.
  bool isCollecting = false;
};

} // namespace

void UninitializedCheck::State::join(const State &other) {
  if (!other.isReachable)
    return;
  if (!isReachable)
    *this = other;
  else
    mayBeAssigned.insert(other.mayBeAssigned.begin(),
                         other.mayBeAssigned.end());
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

void UninitializedCheck::read(const NameExpr &name) {
  auto *variable = llvm::dyn_cast_or_null<VarDecl>(name.decl);
  if (!variable || isCollecting || !state.isReachable ||
      variable->isParameter || variable->type->isPacket() ||
      state.mayBeAssigned.count(variable) || !reported.insert(variable).second)
    return;
  report(diagnostics, DiagId::Uninitialized, name.range,
         "'" + variable->name +
             "' is read before anything is assigned to it: it is 0 here")
      .note(variable->range, "declared here");
}

void UninitializedCheck::assign(const Expr &target) {
  if (auto *name = llvm::dyn_cast<NameExpr>(&target)) {
    state.mayBeAssigned.insert(name->decl);
  } else if (auto *index = llvm::dyn_cast<IndexExpr>(&target)) {
    visit(*index->index);
    assign(*index->base);
  } else if (auto *field = llvm::dyn_cast<FieldExpr>(&target);
             field && field->access == Access::StructField && !field->isArrow) {
    assign(*field->base);
  } else {
    visit(target);
  }
}

void UninitializedCheck::visit(const Expr &expr) {
  if (auto *name = llvm::dyn_cast<NameExpr>(&expr)) {
    read(*name);
  } else if (auto *call = llvm::dyn_cast<CallExpr>(&expr)) {
    for (const ExprPtr &argument : call->arguments)
      visit(*argument);
  } else if (auto *increment = llvm::dyn_cast<IncrementExpr>(&expr)) {
    assign(*increment->operand);
  } else if (auto *assignment = llvm::dyn_cast<AssignExpr>(&expr)) {
    visit(*assignment->value);
    assign(*assignment->target);
  } else {
    forEachOperand(expr, [&](const Expr &operand) { visit(operand); });
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void UninitializedCheck::visit(const Stmt &stmt) {
  switch (stmt.kind) {
  case StmtKind::Declaration:
    return visitDeclaration(llvm::cast<DeclarationStmt>(stmt));
  case StmtKind::If:
    return visitIf(llvm::cast<IfStmt>(stmt));
  case StmtKind::While:
  case StmtKind::Do:
  case StmtKind::For:
    return visitLoop(stmt);
  case StmtKind::Switch:
    return visitSwitch(llvm::cast<SwitchStmt>(stmt));
  default:
    forEachPart(
        stmt, [&](const Expr &expr) { visit(expr); },
        [&](const Stmt &part) { visit(part); });
  }
  bool isJump = stmt.kind == StmtKind::Break ||
                stmt.kind == StmtKind::Continue ||
                stmt.kind == StmtKind::Return;
  if (isJump)
    state.isReachable = isCollecting;
}

void UninitializedCheck::visitDeclaration(const DeclarationStmt &stmt) {
  for (const Declarator &part : stmt.declarators) {
    if (part.initializer) {
      forEachExpr(*part.initializer, [&](const Expr &expr) { visit(expr); });
      state.mayBeAssigned.insert(part.decl);
    } else if (!isCollecting) {
      state.mayBeAssigned.erase(part.decl);
    }
  }
}

void UninitializedCheck::visitIf(const IfStmt &stmt) {
  visit(*stmt.condition);
  State otherPath = state;
  visit(*stmt.whenTrue);
  std::swap(state, otherPath);
  if (stmt.whenFalse)
    visit(*stmt.whenFalse);
  state.join(otherPath);
}

void UninitializedCheck::visitLoop(const Stmt &stmt) {
  LoopParts loop = loopParts(stmt);
  auto visitIteration = [&] {
    if (loop.condition && !loop.testsAfterBody)
      visit(*loop.condition);
    visit(*loop.body);
    if (loop.steps)
      for (const ExprPtr &step : *loop.steps)
        visit(*step);
    if (loop.testsAfterBody)
      visit(*loop.condition);
  };
  if (loop.init)
    visit(*loop.init);
  if (!isCollecting) {
    isCollecting = true;
    visitIteration();
    isCollecting = false;
  }
  State withAllAssignments = state;
  visitIteration();
  state.isReachable = true;
  state.join(withAllAssignments);
}

void UninitializedCheck::visitSwitch(const SwitchStmt &stmt) {
  visit(*stmt.subject);
  State entry = state, after = state;
  state.isReachable = isCollecting;
  for (const SwitchStmt::Case &part : stmt.cases) {
    state.join(entry); // joins the case above, which may fall through
    for (const StmtPtr &item : part.body)
      visit(*item);
    after.mayBeAssigned.insert(state.mayBeAssigned.begin(),
                               state.mayBeAssigned.end());
  }
  state = after;
}

void checkUninitialized(const Program &program, Diagnostics &diagnostics) {
  program.forEachFunction([&](const FunctionDecl &function) {
    UninitializedCheck(diagnostics).run(function);
  });
}

} // namespace karakal::lang
