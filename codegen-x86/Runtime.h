// The runtime of a program on x86: packet primitives, hashes, C interface.

#ifndef KARAKAL_CODEGEN_X86_RUNTIME_H
#define KARAKAL_CODEGEN_X86_RUNTIME_H

#include "target-ixp/table/HashFunction.h"
#include "llvm/IR/Module.h"
#include <string>
#include <vector>

namespace karakal::x86 {

/// Files of runtime/x86/.
enum class RuntimePart {
  Packets,   ///< the packet primitives
  Batches,   ///< stages of batches
  Services,  ///< hashes
  Interface, ///< the functions of a program that is compiled ahead of time
};

/// Defines what `module` needs of `part`. Packets then lie in the memory that
/// PacketMemory.h describes; whoever runs the module defines the symbols named
/// there. `module` has the data layout of its target.
void linkRuntime(llvm::Module &module, RuntimePart part);

/// Gives the hashes of a module with the services their multiplier: it starts
/// as `multiplier`, and a program that is compiled ahead of time may change it.
void setHashMultiplier(llvm::Module &module, target::HashKey multiplier);
/// The same for good, so that LLVM sees the value.
void fixHashMultiplier(llvm::Module &module, target::HashKey multiplier);

/// A PPF of a module by its symbol.
struct PpfSymbol {
  std::string name;
  /// Whether the chip runs it on the XScale core.
  bool onXScale;
};

/// Makes the functions of `ppfs` keep `PacketState::onXScale` and `toXScale`
/// while they run. A PPF of the engines that no PPF of the core calls needs no
/// code for it.
void markXScalePpfs(llvm::Module &module, const std::vector<PpfSymbol> &ppfs);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_RUNTIME_H
