// Hazards: what the hardware tolerates and a program should not do.
//
// An engine reports a hazard where it happens, each kind once per instruction.

#ifndef KARAKAL_SIM_IXP_OBSERVE_HAZARD_H
#define KARAKAL_SIM_IXP_OBSERVE_HAZARD_H

#include <cstdint>
#include <string>

namespace karakal::sim {

/// Kinds of hazards.
enum class HazardKind : uint8_t {
  EarlyRead,      ///< a transfer-in register is read before its data arrives
  EarlyRewrite,   ///< a transfer-out register is written before it was pulled
  LocalDelay,     ///< local memory is used inside the delay of its pointer
  Unaligned,      ///< the memory ignores low address bits that are set
  CrcDelay,       ///< a crc, or a read of its remainder, follows a crc too soon
  RunawayContext, ///< a context does not give up the engine
};

/// A hazard and where it happened.
struct Hazard {
  HazardKind kind;
  uint32_t engine;
  uint64_t cycle;
  std::string text; ///< with context, PC and source location
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_OBSERVE_HAZARD_H
