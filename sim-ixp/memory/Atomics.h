// Read-modify-write of scratch and SRAM.
//
// Scratch and SRAM share the low four bits of their operation codes for reads,
// writes and atomic operations ("MEv2 reference", commands), and the meaning of
// the token: 1 = the old value comes back into the transfer-in register.

#ifndef KARAKAL_SIM_IXP_MEMORY_ATOMICS_H
#define KARAKAL_SIM_IXP_MEMORY_ATOMICS_H

#include "sim-ixp/bus/Command.h"

#include <cstdint>

namespace karakal::sim {

/// Low four bits of a scratch or SRAM command target.
enum class MemoryOp : uint8_t {
  Read = 0,
  Write = 1,
  Swap = 2,
  Set = 3,
  Clear = 4,
  Add = 5,
  Subtract = 6,
  Increment = 7,
  Decrement = 8,
};

/// The operation is one of Swap..Decrement.
constexpr bool isAtomic(MemoryOp op) {
  return op >= MemoryOp::Swap && op <= MemoryOp::Decrement;
}

/// The operation takes a word out of a transfer-out register.
constexpr bool hasAtomicOperand(MemoryOp op) {
  return op >= MemoryOp::Swap && op <= MemoryOp::Subtract;
}

/// What the memory word becomes.
constexpr uint32_t applyAtomic(MemoryOp op, uint32_t old, uint32_t operand) {
  switch (op) {
  case MemoryOp::Swap:
    return operand;
  case MemoryOp::Set:
    return old | operand;
  case MemoryOp::Clear:
    return old & ~operand;
  case MemoryOp::Add:
    return old + operand;
  case MemoryOp::Subtract:
    return old - operand;
  case MemoryOp::Increment:
    return old + 1;
  case MemoryOp::Decrement:
    return old - 1;
  default:
    return old;
  }
}

/// An operation that gives the old value back has a pair of signals. The pull
/// of an operand has raised the even one already and leaves the odd one to the
/// push; without an operand the push raises both.
inline void raiseRestOfPair(Command &command, MemoryOp op) {
  if (command.signal == 0)
    return;
  if (hasAtomicOperand(op))
    ++command.signal;
  else
    command.isSignalPair = true;
}

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_MEMORY_ATOMICS_H
