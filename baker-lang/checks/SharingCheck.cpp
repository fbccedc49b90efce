// Warns of updates of global data that contexts share.
//
//     u32 seen;
//     m.f.ppf(ether_pkt * ph) { seen++; … }
//     warning: contexts that do this at once lose updates of 'seen'
//     note: write 'atomic_add(seen, 1)', which the memory does in one step
//
// Every PPF runs on eight contexts or more, unless it is '@cold': the XScale
// core handles one packet after the other. A function is checked if a PPF
// reaches it by calls outside critical sections.

#include "baker-lang/checks/SharingCheck.h"

#include "baker-lang/checks/SameValue.h"
#include "baker-lang/sema/GlobalAccess.h"
#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "baker-lang/tree/AstWalk.h"
#include "baker-lang/tree/Program.h"
#include "support/Error.h"

#include <set>

namespace karakal::lang {

namespace {

class SharingCheck {
public:
  explicit SharingCheck(Diagnostics &diagnostics) : diagnostics(diagnostics) {}

  /// Checks `function` and those that it calls outside critical sections.
  void run(const FunctionDecl &function) {
    if (!function.body || !seen.insert(&function).second)
      return;
    visit(*function.body);
    for (const FunctionDecl::CallSite &call : function.calls)
      if (!call.isInCriticalSection)
        run(*call.callee);
  }

private:
  void visit(const Stmt &stmt);
  void visit(const Expr &expr);
  void warn(const Expr &target, SourceRange where, const std::string &amount);
  std::string text(SourceRange range) const {
    return std::string(diagnostics.sources().text(range));
  }

  Diagnostics &diagnostics;
  std::set<const FunctionDecl *> seen;
};

/// True if a part of `expr` is the same value as `target`.
bool contains(const Expr &expr, const Expr &target) {
  if (isSameValue(expr, target))
    return true;
  bool result = false;
  forEachOperand(
      expr, [&](const Expr &operand) { result |= contains(operand, target); });
  return result;
}

} // namespace

void SharingCheck::warn(const Expr &target, SourceRange where,
                        const std::string &amount) {
  const GlobalDecl *global = globalOf(target);
  if (!global && !isThroughPointer(target))
    return;
  KARAKAL_ASSERT(target.type, "an assignment without a type");
  Diagnostic &diagnostic =
      report(diagnostics, DiagId::UnlockedUpdate, where,
             "contexts that do this at once lose updates of '" +
                 text(target.range) + "'");
  if (amount.empty() || !target.type->isInteger() || target.type->width != 32) {
    diagnostic.note("declare a lock and put it into a critical section: "
                    "'critical (lock) { … }'");
    return;
  }
  std::string call = "atomic_add(" + text(target.range) + ", " + amount + ")";
  diagnostic
      .note("write '" + call +
            "', which the memory does in one step; what "
            "depends on the old value needs a critical section")
      .fix(where, call);
}

void SharingCheck::visit(const Expr &expr) {
  if (auto *increment = llvm::dyn_cast<IncrementExpr>(&expr)) {
    warn(*increment->operand, expr.range, increment->isDecrement ? "-1" : "1");
  } else if (auto *assign = llvm::dyn_cast<AssignExpr>(&expr)) {
    std::string amount = text(assign->value->range);
    if (assign->op)
      warn(*assign->target, expr.range,
           *assign->op == BinaryOp::Add        ? amount
           : *assign->op == BinaryOp::Subtract ? "-(" + amount + ")"
                                               : "");
    else if (contains(*assign->value, *assign->target))
      warn(*assign->target, expr.range, "");
  }
  forEachOperand(expr, [&](const Expr &operand) { visit(operand); });
}

void SharingCheck::visit(const Stmt &stmt) {
  if (stmt.kind == StmtKind::Critical)
    return;
  forEachPart(
      stmt, [&](const Expr &expr) { visit(expr); },
      [&](const Stmt &part) { visit(part); });
}

void checkSharing(const Program &program, Diagnostics &diagnostics) {
  SharingCheck check(diagnostics);
  program.forEachFunction([&](const FunctionDecl &function) {
    if (function.role == Role::Ppf && function.ppf && !function.ppf->isCold)
      check.run(function);
  });
}

} // namespace karakal::lang
