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

#include "codegen-x86/specialize/Prepare.h"
#include "host/HostProgram.h"
#include "support/Error.h"
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class TargetMachine;
namespace orc {
class LLJIT;
}
} // namespace llvm

namespace karakal::host {

using PpfFunction = void (*)(uint32_t handle);
using BatchFunction = void (*)(const uint32_t *handles, uint32_t first,
                               uint32_t count);
using ControlFunction = uint32_t (*)(const uint64_t *arguments);
using InitFunction = void (*)();

/// Where packets enter compiled code.
struct PacketEntries {
  PpfFunction rx = nullptr;
  /// By channel id; null where no channel has the id.
  std::vector<PpfFunction> consumers;
};

/// A compiled program: its entry points and the guards' globals. The pointers
/// are valid as long as the object lives.
struct JitProgram {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  PacketEntries packets;
  /// Null without HostProgram::hasBatches.
  BatchFunction runBatch = nullptr;
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
/// with the primitives of codegen-x86/PacketPrimitives.h in the code. If
/// `specializable` is not null, prepares the program for being specialized.
JitProgram compileFast(HostProgram &program,
                       const std::vector<SymbolAddress> &memory,
                       x86::Specializable *specializable = nullptr);

/// As compileFast, with observers (codegen-x86/ObserveWork.h), whose symbols
/// are among those of `memory`. `objects` becomes the names of what accesses
/// are to.
JitProgram compileObserved(HostProgram &program,
                           const std::vector<SymbolAddress> &memory,
                           std::vector<std::string> &objects);

/// The two steps of `compileFast`, for a program that is compiled several
/// times.
void prepareFast(HostProgram &program, x86::Specializable *specializable);
JitProgram compilePrepared(HostProgram &program,
                           const std::vector<SymbolAddress> &memory);

/// Compiles an optimized module once and links it for each element of
/// `symbols`, which it uses besides the services. An error, if LLVM refuses it,
/// has only a message.
Result<std::vector<std::unique_ptr<llvm::orc::LLJIT>>>
compileModule(std::unique_ptr<llvm::Module> module,
              std::unique_ptr<llvm::LLVMContext> context,
              const std::vector<std::vector<SymbolAddress>> &symbols);

/// The entry points of `program` in code that defines them.
PacketEntries packetEntriesOf(llvm::orc::LLJIT &jit,
                              const HostProgram &program);
/// The symbols of `PacketEntries`.
std::vector<std::string> packetEntryNames(const HostProgram &program);

/// Makes a JIT for parts of a program that are compiled quickly, to slower
/// code. They may use `primitives`.
std::unique_ptr<llvm::orc::LLJIT>
makeQuickJit(const std::vector<SymbolAddress> &primitives);
/// Makes data known to the code that `jit` compiles from now on.
void defineData(llvm::orc::LLJIT &jit,
                const std::vector<std::pair<std::string, void *>> &data);
/// Optimizes a part quickly and gives it to `jit`. Only `entries` stay visible.
void addQuickPart(llvm::orc::LLJIT &jit, HostPart part,
                  const std::vector<std::string> &entries);

/// The address of a symbol that the code defines.
void *addressOf(llvm::orc::LLJIT &jit, const std::string &symbol);

/// LLVM for this processor.
std::unique_ptr<llvm::TargetMachine> makeHostMachine();

} // namespace karakal::host

#endif // KARAKAL_HOST_JIT_H
