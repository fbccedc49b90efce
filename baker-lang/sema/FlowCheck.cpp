// Packets and returns along paths.
//
// A handle is Held or Empty (never filled, or its packet was given away). The
// state before each statement says for every handle whether some path makes it
// Held and whether some path makes it Empty. Conditions are not interpreted,
// except for constant ones: a packet that one branch gives away counts as
// given away behind the `if`, also where a second test would tell.
//
//     if (a) channel_put(x_cc, ph);
//     packet_drop(ph);              // error: given away above, on a path
//
// So each packet has one owner at each place, which is what makes it possible
// to neither lose nor double a buffer.

#include "baker-lang/sema/FlowCheck.h"

#include "baker-lang/syntax/Declarations.h"
#include "baker-lang/syntax/DiagnosticCatalogue.h"

#include <set>

namespace karakal::lang {

namespace {

/// What the paths to one place have made of a handle.
struct HandleState {
  bool mayHold = false, mayBeEmpty = true;
  SourceRange release; ///< where it was given away, if it was
  bool wasReleased = false;
};

/// The state at one place; `handles` goes parallel to the function's list.
struct State {
  bool isReachable = true;
  std::vector<HandleState> handles;

  /// Joins the state of another path; true if that changed this one.
  bool join(const State &other) {
    if (!other.isReachable)
      return false;
    if (!isReachable) {
      *this = other;
      return true;
    }
    bool isChanged = false;
    for (size_t i = 0; i < handles.size(); ++i) {
      HandleState &a = handles[i];
      const HandleState &b = other.handles[i];
      isChanged |= (b.mayHold && !a.mayHold) || (b.mayBeEmpty && !a.mayBeEmpty);
      a.mayHold |= b.mayHold;
      a.mayBeEmpty |= b.mayBeEmpty;
      if (b.wasReleased && !a.wasReleased) {
        a.wasReleased = true;
        a.release = b.release;
      }
    }
    return isChanged;
  }
};

class FlowCheck {
public:
  FlowCheck(FunctionDecl &function, Diagnostics &diagnostics)
      : function(function), diagnostics(diagnostics),
        hidesReleases(function.hasErrors) {}
  void run();

private:
  void visit(Stmt &stmt);
  void visitBlock(std::vector<StmtPtr> &body);
  void visitDeclaration(DeclarationStmt &stmt);
  void visit(Initializer &initializer);
  void visitLoop(Stmt &stmt);
  void visitSwitch(SwitchStmt &stmt);
  void warnUnreachable(SourceRange where);
  /// Control leaves the function here.
  void leave(SourceRange where);

  void visit(Expr &expr);
  void visitCall(CallExpr &expr);
  void visitBranches(Expr &first, Expr *second);
  /// The packet of `expr` is given away (or moves to another handle).
  void take(Expr &expr);
  /// It moves to `to`.
  void move(Expr &expr, VarDecl *to, SourceRange where);
  /// The packet of `expr` is looked at.
  void use(Expr &expr);
  /// `decl` gets a packet.
  void fill(VarDecl *decl, SourceRange where);
  bool checkHeld(VarDecl *decl, SourceRange where);

  State unreachable() const;
  HandleState *stateOf(const Decl *decl);
  void report(DiagId id, SourceRange where, std::string message,
              const HandleState *handle = nullptr);
  static bool isConstant(const Expr *expr, bool value) {
    return expr && expr->constant && (*expr->constant != 0) == value;
  }

  struct Loop {
    State breaks, continues;
  };

  FunctionDecl &function;
  Diagnostics &diagnostics;
  bool hidesReleases;
  std::vector<VarDecl *> handles;
  std::map<const Decl *, size_t> handleIndex;
  State state;
  std::vector<Loop *> breakTargets, continueTargets;
  std::set<std::pair<unsigned, uint32_t>> reported;
  /// Handles with a message already: that they stay held follows from it.
  std::set<const Decl *> explained;
  /// Bounds the work on deeply nested loops.
  unsigned repetitionsLeft = 10000;
};

} // namespace

/// The state behind what control never leaves.
State FlowCheck::unreachable() const {
  State state;
  state.isReachable = false;
  state.handles.resize(handles.size());
  return state;
}

void FlowCheck::run() {
  for (auto &variable : function.variables) {
    if (!variable->type || !variable->type->isPacket())
      continue;
    handleIndex[variable.get()] = handles.size();
    handles.push_back(variable.get());
    HandleState handle;
    if (variable->isParameter) {
      handle.mayHold = true;
      handle.mayBeEmpty = false;
    }
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

HandleState *FlowCheck::stateOf(const Decl *decl) {
  auto entry = handleIndex.find(decl);
  return entry == handleIndex.end() ? nullptr : &state.handles[entry->second];
}

void FlowCheck::report(DiagId id, SourceRange where, std::string message,
                       const HandleState *handle) {
  // A packet may seem to be held only because another error hid its release.
  if (!state.isReachable || (id == DiagId::NeverGivenAway && hidesReleases) ||
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

/// The first statement behind one that control never leaves.
void FlowCheck::warnUnreachable(SourceRange where) {
  if (reported.insert({unsigned(DiagId::Unreachable), where.begin}).second)
    lang::report(diagnostics, DiagId::Unreachable, where,
                 "this is never reached");
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

bool FlowCheck::checkHeld(VarDecl *decl, SourceRange where) {
  HandleState *handle = stateOf(decl);
  if (!handle || !handle->mayBeEmpty)
    return true;
  explained.insert(decl);
  if (handle->wasReleased)
    report(DiagId::UsedAfterRelease, where,
           "'" + decl->name + "' is used, but its packet was given away" +
               (handle->mayHold ? " on some path" : ""),
           handle);
  else
    report(DiagId::HoldsNoPacket, where,
           "'" + decl->name + "' holds no packet here" +
               (handle->mayHold ? " on some path" : ""));
  // One message for each packet: neither held nor empty from here on.
  handle->mayBeEmpty = false;
  handle->mayHold = false;
  return false;
}

static VarDecl *variableOf(Expr &expr) {
  auto *name = llvm::dyn_cast<NameExpr>(&expr);
  return name ? llvm::dyn_cast_or_null<VarDecl>(name->decl) : nullptr;
}

void FlowCheck::use(Expr &expr) {
  if (VarDecl *decl = variableOf(expr)) {
    checkHeld(decl, expr.range);
    return;
  }
  visit(expr);
  if (expr.type && expr.type->isPacket())
    report(DiagId::NeverGivenAway, expr.range,
           "this packet has no name: it could never be given away");
}

void FlowCheck::take(Expr &expr) {
  VarDecl *decl = variableOf(expr);
  if (!decl) {
    visit(expr);
    return;
  }
  checkHeld(decl, expr.range);
  HandleState *handle = stateOf(decl);
  if (!handle)
    return;
  if (decl->isBorrowed) {
    report(DiagId::Borrowed, expr.range,
           "the function '" + function.name +
               "' cannot give away its "
               "parameter '" +
               decl->name + "': the packet is its caller's");
    return;
  }
  handle->mayHold = false;
  handle->mayBeEmpty = true;
  handle->wasReleased = true;
  handle->release = expr.range;
}

void FlowCheck::fill(VarDecl *decl, SourceRange where) {
  HandleState *handle = stateOf(decl);
  if (!handle)
    return;
  if (handle->mayHold)
    report(decl->isBorrowed ? DiagId::Borrowed : DiagId::Overwritten, where,
           "'" + decl->name +
               "' is overwritten while it holds a packet, "
               "which would be lost");
  handle->mayHold = true;
  handle->mayBeEmpty = false;
  handle->wasReleased = false;
}

void FlowCheck::move(Expr &expr, VarDecl *to, SourceRange where) {
  take(expr);
  // A borrowed packet cannot move: that the handle keeps it follows from that.
  if (VarDecl *from = variableOf(expr); from && from->isBorrowed)
    explained.insert(to);
  fill(to, where);
}

void FlowCheck::leave(SourceRange where) {
  for (size_t i = 0; i < handles.size(); ++i) {
    const HandleState &handle = state.handles[i];
    if (!handle.mayHold || handles[i]->isBorrowed ||
        explained.count(handles[i]))
      continue;
    report(DiagId::NeverGivenAway, where,
           "the packet of '" + handles[i]->name + "' is not given away" +
               (handle.mayBeEmpty ? " on some path" : "") +
               " before the PPF ends here: put it on a channel or drop it",
           &handle);
  }
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

void FlowCheck::visitBranches(Expr &first, Expr *second) {
  State before = state;
  visit(first);
  std::swap(before, state);
  if (second)
    visit(*second);
  state.join(before);
}

void FlowCheck::visit(Expr &expr) {
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
  case ExprKind::Unary:
    return visit(*llvm::cast<UnaryExpr>(expr).operand);
  case ExprKind::Step:
    return visit(*llvm::cast<StepExpr>(expr).operand);
  case ExprKind::Cast:
    return visit(*llvm::cast<CastExpr>(expr).operand);
  case ExprKind::Binary: {
    auto &binary = llvm::cast<BinaryExpr>(expr);
    visit(*binary.left);
    if (isLogical(binary.op))
      return visitBranches(*binary.right, nullptr);
    return visit(*binary.right);
  }
  case ExprKind::Conditional: {
    auto &conditional = llvm::cast<ConditionalExpr>(expr);
    visit(*conditional.condition);
    return visitBranches(*conditional.whenTrue, conditional.whenFalse.get());
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

void FlowCheck::visitCall(CallExpr &expr) {
  auto &arguments = expr.arguments;
  bool isKnown = expr.primitive == Primitive::None
                     ? expr.function != nullptr
                     : expr.type && !expr.type->isError();
  if (!isKnown)
    return;
  switch (expr.primitive) {
  case Primitive::None:
    for (ExprPtr &argument : arguments)
      if (argument->type && argument->type->isPacket())
        use(*argument);
      else
        visit(*argument);
    return;
  case Primitive::Length:
  case Primitive::Copy:
    return use(*arguments[0]);
  case Primitive::AtomicAdd:
  case Primitive::Hash48:
  case Primitive::Hash64:
  case Primitive::Hash128:
  case Primitive::Timestamp:
  case Primitive::Random:
  case Primitive::Trace:
    for (ExprPtr &argument : arguments)
      visit(*argument);
    return;
  case Primitive::DropCount:
    return;
  case Primitive::ChannelPut:
    return take(*arguments[1]);
  case Primitive::Drop:
    return take(*arguments[0]);
  case Primitive::Create:
    if (!arguments.empty())
      visit(*arguments[0]);
    break;
  case Primitive::Extend:
  case Primitive::Shorten:
  case Primitive::AddTail:
  case Primitive::RemoveTail:
    visit(*arguments[1]);
    use(*arguments[0]);
    break;
  case Primitive::Decap:
  case Primitive::Encap:
    if (arguments.size() == 2)
      visit(*arguments[1]);
    take(*arguments[0]);
    break;
  }
  // A packet too short, or without room, ends the invocation: all go with it.
  expr.held.clear();
  for (size_t i = 0; i < handles.size(); ++i)
    if (state.handles[i].mayHold && !state.handles[i].mayBeEmpty &&
        !(isResize(expr.primitive) && handles[i] == variableOf(*arguments[0])))
      expr.held.push_back(handles[i]);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void FlowCheck::visitBlock(std::vector<StmtPtr> &body) {
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
  // Names end with the block.
  for (VarDecl *decl : declared) {
    HandleState *handle = stateOf(decl);
    if (state.isReachable && handle->mayHold && &body != &function.body->body)
      report(DiagId::NeverGivenAway, decl->range,
             "the packet of '" + decl->name + "' is not given away" +
                 (handle->mayBeEmpty ? " on some path" : "") +
                 " before its block ends: put it on a channel or drop it",
             handle);
    if (&body != &function.body->body)
      *handle = HandleState();
  }
}

void FlowCheck::visit(Initializer &initializer) {
  if (initializer.expr)
    visit(*initializer.expr);
  for (Initializer &part : initializer.list)
    visit(part);
}

void FlowCheck::visitDeclaration(DeclarationStmt &stmt) {
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
                 "' is not given away before the next turn of the loop");
    *handle = HandleState();
    if (!value)
      continue;
    move(*value, part.decl, part.name.range);
  }
}

void FlowCheck::visit(Stmt &stmt) {
  switch (stmt.kind) {
  case StmtKind::Block:
    return visitBlock(llvm::cast<BlockStmt>(stmt).body);
  case StmtKind::Declaration:
    return visitDeclaration(llvm::cast<DeclarationStmt>(stmt));
  case StmtKind::If: {
    auto &part = llvm::cast<IfStmt>(stmt);
    visit(*part.condition);
    State otherwise = state;
    if (isConstant(part.condition.get(), false))
      state.isReachable = false;
    if (isConstant(part.condition.get(), true))
      otherwise.isReachable = false;
    visit(*part.whenTrue);
    std::swap(state, otherwise);
    if (part.whenFalse)
      visit(*part.whenFalse);
    state.join(otherwise);
    return;
  }
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
             "nobody takes the packet that this gives");
    return;
  }
  default:
    return;
  }
}

void FlowCheck::visitLoop(Stmt &stmt) {
  auto *forLoop = llvm::dyn_cast<ForStmt>(&stmt);
  auto *whileLoop = llvm::dyn_cast<WhileStmt>(&stmt);
  auto *doLoop = llvm::dyn_cast<DoStmt>(&stmt);
  if (forLoop && forLoop->init)
    visit(*forLoop->init);
  Expr *condition = forLoop     ? forLoop->condition.get()
                    : whileLoop ? whileLoop->condition.get()
                                : doLoop->condition.get();
  bool isEndless = !condition || isConstant(condition, true);
  State entry = state;
  for (bool isStable = false; !isStable;) {
    Loop loop{unreachable(), unreachable()};
    state = entry;
    State exit = unreachable();
    if (condition && !doLoop) {
      visit(*condition);
      if (!isEndless)
        exit = state;
      if (isConstant(condition, false))
        state.isReachable = false;
    }
    breakTargets.push_back(&loop);
    continueTargets.push_back(&loop);
    visit(forLoop     ? *forLoop->body
          : whileLoop ? *whileLoop->body
                      : *doLoop->body);
    breakTargets.pop_back();
    continueTargets.pop_back();
    state.join(loop.continues);
    if (forLoop)
      for (ExprPtr &step : forLoop->steps)
        visit(*step);
    if (doLoop) {
      visit(*condition);
      if (!isEndless)
        exit = state;
      if (isConstant(condition, false))
        state.isReachable = false;
    }
    isStable = !entry.join(state) || repetitionsLeft == 0;
    repetitionsLeft -= repetitionsLeft > 0;
    exit.join(loop.breaks);
    state = exit;
  }
}

void FlowCheck::visitSwitch(SwitchStmt &stmt) {
  visit(*stmt.subject);
  State entry = state;
  Loop target{unreachable(), unreachable()};
  breakTargets.push_back(&target);
  bool hasDefault = false;
  state.isReachable = false;
  for (SwitchStmt::Case &part : stmt.cases) {
    hasDefault |= !part.value;
    state.join(entry); // beside what falls in from the case above
    visitBlock(part.body);
  }
  breakTargets.pop_back();
  state.join(target.breaks);
  if (!hasDefault)
    state.join(entry);
}

void checkFlow(Program &program, Diagnostics &diagnostics) {
  program.forEachList([&](DeclList &list, ModuleDecl *) {
    for (auto *functions : {&list.functions, &list.bodies})
      for (auto &function : *functions)
        if (function->body)
          FlowCheck(*function, diagnostics).run();
  });
}

} // namespace karakal::lang
