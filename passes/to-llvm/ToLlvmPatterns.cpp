#include "passes/to-llvm/ToLlvmPatterns.h"

using namespace mlir;

namespace karakal::passes {

Value resize(OpBuilder &builder, Location loc, Value value, unsigned width) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  Type type = builder.getIntegerType(width);
  if (from < width)
    return builder.create<LLVM::ZExtOp>(loc, type, value);
  if (from > width)
    return builder.create<LLVM::TruncOp>(loc, type, value);
  return value;
}

static Value constant32(OpBuilder &builder, Location loc) {
  return builder.create<LLVM::ConstantOp>(loc, builder.getI64IntegerAttr(32));
}

Value highWord(OpBuilder &builder, Location loc, Value wide) {
  Value shifted =
      builder.create<LLVM::LShrOp>(loc, wide, constant32(builder, loc));
  return resize(builder, loc, shifted, wordBits);
}

Value joinWords(OpBuilder &builder, Location loc, Value high, Value low) {
  Value placed = builder.create<LLVM::ShlOp>(
      loc, resize(builder, loc, high, 64), constant32(builder, loc));
  return builder.create<LLVM::OrOp>(loc, placed, resize(builder, loc, low, 64));
}

} // namespace karakal::passes
