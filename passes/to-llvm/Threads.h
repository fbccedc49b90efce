// Programs that several threads of this computer run at once.

#ifndef KARAKAL_PASSES_TO_LLVM_THREADS_H
#define KARAKAL_PASSES_TO_LLVM_THREADS_H

namespace karakal::passes {

/// Attribute of a module that is lowered for the host: its locks become calls
/// of runtime::Lock and Unlock, its atomic additions atomic instructions.
/// Without it one thread runs the program, and neither needs code.
constexpr const char *threadsAttribute = "host.threads";

} // namespace karakal::passes

#endif // KARAKAL_PASSES_TO_LLVM_THREADS_H
