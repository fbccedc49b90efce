// Atomic operations of scratch and SRAM.
//
// How an atomic command changes its word, and which signals it raises.

#ifndef KARAKAL_SIM_IXP_MEMORY_ATOMICS_H
#define KARAKAL_SIM_IXP_MEMORY_ATOMICS_H

#include "sim-ixp/bus/Command.h"
#include "target-ixp/table/CommandCodes.h"

#include <cstdint>

namespace karakal::sim {

/// The new value of the memory word.
constexpr uint32_t applyAtomic(target::WordAccess access, uint32_t old,
                               uint32_t operand) {
  switch (access) {
  case target::WordAccess::Swap:
    return operand;
  case target::WordAccess::Set:
    return old | operand;
  case target::WordAccess::Clear:
    return old & ~operand;
  case target::WordAccess::Add:
    return old + operand;
  case target::WordAccess::Subtract:
    return old - operand;
  case target::WordAccess::Increment:
    return old + 1;
  case target::WordAccess::Decrement:
    return old - 1;
  case target::WordAccess::None:
  case target::WordAccess::Read:
  case target::WordAccess::Write:
    break;
  }
  return old;
}

/// A command that takes and returns words has a pair of signals. The pull has
/// already raised the even one and leaves the odd one to the push. An atomic
/// command that takes no operand and returns the old value has the pair too:
/// its push raises both.
inline void raiseRestOfPair(Command &command) {
  if (command.signal == 0)
    return;
  if (target::pullsOperands(command.op))
    ++command.signal;
  else
    command.isSignalPair = true;
}

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_MEMORY_ATOMICS_H
