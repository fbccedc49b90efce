// Compilation of a HostProgram to callable functions.
//
// Verifies the program's module, optimizes it with LLVM's -O2 pipeline for this
// processor and compiles it with ORC LLJIT. Either guards stop a program that
// does something illegal and the packet primitives are the functions of
// host/Primitives.h, or the code is made for speed.
//
// A module that LLVM's verifier rejects, or that calls an undefined function,
// is a compiler bug and ends the process as an internal error.

#ifndef KARAKAL_HOST_JIT_H
#define KARAKAL_HOST_JIT_H

#include "host/HostProgram.h"
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace llvm::orc {
class LLJIT;
}

namespace karakal::host {

using PpfFunction = void (*)(uint32_t handle);
using ControlFunction = uint32_t (*)(const uint64_t *arguments);
using InitFunction = void (*)();

/// A compiled program: its entry points and the guards' globals. The pointers
/// are valid as long as the object lives.
struct JitProgram {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  PpfFunction rxEntry = nullptr;
  /// By channel id; null where no channel has the id.
  std::vector<PpfFunction> consumers;
  /// In the order of HostProgram's lists.
  std::vector<ControlFunction> controls;
  std::vector<InitFunction> inits;
  /// Null in a program without guards.
  int64_t *fuel = nullptr;
  uint32_t *ppf = nullptr;
  uint64_t *packetsByPpf = nullptr;
  uint64_t *profile = nullptr;
  /// Seconds of processor time for optimization and code generation.
  double compileSeconds = 0;

  JitProgram();
  JitProgram(JitProgram &&);
  ~JitProgram();
};

/// A symbol that the program uses and its address.
using SymbolAddress = std::pair<const char *, void *>;

/// Compiles `program`, whose module and context move into the result. Its
/// packets are those of `primitives`.
JitProgram compile(HostProgram &program,
                   const std::vector<SymbolAddress> &primitives);

/// Compiles `program` for packets at full speed: without guards and counters,
/// with the primitives of codegen-x86/PacketPrimitives.h in the code.
JitProgram compileFast(HostProgram &program,
                       const std::vector<SymbolAddress> &memory);

} // namespace karakal::host

#endif // KARAKAL_HOST_JIT_H
