// Building blocks of combined accesses.

#ifndef KARAKAL_PASSES_TO_LLVM_TOLLVMACCESS_H
#define KARAKAL_PASSES_TO_LLVM_TOLLVMACCESS_H

#include "passes/to-llvm/ToLlvmPatterns.h"

namespace karakal::passes {

/// Loads `count` words from `pointer` on, or stores them, by one operation.
mlir::SmallVector<mlir::Value> loadRun(mlir::OpBuilder &builder,
                                       mlir::Location loc, mlir::Value pointer,
                                       unsigned count, unsigned align);
void storeRun(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pointer,
              mlir::ArrayRef<mlir::Value> words, unsigned align);

/// The bits of word `word` of a run whose bytes `byteMask` names.
uint32_t maskWord(uint64_t byteMask, unsigned word);

/// The words that `op` reads, with the head pointer `head`, cut out of the
/// enclosing quadwords. Those of an aligned run stand there as they are, which
/// is used where `usesAlignment` says so (it is what soar finds), or where the
/// enclosing quadwords are more than one command moves.
mlir::SmallVector<mlir::Value> loadAtHead(mlir::OpBuilder &builder,
                                          ir::PacketLoadOp op,
                                          mlir::Value handle, mlir::Value head,
                                          bool usesAlignment);

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

#endif // KARAKAL_PASSES_TO_LLVM_TOLLVMACCESS_H
