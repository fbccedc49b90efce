// Warns of statements that cannot be meant.
//
//     if (length < 20);              warning: the ';' is the whole body …
//       packet_drop(ph);
//     switch (kind) {
//     case 1: n = 1;                 warning: case 1 continues in the next one
//     case 2: n = 2; @fallthrough;   marked
//     default: packet_length(ph);    warning: the value of 'packet_length' …
//     }
//     ttl = ttl;                     warning: 'ttl' is assigned to itself

#include "baker-lang/checks/StatementCheck.h"

#include "baker-lang/checks/SameValue.h"
#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "baker-lang/tree/AstWalk.h"
#include "baker-lang/tree/Program.h"
#include "support/Error.h"

#include <map>

namespace karakal::lang {

namespace {

class StatementCheck {
public:
  explicit StatementCheck(Diagnostics &diagnostics)
      : diagnostics(diagnostics) {}
  void visit(const Stmt &stmt);

private:
  void checkBody(const Stmt &body, const char *keyword);
  void checkCases(const SwitchStmt &stmt);
  std::string indentationAt(SourceRange range) const;
  void checkResult(const Expr &expr);
  void visit(const Expr &expr);
  bool hasEffect(const Expr &expr);
  bool hasEffect(const Stmt &stmt);
  bool hasEffect(const CallExpr &call);

  Diagnostics &diagnostics;
  /// Of functions that were asked for.
  std::map<const FunctionDecl *, bool> effects;
};

bool isMark(const Stmt &stmt) {
  auto *empty = llvm::dyn_cast<EmptyStmt>(&stmt);
  return empty && empty->isFallThrough;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

bool canEnd(const Stmt &stmt);

bool canEnd(const std::vector<StmtPtr> &body) {
  for (const StmtPtr &stmt : body)
    if (!canEnd(*stmt))
      return false;
  return true;
}

/// True if `stmt` contains a `break` that leaves the statement around it.
bool hasBreak(const Stmt &stmt) {
  if (stmt.kind == StmtKind::Break)
    return true;
  if (stmt.isLoop() || stmt.kind == StmtKind::Switch)
    return false;
  bool result = false;
  forEachPart(
      stmt, [](const Expr &) {},
      [&](const Stmt &part) { result |= hasBreak(part); });
  return result;
}

bool canEnd(const SwitchStmt &stmt) {
  bool hasDefault = false;
  for (const SwitchStmt::Case &part : stmt.cases) {
    hasDefault |= !part.value;
    for (const StmtPtr &item : part.body)
      if (hasBreak(*item))
        return true;
  }
  return !hasDefault || canEnd(stmt.cases.back().body);
}

/// True if the statement after `stmt` can be reached through its end.
bool canEnd(const Stmt &stmt) {
  switch (stmt.kind) {
  case StmtKind::Break:
  case StmtKind::Continue:
  case StmtKind::Return:
    return false;
  case StmtKind::Block:
    return canEnd(llvm::cast<BlockStmt>(stmt).body);
  case StmtKind::Critical:
    return canEnd(*llvm::cast<CriticalStmt>(stmt).body);
  case StmtKind::If: {
    auto &choice = llvm::cast<IfStmt>(stmt);
    return !choice.whenFalse || canEnd(*choice.whenTrue) ||
           canEnd(*choice.whenFalse);
  }
  case StmtKind::Switch:
    return canEnd(llvm::cast<SwitchStmt>(stmt));
  case StmtKind::While:
  case StmtKind::Do:
  case StmtKind::For: {
    LoopParts loop = loopParts(stmt);
    bool isEndless = !loop.condition ||
                     (loop.condition->constant && *loop.condition->constant);
    return !isEndless || hasBreak(*loop.body);
  }
  default:
    return true;
  }
}

} // namespace

/// The space before `range` if it is the first on its line, else nothing.
std::string StatementCheck::indentationAt(SourceRange range) const {
  const SourceFile &file = diagnostics.sources().file(range.file);
  uint32_t start = file.lineStart(file.location(range.begin).line);
  std::string_view before = file.text().substr(start, range.begin - start);
  bool isSpace = before.find_first_not_of(" \t") == std::string_view::npos;
  return isSpace ? std::string(before) : "";
}

void StatementCheck::checkBody(const Stmt &body, const char *keyword) {
  if (body.kind != StmtKind::Empty || isMark(body))
    return;
  // On a line of its own the semicolon is meant.
  if (!indentationAt(body.range).empty())
    return;
  report(diagnostics, DiagId::EmptyBody, body.range,
         std::string("this ';' is the whole body of the '") + keyword + "'")
      .note("if that is meant, put it on a line of its own")
      .fix(body.range, "");
}

void StatementCheck::checkCases(const SwitchStmt &stmt) {
  for (size_t i = 0; i < stmt.cases.size(); ++i) {
    const std::vector<StmtPtr> &body = stmt.cases[i].body;
    bool isLast = i + 1 == stmt.cases.size();
    for (size_t j = 0; j < body.size(); ++j)
      if (isMark(*body[j]) && (isLast || j + 1 != body.size()))
        report(diagnostics, DiagId::BadAnnotation, body[j]->range,
               "'@fallthrough;' must be the last statement of a case that "
               "another one follows");
    if (body.empty() || isLast || isMark(*body.back()) || !canEnd(body))
      continue;
    const SwitchStmt::Case &next = stmt.cases[i + 1];
    SourceRange place = next.range;
    place.end = place.begin;
    report(diagnostics, DiagId::FallThrough, next.range,
           "the case before this one continues here")
        .note(body.back()->range, "end it with 'break;', or with "
                                  "'@fallthrough;' if that is meant")
        .fix(place, "break; ");
  }
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

bool StatementCheck::hasEffect(const CallExpr &call) {
  switch (call.primitive) {
  case Primitive::None:
    break;
  case Primitive::Length:
  case Primitive::Hash48:
  case Primitive::Hash64:
  case Primitive::Hash128:
  case Primitive::Timestamp:
  case Primitive::Random:
  case Primitive::DropCount:
  case Primitive::Refusal:
  case Primitive::QueueLength:
  case Primitive::QueueNextBytes:
    return false;
  default:
    return true;
  }
  KARAKAL_ASSERT(call.function, "a call of nothing");
  const FunctionDecl &function = *call.function;
  if (function.table)
    return function.name != "find" && function.name != "count";
  // Calls of a function by itself are errors, so the search ends.
  auto entry = effects.find(&function);
  if (entry == effects.end())
    entry = effects.emplace(&function, hasEffect(*function.body)).first;
  return entry->second;
}

/// True if `target` is a variable of the function, or a part of one.
static bool isLocal(const Expr &target) {
  if (auto *name = llvm::dyn_cast<NameExpr>(&target))
    return llvm::isa_and_nonnull<VarDecl>(name->decl);
  if (auto *index = llvm::dyn_cast<IndexExpr>(&target))
    return isLocal(*index->base);
  auto *field = llvm::dyn_cast<FieldExpr>(&target);
  return field && field->access == Access::StructField && !field->isArrow &&
         isLocal(*field->base);
}

bool StatementCheck::hasEffect(const Expr &expr) {
  if (auto *call = llvm::dyn_cast<CallExpr>(&expr); call && hasEffect(*call))
    return true;
  if (auto *assign = llvm::dyn_cast<AssignExpr>(&expr);
      assign && !isLocal(*assign->target))
    return true;
  if (auto *increment = llvm::dyn_cast<IncrementExpr>(&expr);
      increment && !isLocal(*increment->operand))
    return true;
  bool result = false;
  forEachOperand(expr,
                 [&](const Expr &operand) { result |= hasEffect(operand); });
  return result;
}

bool StatementCheck::hasEffect(const Stmt &stmt) {
  bool result = stmt.kind == StmtKind::Critical;
  forEachPart(
      stmt, [&](const Expr &expr) { result |= hasEffect(expr); },
      [&](const Stmt &part) { result |= hasEffect(part); });
  return result;
}

/// `expr` is a statement, or a step of a loop.
void StatementCheck::checkResult(const Expr &expr) {
  auto *call = llvm::dyn_cast<CallExpr>(&expr);
  if (!call || call->type->is(TypeKind::Void) || call->type->isPacket() ||
      hasEffect(expr))
    return;
  report(diagnostics, DiagId::UnusedResult, expr.range,
         "this call does nothing but give a value, which is not used");
}

//===----------------------------------------------------------------------===//
// Expressions and statements
//===----------------------------------------------------------------------===//

void StatementCheck::visit(const Expr &expr) {
  if (auto *assign = llvm::dyn_cast<AssignExpr>(&expr);
      assign && !assign->op && isSameValue(*assign->target, *assign->value))
    report(diagnostics, DiagId::SelfAssign, assign->opRange,
           "'" +
               std::string(diagnostics.sources().text(assign->target->range)) +
               "' is assigned to itself");
  forEachOperand(expr, [&](const Expr &operand) { visit(operand); });
}

void StatementCheck::visit(const Stmt &stmt) {
  if (auto *choice = llvm::dyn_cast<IfStmt>(&stmt)) {
    checkBody(*choice->whenTrue, "if");
    if (choice->whenFalse)
      checkBody(*choice->whenFalse, "else");
  } else if (auto *loop = llvm::dyn_cast<WhileStmt>(&stmt)) {
    checkBody(*loop->body, "while");
  } else if (auto *loop = llvm::dyn_cast<ForStmt>(&stmt)) {
    checkBody(*loop->body, "for");
    for (const ExprPtr &step : loop->steps)
      checkResult(*step);
  } else if (auto *section = llvm::dyn_cast<CriticalStmt>(&stmt)) {
    checkBody(*section->body, "critical");
  } else if (auto *choice = llvm::dyn_cast<SwitchStmt>(&stmt)) {
    checkCases(*choice);
  } else if (auto *statement = llvm::dyn_cast<ExpressionStmt>(&stmt)) {
    checkResult(*statement->expr);
  }
  forEachPart(
      stmt, [&](const Expr &expr) { visit(expr); },
      [&](const Stmt &part) { visit(part); });
}

void checkStatements(const Program &program, Diagnostics &diagnostics) {
  StatementCheck check(diagnostics);
  program.forEachFunction(
      [&](const FunctionDecl &function) { check.visit(*function.body); });
}

} // namespace karakal::lang
