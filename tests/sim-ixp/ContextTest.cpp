// Branches, slots, contexts and signals.

#include "OneEngine.h"
#include "sim-ixp/observe/SegmentObserver.h"

using namespace karakal;
using namespace karakal::sim;
using namespace karakal::sim::testing;

class ContextTest : public OneEngine {
protected:
  /// Cycles that `program` takes, without its stop.
  uint64_t cycles(const Program &program) {
    chip.reset();
    run(program);
    // The stop is an instruction and two dead slots.
    return endCycle() - 3;
  }
};

TEST_F(ContextTest, AnInstructionTakesACycle) {
  EXPECT_EQ(cycles({nop(), nop(), nop(), nop()}), 4u);
}

TEST_F(ContextTest, ATakenBranchAddsItsSlots) {
  // br has 2 slots, a conditional branch 3; the skipped word does not count.
  EXPECT_EQ(cycles({branch(Op::Br, 2), nop()}), 1u + 2u);
  EXPECT_EQ(cycles({alu(Op::AluOr, none(), imm(0), gprB(0)), branch(Op::Beq, 3),
                    nop()}),
            1u + 1u + 3u);
}

TEST_F(ContextTest, ABranchThatIsNotTakenIsFree) {
  EXPECT_EQ(cycles({alu(Op::AluOr, none(), imm(1), gprB(0)), branch(Op::Beq, 3),
                    nop()}),
            3u);
}

TEST_F(ContextTest, DelaySlotsExecuteAndSaveCycles) {
  for (uint32_t defer = 0; defer <= 3; ++defer) {
    Program program = {alu(Op::AluOr, none(), imm(0), gprB(0)),
                       branch(Op::Beq, 6, defer)};
    for (uint32_t i = 0; i < 4; ++i)
      program.push_back(alu(Op::AluAdd, gprA(1), gprA(1), imm(1)));
    EXPECT_EQ(cycles(program), 5u) << defer;
    EXPECT_EQ(a(1), defer);
  }
}

TEST_F(ContextTest, ASwapHasTwoSlots) {
  EXPECT_EQ(cycles({ctxArbVoluntary()}), 3u);
  EXPECT_EQ(cycles({ctxArbVoluntary(2), nop(), nop()}), 3u);
  EXPECT_EQ(cycles({ctxArbVoluntary(1), nop(), nop()}), 4u);
}

TEST_F(ContextTest, BranchesOnBitsAndBytes) {
  Program program;
  loadConstant(program, gprA(0), 0x80ab0000);
  program.push_back(branchBit(true, gprA(0), 31, 4));
  program.push_back(immed(gprA(1), 1));
  program.push_back(branchBit(false, gprA(0), 30, 6));
  program.push_back(immed(gprA(1), 1));
  program.push_back(branchByte(true, gprA(0), 2, 0xab, 8));
  program.push_back(immed(gprA(1), 1));
  program.push_back(branchByte(false, gprA(0), 2, 0xac, 10));
  program.push_back(immed(gprA(1), 1));
  program.push_back(branchByte(true, gprA(0), 3, 0x81, 12));
  program.push_back(immed(gprA(2), 1));
  run(program);
  EXPECT_EQ(a(1), 0u);
  EXPECT_EQ(a(2), 1u);
}

TEST_F(ContextTest, JumpAddsARegister) {
  run({immed(gprA(0), 2), jump(gprA(0), 1, 0), immed(gprA(1), 1), nop()});
  EXPECT_EQ(a(1), 0u);
}

TEST_F(ContextTest, ReadyContextsTakeTurns) {
  // Each context records the order of its start in an absolute register.
  Program program = {alu(Op::AluAdd, absA(127), absA(127), imm(1)),
                     move(gprB(0), absA(127)),
                     ctxArbVoluntary(),
                     alu(Op::AluAdd, absA(127), absA(127), imm(1)),
                     move(gprB(1), absA(127)),
                     ctxArbKill()};
  load(program, 0, 0xff);
  finish();
  for (uint32_t context = 0; context < 8; ++context) {
    EXPECT_EQ(b(16 * context), context + 1);
    EXPECT_EQ(b(16 * context + 1), context + 9);
  }
}

TEST_F(ContextTest, AllSignalsWakeAndAreConsumed) {
  load({ctxArb(1 << 3 | 1 << 5), immed(gprA(0), 1), ctxArbKill()});
  Microengine &engine = chip->engine(0);
  chip->runTo(100);
  chip->chassis().raise(0, 0, 1 << 3, 200);
  chip->runTo(300);
  EXPECT_EQ(a(0), 0u);
  chip->chassis().raise(0, 0, 1 << 5, 400);
  finish();
  EXPECT_EQ(a(0), 1u);
  EXPECT_EQ(engine.signals(0), 0u);
  EXPECT_EQ(engine.localTime(), 400u + 1 + 3);
}

TEST_F(ContextTest, AnySignalWakesAndStays) {
  load({ctxArb(1 << 3 | 1 << 5, true), branchOn(Op::BrSignal, 5, 4),
        immed(gprA(0), 1), nop(), immed(gprA(1), 1), ctxArbKill()});
  chip->runTo(100);
  chip->chassis().raise(0, 0, 1 << 5, 200);
  finish();
  EXPECT_EQ(a(0), 0u);
  EXPECT_EQ(a(1), 1u);
  EXPECT_EQ(chip->engine(0).signals(0), 0u) << "br_signal consumes";
}

TEST_F(ContextTest, ASignalIsABitNotACounter) {
  Program program(20, nop());
  for (const Instruction &instruction :
       {ctxArb(1 << 4), ctxArb(1 << 4), immed(gprA(0), 1), ctxArbKill()})
    program.push_back(instruction);
  load(program);
  // Both come before the context waits for the first.
  chip->chassis().raise(0, 0, 1 << 4, 10);
  chip->chassis().raise(0, 0, 1 << 4, 11);
  chip->runTo(1000);
  EXPECT_EQ(a(0), 0u);
}

TEST_F(ContextTest, ContextsSignalTheNextContext) {
  // Every context but 0 waits for signal 4, and signals the next context.
  // Context 7, the last one, signals context 0, where the signal stays.
  Program program = {branchOn(Op::BrCtx, 0, 2),
                     ctxArb(1 << 4),
                     alu(Op::AluAdd, absA(127), absA(127), imm(1)),
                     move(gprB(0), absA(127)),
                     csrWrite(Csr_SAME_ME_SIGNAL, imm(0x80 | 4 << 3)),
                     ctxArbKill()};
  load(program, 0, 0xff);
  finish();
  for (uint32_t context = 0; context < 8; ++context)
    EXPECT_EQ(b(16 * context), context + 1);
  EXPECT_EQ(chip->engine(0).signals(0), 1u << 4);
}

TEST_F(ContextTest, NeighboursSignalEachOther) {
  load({csrWrite(Csr_NEXT_NEIGHBOR_SIGNAL, imm(6 << 3 | 2)), ctxArbKill()}, 3);
  load({ctxArb(1 << 6), immed(gprA(0), 1), ctxArbKill()}, 4, 1 << 2);
  finish();
  EXPECT_EQ(chip->engine(4).peek(reg::gprA + 2 * 16), 1u);
}

TEST_F(ContextTest, TheFutureCountRaisesItsSignal) {
  load({csrWrite(Csr_ACTIVE_FUTURE_COUNT_SIGNAL, imm(7)),
        csrWrite(Csr_ACTIVE_CTX_FUTURE_COUNT, imm(20)), ctxArb(1 << 7),
        ctxArbKill()});
  finish();
  EXPECT_EQ(endCycle(), 20u * 16 + 3);
}

TEST_F(ContextTest, ANeighbourRegisterIsThatOfTheWritingContext) {
  for (PostModify post : {PostModify::None, PostModify::Increment}) {
    chip.reset();
    load({move(neighbour(2), localMemory(0, 0, post)), ctxArbKill()}, 0,
         1 << 3);
    chip->engine(0).poke(reg::localMemory, 77);
    finish();
    EXPECT_EQ(chip->engine(1).peek(reg::neighbour + 3 * 16 + 2), 77u);
  }
}

TEST_F(ContextTest, NeighbourRingCarriesWords) {
  load({move(neighbourIndex(PostModify::Increment), imm(11)),
        move(neighbourIndex(PostModify::Increment), imm(12)), ctxArbKill()},
       0);
  load({branchOn(Op::BrInpState, 0, 0),
        move(gprA(0), neighbourIndex(PostModify::Increment)),
        branchOn(Op::BrInpState, 0, 2),
        move(gprA(1), neighbourIndex(PostModify::Increment)), ctxArbKill()},
       1);
  finish();
  EXPECT_EQ(chip->engine(1).peek(reg::gprA + 0), 11u);
  EXPECT_EQ(chip->engine(1).peek(reg::gprA + 1), 12u);
}

TEST_F(ContextTest, ANeighbourRingIsEmptyUpToItsThreshold) {
  for (uint32_t threshold = 0; threshold < 4; ++threshold) {
    chip.reset();
    Program writer;
    for (uint32_t i = 0; i <= threshold; ++i) {
      writer.insert(writer.end(), 40, nop());
      writer.push_back(move(neighbourIndex(PostModify::Increment), imm(i)));
    }
    writer.push_back(ctxArbKill());
    load(writer, 0);
    Program reader = {immed(gprB(0), 1u << 8),
                      immedWord(1, gprB(0), threshold << 2),
                      csrWrite(Csr_CTX_ENABLES, gprB(0)),
                      nop(),
                      nop(),
                      nop(),
                      nop(),
                      branchOn(Op::BrInpState, 0, 7),
                      csrRead(Csr_PROFILE_COUNT),
                      immed(gprA(0), 0),
                      ctxArbKill()};
    load(reader, 1);
    finish();
    // The reader polls every fourth cycle.
    uint32_t filled = 41 * (threshold + 1);
    uint32_t seen = chip->engine(1).peek(reg::gprA);
    EXPECT_GE(seen, filled) << "threshold " << threshold;
    EXPECT_LT(seen, filled + 8) << "threshold " << threshold;
  }
}

TEST_F(ContextTest, AllContextsShareAGlobalPointer) {
  // Context 2 moves the pointer and uses it, and context 5 continues from
  // there. The other pointer of context 5 is its own.
  Program program;
  loadConstant(program, gprB(0), 1u << 16 | 0xff00);
  for (const Instruction &instruction :
       {csrWrite(Csr_CTX_ENABLES, gprB(0)), nop(), nop(), nop(),
        csrWrite(Csr_ACTIVE_LM_ADDR_1, imm(128)), branchOn(Op::BrCtx, 5, 16),
        csrWrite(Csr_ACTIVE_LM_ADDR_0, imm(64)), nop(), nop(), nop(),
        move(localMemory(0, 0, PostModify::Increment), imm(2)),
        csrWrite(Csr_ACTIVE_LM_ADDR_1, imm(0)),
        csrWrite(Csr_SAME_ME_SIGNAL, imm(4 << 3 | 5)), ctxArbKill()})
    program.push_back(instruction);
  ASSERT_EQ(program.size(), 16u);
  program.push_back(ctxArb(1 << 4));
  program.push_back(move(localMemory(0, 0), imm(5)));
  program.push_back(move(localMemory(1, 0), imm(7)));
  program.push_back(ctxArbKill());
  load(program, 0, 1 << 2 | 1 << 5);
  finish();
  EXPECT_EQ(lm(16), 2u);
  EXPECT_EQ(lm(17), 5u);
  EXPECT_EQ(lm(32), 7u);
}

TEST_F(ContextTest, InFourContextModeAContextHasThirtyTwoRegisters) {
  Program program;
  loadConstant(program, gprB(0), 1u << 31 | 0x55 << 8);
  for (const Instruction &instruction :
       {csrWrite(Csr_CTX_ENABLES, gprB(0)), nop(), nop(), nop(), nop(),
        immed(gprA(20), 5), move(gprB(31), gprA(20)), ctxArbKill()})
    program.push_back(instruction);
  load(program, 0, 0x55);
  finish();
  for (uint32_t context = 0; context < 8; context += 2) {
    EXPECT_EQ(a(16 * context + 20), 5u);
    EXPECT_EQ(b(16 * context + 31), 5u);
  }
}

TEST_F(ContextTest, ASignalToTheNextContextSkipsOddContextsInFourContextMode) {
  Program program;
  loadConstant(program, gprB(0), 1u << 31 | 0x55 << 8);
  for (const Instruction &instruction :
       {csrWrite(Csr_CTX_ENABLES, gprB(0)), branchOn(Op::BrCtx, 0, 5),
        ctxArb(1 << 4), immed(gprA(1), 1),
        csrWrite(Csr_SAME_ME_SIGNAL, imm(0x80 | 4 << 3)), ctxArbKill()})
    program.push_back(instruction);
  load(program, 0, 0x55);
  finish();
  EXPECT_FALSE(chip->engine(0).isAlive());
  EXPECT_EQ(a(16 * 6 + 1), 1u);
}

TEST_F(ContextTest, InEightContextModeAContextHasSixteenRegisters) {
  load({immed(gprA(20), 5), ctxArbKill()});
  chip->runTo(1000);
  EXPECT_NE(observer.fault.find("four-context mode"), std::string::npos)
      << observer.fault;
}

TEST_F(ContextTest, ARestartedEngineWasIdleUntilTheRestart) {
  load({immed(gprA(0), 1), ctxArbKill()});
  finish(700);
  EXPECT_FALSE(chip->engine(0).isAlive());
  chip->scheduler().advanceTo(700);
  chip->engine(0).start(1);
  finish(1000);
  EngineCounters counters = chip->engine(0).countersAt(1000);
  EXPECT_EQ(counters.issueCycles, 4u);
  EXPECT_EQ(counters.total(), 1000u);
}

TEST_F(ContextTest, EnablingAContextDoesNotInterruptTheRunningOne) {
  // Both count down from 5000 and never give up the engine until then.
  load({immed(gprA(0), 5000), alu(Op::AluSub, gprA(0), gprA(0), imm(1)),
        branch(Op::Bne, 1), immed(gprA(1), 1), ctxArbKill()});
  chip->runTo(20);
  Microengine &engine = chip->engine(0);
  EXPECT_EQ(a(1), 0u);
  engine.coreWriteCsr(Csr_CTX_ENABLES, 1 << 8 | 1 << 11);
  finish();
  EXPECT_EQ(a(1), 1u);
  EXPECT_EQ(a(16 * 3 + 1), 1u);
  EXPECT_FALSE(engine.isAlive());
}

TEST_F(ContextTest, AContextStoppedByTheCoreDoesNotWakeUp) {
  load({immed(gprA(0), 5000), alu(Op::AluSub, gprA(0), gprA(0), imm(1)),
        branch(Op::Bne, 1), ctxArb(1), immed(gprA(1), 1), ctxArbKill()});
  chip->runTo(20);
  chip->engine(0).coreWriteCsr(Csr_CTX_ENABLES, 0);
  finish();
  EXPECT_EQ(a(0), 0u);
  EXPECT_EQ(a(1), 0u);
  EXPECT_FALSE(chip->isPending());
}

TEST_F(ContextTest, TheTimestampCountsTicksOfSixteenCycles) {
  for (uint32_t between : {13u, 14u}) {
    chip.reset();
    Program program = {csrRead(Csr_TIMESTAMP_LOW), immed(gprA(0), 9)};
    program.insert(program.end(), between, nop());
    for (const Instruction &instruction :
         {csrRead(Csr_TIMESTAMP_LOW), immed(gprA(1), 9),
          csrRead(Csr_TIMESTAMP_HIGH), immed(gprA(2), 9)})
      program.push_back(instruction);
    run(program);
    EXPECT_EQ(a(0), 0u);
    EXPECT_EQ(a(1), (2 + between) / TimestampTickCycles);
    EXPECT_EQ(a(2), 0u);
  }
}

TEST_F(ContextTest, TheStatusRegisterNamesEngineAndContext) {
  load({csrRead(Csr_ACTIVE_CTX_STS), immed(gprA(0), 0), ctxArbKill()}, 5,
       1 << 3);
  finish();
  uint32_t status = chip->engine(5).peek(reg::gprA + 3 * 16);
  EXPECT_EQ(status & 7, 3u);
  EXPECT_EQ(status >> 3 & 31, 0x11u);
}

TEST_F(ContextTest, RunningOffTheEndIsAFault) {
  load({nop(), nop()});
  chip->runTo(100);
  EXPECT_NE(observer.fault.find("PC 2"), std::string::npos) << observer.fault;
}

TEST_F(ContextTest, ABranchInADelaySlotIsAFault) {
  load({branch(Op::Br, 4, 1), branch(Op::Br, 4), nop(), nop(), ctxArbKill()});
  chip->runTo(100);
  EXPECT_NE(observer.fault.find("delay slot"), std::string::npos);
}

TEST_F(ContextTest, AHaltIsReported) {
  load({halt()});
  chip->runTo(100);
  EXPECT_TRUE(chip->engine(0).isHalted());
  EXPECT_FALSE(chip->engine(0).isAlive());
}

TEST_F(ContextTest, ACamInstructionAfterATakenConditionalBranchIsAFault) {
  Program program = {alu(Op::AluOr, none(), imm(0), gprB(0)),
                     branch(Op::Beq, 3),
                     alu(Op::CamLookup, gprA(1), gprA(0), none())};
  program.push_back(ctxArbKill());
  load(program);
  chip->runTo(100);
  EXPECT_NE(observer.fault.find("CAM"), std::string::npos) << observer.fault;
}

TEST_F(ContextTest, ACsrReadWithoutAFollowingImmedIsAFault) {
  load({csrRead(Csr_ACTIVE_CTX_STS), nop(), immed(gprA(0), 0), ctxArbKill()});
  chip->runTo(100);
  EXPECT_NE(observer.fault.find("immed"), std::string::npos) << observer.fault;
}

namespace {

/// Two contexts give each other the engine for ever.
const Program turns = {ctxArbVoluntary(), branch(Op::Br, 0)};

class Waits : public SegmentObserver {
public:
  void addSegment(uint32_t, uint32_t, uint64_t, uint64_t) override {}
  void addWait(uint32_t, uint32_t, const Wait &wait) override {
    all.push_back(wait);
  }
  std::vector<Wait> all;
};

} // namespace

TEST_F(ContextTest, WaitsAreRecordedFromTheFirstThatBeginsWhileObserved) {
  load(turns, 0, 3);
  chip->runTo(20);
  Waits waits;
  chip->engine(0).observeSegments(&waits);
  finish(100);
  ASSERT_GE(waits.all.size(), 4u);
  for (const Wait &wait : waits.all) {
    EXPECT_GE(wait.begin, 20u);
    EXPECT_EQ(wait.ready, wait.begin) << "a voluntary swap waits for nothing";
    EXPECT_EQ(wait.end, wait.begin + 6) << "the other's swap and branch";
    EXPECT_EQ(wait.pc, 0u);
  }
}

TEST_F(ContextTest, NoWaitForALockBeginsInAProgramWithoutLocks) {
  auto plain = std::make_shared<MicroProgram>(prepareProgram(assemble(turns)));
  auto locking = std::make_shared<MicroProgram>(*plain);
  locking->lockFunctions.push_back({0, 2, {}});
  load(turns, 0, 3);
  Microengine &engine = chip->engine(0);
  engine.load(locking);
  chip->runTo(100);
  uint64_t first = engine.countersAt(100).lockWaitCycles;
  EXPECT_GT(first, 50u) << "one of two contexts waits at any time";
  engine.load(plain);
  chip->runTo(1000);
  EXPECT_EQ(engine.countersAt(1000).lockWaitCycles, first);
  engine.load(locking);
  finish(1100);
  uint64_t second = engine.countersAt(1100).lockWaitCycles - first;
  EXPECT_GT(second, 50u);
  EXPECT_LE(second, 100u);
}
