// The cost of one word of microcode.
//
// The average cost of a message (AverageCost.h) and its worst case
// (WorstCase.h) are sums of these costs.

#ifndef KARAKAL_TARGET_IXP_MICROCODE_INSTRUCTIONCOST_H
#define KARAKAL_TARGET_IXP_MICROCODE_INSTRUCTIONCOST_H

#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/microcode/MessageCost.h"
#include "target-ixp/table/Instruction.h"
#include <optional>

namespace karakal::target {

/// A command's latency on an idle unit, and the time that it occupies the unit,
/// in engine cycles.
struct CommandCost {
  double latency = 0, busy = 0;
};
enum class CommandKind { Memory, Atomic, Queue };
/// The cost of a command that moves `words` words of 32 bits.
CommandCost commandCost(const ChipParameters &chip, SharedUnit unit,
                        CommandKind kind, unsigned words);

/// A command to a shared unit.
struct UnitCommand {
  SharedUnit unit = SharedUnit::Scratch;
  CommandCost cost;
  /// Which ports of an SRAM channel the command occupies.
  bool usesReadPort = true, usesWritePort = false;
  /// The SRAM channel.
  unsigned channel = 0;

  /// Adds the time for which `times` such commands occupy the unit.
  void addBusy(MessageCost &to, double times) const;
};

/// The command of `instruction`, if its unit is a SharedUnit.
std::optional<UnitCommand> commandOf(const Instruction &instruction,
                                     const ChipParameters &chip);

/// Whether a context gives up the engine here.
bool isSwap(const Instruction &instruction);

/// The cycles without issue after a swap.
double swapCycles(const Instruction &instruction, const ChipParameters &chip);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_MICROCODE_INSTRUCTIONCOST_H
