// Is arbitration in order?
//
// Contexts take the engine in turn, engines take the command bus in the order
// of issue, and a unit serves commands in the order of arrival.

#include "OneEngine.h"

using namespace karakal;
using namespace karakal::sim;
using namespace karakal::sim::testing;

namespace {

/// Records commands in the order in which they are issued and completed.
class Watcher : public CommandObserver {
public:
  void onCommand(uint64_t cycle, const Command &command, bool isEnd) override {
    (isEnd ? done : issued).push_back({cycle, command.engine, command.context});
  }
  struct Entry {
    uint64_t cycle;
    uint32_t engine, context;
  };
  std::vector<Entry> issued, done;
};

} // namespace

class IsArbitrationInOrder : public OneEngine {};

TEST_F(IsArbitrationInOrder, ContextsTakeTheEngineInTurn) {
  // Each context appends its number to a word.
  Program program = {csrRead(Csr_ACTIVE_CTX_STS),
                     immed(gprA(0), 0),
                     alu(Op::AluAnd, gprA(0), gprA(0), imm(7)),
                     move(gprB(0), absA(127)),
                     aluShf(Op::ShfOr, gprA(0), gprA(0), gprB(0), shl(4)),
                     move(absA(127), gprA(0)),
                     ctxArbVoluntary(),
                     ctxArbKill()};
  load(program, 0, 0xff);
  finish();
  EXPECT_EQ(chip->engine(0).peek(reg::gprA + 127), 0x01234567u);
}

TEST_F(IsArbitrationInOrder, ReadyContextsTakeTurnsRegardlessOfSignalOrder) {
  // Contexts 2 and 5 get their signals in one cycle; 5 ran last.
  for (bool isFiveFirst : {false, true}) {
    chip = std::make_unique<Chip>(parameters, observer);
    Program program = {branchOn(Op::BrNotCtx, 0, 14)};
    program.insert(program.end(), 12, nop());
    program.push_back(ctxArbKill());
    program.push_back(ctxArb(1 << 4)); // 14
    program.push_back(csrRead(Csr_PROFILE_COUNT));
    program.push_back(immed(gprA(0), 0));
    program.push_back(ctxArbKill());
    load(program, 0, 1 | 1 << 2 | 1 << 5);
    // Context 0 runs first for 12 cycles.
    chip->chassis().raise(0, isFiveFirst ? 5 : 2, 1 << 4, 30);
    chip->chassis().raise(0, isFiveFirst ? 2 : 5, 1 << 4, 30);
    finish();
    uint32_t first = a(2 * 16), second = a(5 * 16);
    EXPECT_NE(first, 0u);
    EXPECT_LT(first, second) << isFiveFirst;
  }
}

TEST_F(IsArbitrationInOrder, TheCommandBusServesByCycleAndThenByEngineNumber) {
  Watcher watcher;
  chip = std::make_unique<Chip>(parameters, observer);
  chip->chassis().observe(&watcher);
  // Engines 3, 1 and 2 of one cluster, engine 1 a cycle later.
  auto reads = [](uint32_t nops) {
    Program program(nops, nop());
    program.push_back(
        withSignal(command(Op::ScratchRead, sXfer(0), imm(0), gprB(15), 1), 2));
    program.push_back(ctxArb(4));
    program.push_back(ctxArbKill());
    return program;
  };
  load(reads(2), 3);
  load(reads(3), 1);
  load(reads(2), 2);
  finish();
  ASSERT_EQ(watcher.done.size(), 3u);
  EXPECT_EQ(watcher.done[0].engine, 2u);
  EXPECT_EQ(watcher.done[1].engine, 3u);
  EXPECT_EQ(watcher.done[2].engine, 1u);
  for (uint32_t i = 1; i < 3; ++i)
    EXPECT_EQ(
        watcher.done[i].cycle - watcher.done[i - 1].cycle,
        std::max(parameters.busCommandCycles, parameters.scratchOpCycles));
}

TEST_F(IsArbitrationInOrder, AUnitServesInTheOrderOfArrivalUnderFullLoad) {
  Watcher watcher;
  chip = std::make_unique<Chip>(parameters, observer);
  chip->chassis().observe(&watcher);
  Program program = {
      withSignal(command(Op::SramRead, sXfer(0), imm(0), gprB(15), 1), 2),
      ctxArb(4), branch(Op::Br, 0)};
  for (uint32_t engine = 0; engine < 4; ++engine)
    load(program, engine, 0xff);
  chip->runTo(30000);
  EXPECT_EQ(observer.fault, "");
  ASSERT_GT(watcher.done.size(), 3000u);
  for (size_t i = 0; i < watcher.done.size(); ++i) {
    EXPECT_EQ(watcher.done[i].engine, watcher.issued[i].engine) << i;
    EXPECT_EQ(watcher.done[i].context, watcher.issued[i].context) << i;
  }
  // So each of the 32 contexts gets the same number, except in the last
  // iteration.
  uint32_t counts[4][8] = {};
  for (const Watcher::Entry &entry : watcher.done)
    ++counts[entry.engine][entry.context];
  for (auto &engine : counts)
    for (uint32_t count : engine)
      EXPECT_NEAR(count, watcher.done.size() / 32.0, 1.5);
}
