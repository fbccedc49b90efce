// The command of a packet access with a known head.

#ifndef KARAKAL_PASSES_TO_LLVM_HEADACCESS_H
#define KARAKAL_PASSES_TO_LLVM_HEADACCESS_H

#include "passes/to-llvm/ToLlvmAccess.h"

namespace karakal::passes {

/// Consecutive words that start at a multiple of 4 bytes in the buffer.
struct Burst {
  mlir::SmallVector<mlir::Value> words;
  /// For stores: the bits of each word to write.
  mlir::SmallVector<uint32_t> masks;
};

/// Emits the code of one access.
class HeadAccess {
public:
  HeadAccess(mlir::ConversionPatternRewriter &builder, mlir::Operation *op,
             mlir::Value handle)
      : builder(builder), module(op->getParentOfType<mlir::ModuleOp>()),
        loc(op->getLoc()), handle(handle) {}

  /// The position of the packet's head is `head` + `offset`. If `head` is not
  /// null, it is a multiple of `modulus` (4 or 8).
  mlir::Value head;
  int32_t offset = 0;
  uint32_t modulus = 8;

  /// Bits from the start of the word that contains the head to the head.
  int32_t headBit() const { return (offset & 3) * 8; }

  /// Loads `count` words. The first one is `index` words after the word that
  /// contains the head.
  mlir::SmallVector<mlir::Value> load(int32_t index, unsigned count);
  void store(int32_t index, const Burst &burst);

  mlir::Value word(uint32_t value) { return constantWord(builder, loc, value); }
  mlir::Value shiftLeft(mlir::Value value, unsigned amount);
  mlir::Value shiftRight(mlir::Value value, unsigned amount);
  mlir::Value bitOr(mlir::Value a, mlir::Value b);
  mlir::Value maskWith(mlir::Value value, uint32_t mask);
  /// Returns the 32 bits of `high:low` from bit `bit` (0..31) of `high`.
  mlir::Value funnel(mlir::Value high, mlir::Value low, unsigned bit);

private:
  /// The quadwords that contain the words from `index` on.
  struct Quads {
    mlir::Value pointer;
    unsigned words;
    /// The position of the first word, if it is known ...
    unsigned first;
    /// ... else i1: whether it is one word later.
    mlir::Value isOdd;
  };
  Quads quadsOf(int32_t index, unsigned count);
  void writeMasked(mlir::Value pointer, mlir::Value mask, mlir::Value first,
                   mlir::Value second);
  bool storeMasked(mlir::Value pointer, const Burst &quads);
  void storeFrom(mlir::Value pointer, unsigned first, const Burst &burst);
  void branch(mlir::Value isOdd, llvm::function_ref<void(bool isOdd)> emit);
  mlir::Value pointerTo(mlir::Value base, int32_t bytes);
  mlir::Value advance(mlir::Value pointer, int32_t bytes);
  mlir::Value choose(mlir::Value isOdd, mlir::Value odd, mlir::Value even);
  mlir::Value add(mlir::Value a, mlir::Value b);

  mlir::ConversionPatternRewriter &builder;
  mlir::ModuleOp module;
  mlir::Location loc;
  mlir::Value handle;
};

} // namespace karakal::passes

#endif // KARAKAL_PASSES_TO_LLVM_HEADACCESS_H
