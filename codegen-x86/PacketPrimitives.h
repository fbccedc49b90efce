// The packet primitives of a program on x86.

#ifndef KARAKAL_CODEGEN_X86_PACKETPRIMITIVES_H
#define KARAKAL_CODEGEN_X86_PACKETPRIMITIVES_H

#include "llvm/IR/Module.h"
#include <string>
#include <vector>

namespace karakal::x86 {

/// Defines the primitives that `module` calls (runtime/x86/packets.cpp), as
/// internal functions. Packets then lie in the memory that PacketMemory.h
/// describes; whoever runs the module defines the symbols named there.
/// `module` has the data layout of its target.
void linkPacketPrimitives(llvm::Module &module);

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

#endif // KARAKAL_CODEGEN_X86_PACKETPRIMITIVES_H
