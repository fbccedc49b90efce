// Warns of arithmetic and comparisons that cannot be meant.
//
//     for (u8 i = 0; i < 256; i++)   warning: this is always true: …
//     u32 high = word << 32;         warning: a shift by 32 leaves nothing of …
//     if (flags & 3 == 1)            warning: '==' binds stronger than '&'
//     const u32 N = 65536 * 65536;   warning: … overflows 'int'
//
// Works on each operator alone, without the control flow before it. A constant
// that depends on a parameter of a module is another one in each instance, so
// comparisons with it are not reported.

#include "baker-lang/checks/ArithmeticCheck.h"

#include "baker-lang/checks/SameValue.h"
#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "baker-lang/tree/AstWalk.h"
#include "baker-lang/tree/Program.h"
#include "baker-lang/tree/UpperBound.h"
#include "support/Error.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/ConstantRange.h"

#include <set>

namespace karakal::lang {

namespace {

class ArithmeticCheck {
public:
  explicit ArithmeticCheck(Diagnostics &diagnostics)
      : diagnostics(diagnostics) {}
  void visit(const Stmt &stmt);
  void visit(const Expr &expr);

private:
  void visitBinary(const BinaryExpr &expr);
  void checkComparison(const BinaryExpr &expr);
  void checkShift(const Expr &amount, const Type *type, SourceRange where);
  void checkOverflow(const BinaryExpr &expr);
  void checkParentheses(const BinaryExpr &expr, const Expr &operand);

  Diagnostics &diagnostics;
};

/// Wide enough for both signed and unsigned values of 64 bits.
constexpr unsigned rangeBits = 66;

llvm::APInt number(uint64_t bits, bool isSigned) {
  llvm::APInt value(64, bits);
  return isSigned ? value.sext(rangeBits) : value.zext(rangeBits);
}

/// From `min` to `max`.
llvm::ConstantRange rangeOf(llvm::APInt min, llvm::APInt max) {
  return llvm::ConstantRange::getNonEmpty(min, max + 1);
}

llvm::ConstantRange rangeOf(const Type *type) {
  unsigned bits = type->bits();
  if (!type->isSigned)
    return rangeOf(llvm::APInt(rangeBits, 0),
                   llvm::APInt::getLowBitsSet(rangeBits, bits));
  return rangeOf(llvm::APInt::getBitsSetFrom(rangeBits, bits - 1),
                 llvm::APInt::getLowBitsSet(rangeBits, bits - 1));
}

/// The values that `expr` can have after its conversion to `type`.
llvm::ConstantRange rangeOf(const Expr &expr, const Type *type) {
  if (expr.constant) {
    llvm::APInt value = number(convertConstant(*expr.constant, expr.type, type),
                               type->isSigned);
    return rangeOf(value, value);
  }
  llvm::ConstantRange whole = rangeOf(type);
  llvm::ConstantRange own = rangeOf(expr.type);
  if (std::optional<uint64_t> bound = upperBound(expr))
    own = rangeOf(llvm::APInt(rangeBits, 0), number(*bound, false));
  return whole.contains(own) ? own : whole;
}

llvm::CmpInst::Predicate predicateOf(BinaryOp op) {
  switch (op) {
  case BinaryOp::Less:
    return llvm::CmpInst::ICMP_SLT;
  case BinaryOp::Greater:
    return llvm::CmpInst::ICMP_SGT;
  case BinaryOp::LessEqual:
    return llvm::CmpInst::ICMP_SLE;
  case BinaryOp::GreaterEqual:
    return llvm::CmpInst::ICMP_SGE;
  case BinaryOp::Equal:
    return llvm::CmpInst::ICMP_EQ;
  default:
    KARAKAL_ASSERT(op == BinaryOp::NotEqual, "not a comparison");
    return llvm::CmpInst::ICMP_NE;
  }
}

/// True if the value of `expr` depends on a parameter of a module.
bool dependsOnParameter(const Expr &expr, std::set<const Decl *> &seen) {
  const Decl *decl = nullptr;
  if (auto *name = llvm::dyn_cast<NameExpr>(&expr))
    decl = name->decl;
  else if (auto *field = llvm::dyn_cast<FieldExpr>(&expr))
    decl = field->decl;
  auto *constant = llvm::dyn_cast_or_null<ConstDecl>(decl);
  if (constant && seen.insert(constant).second &&
      (constant->isParameter ||
       (constant->value && dependsOnParameter(*constant->value, seen))))
    return true;
  bool depends = false;
  forEachOperand(expr, [&](const Expr &operand) {
    depends |= dependsOnParameter(operand, seen);
  });
  return depends;
}

/// "the left side is 0 to 255"
std::string inWords(const llvm::ConstantRange &range) {
  llvm::SmallString<24> min, max;
  range.getSignedMin().toStringSigned(min);
  range.getSignedMax().toStringSigned(max);
  return min == max ? "is " + min.str().str()
                    : "is " + min.str().str() + " to " + max.str().str();
}

} // namespace

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

void ArithmeticCheck::checkComparison(const BinaryExpr &expr) {
  if (!expr.operandType->isScalar() || expr.constant)
    return;
  std::set<const Decl *> seen;
  if (dependsOnParameter(expr, seen))
    return;
  if (isSameValue(*expr.left, *expr.right)) {
    bool isTrue = expr.op == BinaryOp::Equal ||
                  expr.op == BinaryOp::LessEqual ||
                  expr.op == BinaryOp::GreaterEqual;
    report(diagnostics, DiagId::AlwaysSame, expr.opRange,
           std::string("this is always ") + (isTrue ? "true" : "false") +
               ": both sides are the same");
    return;
  }
  if (expr.operandType->isWide() || expr.left->type->isWide() ||
      expr.right->type->isWide())
    return;
  llvm::ConstantRange left = rangeOf(*expr.left, expr.operandType);
  llvm::ConstantRange right = rangeOf(*expr.right, expr.operandType);
  llvm::CmpInst::Predicate predicate = predicateOf(expr.op);
  bool isTrue = left.icmp(predicate, right);
  if (!isTrue &&
      !left.icmp(llvm::CmpInst::getInversePredicate(predicate), right))
    return;
  report(diagnostics, DiagId::AlwaysSame, expr.opRange,
         std::string("this is always ") + (isTrue ? "true" : "false") +
             ": the left side " + inWords(left) + ", the right side " +
             inWords(right));
}

void ArithmeticCheck::checkShift(const Expr &amount, const Type *type,
                                 SourceRange where) {
  std::set<const Decl *> seen;
  if (!amount.constant || dependsOnParameter(amount, seen))
    return;
  if (amount.type->isSigned && int64_t(*amount.constant) < 0)
    report(diagnostics, DiagId::ShiftCount, amount.range,
           "a shift by the negative number " +
               constantText(*amount.constant, amount.type));
  else if (*amount.constant >= type->bits())
    report(diagnostics, DiagId::ShiftCount, amount.range,
           "a shift by " + constantText(*amount.constant, amount.type) +
               " leaves nothing of a value of type '" + type->str() + "'")
        .note(where, "to shift more bits, cast the left operand first");
}

/// Reports a sum, difference or product of constants that does not fit. An
/// unsigned difference below zero is a common way to write a large number.
void ArithmeticCheck::checkOverflow(const BinaryExpr &expr) {
  const Type *type = expr.operandType;
  bool isChecked = expr.op == BinaryOp::Add || expr.op == BinaryOp::Multiply ||
                   (expr.op == BinaryOp::Subtract && type->isSigned);
  if (!isChecked || !expr.constant || type->isWide() || !type->isInteger())
    return;
  auto operand = [&](const Expr &side) {
    KARAKAL_ASSERT(side.constant, "a constant of values that are none");
    return number(convertConstant(*side.constant, side.type, type),
                  type->isSigned)
        .sext(2 * rangeBits);
  };
  llvm::APInt left = operand(*expr.left), right = operand(*expr.right);
  llvm::APInt exact = expr.op == BinaryOp::Add        ? left + right
                      : expr.op == BinaryOp::Subtract ? left - right
                                                      : left * right;
  if (exact == number(*expr.constant, type->isSigned).sext(2 * rangeBits))
    return;
  llvm::SmallString<48> digits;
  exact.toStringSigned(digits);
  report(diagnostics, DiagId::ConstantOverflow, expr.opRange,
         "the result " + digits.str().str() + " does not fit '" + type->str() +
             "' and becomes " + constantText(*expr.constant, type));
}

/// `a & b == c` compares first, which is hardly ever meant.
void ArithmeticCheck::checkParentheses(const BinaryExpr &expr,
                                       const Expr &operand) {
  auto *comparison = llvm::dyn_cast<BinaryExpr>(&operand);
  // Parentheses widen the range of what they enclose.
  if (!comparison || !isComparison(comparison->op) ||
      comparison->range.begin != comparison->left->range.begin)
    return;
  SourceRange other =
      spanning(&operand == expr.right.get() ? expr.left->range
                                            : comparison->right->range,
               &operand == expr.right.get() ? comparison->left->range
                                            : expr.right->range);
  SourceRange begin = other, end = other;
  begin.end = begin.begin;
  end.begin = end.end;
  report(diagnostics, DiagId::Parentheses, expr.opRange,
         std::string("'") + spelling(comparison->op) +
             "' binds stronger than '" + spelling(expr.op) +
             "': the comparison is an operand here")
      .note(comparison->range, "this is compared first; write parentheses")
      .fix(begin, "(")
      .fix(end, ")");
}

void ArithmeticCheck::visitBinary(const BinaryExpr &expr) {
  KARAKAL_ASSERT(expr.operandType, "an operator without a type");
  if (isComparison(expr.op))
    checkComparison(expr);
  else if (isShift(expr.op))
    checkShift(*expr.right, expr.operandType, expr.left->range);
  else
    checkOverflow(expr);
  if (expr.op == BinaryOp::And || expr.op == BinaryOp::Or ||
      expr.op == BinaryOp::Xor) {
    checkParentheses(expr, *expr.left);
    checkParentheses(expr, *expr.right);
  }
}

void ArithmeticCheck::visit(const Expr &expr) {
  if (auto *binary = llvm::dyn_cast<BinaryExpr>(&expr))
    visitBinary(*binary);
  if (auto *assign = llvm::dyn_cast<AssignExpr>(&expr);
      assign && assign->op && isShift(*assign->op))
    checkShift(*assign->value, assign->operandType, assign->target->range);
  forEachOperand(expr, [&](const Expr &operand) { visit(operand); });
}

void ArithmeticCheck::visit(const Stmt &stmt) {
  forEachPart(
      stmt, [&](const Expr &expr) { visit(expr); },
      [&](const Stmt &part) { visit(part); });
}

void checkArithmetic(const Program &program, Diagnostics &diagnostics) {
  ArithmeticCheck check(diagnostics);
  program.forEachDeclList([&](const DeclList &list, const ModuleDecl *) {
    for (const auto &constant : list.constants)
      if (constant->value)
        check.visit(*constant->value);
  });
  program.forEachFunction(
      [&](const FunctionDecl &function) { check.visit(*function.body); });
}

} // namespace karakal::lang
