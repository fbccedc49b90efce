// Latencies, bandwidths and the sum of cycles.
//
// Each test states the closed formula that the model must meet.

#include "OneEngine.h"

using namespace karakal;
using namespace karakal::sim;
using namespace karakal::sim::testing;

class TimingTest : public OneEngine {
protected:
  /// Cycles from the issue of `access` to the cycle at which its context
  /// continues.
  uint64_t latency(Instruction access, uint32_t mask = 4) {
    chip = std::make_unique<Chip>(parameters, observer);
    run({withSignal(access, 2), ctxArb(mask)});
    // After the wait come the stop and its two dead slots.
    return endCycle() - 3;
  }

  /// Chip cycles per command when six engines of eight contexts send `access`
  /// in a loop, after `warmup` cycles.
  double cyclesPerCommand(Instruction access, uint32_t mask) {
    chip = std::make_unique<Chip>(parameters, observer);
    Program program = {withSignal(access, 2), ctxArb(mask), branch(Op::Br, 0)};
    for (uint32_t engine = 0; engine < 6; ++engine)
      load(program, engine, 0xff);
    constexpr uint64_t begin = 20000, cycles = 60000;
    uint64_t before = commands(begin);
    uint64_t after = commands(begin + cycles);
    EXPECT_EQ(observer.fault, "");
    return static_cast<double>(cycles) / static_cast<double>(after - before);
  }

  uint64_t commands(uint64_t cycle) {
    chip->runTo(cycle);
    uint64_t sum = 0;
    for (uint32_t engine = 0; engine < 8; ++engine)
      sum += chip->engine(engine).countersAt(cycle).commands;
    return sum;
  }
};

class DoCyclesAddUp : public TimingTest {};

TEST_F(TimingTest, UnloadedLatencyIsTheParameter) {
  for (uint64_t extra : {0, 50}) {
    parameters.scratchLatency = 60 + extra;
    parameters.sramLatency = 90 + extra;
    parameters.dramLatency = 120 + extra;
    EXPECT_EQ(latency(command(Op::ScratchRead, sXfer(0), imm(0), gprB(15), 1)),
              parameters.scratchLatency);
    EXPECT_EQ(latency(command(Op::SramRead, sXfer(0), imm(0), gprB(15), 1)),
              parameters.sramLatency);
    EXPECT_EQ(latency(command(Op::DramRead, dXfer(0), imm(0), gprB(15), 1), 12),
              parameters.dramLatency);
  }
}

TEST_F(TimingTest, FurtherWordsTakeTheSlowerOfMemoryAndBus) {
  uint64_t one = latency(command(Op::SramRead, sXfer(0), imm(0), gprB(15), 1));
  uint64_t eight =
      latency(command(Op::SramRead, sXfer(0), imm(0), gprB(15), 8));
  EXPECT_EQ(eight - one, 7 * parameters.sramWordCycles);
  one = latency(command(Op::ScratchRead, sXfer(0), imm(0), gprB(15), 1));
  eight = latency(command(Op::ScratchRead, sXfer(0), imm(0), gprB(15), 8));
  EXPECT_EQ(eight - one, 7 * parameters.busPushWordCycles);
}

TEST_F(TimingTest, SaturatedSramTransfersOneWordPerClock) {
  parameters.busPushWordCycles = 1;
  EXPECT_NEAR(
      cyclesPerCommand(command(Op::SramRead, sXfer(0), imm(0), gprB(15), 4), 4),
      parameters.sramOpCycles + 3 * parameters.sramWordCycles, 0.2);
}

TEST_F(TimingTest, SaturatedScratchTransfersOneWordPerChassisCycle) {
  EXPECT_NEAR(cyclesPerCommand(
                  command(Op::ScratchRead, sXfer(0), imm(0), gprB(15), 4), 4),
              parameters.scratchOpCycles + 3 * parameters.scratchWordCycles,
              0.2);
}

TEST_F(TimingTest, ADramBankIsBusyForItsRowCycle) {
  EXPECT_NEAR(cyclesPerCommand(
                  command(Op::DramRead, dXfer(0), imm(0), gprB(15), 1), 12),
              parameters.dramBankCycles, 0.5);
}

TEST_F(TimingTest, FurtherQuadwordsOccupyTheBankForTheirTransfer) {
  parameters.dramRefreshCycles = 0;
  EXPECT_NEAR(cyclesPerCommand(
                  command(Op::DramRead, dXfer(0), imm(0), gprB(15), 8), 12),
              parameters.dramBankCycles + 7 * parameters.dramQuadCycles, 0.1);
}

TEST_F(TimingTest, ARefreshClosesTheBankOncePerInterval) {
  double least = parameters.dramBankCycles;
  for (uint64_t interval : {2000, 4000}) {
    parameters.dramRefreshInterval = interval;
    parameters.dramRefreshCycles = 400;
    double part = 400.0 / static_cast<double>(interval);
    EXPECT_NEAR(cyclesPerCommand(
                    command(Op::DramRead, dXfer(0), imm(0), gprB(15), 1), 12),
                least / (1 - part), 0.5);
  }
}

TEST_F(TimingTest, AnOpenRowSavesTheRowCycle) {
  parameters.dramOpenRows = 1;
  parameters.dramRefreshCycles = 0;
  // The data bus is the limit, not the bank or the engines' issue.
  EXPECT_NEAR(cyclesPerCommand(
                  command(Op::DramRead, dXfer(0), imm(0), gprB(15), 1), 12),
              parameters.dramBurstQuads * parameters.dramQuadCycles, 0.1);
}

TEST_F(TimingTest, TheBusLosesAClockBetweenReadsAndWrites) {
  // A write followed by a read, to two banks that share only the bus.
  auto end = [&](uint64_t turnaround) {
    parameters.dramTurnaroundCycles = turnaround;
    chip = std::make_unique<Chip>(parameters, observer);
    run({immed(gprA(0), 256),
         withSignal(command(Op::DramRead, dXfer(0), imm(0), gprB(15), 8), 2),
         withSignal(command(Op::DramWrite, dXfer(0), gprA(0), imm(0), 1), 4),
         withSignal(command(Op::DramRead, dXfer(0), imm(0), gprB(15), 1), 6),
         ctxArb(0xfc)});
    return endCycle();
  };
  EXPECT_GE(end(60), end(0) + 60);
}

// 16 cycles per key, whatever its width.
TEST_F(TimingTest, TheHashUnitIsBusyForEveryKeyOfACommand) {
  ASSERT_EQ(parameters.hashKeyCycles, 16u);
  auto busy = [&](Op op, uint32_t keys) {
    chip = std::make_unique<Chip>(parameters, observer);
    run({withSignal(command(op, sXfer(0), none(), none(), keys), 2),
         ctxArb(4)});
    return chip->hash().server().busyCycles();
  };
  EXPECT_EQ(busy(Op::Hash48, 1), 16u);
  EXPECT_EQ(busy(Op::Hash48, 2), 32u);
  EXPECT_EQ(busy(Op::Hash64, 3), 48u);
  EXPECT_EQ(busy(Op::Hash128, 3), 48u);
}

TEST_F(TimingTest, AHashCommandWaitsForAllKeysOfThePreviousCommand) {
  // Long enough that the buses are not the limit.
  parameters.hashKeyCycles = 100;
  auto end = [&](uint32_t keysBefore) {
    chip = std::make_unique<Chip>(parameters, observer);
    run({withSignal(command(Op::Hash48, sXfer(0), none(), none(), keysBefore),
                    2),
         withSignal(command(Op::Hash48, sXfer(8), none(), none(), 1), 4),
         ctxArb(0x10)});
    return endCycle();
  };
  uint64_t afterOneKey = end(1);
  EXPECT_NEAR(static_cast<double>(end(2)),
              static_cast<double>(afterOneKey + 100), 8);
  EXPECT_NEAR(static_cast<double>(end(3)),
              static_cast<double>(afterOneKey + 200), 16);
}

// The error twin: a command with four keys does not occupy the unit.
TEST_F(TimingTest, ARefusedHashCommandDoesNotOccupyTheUnit) {
  Program program = {
      withSignal(command(Op::Hash48, sXfer(0), none(), none(), 4), 2),
      ctxArb(4), ctxArbKill()};
  // No word can encode such a count; only prepared instructions can.
  chip = std::make_unique<Chip>(parameters, observer);
  chip->engine(0).load(std::make_shared<MicroProgram>(prepareProgram(program)));
  chip->engine(0).start(1);
  chip->runTo(1000);
  EXPECT_NE(observer.fault.find("1 to 3 keys"), std::string::npos)
      << observer.fault;
  EXPECT_EQ(chip->hash().server().busyCycles(), 0u);
}

TEST_F(TimingTest, ScratchIsBusyForEveryWordButAtomicsOnlyOnce) {
  auto busy = [&](Instruction access) {
    chip = std::make_unique<Chip>(parameters, observer);
    run({withSignal(access, 2), ctxArb(4)});
    return chip->scratch().server().busyCycles();
  };
  for (uint32_t words : {1u, 2u, 8u})
    EXPECT_EQ(busy(command(Op::ScratchRead, sXfer(0), imm(0), gprB(15), words)),
              parameters.scratchOpCycles +
                  (words - 1) * parameters.scratchWordCycles)
        << words;
  EXPECT_EQ(busy(command(Op::ScratchTestIncr, sXfer(0), imm(0), gprB(15), 1)),
            parameters.scratchAtomicCycles);
}

TEST_F(TimingTest, AFullCommandFifoStalls) {
  Program program;
  for (uint32_t i = 0; i < 20; ++i)
    program.push_back(command(Op::ScratchIncr, none(), imm(0), gprB(15), 0));
  run(program);
  EngineCounters counters = chip->engine(0).countersAt(endCycle());
  EXPECT_GT(counters.stallCycles, 0u);
  // The bus takes a command each busCommandCycles; the FIFO holds the rest.
  EXPECT_NEAR(counters.stallCycles + 20,
              (20 - parameters.meCommandFifo) * parameters.busCommandCycles, 3);
  EXPECT_EQ(chip->scratch().memory().readWord(0), 20u);
}

// Chip asserts this at the end of every run, and so of every test.
TEST_F(DoCyclesAddUp, EveryCycleIsIssueAbortStallOrIdle) {
  Program program = {
      withSignal(command(Op::SramRead, sXfer(0), imm(0), gprB(15), 2), 2),
      alu(Op::AluAdd, gprA(0), gprA(0), imm(1)),
      branchBit(true, gprA(0), 0, 4, 1),
      alu(Op::AluAdd, gprA(1), gprA(1), imm(1)),
      command(Op::ScratchIncr, none(), imm(0), gprB(15), 0),
      ctxArb(4),
      withSignal(command(Op::DramRead, dXfer(0), imm(0), gprB(15), 1), 2),
      ctxArb(12),
      branch(Op::Br, 0)};
  for (uint32_t engine = 0; engine < 8; ++engine)
    load(program, engine, engine % 2 ? 0xff : 0x7);
  chip->runTo(50000);
  uint64_t end = chip->align(50000);
  EXPECT_EQ(observer.fault, "");
  for (uint32_t engine = 0; engine < 8; ++engine) {
    EngineCounters counters = chip->engine(engine).countersAt(end);
    EXPECT_EQ(counters.total(), end) << engine;
    EXPECT_GT(counters.issueCycles, 0u);
    EXPECT_GT(counters.abortedCycles, 0u);
    EXPECT_GT(counters.idleCycles, 0u);
  }
}

TEST_F(TimingTest, TheSameRunGivesTheSameCounters) {
  std::vector<uint64_t> runs[2];
  for (auto &numbers : runs) {
    chip.reset();
    Program program = {
        withSignal(command(Op::SramRead, sXfer(0), imm(0), gprB(15), 3), 2),
        ctxArb(4),
        csrRead(Csr_PSEUDO_RANDOM_NUMBER),
        immed(gprA(0), 0),
        branchBit(true, gprA(0), 0, 0),
        branch(Op::Br, 0)};
    for (uint32_t engine = 0; engine < 8; ++engine)
      load(program, engine, 0xff);
    chip->runTo(30000);
    uint64_t end = chip->align(30000);
    for (uint32_t engine = 0; engine < 8; ++engine) {
      EngineCounters counters = chip->engine(engine).countersAt(end);
      numbers.insert(numbers.end(), {end, counters.issueCycles,
                                     counters.idleCycles, counters.swaps});
    }
  }
  EXPECT_EQ(runs[0], runs[1]);
}

TEST_F(TimingTest, ALoopWithoutSharedStateDoesNotStallTheChip) {
  load({branch(Op::Br, 0)}, 0);
  load({withSignal(command(Op::SramRead, sXfer(0), imm(0), gprB(15), 1), 2),
        ctxArb(4), immed(gprA(0), 1), ctxArbKill()},
       1);
  chip->runTo(5000);
  EXPECT_EQ(chip->engine(1).peek(reg::gprA), 1u);
}

TEST_F(TimingTest, ContextsThatOnlySwapDoNotStallTheChip) {
  Instruction makeWay = ctxArb(1);
  makeWay.hasTarget = true;
  makeWay.target = 0;
  for (uint32_t contexts : {0x01u, 0xffu}) {
    chip.reset();
    load({makeWay}, 0, contexts);
    load({withSignal(command(Op::SramRead, sXfer(0), imm(0), gprB(15), 1), 2),
          ctxArb(4), immed(gprA(0), 1), ctxArbKill()},
         1);
    chip->runTo(5000);
    EXPECT_EQ(chip->engine(1).peek(reg::gprA), 1u);
  }
}

TEST_F(TimingTest, SaturatedDramTransfersOneBurstPerBurstTime) {
  // Contexts spread over the banks by their number, so the data bus is the
  // limit.
  chip = std::make_unique<Chip>(parameters, observer);
  Program program = {
      csrRead(Csr_ACTIVE_CTX_STS),
      immed(gprA(0), 0),
      aluShf(Op::ShfAnd, gprA(1), imm(7), gprB(15), Shift{}),
      alu(Op::AluAnd, gprB(1), gprA(0), imm(7)),
      aluShf(Op::ShfB, gprA(1), none(), gprB(1), shl(8)),
      withSignal(command(Op::DramRead, dXfer(0), gprA(1), imm(0), 4), 2),
      ctxArb(12),
      branch(Op::Br, 5)};
  for (uint32_t engine = 0; engine < 6; ++engine)
    load(program, engine, 0xff);
  constexpr uint64_t begin = 20000, cycles = 60000;
  uint64_t before = commands(begin);
  uint64_t after = commands(begin + cycles);
  EXPECT_EQ(observer.fault, "");
  double each =
      static_cast<double>(cycles) / static_cast<double>(after - before);
  double burst = parameters.dramBurstQuads * parameters.dramQuadCycles;
  double pushed = 8 * parameters.busDramWordCycles;
  EXPECT_NEAR(each, std::max(burst, pushed), 1);
}
