// Checks that follow the control flow of each body.
//
// A handle is either held or empty: never filled, or its packet was released.
// The state before each statement says for every handle whether it is held on
// some path and whether it is empty on some path. Conditions are not
// interpreted unless they are constant, or test a handle that was taken from a
// queue: then it is held on one branch alone. A packet that one branch releases
// counts as released after the `if`, even if a second test would protect it:
//
//     if (a) channel_put(x_cc, ph);
//     packet_drop(ph);              // error: released above on some path
//
// So at each point every packet has one owner, and no buffer is lost or freed
// twice.

#include "baker-lang/checks/PacketFlowCheck.h"

#include "baker-lang/checks/HandleStates.h"
#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "baker-lang/tree/AstWalk.h"
#include "baker-lang/tree/Program.h"
#include "support/Error.h"

#include <set>

namespace karakal::lang {

namespace {

/// Checks one body by abstract interpretation of its syntax tree.
class PacketFlowCheck {
public:
  PacketFlowCheck(FunctionDecl &function, Diagnostics &diagnostics)
      : function(function), diagnostics(diagnostics),
        mayMissReleases(function.hasErrors) {}
  void run();

private:
  void visit(Stmt &stmt);
  void visitBlock(std::vector<StmtPtr> &body);
  void visitDeclaration(DeclarationStmt &stmt);
  void visit(Initializer &initializer);
  void visitIf(IfStmt &stmt);
  void visitLoop(Stmt &stmt);
  void visitSwitch(SwitchStmt &stmt);
  void warnUnreachable(SourceRange where);
  /// The function returns here.
  void leave(SourceRange where);

  void visit(Expr &expr);
  void visitCall(CallExpr &expr);
  void visitArguments(CallExpr &expr);
  /// Notes which handles hold a packet at a call that can end the invocation.
  void noteHeldHandles(CallExpr &expr);
  /// Visits a condition. Afterwards `state` is that where it is true; returns
  /// the one where it is false.
  HandleStates visitCondition(Expr &condition);
  /// The packet of `expr` is released, or moves to another handle.
  void release(Expr &expr);
  /// The packet of `expr` moves to the handle `to`.
  void move(Expr &expr, VarDecl *to, SourceRange where);
  /// The packet of `expr` is used and stays where it is.
  void use(Expr &expr);
  /// The handle `decl` receives a packet.
  void fill(VarDecl *decl, SourceRange where);
  /// Reports a use of the handle `decl` where it may be empty.
  void checkHeld(VarDecl *decl, SourceRange where);

  HandleStates unreachable() const {
    return HandleStates::unreachable(handles.size());
  }
  /// Null if `decl` is no packet handle.
  HandleState *stateOf(const Decl *decl);
  void report(DiagId id, SourceRange where, std::string message,
              const HandleState *handle = nullptr);
  static bool isConstant(const Expr *expr, bool value) {
    return expr && expr->constant && (*expr->constant != 0) == value;
  }

  /// The states at the jumps out of a loop or switch.
  struct JumpStates {
    HandleStates breaks, continues;
  };

  FunctionDecl &function;
  Diagnostics &diagnostics;
  /// The body has errors, so a release may not have been understood.
  bool mayMissReleases;
  std::vector<VarDecl *> handles;
  std::map<const Decl *, size_t> handleIndex;
  HandleStates state;
  std::vector<JumpStates *> breakTargets, continueTargets;
  std::set<std::pair<unsigned, uint32_t>> reported;
  /// Handles with an error that explains why they are not released.
  std::set<const Decl *> explained;
  /// Limits the work on deeply nested loops.
  unsigned iterationsLeft = 10000;
};

} // namespace

void PacketFlowCheck::run() {
  if (function.isBroken || !function.body)
    return;
  for (auto &variable : function.variables) {
    if (!variable->type || !variable->type->isPacket())
      continue;
    handleIndex[variable.get()] = handles.size();
    handles.push_back(variable.get());
    HandleState handle;
    if (variable->isParameter)
      handle.fill();
    state.handles.push_back(handle);
  }
  visitBlock(function.body->body);
  if (!state.isReachable)
    return;
  SourceRange end = function.body->range;
  end.begin = end.end > 0 ? end.end - 1 : 0;
  leave(end);
  if (function.result && function.result->isScalar())
    report(DiagId::MissingReturn, end,
           "'" + function.name +
               "' can end here without returning a value of "
               "type '" +
               function.result->str() + "'");
}

HandleState *PacketFlowCheck::stateOf(const Decl *decl) {
  auto entry = handleIndex.find(decl);
  return entry == handleIndex.end() ? nullptr : &state.handles[entry->second];
}

void PacketFlowCheck::report(DiagId id, SourceRange where, std::string message,
                             const HandleState *handle) {
  // An error in the body may hide the release of a packet.
  if (!state.isReachable || (id == DiagId::NeverGivenAway && mayMissReleases) ||
      !reported.insert({unsigned(id), where.begin}).second)
    return;
  auto &diagnostic = lang::report(diagnostics, id, where, std::move(message));
  if (!handle || !handle->wasReleased)
    return;
  if (id != DiagId::NeverGivenAway)
    diagnostic.note(handle->release, "given away here");
  else if (handle->mayBeEmpty)
    diagnostic.note(handle->release, "given away here on another path");
}

void PacketFlowCheck::warnUnreachable(SourceRange where) {
  if (reported.insert({unsigned(DiagId::Unreachable), where.begin}).second)
    lang::report(diagnostics, DiagId::Unreachable, where,
                 "this is never reached");
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

void PacketFlowCheck::checkHeld(VarDecl *decl, SourceRange where) {
  HandleState *handle = stateOf(decl);
  if (!handle || !handle->mayBeEmpty)
    return;
  explained.insert(decl);
  if (handle->wasReleased)
    report(DiagId::UsedAfterRelease, where,
           "'" + decl->name + "' is used, but its packet was given away" +
               (handle->mayHold ? " on some path" : ""),
           handle);
  else
    report(DiagId::HoldsNoPacket, where,
           "'" + decl->name + "' holds no packet here" +
               (!handle->mayBeStale ? " if the queue was empty: test it first, "
                                      "'if (" +
                                          decl->name + ")'"
                : handle->mayHold ? " on some path"
                                  : ""));
  // Report each packet once: from here on the handle is neither held nor empty.
  handle->mayBeEmpty = handle->mayHold = false;
}

static VarDecl *variableOf(Expr &expr) {
  auto *name = llvm::dyn_cast<NameExpr>(&expr);
  return name ? llvm::dyn_cast_or_null<VarDecl>(name->decl) : nullptr;
}

void PacketFlowCheck::use(Expr &expr) {
  if (VarDecl *decl = variableOf(expr))
    return checkHeld(decl, expr.range);
  visit(expr);
  if (expr.type && expr.type->isPacket())
    report(DiagId::NeverGivenAway, expr.range,
           "this packet has no name: it could never be given away");
}

void PacketFlowCheck::release(Expr &expr) {
  VarDecl *decl = variableOf(expr);
  if (!decl)
    return visit(expr);
  checkHeld(decl, expr.range);
  HandleState *handle = stateOf(decl);
  if (!handle)
    return;
  if (decl->isBorrowed) {
    report(DiagId::Borrowed, expr.range,
           "the function '" + function.name +
               "' cannot give away its parameter '" + decl->name +
               "': the packet is its caller's");
    return;
  }
  handle->releaseAt(expr.range);
}

void PacketFlowCheck::fill(VarDecl *decl, SourceRange where) {
  HandleState *handle = stateOf(decl);
  if (!handle)
    return;
  if (handle->mayHold)
    report(decl->isBorrowed ? DiagId::Borrowed : DiagId::Overwritten, where,
           "'" + decl->name +
               "' is overwritten while it holds a packet, "
               "which would be lost");
  handle->fill();
}

void PacketFlowCheck::move(Expr &expr, VarDecl *to, SourceRange where) {
  release(expr);
  auto *call = llvm::dyn_cast<CallExpr>(&expr);
  bool isTake = call && call->primitive == Primitive::QueueTake;
  // A borrowed packet cannot move. That error explains why `to` keeps it.
  if (VarDecl *from = variableOf(expr); from && from->isBorrowed)
    explained.insert(to);
  fill(to, where);
  if (HandleState *handle = stateOf(to); handle && isTake)
    handle->take();
}

void PacketFlowCheck::leave(SourceRange where) {
  for (size_t i = 0; i < handles.size(); ++i) {
    const HandleState &handle = state.handles[i];
    if (!handle.mayHold || handles[i]->isBorrowed ||
        explained.count(handles[i]))
      continue;
    report(DiagId::NeverGivenAway, where,
           "the packet of '" + handles[i]->name + "' is not given away" +
               (handle.mayBeEmpty ? " on some path" : "") +
               (function.role == Role::Ppf ? " before the PPF"
                                           : " before the function") +
               " ends here: put it on a channel or drop it",
           &handle);
  }
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

HandleStates PacketFlowCheck::visitCondition(Expr &condition) {
  auto *unary = llvm::dyn_cast<UnaryExpr>(&condition);
  if (unary && unary->op == UnaryOp::Not) {
    HandleStates inverse = visitCondition(*unary->operand);
    std::swap(state, inverse);
    return inverse;
  }
  auto *binary = llvm::dyn_cast<BinaryExpr>(&condition);
  if (binary && isLogical(binary->op)) {
    bool isAnd = binary->op == BinaryOp::LogicalAnd;
    HandleStates decided = visitCondition(*binary->left);
    if (!isAnd)
      std::swap(state, decided);
    HandleStates otherwise = visitCondition(*binary->right);
    (isAnd ? otherwise : state).join(decided);
    return otherwise;
  }
  VarDecl *decl = variableOf(condition);
  HandleState *handle = decl ? stateOf(decl) : nullptr;
  if (!handle || handle->mayBeStale) {
    visit(condition);
    return state;
  }
  HandleStates otherwise = state;
  handle->found(true);
  otherwise.handles[handleIndex[decl]].found(false);
  return otherwise;
}

void PacketFlowCheck::visit(Expr &expr) {
  switch (expr.kind) {
  case ExprKind::Name:
    if (VarDecl *decl = variableOf(expr); decl && stateOf(decl))
      checkHeld(decl, expr.range);
    return;
  case ExprKind::Call:
    return visitCall(llvm::cast<CallExpr>(expr));
  case ExprKind::Index:
    visit(*llvm::cast<IndexExpr>(expr).base);
    return visit(*llvm::cast<IndexExpr>(expr).index);
  case ExprKind::Field:
    return use(*llvm::cast<FieldExpr>(expr).base);
  case ExprKind::Unary: {
    auto &unary = llvm::cast<UnaryExpr>(expr);
    if (unary.op == UnaryOp::Not)
      return (void)state.join(visitCondition(expr));
    return visit(*unary.operand);
  }
  case ExprKind::Increment:
    return visit(*llvm::cast<IncrementExpr>(expr).operand);
  case ExprKind::Cast:
    return visit(*llvm::cast<CastExpr>(expr).operand);
  case ExprKind::Binary: {
    auto &binary = llvm::cast<BinaryExpr>(expr);
    if (isLogical(binary.op))
      return (void)state.join(visitCondition(expr));
    visit(*binary.left);
    return visit(*binary.right);
  }
  case ExprKind::Conditional: {
    auto &conditional = llvm::cast<ConditionalExpr>(expr);
    HandleStates otherwise = visitCondition(*conditional.condition);
    visit(*conditional.whenTrue);
    std::swap(state, otherwise);
    visit(*conditional.whenFalse);
    return (void)state.join(otherwise);
  }
  case ExprKind::Assign: {
    auto &assign = llvm::cast<AssignExpr>(expr);
    VarDecl *decl = variableOf(*assign.target);
    if (decl && stateOf(decl))
      return move(*assign.value, decl, assign.target->range);
    visit(*assign.target);
    return visit(*assign.value);
  }
  default:
    return;
  }
}

void PacketFlowCheck::visitCall(CallExpr &expr) {
  auto &arguments = expr.arguments;
  bool isUnderstood = expr.primitive == Primitive::None
                          ? expr.function != nullptr
                          : expr.type && !expr.type->isError();
  if (!isUnderstood)
    return;
  if (expr.primitive == Primitive::DropCount ||
      expr.primitive == Primitive::Refusal)
    return; // the argument is the name of a reason, or a text
  if (isService(expr.primitive))
    return visitArguments(expr);
  switch (expr.primitive) {
  case Primitive::None:
  case Primitive::Length:
  case Primitive::Copy:
  case Primitive::CopyHeader:
  case Primitive::QueueTake:
  case Primitive::QueueLength:
  case Primitive::QueueNextBytes:
    return visitArguments(expr);
  case Primitive::ChannelPut:
    return release(*arguments[1]);
  case Primitive::QueuePut:
    visit(*arguments[0]);
    return release(*arguments[1]);
  case Primitive::Drop:
    return release(*arguments[0]);
  case Primitive::Create:
    visitArguments(expr);
    return noteHeldHandles(expr);
  case Primitive::Extend:
  case Primitive::Shorten:
  case Primitive::AddTail:
  case Primitive::RemoveTail:
  case Primitive::Insert: // the place is a constant
  case Primitive::Remove:
    visit(*arguments.back());
    use(*arguments[0]);
    return noteHeldHandles(expr);
  case Primitive::Decap:
  case Primitive::Encap:
    if (arguments.size() == 2)
      visit(*arguments[1]);
    release(*arguments[0]);
    return noteHeldHandles(expr);
  default:
    KARAKAL_UNREACHABLE("primitive");
  }
}

void PacketFlowCheck::visitArguments(CallExpr &expr) {
  for (ExprPtr &argument : expr.arguments)
    if (argument->type && argument->type->isPacket())
      use(*argument);
    else
      visit(*argument);
}

void PacketFlowCheck::noteHeldHandles(CallExpr &expr) {
  expr.heldHandles.clear();
  VarDecl *resized =
      isResize(expr.primitive) ? variableOf(*expr.arguments[0]) : nullptr;
  for (size_t i = 0; i < handles.size(); ++i) {
    const HandleState &handle = state.handles[i];
    if (!handle.mayHold || handles[i] == resized)
      continue;
    if (!handle.mayBeEmpty)
      expr.heldHandles.push_back(handles[i]);
    else if (!handle.mayBeStale)
      report(DiagId::UntestedTake, expr.range,
             "'" + handles[i]->name +
                 "' may hold a packet, which would be lost if this ends the "
                 "function: test it before");
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void PacketFlowCheck::visitBlock(std::vector<StmtPtr> &body) {
  std::vector<VarDecl *> declared;
  bool wasReachable = state.isReachable;
  for (StmtPtr &stmt : body) {
    if (wasReachable && !state.isReachable && stmt->kind != StmtKind::Empty)
      warnUnreachable(stmt->range);
    wasReachable = state.isReachable;
    visit(*stmt);
    if (auto *declaration = llvm::dyn_cast<DeclarationStmt>(stmt.get()))
      for (Declarator &part : declaration->declarators)
        if (part.decl && stateOf(part.decl))
          declared.push_back(part.decl);
  }
  // Handles declared in a block end with it. The outermost block is checked
  // where the function returns.
  bool isOutermost = &body == &function.body->body;
  for (VarDecl *decl : declared) {
    HandleState *handle = stateOf(decl);
    if (state.isReachable && handle->mayHold && !isOutermost)
      report(DiagId::NeverGivenAway, decl->range,
             "the packet of '" + decl->name + "' is not given away" +
                 (handle->mayBeEmpty ? " on some path" : "") +
                 " before its block ends: put it on a channel or drop it",
             handle);
    if (!isOutermost)
      *handle = HandleState();
  }
}

void PacketFlowCheck::visit(Initializer &initializer) {
  if (initializer.expr)
    visit(*initializer.expr);
  for (Initializer &part : initializer.list)
    visit(part);
}

void PacketFlowCheck::visitDeclaration(DeclarationStmt &stmt) {
  for (Declarator &part : stmt.declarators) {
    if (!part.decl)
      continue;
    Expr *value = part.initializer ? part.initializer->expr.get() : nullptr;
    HandleState *handle = stateOf(part.decl);
    if (!handle) {
      if (part.initializer)
        visit(*part.initializer);
      continue;
    }
    if (handle->mayHold)
      report(DiagId::NeverGivenAway, part.name.range,
             "the packet of '" + part.decl->name +
                 "' is not given away before the loop's next iteration");
    *handle = HandleState();
    if (!value)
      continue;
    move(*value, part.decl, part.name.range);
  }
}

void PacketFlowCheck::visit(Stmt &stmt) {
  switch (stmt.kind) {
  case StmtKind::Block:
    return visitBlock(llvm::cast<BlockStmt>(stmt).body);
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
  case StmtKind::Critical:
    visit(*llvm::cast<CriticalStmt>(stmt).lock);
    return visit(*llvm::cast<CriticalStmt>(stmt).body);
  case StmtKind::Break:
    if (!breakTargets.empty())
      breakTargets.back()->breaks.join(state);
    state.isReachable = false;
    return;
  case StmtKind::Continue:
    if (!continueTargets.empty())
      continueTargets.back()->continues.join(state);
    state.isReachable = false;
    return;
  case StmtKind::Return: {
    auto &part = llvm::cast<ReturnStmt>(stmt);
    if (part.value)
      visit(*part.value);
    leave(stmt.range);
    state.isReachable = false;
    return;
  }
  case StmtKind::Expression: {
    Expr &expr = *llvm::cast<ExpressionStmt>(stmt).expr;
    visit(expr);
    if (expr.type && expr.type->isPacket() && llvm::isa<CallExpr>(expr))
      report(DiagId::NeverGivenAway, expr.range,
             "the packet that this returns is never given away");
    return;
  }
  default:
    return;
  }
}

void PacketFlowCheck::visitIf(IfStmt &stmt) {
  HandleStates otherwise = visitCondition(*stmt.condition);
  if (isConstant(stmt.condition.get(), false))
    state.isReachable = false;
  if (isConstant(stmt.condition.get(), true))
    otherwise.isReachable = false;
  visit(*stmt.whenTrue);
  std::swap(state, otherwise);
  if (stmt.whenFalse)
    visit(*stmt.whenFalse);
  state.join(otherwise);
}

/// Repeats the loop until its entry state does not change.
void PacketFlowCheck::visitLoop(Stmt &stmt) {
  LoopParts loop = loopParts(stmt);
  if (loop.init)
    visit(*loop.init);
  bool isEndless = !loop.condition || isConstant(loop.condition, true);
  HandleStates entry = state;
  for (bool isStable = false; !isStable;) {
    JumpStates jumps{unreachable(), unreachable()};
    HandleStates exit = unreachable();
    auto test = [&] {
      HandleStates otherwise = visitCondition(*loop.condition);
      if (!isEndless)
        exit = otherwise;
      if (isConstant(loop.condition, false))
        state.isReachable = false;
    };
    state = entry;
    if (loop.condition && !loop.testsAfterBody)
      test();
    breakTargets.push_back(&jumps);
    continueTargets.push_back(&jumps);
    visit(*loop.body);
    breakTargets.pop_back();
    continueTargets.pop_back();
    state.join(jumps.continues);
    if (loop.steps)
      for (const ExprPtr &step : *loop.steps)
        visit(*step);
    if (loop.testsAfterBody)
      test();
    isStable = !entry.join(state) || iterationsLeft == 0;
    iterationsLeft -= iterationsLeft > 0;
    exit.join(jumps.breaks);
    state = exit;
  }
}

void PacketFlowCheck::visitSwitch(SwitchStmt &stmt) {
  visit(*stmt.subject);
  HandleStates entry = state;
  JumpStates jumps{unreachable(), unreachable()};
  breakTargets.push_back(&jumps);
  bool hasDefault = false;
  state.isReachable = false;
  for (SwitchStmt::Case &part : stmt.cases) {
    hasDefault |= !part.value;
    state.join(entry); // joins the case above, which may fall through
    visitBlock(part.body);
  }
  breakTargets.pop_back();
  state.join(jumps.breaks);
  if (!hasDefault)
    state.join(entry);
}

void checkPacketFlow(Program &program, Diagnostics &diagnostics) {
  program.forEachFunction([&](FunctionDecl &function) {
    if (function.body)
      PacketFlowCheck(function, diagnostics).run();
  });
}

} // namespace karakal::lang
