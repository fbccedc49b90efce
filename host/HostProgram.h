// A program lowered for x86.
//
// The host runs a Baker program as one LLVM module whose functions call the
// packet primitives of host/Primitives.h. A description names its entry points.
// The names are the same in the chip's code:
//
//   void @"l3_switch.l2_clsfr.in_cc"(i32 handle)   a PPF, external linkage
//   i32  @"control.l3_switch.route_add"(ptr args)  args: u64 each, host order
//   void @"init.l3_switch.setup"()
//
// A message to another PPF is either a direct call of that PPF, or
// `baker_channel_put(ring, id << 24 | handle)` with any ring but tx. The host
// queues such a message and calls the consumer that `channels` lists for the
// id. `baker_channel_put(1, handle)` transmits.

#ifndef KARAKAL_HOST_HOSTPROGRAM_H
#define KARAKAL_HOST_HOSTPROGRAM_H

#include "codegen-x86/specialize/TableShape.h"
#include "support/Error.h"
#include "target-ixp/table/HashFunction.h"
#include "traces/ControlFile.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace karakal::host {

/// A packet processing function of the module.
struct HostPpf {
  /// Symbol of the function in the LLVM module.
  std::string symbol;
  /// True if the chip runs it on the XScale core. An original packet that it
  /// drops counts as consumed, not as dropped.
  bool onXScale = false;
};

/// A channel whose messages are queued instead of called.
struct HostChannel {
  /// Number in bits 31:24 of its messages, not 0.
  uint32_t id = 0;
  /// Symbol of the channel in the program, for reports.
  std::string name;
  /// Symbol of the PPF that takes its messages.
  std::string consumer;
};

/// A control function: its wrapper's symbol and the signature that a control
/// file's calls are checked against.
struct HostControl {
  std::string symbol;
  traces::ControlSignature signature;
  /// Of a timer: the time between two calls.
  uint64_t intervalUs = 0;
};

/// A part of a program's code. The context outlives the module.
struct HostPart {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
};

/// Lowers the entry points of these symbols and all that they call, but other
/// PPFs, which stay declarations.
using LowerPart =
    std::function<Result<HostPart>(const std::vector<std::string> &symbols)>;

/// A program that `run` can execute. The context outlives the module.
struct HostProgram {
  std::string name;
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  /// If set, there is no module: the code is lowered when it is first called.
  LowerPart lowerPart;
  /// Symbol of the PPF that the rx channel feeds.
  std::string rxEntry;
  /// Whether the module has `x86::BatchMemory::RunFunction`, which runs packets
  /// of Rx in stages. Only for runs at full speed.
  bool hasBatches = false;
  std::vector<HostPpf> ppfs;
  std::vector<HostChannel> channels;
  std::vector<HostControl> controls;
  /// Symbols of the init wrappers, in order of execution.
  std::vector<std::string> inits;
  /// Names of the drop reasons by number: "unspecified", "truncated", then the
  /// program's own in order of declaration.
  std::vector<std::string> dropReasons;
  /// The declared tables.
  std::vector<x86::TableShape> tables;
  /// Those that PPFs and timers change. Only for programs that stay.
  std::vector<std::string> changedTables;
  /// The texts of `refusal`, in the order of their numbers.
  std::vector<std::string> refusals;
  /// The multiplier of its hashes.
  target::HashKey hashMultiplier = target::HashMultiplier;
  /// Numbers of counters of `baker_profile_add` and of sites of
  /// `baker_profile_load` (host/Instrument.h). 0 if the program is not
  /// instrumented.
  size_t counterCount = 0, cacheSiteCount = 0;
};

} // namespace karakal::host

#endif // KARAKAL_HOST_HOSTPROGRAM_H
