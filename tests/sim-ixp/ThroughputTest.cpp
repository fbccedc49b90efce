// Does throughput meet the closed formula?
//
// One unit and n contexts, each with one access at a time. An iteration of a
// context takes the latency and the instructions around it, an engine issues
// the instructions of its contexts one after the other, and the unit serves one
// access at a time. So an access takes
//
//   max(iteration / n, instructions / engines, service)
//
// cycles, for 1 to 64 contexts.

#include "OneEngine.h"

#include <algorithm>

using namespace karakal;
using namespace karakal::sim;
using namespace karakal::sim::testing;

class DoesThroughputMeetTheFormula : public OneEngine {
protected:
  uint64_t commands(uint64_t cycle) {
    chip->runTo(cycle);
    uint64_t sum = 0;
    for (uint32_t engine = 0; engine < 8; ++engine)
      sum += chip->engine(engine).countersAt(cycle).commands;
    return sum;
  }

  void expect(const Instruction &access, uint32_t mask, uint64_t latency,
              uint64_t service) {
    Program program = {withSignal(access, 2), ctxArb(mask), branch(Op::Br, 0)};
    // The command, the swap and the branch; the last two have two slots each.
    constexpr double instructions = 1 + 3 + 3;
    for (uint32_t contexts : {1u, 2u, 4u, 8u, 16u, 32u, 64u}) {
      chip = std::make_unique<Chip>(parameters, observer);
      uint32_t engines = std::max(1u, contexts / 8);
      for (uint32_t engine = 0; engine < engines; ++engine)
        load(program, engine, (1u << std::min(contexts, 8u)) - 1);
      constexpr uint64_t begin = 10000, cycles = 40000;
      uint64_t before = commands(begin);
      double each =
          cycles / static_cast<double>(commands(begin + cycles) - before);
      // From the issue to the signal, then the branch back.
      double iterationCycles = static_cast<double>(latency) + 3;
      double formula =
          std::max({iterationCycles / contexts, instructions / engines,
                    static_cast<double>(service)});
      EXPECT_NEAR(each, formula, 0.03 * formula) << contexts << " contexts";
      EXPECT_EQ(observer.fault, "");
    }
  }
};

TEST_F(DoesThroughputMeetTheFormula, Scratch) {
  expect(command(Op::ScratchRead, sXfer(0), imm(0), gprB(15), 1), 4,
         parameters.scratchLatency, parameters.scratchOpCycles);
}

TEST_F(DoesThroughputMeetTheFormula, Sram) {
  expect(command(Op::SramRead, sXfer(0), imm(0), gprB(15), 1), 4,
         parameters.sramLatency, parameters.sramOpCycles);
}

TEST_F(DoesThroughputMeetTheFormula, Dram) {
  parameters.dramRefreshCycles = 0;
  expect(command(Op::DramRead, dXfer(0), imm(0), gprB(15), 1), 12,
         parameters.dramLatency, parameters.dramBankCycles);
}
