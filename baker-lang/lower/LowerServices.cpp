// Services of the chip.

#include "baker-lang/lower/FunctionLowering.h"

#include "support/Error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using mlir::Value;

namespace karakal::lang {

Value FunctionLowering::lowerService(const CallExpr &expr) {
  mlir::Location at = location(expr.range);
  switch (expr.primitive) {
  case Primitive::AtomicAdd: {
    Value counter = lvalue(*expr.arguments[0]).base;
    builder.create<ir::AtomicAddOp>(at, lowerAs(*expr.arguments[1], wordType()),
                                    counter);
    return {};
  }
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
