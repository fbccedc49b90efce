// What the XScale's pipeline does with an ARM instruction.
//
// Latencies by class of instruction from the Intel XScale Core Developer's
// Manual (273473, January 2004), section 10.4. An issue latency is the distance
// to the next instruction, a result latency the distance to the first
// instruction that can use the result.

#ifndef KARAKAL_SIM_IXP_CORE_ARMINSTRUCTION_H
#define KARAKAL_SIM_IXP_CORE_ARMINSTRUCTION_H

#include <cstdint>

namespace karakal::sim {

/// Latencies in core cycles, with all accesses in the cache.
struct ArmInstruction {
  uint16_t sources = 0; ///< registers read, one bit each
  uint16_t results = 0; ///< registers written, without the program counter
  uint8_t issue = 1;
  uint8_t result = 1;
  /// A branch that the branch target buffer predicts. Its issue latency is that
  /// of a right prediction.
  bool isPredicted = false;
};

/// Cycles that a wrong prediction adds to a branch.
constexpr uint32_t ArmMispredictCycles = 4;

/// Decodes an ARMv5TE instruction. Unknown ones take one cycle.
ArmInstruction decodeArm(uint32_t word);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_CORE_ARMINSTRUCTION_H
