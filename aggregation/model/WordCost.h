// What one word of microcode costs.
//
// The figures of the chip, by instruction: what both the average of a message
// (CodeCost.h) and its worst case (WorstCase.h) are added up from.

#ifndef KARAKAL_AGGREGATION_MODEL_WORDCOST_H
#define KARAKAL_AGGREGATION_MODEL_WORDCOST_H

#include "aggregation/model/ThroughputModel.h"
#include "target-ixp/table/Instruction.h"
#include <optional>

namespace karakal::agg {

/// A command to a shared unit.
struct WordCommand {
  Unit unit = Unit::Scratch;
  /// Unloaded latency up to the signal, and time on the unit.
  CommandCost cost;
  /// The time is one of an SRAM channel's port for reads, for writes.
  bool isRead = true, isWrite = false;
  /// The SRAM channel.
  unsigned channel = 0;

  /// Adds the time on the unit, `times` over.
  void addBusy(StageCost &to, double times) const;
};

/// The command of `instruction`, if it goes to a unit that the model knows.
std::optional<WordCommand> commandOf(const target::Instruction &instruction,
                                     const target::ChipParameters &chip);

/// Whether a context gives up the engine here.
bool isSwap(const target::Instruction &instruction);

/// Cycles that nothing is issued in behind a swap.
double swapCycles(const target::Instruction &instruction,
                  const target::ChipParameters &chip);

/// Cycles that nothing is issued in behind a branch that is taken.
double takenCycles(const target::Instruction &branch);

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_MODEL_WORDCOST_H
