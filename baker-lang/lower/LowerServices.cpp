// Services of the chip.

#include "baker-lang/lower/FunctionLowering.h"

#include "support/Error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using mlir::Value;

namespace karakal::lang {

static mlir::arith::AtomicRMWKind atomicKind(Primitive primitive) {
  using Kind = mlir::arith::AtomicRMWKind;
  switch (primitive) {
  case Primitive::AtomicAdd:
    return Kind::addi;
  case Primitive::AtomicOr:
    return Kind::ori;
  case Primitive::AtomicAnd:
    return Kind::andi;
  case Primitive::AtomicSwap:
    return Kind::assign;
  default:
    KARAKAL_UNREACHABLE("atomic operation");
  }
}

Value FunctionLowering::lowerAtomic(const CallExpr &expr) {
  Value word = lvalue(*expr.arguments[0]).base;
  Value value = lowerAs(*expr.arguments[1], wordType());
  return builder.create<ir::AtomicOp>(location(expr.range),
                                      atomicKind(expr.primitive), value, word);
}

Value FunctionLowering::lowerService(const CallExpr &expr) {
  mlir::Location at = location(expr.range);
  switch (expr.primitive) {
  case Primitive::AtomicAdd:
  case Primitive::AtomicOr:
  case Primitive::AtomicAnd:
  case Primitive::AtomicSwap:
    return lowerAtomic(expr);
  case Primitive::Timestamp:
    return builder.create<ir::TimestampOp>(at, builder.getI32Type());
  case Primitive::Random:
    return builder.create<ir::RandomOp>(at, builder.getI32Type());
  case Primitive::DropCount:
    return builder.create<ir::DropCountOp>(at, builder.getI32Type(),
                                           expr.reason->name);
  case Primitive::Refusal:
    return builder.create<mlir::arith::ConstantIntOp>(
        at,
        parent.refusalNumber(llvm::cast<StringExpr>(*expr.arguments[0]).text),
        32);
  case Primitive::Trace: {
    if (!parent.keepsTraces())
      return {};
    std::vector<Value> values;
    for (size_t i = 1; i < expr.arguments.size(); ++i)
      values.push_back(lower(*expr.arguments[i]));
    builder.create<ir::TraceOp>(
        at, llvm::cast<StringExpr>(*expr.arguments[0]).text, values);
    return {};
  }
  case Primitive::Hash48:
  case Primitive::Hash64:
  case Primitive::Hash128:
    return builder.create<ir::HashOp>(at,
                                      lowerAs(*expr.arguments[0], expr.type));
  default:
    KARAKAL_UNREACHABLE("service");
  }
}

} // namespace karakal::lang
