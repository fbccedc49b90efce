// Engines that the XScale core can ask to stop.
//
// A context ends only between two messages, so it holds no packet.

#ifndef KARAKAL_PASSES_PACKETS_STOPCHECKS_H
#define KARAKAL_PASSES_PACKETS_STOPCHECKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace karakal::passes {

/// On a module, N : i32: a context looks for messages N times, then reads
/// target::EngineStopWord, and ends if its engine must stop. So an engine under
/// full load stops, too. 0: it reads the word whenever it finds no message.
inline constexpr llvm::StringLiteral stoppableAttrName =
    "baker.engines.stoppable";

/// N for engines that must stop under load. With eight contexts, an engine
/// that takes 0.7 million messages a second stops within 400 microseconds.
inline constexpr uint32_t stopCheckInterval = 32;

/// Emits the return of a context whose engine is asked to stop. `builder`
/// continues in a new block, for other engines.
void emitStopCheck(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::ModuleOp module);

/// Emits a loop around the code that handles messages, with a stop check on
/// every `interval`-th iteration of a context:
///
///   ^entry:      br ^head(interval)
///   ^head(%n):   %m = %n - 1; cond_br %m == 0, ^check, ^body(%m)
///   ^check:      return if asked; br ^body(interval)
///   ^body(%m):   ...
///   ^loop:       br ^head(%m)
///
/// `builder` is at the end of the entry and continues at the start of the body.
/// Returns the block to which the body must jump.
mlir::Block *emitStoppableLoop(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::ModuleOp module, uint32_t interval);

/// Returns the block to which `entry`, the engine's entry function, jumps after
/// a message: the top of its loop, or ^loop above.
mlir::Block *endOfMessage(mlir::func::FuncOp entry);

} // namespace karakal::passes

#endif // KARAKAL_PASSES_PACKETS_STOPCHECKS_H
