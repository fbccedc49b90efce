#include "aggregation/model/MemoryWait.h"

#include "aggregation/Passes.h"
#include "ir/dialect/Target.h"
#include <algorithm>

using namespace mlir;

namespace karakal::agg {

using target::CommandCost;
using target::commandCost;
using target::CommandKind;
using target::SharedUnit;

namespace {
/// An upper bound on utilization: the queueing delay grows without bound as the
/// utilization approaches 1.
constexpr double utilizationMax = 0.95;
} // namespace

MemoryWait::MemoryWait(ModuleOp module) : chip(ir::chipOf(module)) {
  auto prediction = module->getAttrOfType<DictionaryAttr>(predictionAttrName);
  if (!prediction)
    return;
  if (auto byName = prediction.getAs<DictionaryAttr>("unit_loads"))
    for (SharedUnit unit : target::unitsOf(chip))
      if (auto load = byName.getAs<FloatAttr>(target::sharedUnitName(unit)))
        loads[size_t(unit)] = load.getValueAsDouble();
}

double MemoryWait::loadOf(target::Memory memory) const {
  return loads[size_t(target::unitOf(memory))];
}

double MemoryWait::cycles(target::Memory memory, CommandKind kind) const {
  SharedUnit unit = target::unitOf(memory);
  auto loadAt = [&](SharedUnit port) {
    return std::min(loads[size_t(port)], utilizationMax);
  };
  double load = loadAt(unit);
  // An atomic command takes both ports of an SRAM channel.
  if (std::optional<uint32_t> channel = target::sramChannelOf(memory);
      channel && kind == CommandKind::Atomic)
    load = std::max(load, loadAt(target::writePort(*channel)));
  CommandCost one = commandCost(chip, unit, kind, 1);
  double others = commandCost(chip, unit, CommandKind::Memory, 1).busy;
  return one.latency + others * load / (1 - load);
}

} // namespace karakal::agg
