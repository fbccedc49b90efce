// The description of a program for the host.
//
// `describe` makes a HostProgram from the baker dialect before the program is
// lowered: entry point, PPFs and their cores, channels that are rings, control
// and init functions, drop reasons. `translate` makes the code.
//
//   HostProgram program = describe(baker);
//   … lower `baker` to the LLVM dialect …
//   HostPart code = translate(lowered, program.name);
//   … move it into `program` …
//   run(std::move(program), trace, control);

#ifndef KARAKAL_HOST_DESCRIBE_H
#define KARAKAL_HOST_DESCRIBE_H

#include "host/HostProgram.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace karakal::host {

/// Returns the description of a verified program, without code.
HostProgram describe(mlir::ModuleOp baker);

/// The function of an entry point: a PPF, or what a wrapper calls.
mlir::func::FuncOp functionOf(mlir::ModuleOp baker, llvm::StringRef symbol);

/// Translates `lowered`, a module of the LLVM dialect.
HostPart translate(mlir::ModuleOp lowered, llvm::StringRef name);

} // namespace karakal::host

#endif // KARAKAL_HOST_DESCRIBE_H
