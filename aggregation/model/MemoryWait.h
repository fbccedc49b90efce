// How long a command of one word takes at the load that the model predicts.

#ifndef KARAKAL_AGGREGATION_MODEL_MEMORYWAIT_H
#define KARAKAL_AGGREGATION_MODEL_MEMORYWAIT_H

#include "ir/dialect/Baker.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/Memories.h"
#include "target-ixp/microcode/InstructionCost.h"
#include <array>

namespace karakal::agg {

class MemoryWait {
public:
  /// Takes the loads of `module`'s prediction; without one the units are idle.
  explicit MemoryWait(mlir::ModuleOp module);

  /// The utilization of the memory's unit, 0 to 1.
  double loadOf(target::Memory memory) const;
  /// The unloaded latency of a command plus the queueing delay at its unit.
  double cycles(target::Memory memory, target::CommandKind kind) const;

private:
  target::ChipParameters chip;
  /// The utilization of each unit.
  std::array<double, target::sharedUnitCount> loads{};
};

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_MODEL_MEMORYWAIT_H
