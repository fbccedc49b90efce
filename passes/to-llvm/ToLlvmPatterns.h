// What the patterns of baker-to-llvm share.

#ifndef KARAKAL_PASSES_TO_LLVM_TOLLVMPATTERNS_H
#define KARAKAL_PASSES_TO_LLVM_TOLLVMPATTERNS_H

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Pass/Pass.h"
#include "passes/to-llvm/ToLlvm.h"

namespace karakal::passes {

constexpr unsigned wordBits = 32;

/// What the patterns know besides their operation.
struct ToLlvmContext {
  LlvmTarget target;
  mlir::Pass::Statistic &primitiveCount;
  mlir::Pass::Statistic &globalAccessCount;
  mlir::Pass::Statistic &resolvedCount;

  bool isHost() const { return target == LlvmTarget::Host; }
};

/// `value` as a constant of one word.
inline mlir::Value constantWord(mlir::OpBuilder &builder, mlir::Location loc,
                                uint32_t value) {
  return builder.create<mlir::LLVM::ConstantOp>(
      loc, builder.getI32IntegerAttr(int32_t(value)));
}

/// `value` cut or extended with zeros to `width` bits.
mlir::Value resize(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value, unsigned width);

/// The high and the low word of a 64-bit value, and the value from its words.
mlir::Value highWord(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value wide);
mlir::Value joinWords(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value high, mlir::Value low);

/// Calls a function of the runtime; its result, of type `result` (null: none).
mlir::Value callRuntime(mlir::ConversionPatternRewriter &rewriter,
                        mlir::Operation *op, llvm::StringRef name,
                        mlir::Type result, mlir::ValueRange operands);

/// The same for a packet primitive, which is counted; `width` 0: no result.
inline mlir::Value callPrimitive(ToLlvmContext &context,
                                 mlir::ConversionPatternRewriter &rewriter,
                                 mlir::Operation *op, llvm::StringRef name,
                                 unsigned width, mlir::ValueRange operands) {
  ++context.primitiveCount;
  mlir::Type result;
  if (width)
    result = rewriter.getIntegerType(width);
  return callRuntime(rewriter, op, name, result, operands);
}

/// A pattern that knows the context.
template <typename Op>
class ToLlvmPattern : public mlir::ConvertOpToLLVMPattern<Op> {
public:
  ToLlvmPattern(const mlir::LLVMTypeConverter &converter,
                ToLlvmContext &context)
      : mlir::ConvertOpToLLVMPattern<Op>(converter), context(context) {}

protected:
  using Adaptor = typename Op::Adaptor;
  using Rewriter = mlir::ConversionPatternRewriter;

  ToLlvmContext &context;
};

/// Operations on packets and metadata (ToLlvmPackets.cpp).
void addPacketPatterns(mlir::RewritePatternSet &patterns,
                       const mlir::LLVMTypeConverter &converter,
                       ToLlvmContext &context);

/// Combined accesses of packets and descriptors (ToLlvmAccess.cpp).
void addAccessPatterns(mlir::RewritePatternSet &patterns,
                       const mlir::LLVMTypeConverter &converter,
                       ToLlvmContext &context);

/// Accesses of packets whose head is known, by `baker.head` or because the
/// packet is a `baker.packet_view` (ToLlvmHeads.cpp).
void addHeadPatterns(mlir::RewritePatternSet &patterns,
                     const mlir::LLVMTypeConverter &converter,
                     ToLlvmContext &context);

/// References, loads and stores (ToLlvmGlobals.cpp).
void addGlobalPatterns(mlir::RewritePatternSet &patterns,
                       const mlir::LLVMTypeConverter &converter,
                       ToLlvmContext &context);

/// Locks, counters, hashes, time and chance (ToLlvmServices.cpp).
void addServicePatterns(mlir::RewritePatternSet &patterns,
                        const mlir::LLVMTypeConverter &converter,
                        ToLlvmContext &context);

/// Symbols, once no code asks them any more (ToLlvmGlobals.cpp).
void addSymbolPatterns(mlir::RewritePatternSet &patterns,
                       const mlir::LLVMTypeConverter &converter,
                       ToLlvmContext &context);

} // namespace karakal::passes

#endif // KARAKAL_PASSES_TO_LLVM_TOLLVMPATTERNS_H
