// Tests of the passes over words that look at several blocks.

#include "WordsFixture.h"

#include <gmock/gmock.h>

using namespace karakal;
using namespace karakal::codegen;
using namespace karakal::target;

namespace {

TEST_F(Words, WordsOfTwoWaysWriteTheTransferRegister) {
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

} // namespace
