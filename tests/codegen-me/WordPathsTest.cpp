// Tests of the passes over words that look at several blocks.

#include "WordsFixture.h"

#include <gmock/gmock.h>

using namespace karakal;
using namespace karakal::codegen;
using namespace karakal::target;
using testing::ElementsAre;

namespace {

TEST_F(Words, WordsOfTwoPathsWriteTheTransferRegister) {
  const unsigned other = program.newLabel(), meet = program.newLabel();
  program.add(branchBit(true, gprA(2), 3, 0), other);
  add(move(gprB(2), sXfer(4)));
  program.add(branch(Op::Br, 0), meet);
  program.bind(other);
  add(immed(gprB(2), 4));
  program.bind(meet);
  add(move(dXfer(0), gprB(2)));
  add(command(Op::DramWrite, dXfer(0), gprA(0), imm(0), 1));
  end();
  EXPECT_EQ(writeInPlace(program), 1u);
  EXPECT_EQ(count("alu[$$0, --, B, $4]"), 1u);
  EXPECT_EQ(count("immed[$$0, 0x4]"), 1u);
  EXPECT_EQ(count("alu[$$0, --, B, b2]"), 0u);
}

TEST_F(Words, AWayThatMissesTheMoveKeepsTheOutRegister) {
  const unsigned other = program.newLabel();
  add(alu(Op::AluAdd, gprB(2), gprB(3), imm(1)));
  program.add(branchBit(true, gprA(2), 3, 0), other);
  add(move(dXfer(0), gprB(2)));
  program.bind(other);
  add(command(Op::DramWrite, dXfer(0), gprA(0), imm(0), 1));
  end();
  EXPECT_EQ(writeInPlace(program), 0u);
  EXPECT_EQ(count("alu[$$0, --, B, b2]"), 1u);
}

TEST_F(Words, AnOutRegisterThatACommandReadsIsNotWrittenEarlier) {
  const unsigned next = program.newLabel();
  add(alu(Op::AluAdd, gprB(2), gprB(3), imm(1)));
  program.bind(next);
  add(command(Op::DramWrite, dXfer(0), gprA(0), imm(0), 1));
  add(move(dXfer(0), gprB(2)));
  add(command(Op::DramWrite, dXfer(0), gprA(1), imm(0), 1));
  end();
  EXPECT_EQ(writeInPlace(program), 0u);
}

/// A word, a rare word that changes its result, and the move of the result.
class RareChange : public Words {
protected:
  void build(float executions) {
    const unsigned carry = program.newLabel(), out = program.newLabel();
    program.currentFrequency = 1;
    glued(alu(Op::AluAdd, gprB(3), dXfer(2), gprB(0)));
    program.add(branch(Op::Bcs, 0), carry);
    program.bind(out);
    add(move(dXfer(2), gprB(3)));
    add(command(Op::DramWrite, dXfer(2), gprA(0), imm(0), 1));
    end();
    program.bind(carry);
    program.currentFrequency = executions;
    add(alu(Op::AluAdd, gprB(3), gprB(3), gprA(3)));
    program.add(branch(Op::Br, 0), out);
  }
};

TEST_F(RareChange, RepeatsTheWordThatItChanges) {
  build(0.01f);
  EXPECT_EQ(writeInPlace(program), 1u);
  EXPECT_EQ(text()[1], "alu[$$2, $$2, +, b0]");
  EXPECT_EQ(count("alu[$$2, --, B, b3]"), 0u);
  EXPECT_EQ(count("alu[b3, $$2, +, b0]"), 1u);
  EXPECT_EQ(count("alu[$$2, b3, +, a3]"), 1u);
}

TEST_F(RareChange, IsNotRepeatedIfItIsFrequent) {
  build(0.5f);
  EXPECT_EQ(writeInPlace(program), 0u);
}

/// A write whose register the loop's next turn fills, after a ring's test.
class WriteInLoop : public Words {
protected:
  void build(float full) {
    const unsigned put = program.newLabel(), wait = program.newLabel(),
                   start = program.newLabel();
    program.add(branch(Op::Br, 0), start);
    program.bind(put);
    program.currentFrequency = 1;
    add(move(sXfer(0), gprA(2)));
    program.bind(start);
    add(command(Op::SramWrite, sXfer(0), gprA(1), imm(0), 1));
    program.add(branchOn(Op::BrNotInpState, 3, 0), put).taken = 1 - full;
    program.currentFrequency = full;
    program.bind(wait);
    add(ctxArbVoluntary());
    program.add(branchOn(Op::BrNotInpState, 3, 0), put).taken = full;
    program.add(branch(Op::Br, 0), wait);
  }
};

TEST_F(WriteInLoop, IsItsOwnWait) {
  build(0.001f);
  const WaitStatistics waits = placeWaits(program);
  EXPECT_EQ(waits.swaps, 1u);
  EXPECT_EQ(waits.waits, 0u);
  EXPECT_EQ(count("sram[write, $0, a1, 0x0, 1], ctx_swap[s1]"), 1u);
}

TEST_F(WriteInLoop, WaitsLaterIfOtherContextsRunFirst) {
  build(0.5f);
  EXPECT_EQ(placeWaits(program).swaps, 0u);
  EXPECT_EQ(count("sram[write, $0, a1, 0x0, 1], sig_done[s1]"), 1u);
}

/// Two paths to a label: one jumps over the other.
class TwoPaths : public Words {
protected:
  void build(float jumps, float falls) {
    const unsigned detour = program.newLabel();
    meet = program.newLabel();
    program.currentFrequency = jumps + falls;
    program.add(branchBit(true, gprA(2), 3, 0), detour).taken = falls;
    program.currentFrequency = jumps;
    add(immed(gprA(1), 1));
    program.add(branch(Op::Br, 0), meet).taken = jumps;
    program.bind(detour);
    program.currentFrequency = falls;
    add(immed(gprA(1), 2));
    program.bind(meet);
    program.currentFrequency = jumps + falls;
    add(move(sXfer(0), gprA(1)));
    end();
  }
  unsigned meet = 0;
};

TEST_F(TwoPaths, TheFrequentOneFallsThrough) {
  build(0.7f, 0.3f);
  const unsigned words = program.words();
  EXPECT_EQ(moveDetours(program), 1u);
  EXPECT_THAT(text(),
              ElementsAre("label", "br_bset[a2, 3, .0]", "immed[a1, 0x1]",
                          "label", "alu[$0, --, B, a1]", "ctx_arb[kill]",
                          "label", "immed[a1, 0x2]", "br[.0]"));
  EXPECT_EQ(program.items.back().label, meet);
  EXPECT_FLOAT_EQ(program.items.back().frequency, 0.3f);
  EXPECT_EQ(program.words(), words);
}

TEST_F(TwoPaths, APathStaysIfItEndsWithACall) {
  build(0.7f, 0.3f);
  for (Item &item : program.items)
    if (item.kind == Item::Kind::Word && item.frequency == 0.3f)
      item.isCall = true;
  EXPECT_EQ(moveDetours(program), 0u);
}

TEST_F(TwoPaths, TheOrderStaysIfTheFrequentOneFallsThrough) {
  build(0.4f, 0.6f);
  EXPECT_EQ(moveDetours(program), 0u);
}

} // namespace
