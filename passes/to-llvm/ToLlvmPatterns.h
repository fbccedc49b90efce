// The patterns of baker-to-llvm and helpers that they share.

#ifndef KARAKAL_PASSES_TO_LLVM_TOLLVMPATTERNS_H
#define KARAKAL_PASSES_TO_LLVM_TOLLVMPATTERNS_H

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Pass/Pass.h"
#include "passes/to-llvm/ToLlvmRuntime.h"

namespace karakal::passes {

constexpr unsigned wordBits = 32;

/// The context of the patterns.
struct ToLlvmContext {
  ir::Core core;

  bool isHost() const { return core == ir::Core::Host; }
};

/// Makes a constant of one word.
inline mlir::Value constantWord(mlir::OpBuilder &builder, mlir::Location loc,
                                uint32_t value) {
  return builder.create<mlir::LLVM::ConstantOp>(
      loc, builder.getI32IntegerAttr(int32_t(value)));
}

/// Truncates or zero-extends `value` to `width` bits.
mlir::Value resize(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value, unsigned width);

/// Returns the high word of a 64-bit value; or the value from its words.
mlir::Value highWord(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value wide);
mlir::Value joinWords(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value high, mlir::Value low);

/// Calls a packet primitive. `width` 0 means no result.
inline mlir::Value callPrimitive(mlir::ConversionPatternRewriter &rewriter,
                                 mlir::Operation *op, llvm::StringRef name,
                                 unsigned width, mlir::ValueRange operands) {
  mlir::Type result;
  if (width)
    result = rewriter.getIntegerType(width);
  return callRuntime(rewriter, op, name, result, operands);
}

/// A pattern with the context.
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

/// Locks, counters, hashes, time and random numbers (ToLlvmServices.cpp).
void addServicePatterns(mlir::RewritePatternSet &patterns,
                        const mlir::LLVMTypeConverter &converter,
                        ToLlvmContext &context);

/// Symbols, after the code that looks them up (ToLlvmGlobals.cpp).
void addSymbolPatterns(mlir::RewritePatternSet &patterns,
                       const mlir::LLVMTypeConverter &converter,
                       ToLlvmContext &context);

/// Adds the wrappers `control.NAME` and `init.NAME` for the control and init
/// functions of `module`, before its functions are lowered
/// (ToLlvmWrappers.cpp).
void addWrappers(mlir::ModuleOp module);

} // namespace karakal::passes

#endif // KARAKAL_PASSES_TO_LLVM_TOLLVMPATTERNS_H
