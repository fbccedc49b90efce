// The description of a program for the host.
//
// `describe` makes a HostProgram from the baker dialect before the program is
// lowered: entry point, PPFs and their cores, channels that are rings, control
// and init functions, drop reasons. `attach` adds the code.
//
//   HostProgram program = describe(baker);
//   … lower `baker` to the LLVM dialect …
//   attach(program, lowered);
//   run(std::move(program), trace, control);

#ifndef KARAKAL_HOST_DESCRIBE_H
#define KARAKAL_HOST_DESCRIBE_H

#include "host/HostProgram.h"
#include "mlir/IR/BuiltinOps.h"

namespace karakal::host {

/// Returns the description of a verified program, without code.
HostProgram describe(mlir::ModuleOp baker);

/// Translates `lowered`, a module of the LLVM dialect, into `program`.
void attach(HostProgram &program, mlir::ModuleOp lowered);

} // namespace karakal::host

#endif // KARAKAL_HOST_DESCRIBE_H
