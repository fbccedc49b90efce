// Observers in the optimized code of a program, for the model of rates.
//
//   at the start of each block    karakal_x86_count_block(instructions)
//   before each branch            karakal_x86_count_branch(site, taken)
//   before each access to data    karakal_x86_count_access(kind, address,
//   object)
//
// The code is that which would run without them: they come after all of LLVM's
// passes over the IR. Instructions are counted as LLVM's cost model does for
// the machine, so an address that is a part of its load counts nothing. Data
// are the program's globals. What a packet always has in the first cache (its
// descriptor, its first lines, the values at cuts) is left out.

#ifndef KARAKAL_CODEGEN_X86_OBSERVEWORK_H
#define KARAKAL_CODEGEN_X86_OBSERVEWORK_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <string>
#include <vector>

namespace karakal::x86 {

/// What the host defines; `kind` is an x86::AccessKind (model/WorkCounts.h).
struct ObserverSymbols {
  static constexpr const char *Block = "karakal_x86_count_block";
  static constexpr const char *Branch = "karakal_x86_count_branch";
  static constexpr const char *Access = "karakal_x86_count_access";
};

/// Adds observers to `module`. Returns the names of the program's globals by
/// object number.
std::vector<std::string> observeWork(llvm::Module &module,
                                     llvm::TargetMachine &machine);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_OBSERVEWORK_H
