// The effects of memory commands.

#include "OneEngine.h"

#include <algorithm>

using namespace karakal;
using namespace karakal::sim;
using namespace karakal::sim::testing;

namespace {

constexpr uint32_t signal1 = 2;
/// ctx_arb mask of a signal pair.
constexpr uint32_t pairMask = 3u << signal1;

Instruction swapped(Instruction instruction) {
  return withSignal(instruction, signal1, true);
}

} // namespace

class MemoryTest : public OneEngine {
protected:
  void SetUp() override { chip = std::make_unique<Chip>(parameters, observer); }
  /// The old value and the new one after an atomic `op` on scratch word 0x100.
  uint32_t atomic(Op op, uint32_t old, uint32_t operand) {
    chip = std::make_unique<Chip>(parameters, observer);
    chip->scratch().memory().writeWord(0x100, old);
    Program program;
    loadConstant(program, gprA(0), operand);
    program.push_back(immed(gprB(0), 0x100));
    program.push_back(move(sXfer(0), gprA(0)));
    unsigned signals = row(op).signals;
    Instruction access =
        command(op, row(op).xfer == XferUse::No ? none() : sXfer(0), imm(0),
                gprB(0), 0);
    if (signals != 0) {
      program.push_back(withSignal(access, signal1));
      program.push_back(ctxArb(signals == 2 ? pairMask : 1u << signal1));
    } else {
      program.push_back(access);
    }
    run(program);
    EXPECT_EQ(chip->engine(0).signals(0), 0u);
    return chip->scratch().memory().readWord(0x100);
  }
};

TEST_F(MemoryTest, SramReadsAndWritesBursts) {
  for (uint32_t i = 0; i < 8; ++i)
    chip->sram(0).memory().writeWord(0x40 + 4 * i, 100 + i);
  Program program = {
      immed(gprA(0), 0x40), immed(gprB(0), 0x4000, 16),
      swapped(command(Op::SramRead, sXfer(2), gprA(0), imm(0), 8))};
  for (uint32_t i = 0; i < 8; ++i)
    program.push_back(move(sXfer(i), sXfer(2 + i)));
  program.push_back(
      swapped(command(Op::SramWrite, sXfer(0), gprA(0), gprB(0), 8)));
  run(program);
  for (uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(in(2 + i), 100 + i);
    EXPECT_EQ(chip->sram(1).memory().readWord(0x40 + 4 * i), 100 + i);
  }
}

TEST_F(MemoryTest, DramMovesQuadwordsAndRaisesASignalPair) {
  for (uint32_t i = 0; i < 8; ++i)
    chip->dram().memory().writeWord(0x200 + 4 * i, 7 + i);
  Program program = {immed(gprA(0), 0x200), immed(gprB(0), 0x100)};
  program.push_back(
      withSignal(command(Op::DramRead, dXfer(0), gprA(0), imm(0), 4), signal1));
  program.push_back(ctxArb(pairMask));
  for (uint32_t i = 0; i < 8; ++i)
    program.push_back(move(dXfer(i), dXfer(i)));
  program.push_back(withSignal(
      command(Op::DramWrite, dXfer(0), gprA(0), gprB(0), 4), signal1));
  program.push_back(ctxArb(pairMask));
  run(program);
  for (uint32_t i = 0; i < 8; ++i)
    EXPECT_EQ(chip->dram().memory().readWord(0x300 + 4 * i), 7 + i);
  EXPECT_EQ(chip->engine(0).signals(0), 0u);
}

TEST_F(MemoryTest, MemoryIsBigEndian) {
  chip->dram().memory().data()[8] = 0x12;
  chip->dram().memory().data()[11] = 0x34;
  EXPECT_EQ(chip->dram().memory().readWord(8), 0x12000034u);
  chip->scratch().memory().writeWord(4, 0xa1b2c3d4);
  EXPECT_EQ(chip->scratch().memory().data()[4], 0xa1);
}

TEST_F(MemoryTest, ScratchAtomicsChangeTheWord) {
  EXPECT_EQ(atomic(Op::ScratchAdd, 5, 7), 12u);
  EXPECT_EQ(atomic(Op::ScratchSub, 5, 7), 0xfffffffeu);
  EXPECT_EQ(atomic(Op::ScratchSet, 0xf0, 0x3c), 0xfcu);
  EXPECT_EQ(atomic(Op::ScratchClr, 0xf0, 0x3c), 0xc0u);
  EXPECT_EQ(atomic(Op::ScratchIncr, 9, 0), 10u);
  EXPECT_EQ(atomic(Op::ScratchDecr, 9, 0), 8u);
}

TEST_F(MemoryTest, TestFormsReturnTheOldWord) {
  EXPECT_EQ(atomic(Op::ScratchTestAdd, 5, 7), 12u);
  EXPECT_EQ(in(0), 5u);
  EXPECT_EQ(atomic(Op::ScratchSwap, 5, 7), 7u);
  EXPECT_EQ(in(0), 5u);
  EXPECT_EQ(atomic(Op::ScratchTestIncr, 5, 0), 6u);
  EXPECT_EQ(in(0), 5u);
  EXPECT_EQ(atomic(Op::ScratchTestSet, 1, 2), 3u);
  EXPECT_EQ(in(0), 1u);
}

/// The core's access carries out what the channel has accepted, maybe before
/// the command's operand has arrived at the channel.
TEST_F(MemoryTest, AnAccessOfTheCoreLeavesTheResultOfAnAtomicCommand) {
  for (uint64_t cycle = 1; cycle < 120; ++cycle) {
    chip = std::make_unique<Chip>(parameters, observer);
    chip->sram(0).memory().writeWord(0x100, 5);
    Program program = {move(sXfer(0), imm(7)), immed(gprB(0), 0x100)};
    program.push_back(withSignal(
        command(Op::SramTestAdd, sXfer(0), imm(0), gprB(0), 0), signal1));
    program.push_back(ctxArb(pairMask));
    program.push_back(ctxArbKill());
    load(program);
    chip->runTo(cycle);
    chip->physical().settle();
    finish();
    EXPECT_EQ(in(0), 5u) << "access at cycle " << cycle;
    EXPECT_EQ(chip->sram(0).memory().readWord(0x100), 12u) << cycle;
  }
}

TEST_F(MemoryTest, RingsKeepOrderAndReturnZeroWhenEmpty) {
  chip->scratch().configureRing(2, 0x1000, 128, false);
  Program program = {move(sXfer(0), imm(5)), move(sXfer(1), imm(6))};
  program.push_back(
      swapped(command(Op::ScratchPut, sXfer(0), imm(8), gprB(15), 2)));
  for (uint32_t i = 0; i < 3; ++i)
    program.push_back(
        swapped(command(Op::ScratchGet, sXfer(4 + i), imm(8), gprB(15), 1)));
  run(program);
  EXPECT_EQ(in(4), 5u);
  EXPECT_EQ(in(5), 6u);
  EXPECT_EQ(in(6), 0u);
  EXPECT_EQ(observer.emptyGets, 1u);
}

TEST_F(MemoryTest, TheRingFullFlagIsSetBeforeTheRingIsFull) {
  chip->scratch().configureRing(4, 0x1400, 256, false);
  uint32_t margin = 64; // a quarter
  for (uint32_t i = 0; i < 256 - margin - 1; ++i)
    EXPECT_TRUE(chip->scratch().corePut(4, 1));
  chip->runTo(100);
  EXPECT_EQ(chip->chassis().ringFlags(), 0u);
  EXPECT_TRUE(chip->scratch().corePut(4, 1));
  chip->runTo(200);
  EXPECT_EQ(chip->chassis().ringFlags(), 1u << 4);
  for (uint32_t i = 0; i < margin; ++i)
    EXPECT_TRUE(chip->scratch().corePut(4, 1));
  EXPECT_FALSE(chip->scratch().corePut(4, 1));
  EXPECT_EQ(chip->scratch().coreRingState(4), 2u);
}

TEST_F(MemoryTest, TheRingEmptyFlagFollowsTheRing) {
  chip->scratch().configureRing(3, 0x1200, 128, true);
  EXPECT_EQ(chip->chassis().ringFlags(), 1u << 3);
  chip->scratch().corePut(3, 1);
  chip->runTo(100);
  EXPECT_EQ(chip->chassis().ringFlags(), 0u);
  EXPECT_EQ(chip->scratch().coreGet(3), 1u);
  chip->runTo(200);
  EXPECT_EQ(chip->chassis().ringFlags(), 1u << 3);
}

TEST_F(MemoryTest, APutIntoAFullRingIsAFault) {
  chip->scratch().configureRing(4, 0x1400, 128, false);
  for (uint32_t i = 0; i < 128; ++i)
    chip->scratch().corePut(4, 1);
  load({swapped(command(Op::ScratchPut, sXfer(0), imm(16), gprB(15), 1)),
        ctxArbKill()});
  chip->runTo(1000);
  EXPECT_NE(observer.fault.find("full"), std::string::npos) << observer.fault;
}

TEST_F(MemoryTest, TheQueueArrayKeepsBuffersInOrder) {
  Sram &sram = chip->sram(0);
  for (uint32_t i = 1; i <= 3; ++i)
    sram.fillQueue(5, 0x4000 + 16 * i);
  // Dequeue one, enqueue it again, dequeue the next three and one too many.
  Program program = {immed(gprA(0), 0x500, 16), immed(gprB(0), 0x4010)};
  program.push_back(
      swapped(command(Op::SramDequeue, sXfer(0), gprA(0), imm(0), 0)));
  program.push_back(command(Op::SramEnqueue, none(), gprA(0), gprB(0), 0));
  for (uint32_t i = 1; i <= 4; ++i)
    program.push_back(
        swapped(command(Op::SramDequeue, sXfer(i), gprA(0), imm(0), 0)));
  run(program);
  EXPECT_EQ(in(0), 0x4010u);
  EXPECT_EQ(in(1), 0x4020u);
  EXPECT_EQ(in(2), 0x4030u);
  EXPECT_EQ(in(3), 0x4010u);
  EXPECT_EQ(in(4), 0u);
  EXPECT_EQ(sram.queueLevel(5), 0u);
}

TEST_F(MemoryTest, AnIndirectReferenceOverridesTheCount) {
  for (uint32_t i = 0; i < 16; ++i)
    chip->sram(0).memory().writeWord(4 * i, i + 1);
  Program program;
  loadConstant(program, gprA(0), 1u << 25 | 15u << 21);
  program.push_back(alu(Op::AluB, none(), none(), gprA(0)));
  program.push_back(withIndirect(
      swapped(command(Op::SramRead, sXfer(0), imm(0), gprB(15), 8))));
  run(program);
  EXPECT_EQ(in(15), 16u);
}

TEST_F(MemoryTest, AReadAfterAWriteSeesIt) {
  Program program = {move(sXfer(0), imm(9)),
                     command(Op::SramWrite, sXfer(0), imm(64), gprB(15), 1)};
  program.push_back(
      swapped(command(Op::SramRead, sXfer(3), imm(64), gprB(15), 1)));
  run(program);
  EXPECT_EQ(in(3), 9u);
}

TEST_F(MemoryTest, BeforeTheSignalARegisterKeepsItsOldValue) {
  chip->sram(0).memory().writeWord(0, 5);
  Program program = {
      withSignal(command(Op::SramRead, sXfer(0), imm(0), gprB(15), 1), signal1),
      move(gprA(0), sXfer(0)), ctxArb(1u << signal1), move(gprA(1), sXfer(0))};
  run(program);
  EXPECT_EQ(a(0), 0u);
  EXPECT_EQ(a(1), 5u);
}

TEST_F(MemoryTest, HashesDependOnTheKeyAlone) {
  Program program = {move(sXfer(0), imm(1)), move(sXfer(1), imm(2)),
                     move(sXfer(2), imm(1)), move(sXfer(3), imm(3))};
  program.push_back(
      withSignal(command(Op::Hash64, sXfer(0), none(), none(), 2), signal1));
  program.push_back(ctxArb(1u << signal1));
  run(program);
  target::HashKey first = target::hashKey({uint64_t{2} << 32 | 1, 0}, 64);
  EXPECT_EQ(in(0), static_cast<uint32_t>(first.low));
  EXPECT_EQ(in(1), static_cast<uint32_t>(first.low >> 32));
  EXPECT_NE(in(2), in(0));
}

/// The hash tables of declared tables store it instead of the key.
TEST(HashTest, NoTwoKeysHaveTheSameHash) {
  for (unsigned bits : {64u, 128u}) {
    // The function is linear: its rank is that of the hashes of single bits.
    std::vector<target::HashKey> rows;
    for (unsigned i = 0; i < bits; ++i)
      rows.push_back(target::hashKey(
          {i < 64 ? uint64_t{1} << i : 0, i < 64 ? 0 : uint64_t{1} << (i - 64)},
          bits));
    unsigned rank = 0;
    for (unsigned bit = 0; bit < bits; ++bit) {
      auto has = [bit](const target::HashKey &key) {
        return (bit < 64 ? key.low >> bit : key.high >> (bit - 64)) & 1;
      };
      auto pivot = std::find_if(rows.begin() + rank, rows.end(), has);
      if (pivot == rows.end())
        continue;
      std::swap(*pivot, rows[rank]);
      for (unsigned i = rank + 1; i < rows.size(); ++i)
        if (has(rows[i])) {
          rows[i].low ^= rows[rank].low;
          rows[i].high ^= rows[rank].high;
        }
      ++rank;
    }
    EXPECT_EQ(rank, bits);
  }
}

TEST_F(MemoryTest, CapSignalsReachOtherEngines) {
  uint32_t word = engineHardwareNumber(6, 4) << 7 | 3u << 4 | 9u;
  Program program = {immed(gprA(0), word),
                     alu(Op::AluB, none(), none(), gprA(0))};
  Instruction write = command(Op::CapFastWrAlu, none(), none(), none(), 0);
  write.csr = Cap::interThreadSignal;
  program.push_back(write);
  load({ctxArb(1u << 9), immed(gprA(0), 1), ctxArbKill()}, 6, 1u << 3);
  run(program);
  EXPECT_EQ(chip->engine(6).peek(reg::gprA + 3 * 16), 1u);
}

TEST_F(MemoryTest, TheReflectorCopiesRegistersToAnotherEngine) {
  uint32_t where = Cap::reflector | 4u << 12 | engineHardwareNumber(6, 4) << 7 |
                   3u << 4 | 9u;
  Program program = {move(sXfer(0), imm(21)), move(sXfer(1), imm(22))};
  loadConstant(program, gprA(0), where);
  program.push_back(
      swapped(command(Op::CapWriteSum, sXfer(0), gprA(0), gprB(15), 2)));
  load({ctxArb(1u << 9), move(gprA(0), sXfer(5)), ctxArbKill()}, 6, 1u << 3);
  run(program);
  EXPECT_EQ(chip->engine(6).peek(reg::gprA + 3 * 16), 22u);
}

TEST_F(MemoryTest, ReadingASelfDestructRegisterClearsItsBits) {
  Program program = {immed(gprA(0), Cap::selfDestruct), move(sXfer(0), imm(3)),
                     move(sXfer(1), imm(5))};
  for (uint32_t i = 0; i < 2; ++i)
    program.push_back(
        swapped(command(Op::CapWriteSum, sXfer(i), gprA(0), gprB(15), 1)));
  for (uint32_t i = 4; i < 6; ++i)
    program.push_back(
        swapped(command(Op::CapReadSum, sXfer(i), gprA(0), gprB(15), 1)));
  run(program);
  EXPECT_EQ(in(4), 1u << 3 | 1u << 5);
  EXPECT_EQ(in(5), 0u);
}

TEST_F(MemoryTest, AnAddressOutOfRangeIsAFault) {
  load({immed(gprA(0), 0x3000, 16),
        swapped(command(Op::SramRead, sXfer(0), gprA(0), imm(0), 1)),
        ctxArbKill()});
  chip->runTo(1000);
  EXPECT_NE(observer.fault.find("out of range"), std::string::npos);
}

TEST_F(MemoryTest, LocalMemoryIsReachedThroughPointers) {
  Program program = {csrWrite(Csr_ACTIVE_LM_ADDR_0, imm(64)), nop(), nop(),
                     nop()};
  program.push_back(move(localMemory(0, 5), imm(1)));
  program.push_back(move(localMemory(0, 0, PostModify::Increment), imm(2)));
  program.push_back(move(localMemory(0, 0, PostModify::Increment), imm(3)));
  program.push_back(move(gprA(0), localMemory(0, 0, PostModify::Decrement)));
  program.push_back(move(gprA(1), localMemory(0, 0)));
  run(program);
  EXPECT_EQ(lm(16 + 5), 1u);
  EXPECT_EQ(lm(16), 2u);
  EXPECT_EQ(lm(17), 3u);
  EXPECT_EQ(a(0), 0u);
  EXPECT_EQ(a(1), 3u);
}

TEST_F(MemoryTest, ANewPointerTakesEffectAfterThreeInstructions) {
  for (uint32_t between = 0; between <= 4; ++between) {
    chip = std::make_unique<Chip>(parameters, observer);
    chip->engine(0).poke(reg::localMemory + 0, 10);
    chip->engine(0).poke(reg::localMemory + 32, 20);
    Program program = {csrWrite(Csr_ACTIVE_LM_ADDR_0, imm(128))};
    program.insert(program.end(), between, nop());
    program.push_back(move(gprA(0), localMemory(0, 0)));
    run(program);
    EXPECT_EQ(a(0), between < 3 ? 10u : 20u) << between;
  }
}

TEST_F(MemoryTest, OffsetsAreOredIntoThePointer) {
  Program program = {csrWrite(Csr_ACTIVE_LM_ADDR_1, imm(4)),
                     nop(),
                     nop(),
                     nop(),
                     move(localMemory(1, 3), imm(7)),
                     move(localMemory(1, 2), imm(8))};
  run(program);
  EXPECT_EQ(lm(3), 8u) << "1 | 2 is 3";
}
