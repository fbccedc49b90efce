// Checks command codes against the instruction set reference.
//
// The expected targets and tokens are typed from "MEv2 reference", section 9,
// and not taken from the table.

#include "target-ixp/table/CommandCodes.h"

#include "gtest/gtest.h"

using namespace karakal::target;

namespace {

void expectCode(Op op, FunctionalUnit unit, unsigned target, unsigned token) {
  const CommandCode &code = commandCode(op);
  EXPECT_EQ(code.unit, unit) << row(op).mnemonic << " " << row(op).variant;
  EXPECT_EQ(code.target, target) << row(op).mnemonic << " " << row(op).variant;
  EXPECT_EQ(code.token, token) << row(op).mnemonic << " " << row(op).variant;
}

} // namespace

TEST(CommandCodes, TargetAndTokenAreThoseOfTheReference) {
  expectCode(Op::SramRead, FunctionalUnit::Sram, 0x00, 0);
  expectCode(Op::SramGet, FunctionalUnit::Sram, 0x09, 1);
  expectCode(Op::SramEnqueueTail, FunctionalUnit::Sram, 0x0c, 1);
  expectCode(Op::SramRdQdescHead, FunctionalUnit::Sram, 0x0f, 2);
  expectCode(Op::ScratchTestSub, FunctionalUnit::Scratch, 0x16, 1);
  expectCode(Op::ScratchGet, FunctionalUnit::Scratch, 0x19, 0);
  expectCode(Op::ScratchPut, FunctionalUnit::Scratch, 0x1a, 0);
  expectCode(Op::DramRead, FunctionalUnit::Dram, 0x28, 0);
  expectCode(Op::DramWrite, FunctionalUnit::Dram, 0x29, 0);
  expectCode(Op::DramRbufRd, FunctionalUnit::Dram, 0x2a, 0);
  expectCode(Op::DramTbufWr, FunctionalUnit::Dram, 0x2b, 0);
  expectCode(Op::CapFastWr, FunctionalUnit::Cap, 0x33, 0);
  expectCode(Op::CapWriteSum, FunctionalUnit::Cap, 0x3f, 0);
  expectCode(Op::PciRead, FunctionalUnit::Pci, 0x34, 0);
  expectCode(Op::Hash128, FunctionalUnit::Hash, 0x37, 2);
  expectCode(Op::MsfRead64, FunctionalUnit::Msf, 0x3c, 2);
  expectCode(Op::MsfFastWr, FunctionalUnit::Msf, 0x3d, 1);
}

TEST(CommandCodes, AnInstructionOtherThanACommandHasNoUnit) {
  for (Op op : {Op::AluAdd, Op::Nop, Op::CtxArb, Op::CsrWrite}) {
    EXPECT_EQ(unitOf(op), FunctionalUnit::None);
    EXPECT_EQ(wordAccess(op), WordAccess::None);
  }
}

TEST(CommandCodes, OnlyCommandRowsHaveAUnit) {
  for (unsigned i = 0; i < OpCount; ++i) {
    Op op = static_cast<Op>(i);
    EXPECT_EQ(row(op).isCommand(), unitOf(op) != FunctionalUnit::None) << i;
  }
}

TEST(CommandCodes, SramAndScratchHaveTheSameAccesses) {
  EXPECT_EQ(wordAccess(Op::SramRead), WordAccess::Read);
  EXPECT_EQ(wordAccess(Op::ScratchWrite), WordAccess::Write);
  EXPECT_EQ(wordAccess(Op::SramTestClr), WordAccess::Clear);
  EXPECT_EQ(wordAccess(Op::ScratchSub), WordAccess::Subtract);
  EXPECT_EQ(wordAccess(Op::SramDecr), WordAccess::Decrement);
}

TEST(CommandCodes, CommandsToQueuesRingsAndRegistersAccessNoWord) {
  for (Op op : {Op::SramPut, Op::SramGet, Op::SramEnqueue, Op::SramCsrRead,
                Op::ScratchGet, Op::ScratchPut, Op::DramRead, Op::CapRead})
    EXPECT_EQ(wordAccess(op), WordAccess::None) << row(op).variant;
}

TEST(CommandCodes, DirectionsFollowTheTransferRegisters) {
  EXPECT_TRUE(pullsOperands(Op::SramWrite));
  EXPECT_FALSE(pushesResult(Op::SramWrite));
  EXPECT_TRUE(pullsOperands(Op::SramTestAdd));
  EXPECT_TRUE(pushesResult(Op::SramTestAdd));
  EXPECT_FALSE(pullsOperands(Op::ScratchTestIncr));
  EXPECT_TRUE(pushesResult(Op::ScratchTestIncr));
  EXPECT_FALSE(pullsOperands(Op::DramRbufRd));
  EXPECT_FALSE(pushesResult(Op::DramTbufWr));
}
