// The load of the memories besides global data.

#include "passes/memory/UnitLoads.h"
#include "ir/analysis/KeptOrder.h"
#include "ir/analysis/References.h"
#include "ir/dialect/ProfileAttributes.h"
#include "ir/dialect/Services.h"
#include "passes/memory/PacketShares.h"
#include "support/Assert.h"
#include "target-ixp/chip/ChipLayout.h"
#include "target-ixp/chip/LineRate.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/Rings.h"
#include "target-ixp/microcode/InstructionCost.h"
#include "target-ixp/microcode/RuntimeCost.h"

using namespace mlir;

namespace karakal::passes {

namespace {

using target::commandCost;
using target::CommandKind;
using target::SharedUnit;

/// Commands of the program for packets, per packet received.
struct PacketCommands {
  double headers = 0;     ///< reads and writes of headers
  double descriptors = 0; ///< commands for descriptors
};

PacketCommands commandsOf(ModuleOp module) {
  std::optional<ir::ProgramProfile> profile = ir::profileOf(module);
  double received = profile ? double(profile->received) : 0;
  PacketShares shares = packetShares(module);
  PacketCommands sum;
  for (auto ppf : module.getOps<func::FuncOp>()) {
    if (!ir::isPpf(ppf) || ppf->hasAttr(ir::coldAttrName))
      continue;
    std::optional<uint64_t> packets = ir::profilePacketsOf(ppf);
    double times = packets && received > 0 ? double(*packets) / received
                                           : shares.lookup(ppf);
    bool reads = false, writes = false;
    for (func::FuncOp function : ir::reachableFrom(ppf))
      function.walk([&](Operation *op) {
        reads |= isa<ir::PacketReadOp>(op);
        writes |= isa<ir::PacketWriteOp>(op);
      });
    sum.headers += times * (int(reads) + int(writes));
    sum.descriptors += times * 2; // read, and written for the next PPF
  }
  return sum;
}

/// Cycles in which polls occupy scratch, per packet at line rate: each context
/// asks the ring of Rx and that of the core, then sleeps.
double pollCycles(const target::ChipParameters &chip) {
  double contexts =
      double(target::appEngineCount(chip)) * double(chip.meContexts);
  target::CommandCost fromRx = commandCost(
      chip, SharedUnit::Scratch, CommandKind::Memory, target::RingMessageWords);
  target::CommandCost fromCore =
      commandCost(chip, SharedUnit::Scratch, CommandKind::Memory, 1);
  double interval =
      target::IdleTicks * double(target::TimestampTickCycles) + fromRx.latency;
  double perCycle = contexts * (fromRx.busy + fromCore.busy) / interval;
  return perCycle * double(chip.meClockHz) / target::lineRate(chip);
}

} // namespace

std::map<target::Memory, double> unitLoads(ModuleOp module,
                                           const target::ChipParameters &chip,
                                           bool usesDescriptors) {
  target::RuntimeFrame frame{1, ir::keepsOrder(module)};
  target::MessageCost runtime =
      target::receiveCost(frame, chip) + target::transmitCost(frame, chip);
  PacketCommands program = commandsOf(module);
  auto busy = [&](SharedUnit unit, unsigned words) {
    return commandCost(chip, unit, CommandKind::Memory, words).busy;
  };
  std::map<target::Memory, double> loads;
  loads[target::Memory::Scratch] =
      runtime.busyOf(SharedUnit::Scratch) +
      2 * busy(SharedUnit::Scratch, target::RingMessageWords) +
      pollCycles(chip);
  // A channel starts its commands in order, so a read waits for a write, too.
  loads[target::Memory::Sram0] =
      runtime.busyOf(SharedUnit::Sram0) +
      runtime.busyOf(SharedUnit::Sram0Write) +
      (usesDescriptors ? program.descriptors * busy(SharedUnit::Sram0, 1) : 0);
  loads[target::Memory::Dram] =
      runtime.busyOf(SharedUnit::Dram) +
      program.headers *
          busy(SharedUnit::Dram, unsigned(2 * chip.dramBurstQuads));
  for (auto [memory, cycles] : loads)
    KARAKAL_ASSERT(cycles >= 0, "a load is a time");
  return loads;
}

} // namespace karakal::passes
