// Tests that the encoder rejects operands that the machine does not have.

#include "target-ixp/table/Encoding.h"
#include "target-ixp/table/InstructionTable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace karakal;
using namespace karakal::target;
using testing::HasSubstr;

namespace {

void expectError(const Instruction &instruction, const char *id,
                 const char *text) {
  Result<uint64_t> word = encode(instruction);
  ASSERT_FALSE(word) << "encoded, though " << text;
  EXPECT_EQ(word.error().id, id) << word.error().message;
  EXPECT_THAT(word.error().message, HasSubstr(text));
}

TEST(OperandRule, TwoSourcesMustBeInDifferentBanks) {
  expectError(alu(Op::AluAdd, gprA(0), gprA(1), gprA(2)), "E-target-ixp-003",
              "both in bank A");
  expectError(aluShf(Op::ShfOr, gprA(0), gprB(1), gprB(1), shl(3)),
              "E-target-ixp-003", "both in bank B");
  expectError(alu(Op::AluAdd, gprA(0), absA(100), gprA(2)), "E-target-ixp-003",
              "different banks");
  expectError(ldField(gprA(0), 3, gprA(1)), "E-target-ixp-003", "bank A");
  expectError(mulStep(Op::MulStart, gprB(0), gprB(1)), "E-target-ixp-003",
              "bank B");
}

TEST(OperandRule, TwoSourcesMustBeOfDifferentClasses) {
  expectError(alu(Op::AluAdd, gprA(0), imm(1), imm(2)), "E-target-ixp-004",
              "immediates");
  expectError(alu(Op::AluAdd, gprA(0), sXfer(1), dXfer(2)), "E-target-ixp-004",
              "transfer registers");
  expectError(alu(Op::AluAdd, gprA(0), localMemory(0), localMemory(1)),
              "E-target-ixp-004", "local memory");
  expectError(command(Op::SramRead, sXfer(0), imm(0), imm(4), 1),
              "E-target-ixp-004", "immediates");
}

TEST(OperandRule, RestrictedFieldsRejectOtherOperands) {
  expectError(aluShf(Op::ShfB, gprA(0), none(), absB(3), shl(1)),
              "E-target-ixp-002", "absolute register");
  expectError(aluShf(Op::ShfB, gprA(0), none(), neighbour(3), shl(1)),
              "E-target-ixp-002", "next-neighbour");
  expectError(aluShf(Op::ShfB, gprA(0), none(),
                     localMemory(0, 0, PostModify::Increment), shl(1)),
              "E-target-ixp-002", "post-modified");
  expectError(aluShf(Op::ShfB, gprA(0), none(), localMemory(0, 8), shl(1)),
              "E-target-ixp-001", "largest number is 7");
  expectError(command(Op::SramRead, sXfer(0), gprA(0), imm(128), 1),
              "E-target-ixp-001", "largest number is 127");
}

TEST(OperandRule, NumbersMustBeInRange) {
  expectError(alu(Op::AluAdd, gprA(0), gprA(1), imm(256)), "E-target-ixp-001",
              "largest number is 255");
  expectError(alu(Op::AluAdd, gprA(32), gprA(1), imm(2)), "E-target-ixp-001",
              "largest number is 31");
  expectError(immedByte(2, gprA(0), 256), "E-target-ixp-007", "at most 255");
  expectError(immed(gprA(0), 1, 4), "E-target-ixp-006", "<<8 or <<16");
  expectError(
      aluShf(Op::ShfB, gprA(0), none(), gprB(1), {Shift::Kind::Left, 32}),
      "E-target-ixp-006", "between 1 and 31");
  expectError(asr(gprA(0), gprB(1), shl(3)), "E-target-ixp-006",
              "to the right");
  expectError(branchBit(true, gprA(0), 32, 0), "E-target-ixp-016",
              "bit number");
  expectError(branchByte(true, gprA(0), 4, 1, 0), "E-target-ixp-016",
              "byte number");
  expectError(branch(Op::Br, 8192), "E-target-ixp-013", "13 bits");
  expectError(branchOn(Op::BrCtx, 8, 0), "E-target-ixp-016", "0 to 7");
  expectError(branchOn(Op::BrSignal, 0, 0), "E-target-ixp-009", "signal");
  expectError(csrRead(0x45), "E-target-ixp-012", "multiple of 4");
}

TEST(OperandRule, InvalidDestinationsAndMissingSourcesAreRejected) {
  expectError(alu(Op::AluAdd, imm(1), gprA(1), gprB(2)), "E-target-ixp-005",
              "destination");
  expectError(alu(Op::AluAdd, gprA(1), none(), gprB(2)), "E-target-ixp-005",
              "missing");
  expectError(immedWord(1, none(), 5), "E-target-ixp-005", "keeps part");
  expectError(ldField(sXfer(0), 1, gprA(0)), "E-target-ixp-005",
              "also reads its destination");
  expectError(alu(Op::AluB, neighbourIndex(), none(), gprA(1)),
              "E-target-ixp-005", "*n$index++");
  expectError(jump(imm(1), 0), "E-target-ixp-005", "register");
}

TEST(OperandRule, APointerCannotBeModifiedInTwoWays) {
  expectError(move(localMemory(0, 0, PostModify::Increment),
                   localMemory(0, 0, PostModify::Decrement)),
              "E-target-ixp-015", "two ways");
  Operand up = sXferIndex(PostModify::Increment);
  Operand down = sXferIndex(PostModify::Decrement);
  expectError(aluShf(Op::ShfB, up, none(), down, shl(1)), "E-target-ixp-015",
              "two ways");
  expectError(alu(Op::CamLookup, up, down, none()), "E-target-ixp-015",
              "two ways");
  expectError(alu(Op::Crc, up, none(), down), "E-target-ixp-015", "two ways");
  EXPECT_TRUE(encode(move(localMemory(0, 0, PostModify::Increment),
                          localMemory(0, 0, PostModify::Increment))));
  EXPECT_TRUE(encode(move(localMemory(0, 0, PostModify::Increment),
                          localMemory(1, 0, PostModify::Decrement))));
}

TEST(OperandRule, CamEntriesAreLimited) {
  for (Op op : {Op::CamReadTag, Op::CamReadState, Op::CamWriteState}) {
    Operand dest = op == Op::CamWriteState ? none() : gprA(0);
    expectError(alu(op, dest, none(), imm(16)), "E-target-ixp-016", "entry");
    EXPECT_TRUE(encode(alu(op, dest, none(), imm(15))));
  }
}

TEST(OperandRule, DelaySlotsAreLimited) {
  expectError(branch(Op::Br, 0, 3), "E-target-ixp-008", "at most 2");
  expectError(branch(Op::Beq, 0, 4), "E-target-ixp-008", "at most 3");
  expectError(ctxArb(2, false, 3), "E-target-ixp-008", "at most 2");
  EXPECT_TRUE(encode(branch(Op::Beq, 0, 3)));
}

TEST(OperandRule, CommandsMustHaveValidSignals) {
  Instruction read = command(Op::SramRead, sXfer(0), gprA(0), imm(0), 1);
  EXPECT_TRUE(encode(read));
  expectError(withSignal(read, 16), "E-target-ixp-009", "between 1 and 15");
  expectError(withSignal(read, 0, true), "E-target-ixp-009",
              "ctx_swap needs a signal");
  expectError(withSignal(read, 1, true, 3), "E-target-ixp-008", "at most 2");
  expectError(withSignal(read, 1, false, 1), "E-target-ixp-008",
              "only with ctx_swap");
  expectError(command(Op::SramRead, sXfer(0), gprA(0), imm(0), 9),
              "E-target-ixp-010", "1 to 8");
  expectError(command(Op::SramRead, sXfer(16), gprA(0), imm(0), 1),
              "E-target-ixp-011", "0 to 15");
  expectError(command(Op::SramRead, none(), gprA(0), imm(0), 1),
              "E-target-ixp-011", "needs a transfer register");
  expectError(command(Op::SramIncr, sXfer(0), gprA(0), imm(0), 0),
              "E-target-ixp-011", "moves no transfer register");
  expectError(withSignal(command(Op::SramIncr, none(), gprA(0), imm(0), 0), 1),
              "E-target-ixp-009", "raises no signal");
  Instruction dram = command(Op::DramRead, dXfer(0), gprA(0), imm(0), 1);
  expectError(withSignal(dram, 3), "E-target-ixp-009", "even one");
  expectError(withSignal(dram, 4, true), "E-target-ixp-009", "pair");
  EXPECT_TRUE(encode(withSignal(dram, 4)));
}

TEST(OperandRule, CtxArbMustHaveValidOperands) {
  expectError(ctxArb(0), "E-target-ixp-014", "needs a signal");
  Instruction both = ctxArb(2);
  both.keepMask = true;
  expectError(both, "E-target-ixp-014", "name no signal");
}

// Each GPR source uses its bank's port, in either order of the operands.
TEST(OperandRule, SwapFollowsTheBanks) {
  uint64_t straight = *encode(alu(Op::AluSub, none(), gprA(1), gprB(2)));
  uint64_t swapped = *encode(alu(Op::AluSub, none(), gprB(2), gprA(1)));
  EXPECT_EQ(straight ^ swapped, 1ull << 30);
  straight = *encode(aluShf(Op::ShfAnd, none(), gprA(1), gprB(2), shl(4)));
  swapped = *encode(aluShf(Op::ShfAnd, none(), gprB(2), gprA(1), shl(4)));
  EXPECT_EQ(straight ^ swapped, 1ull << 19);
}

} // namespace
