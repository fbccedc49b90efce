// Helpers that emit bursts.

#ifndef KARAKAL_PASSES_TO_LLVM_TOLLVMACCESS_H
#define KARAKAL_PASSES_TO_LLVM_TOLLVMACCESS_H

#include "passes/to-llvm/ToLlvmPatterns.h"

namespace karakal::passes {

/// Loads `count` words from `pointer`, or stores words, with one operation.
mlir::SmallVector<mlir::Value> loadBurst(mlir::OpBuilder &builder,
                                         mlir::Location loc,
                                         mlir::Value pointer, unsigned count,
                                         unsigned align);
void storeBurst(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::Value pointer, mlir::ArrayRef<mlir::Value> words,
                unsigned align);

/// The position of a burst in DRAM. `base` is the quadword of its first byte,
/// which is byte `byte` of the quadword's second word if `isSecond`, and of the
/// first word otherwise.
struct BurstPosition {
  mlir::Value base, isSecond, byte;
};

/// Extracts the `count` words at `position` from the enclosing ones, of which
/// there are at least two more.
mlir::SmallVector<mlir::Value>
wordsFromEnclosing(mlir::OpBuilder &builder, mlir::Location loc,
                   const BurstPosition &position,
                   mlir::ArrayRef<mlir::Value> enclosing, unsigned count);

/// Returns the bits of word `word` of a burst that writes the bytes `byteMask`.
uint32_t maskWord(uint64_t byteMask, unsigned word);

/// Returns the words that `op` reads with the head pointer `head`, extracted
/// from the enclosing quadwords. An aligned burst needs no extraction; this is
/// used if `usesAlignment` (the alignment is what baker-soar finds) or if one
/// command cannot move the enclosing quadwords.
mlir::SmallVector<mlir::Value> loadAtHead(mlir::OpBuilder &builder,
                                          ir::PacketLoadOp op,
                                          mlir::Value handle, mlir::Value head,
                                          bool usesAlignment);

/// Stores `words` as `op` specifies, with the head pointer `head`: reads the
/// enclosing quadwords, merges and writes. Whole quadwords are only written.
void storeAtHead(mlir::OpBuilder &builder, ir::PacketStoreOp op,
                 mlir::Value handle, mlir::Value head,
                 mlir::ArrayRef<mlir::Value> words);

/// Loads the head pointer, a byte offset in the buffer, from the descriptor.
mlir::Value loadHead(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value handle);

} // namespace karakal::passes

#endif // KARAKAL_PASSES_TO_LLVM_TOLLVMACCESS_H
