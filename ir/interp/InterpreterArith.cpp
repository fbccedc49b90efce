// Operations of the arith dialect on integers of any width.

#include "ir/interp/InterpreterState.h"
#include "support/Error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using llvm::APInt;

namespace karakal::ir {

namespace {

bool compare(arith::CmpIPredicate predicate, const APInt &a, const APInt &b) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a.slt(b);
  case arith::CmpIPredicate::sle:
    return a.sle(b);
  case arith::CmpIPredicate::sgt:
    return a.sgt(b);
  case arith::CmpIPredicate::sge:
    return a.sge(b);
  case arith::CmpIPredicate::ult:
    return a.ult(b);
  case arith::CmpIPredicate::ule:
    return a.ule(b);
  case arith::CmpIPredicate::ugt:
    return a.ugt(b);
  case arith::CmpIPredicate::uge:
    return a.uge(b);
  }
  KARAKAL_UNREACHABLE("no such predicate");
}

/// Shifts a value. A shift by the width or more is poison; zero stands for it.
APInt shift(const APInt &value, const APInt &by,
            llvm::function_ref<APInt(unsigned)> apply) {
  if (by.uge(value.getBitWidth()))
    return APInt::getZero(value.getBitWidth());
  return apply(unsigned(by.getZExtValue()));
}

std::optional<APInt> binary(Operation &op, const APInt &a, const APInt &b) {
  return llvm::TypeSwitch<Operation *, std::optional<APInt>>(&op)
      .Case([&](arith::AddIOp) { return a + b; })
      .Case([&](arith::SubIOp) { return a - b; })
      .Case([&](arith::MulIOp) { return a * b; })
      .Case([&](arith::AndIOp) { return a & b; })
      .Case([&](arith::OrIOp) { return a | b; })
      .Case([&](arith::XOrIOp) { return a ^ b; })
      .Case([&](arith::MinUIOp) { return a.ult(b) ? a : b; })
      .Case([&](arith::MaxUIOp) { return a.ult(b) ? b : a; })
      .Case([&](arith::MinSIOp) { return a.slt(b) ? a : b; })
      .Case([&](arith::MaxSIOp) { return a.slt(b) ? b : a; })
      .Case([&](arith::ShLIOp) {
        return shift(a, b, [&](unsigned by) { return a.shl(by); });
      })
      .Case([&](arith::ShRUIOp) {
        return shift(a, b, [&](unsigned by) { return a.lshr(by); });
      })
      .Case([&](arith::ShRSIOp) {
        return shift(a, b, [&](unsigned by) { return a.ashr(by); });
      })
      .Case([&](arith::CmpIOp compared) {
        return APInt(1, compare(compared.getPredicate(), a, b));
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<APInt> divide(Operation &op, const APInt &a, const APInt &b) {
  return llvm::TypeSwitch<Operation *, std::optional<APInt>>(&op)
      .Case([&](arith::DivUIOp) { return a.udiv(b); })
      .Case([&](arith::RemUIOp) { return a.urem(b); })
      .Case([&](arith::DivSIOp) { return a.sdiv(b); })
      .Case([&](arith::RemSIOp) { return a.srem(b); })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace

bool Interpreter::executeArith(Operation &op, Values &values) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto number = dyn_cast<IntegerAttr>(constant.getValue());
    if (number)
      values[constant.getResult()] = number.getValue();
    return bool(number);
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    bool isTrue = !values[select.getCondition()].isZero();
    values[select.getResult()] =
        APInt(values[isTrue ? select.getTrueValue() : select.getFalseValue()]);
    return true;
  }
  if (isa<arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp>(op)) {
    unsigned width = op.getResult(0).getType().getIntOrFloatBitWidth();
    const APInt value = values[op.getOperand(0)];
    values[op.getResult(0)] = isa<arith::ExtSIOp>(op)   ? value.sext(width)
                              : isa<arith::ExtUIOp>(op) ? value.zext(width)
                                                        : value.trunc(width);
    return true;
  }
  if (op.getNumOperands() != 2 || op.getNumResults() != 1 ||
      !isa<arith::ArithDialect>(op.getDialect()))
    return false;
  const APInt a = values[op.getOperand(0)], b = values[op.getOperand(1)];
  std::optional<APInt> value = binary(op, a, b);
  if (!value && b.isZero()) {
    trap("division by zero");
    return true;
  }
  if (!value)
    value = divide(op, a, b);
  if (value)
    values[op.getResult(0)] = *value;
  return value.has_value();
}

} // namespace karakal::ir
