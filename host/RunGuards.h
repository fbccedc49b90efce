// Guards that make it safe to run a JIT module.
//
// With them the host can stop any program and tell where packets went. They are
// added before optimization:
//
//   entry of PPF i:   previous = ppf; ppf = i; ++packets[i]; burn(PpfFuel)
//   each return:      ppf = previous
//   each back edge:   burn(1)
//
// burn(n) subtracts n from `fuel` and, below zero, calls `exhausted`, which
// does not return. An endless loop, or endless recursion through channels that
// are direct calls, therefore ends in an error instead of a hang.
//
// `baker_profile_add(i, n)` is defined to add n to profile[i].
//
// Code that is compiled in parts shares the globals, which it only declares.

#ifndef KARAKAL_HOST_RUNGUARDS_H
#define KARAKAL_HOST_RUNGUARDS_H

#include "host/HostProgram.h"

namespace karakal::host {

/// Names of the globals and functions that the guards add.
struct GuardSymbols {
  static constexpr const char *Fuel = "karakal.fuel";       ///< i64
  static constexpr const char *Ppf = "karakal.ppf";         ///< i32, index
  static constexpr const char *Packets = "karakal.packets"; ///< i64 a PPF
  static constexpr const char *Profile = "karakal.profile"; ///< i64 a counter
  static constexpr const char *Exhausted = "karakal_host_exhausted";
  static constexpr const char *EnterXScale = "karakal_host_enter_xscale";
  static constexpr const char *EnterPpf = "karakal_host_enter_ppf";
};

/// Fuel for one entry of a PPF. It bounds the depth of direct calls.
constexpr int64_t PpfFuel = 1000;

/// Index in `karakal.ppf` outside of any PPF.
constexpr uint32_t NoPpf = ~0u;

/// Adds the guards to the program's module.
void addRunGuards(HostProgram &program);

/// Adds the guards to a part of the program. It declares the globals, and the
/// PPFs of other parts become calls of `EnterPpf(index, handle)`.
void addPartGuards(const HostProgram &program, llvm::Module &part);

} // namespace karakal::host

#endif // KARAKAL_HOST_RUNGUARDS_H
