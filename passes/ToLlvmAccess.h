//===- ToLlvmAccess.h - building blocks of combined accesses ----*- C++ -*-===//

#ifndef KARAKAL_PASSES_TOLLVMACCESS_H
#define KARAKAL_PASSES_TOLLVMACCESS_H

#include "passes/ToLlvmPatterns.h"

namespace karakal::passes {

/// Loads `count` words from `pointer` on, or stores them, by one operation.
mlir::SmallVector<mlir::Value> loadRun(mlir::OpBuilder &builder,
                                       mlir::Location loc, mlir::Value pointer,
                                       unsigned count, unsigned align);
void storeRun(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pointer,
              mlir::ArrayRef<mlir::Value> words, unsigned align);

/// Where a run of bytes lies in DRAM: `base` is the quadword of its first
/// byte; that byte is in the quadword's second word if `isSecond`, `shift`
/// bits from the word's left end.
struct RunPosition {
  mlir::Value base, isSecond, shift;
};

/// The position of the byte `at` behind the head pointer `head` (bytes in the
/// buffer of `handle`).
RunPosition runPosition(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value handle, mlir::Value head, int32_t at);

/// Words of the quadwords that enclose `count` words at any alignment.
unsigned enclosingWords(unsigned count);

/// The `count` words at `position` out of the enclosing ones.
mlir::SmallVector<mlir::Value>
wordsFromEnclosing(mlir::OpBuilder &builder, mlir::Location loc,
                   const RunPosition &position,
                   mlir::ArrayRef<mlir::Value> enclosing, unsigned count);

/// `words` as they stand in their `total` enclosing words, zeros around them.
mlir::SmallVector<mlir::Value>
wordsIntoEnclosing(mlir::OpBuilder &builder, mlir::Location loc,
                   const RunPosition &position,
                   mlir::ArrayRef<mlir::Value> words, unsigned total);

/// The bits of word `word` of a run whose bytes `byteMask` names.
uint32_t maskWord(uint64_t byteMask, unsigned word);

/// The bits of `word` where `mask` has ones, those of `old` elsewhere.
mlir::Value mergeWord(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value old, mlir::Value word, mlir::Value mask);

/// Does what `op` says of `words`, with the head pointer `head`: reads the
/// enclosing quadwords, merges, writes; whole quadwords are written as they
/// are.
void storeAtHead(mlir::OpBuilder &builder, ir::PacketStoreOp op,
                 mlir::Value handle, mlir::Value head,
                 mlir::ArrayRef<mlir::Value> words);

/// The head pointer from the descriptor: byte in the buffer.
mlir::Value loadHead(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value handle);

} // namespace karakal::passes

#endif // KARAKAL_PASSES_TOLLVMACCESS_H
