// An interpreter for programs of the baker dialect.
//
// Executes a module operation by operation on real buffers and descriptors, in
// the layout of docs/runtime.md. It supports every form of the dialect between
// the front end and baker-to-llvm: field accesses and bursts, channels, and
// messages on rings. It shares no code with the lowering to LLVM, so the two
// can be compared. A module before a pass can also be compared with the module
// after it (ir/interp/PassCheck.h).
//
// A module with `@me_main` (made by baker-lower-channels) runs from there: each
// packet is put on ring `rx`, and the engine's loop runs until it is idle. Any
// other module runs from the consumer of the channel `rx`, and channels are
// delivered in order.
//
// Cost: about 100 ns per operation.

#ifndef KARAKAL_IR_INTERP_INTERPRETER_H
#define KARAKAL_IR_INTERP_INTERPRETER_H

#include "ir/interp/InterpretedRun.h"

#include "mlir/IR/BuiltinOps.h"

namespace karakal::ir {

/// The number of words of all globals of `module`.
size_t globalWordCount(mlir::ModuleOp module);

/// Runs `module` on each packet in turn. Skips a packet from a ring that the
/// engine's program does not read.
RunResult interpret(mlir::ModuleOp module, const Stimulus &stimulus);

/// Returns the global data of `module` after its initial values, its init
/// functions and `calls`.
RunResult callControl(mlir::ModuleOp module,
                      const std::vector<ControlCall> &calls);

} // namespace karakal::ir

#endif // KARAKAL_IR_INTERP_INTERPRETER_H
