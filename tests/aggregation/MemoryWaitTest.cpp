// How long a command waits for its memory, with the loads of a prediction.

#include "aggregation/model/MemoryWait.h"
#include "aggregation/Passes.h"
#include "tests/ir/ModuleText.h"

using namespace karakal;
using namespace karakal::agg;
using target::CommandKind;
using target::Memory;
using target::SharedUnit;

namespace {

const target::ChipParameters chip;

class MemoryWaits : public ir::ModuleText {
protected:
  /// The waits if these units have such loads.
  MemoryWait with(std::vector<std::pair<SharedUnit, double>> loads) {
    parse("module {}");
    mlir::Builder builder(&context);
    std::vector<mlir::NamedAttribute> units;
    for (auto [unit, load] : loads)
      units.push_back(builder.getNamedAttr(target::sharedUnitName(unit),
                                           builder.getF64FloatAttr(load)));
    module->getOperation()->setAttr(
        predictionAttrName,
        builder.getDictionaryAttr(builder.getNamedAttr(
            "unit_loads", builder.getDictionaryAttr(units))));
    return MemoryWait(*module);
  }

  /// The cycles without a queue.
  static double alone(Memory memory, CommandKind kind) {
    return target::commandCost(chip, target::unitOf(memory), kind, 1).latency;
  }
  /// The cycles that a command of others takes at the memory's unit.
  static double busy(Memory memory) {
    return target::commandCost(chip, target::unitOf(memory),
                               CommandKind::Memory, 1)
        .busy;
  }
};

TEST_F(MemoryWaits, WithoutAPredictionUnitsAreIdle) {
  parse("module {}");
  MemoryWait waits(*module);
  for (Memory memory : {Memory::Scratch, Memory::Sram0, Memory::Dram}) {
    EXPECT_EQ(waits.loadOf(memory), 0);
    EXPECT_EQ(waits.cycles(memory, CommandKind::Memory),
              alone(memory, CommandKind::Memory));
  }
}

TEST_F(MemoryWaits, AUnitThatIsBusyHalfOfTheTimeDelaysByOneCommand) {
  MemoryWait waits = with({{SharedUnit::Dram, 0.5}});
  EXPECT_EQ(waits.loadOf(Memory::Dram), 0.5);
  EXPECT_EQ(waits.loadOf(Memory::Scratch), 0);
  EXPECT_DOUBLE_EQ(waits.cycles(Memory::Dram, CommandKind::Memory),
                   alone(Memory::Dram, CommandKind::Memory) +
                       busy(Memory::Dram));
  EXPECT_EQ(waits.cycles(Memory::Scratch, CommandKind::Memory),
            alone(Memory::Scratch, CommandKind::Memory));
}

TEST_F(MemoryWaits, ThreeQuartersDelayByThreeCommands) {
  MemoryWait waits = with({{SharedUnit::Scratch, 0.75}});
  EXPECT_DOUBLE_EQ(waits.cycles(Memory::Scratch, CommandKind::Atomic),
                   alone(Memory::Scratch, CommandKind::Atomic) +
                       3 * busy(Memory::Scratch));
}

TEST_F(MemoryWaits, AFullUnitDelaysByNineteenCommands) {
  // Loads count up to 0.95.
  for (double load : {0.95, 1.0, 7.0}) {
    MemoryWait waits = with({{SharedUnit::Dram, load}});
    EXPECT_NEAR(waits.cycles(Memory::Dram, CommandKind::Memory),
                alone(Memory::Dram, CommandKind::Memory) +
                    19 * busy(Memory::Dram),
                1e-6);
    EXPECT_EQ(waits.loadOf(Memory::Dram), load);
  }
}

TEST_F(MemoryWaits, AnAtomicCommandWaitsForTheBusierPortOfItsChannel) {
  const SharedUnit reads = target::readPort(1), writes = target::writePort(1);
  for (bool isWriteBusy : {false, true}) {
    MemoryWait waits = with({{reads, isWriteBusy ? 0.5 : 0.75},
                             {writes, isWriteBusy ? 0.75 : 0.5}});
    EXPECT_DOUBLE_EQ(waits.cycles(Memory::Sram1, CommandKind::Atomic),
                     alone(Memory::Sram1, CommandKind::Atomic) +
                         3 * busy(Memory::Sram1));
    EXPECT_DOUBLE_EQ(waits.cycles(Memory::Sram1, CommandKind::Memory),
                     alone(Memory::Sram1, CommandKind::Memory) +
                         (isWriteBusy ? 1 : 3) * busy(Memory::Sram1));
    EXPECT_EQ(waits.cycles(Memory::Sram0, CommandKind::Atomic),
              alone(Memory::Sram0, CommandKind::Atomic));
  }
}

} // namespace
