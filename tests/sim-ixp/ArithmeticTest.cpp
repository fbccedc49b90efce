// The results of each data instruction.

#include "OneEngine.h"

using namespace karakal;
using namespace karakal::sim;
using namespace karakal::sim::testing;

class ArithmeticTest : public OneEngine {
protected:
  /// a2 = a flag after `op` on left and right, by the branch that tests it.
  bool flag(Op op, uint32_t left, uint32_t right, Op branchOp) {
    chip.reset();
    Program program;
    loadConstant(program, gprA(1), left);
    loadConstant(program, gprB(1), right);
    program.push_back(immed(gprA(2), 1));
    program.push_back(alu(op, none(), gprA(1), gprB(1)));
    uint32_t end = static_cast<uint32_t>(program.size()) + 2;
    program.push_back(branch(branchOp, end));
    program.push_back(immed(gprA(2), 0));
    run(program);
    return a(2) == 1;
  }

  uint32_t shifted(Op op, uint32_t left, uint32_t right, Shift shift) {
    chip.reset();
    Program program;
    loadConstant(program, gprA(1), left);
    loadConstant(program, gprB(1), right);
    Operand first = op == Op::ShfB || op == Op::ShfNotB ? none() : gprA(1);
    program.push_back(aluShf(op, gprA(2), first, gprB(1), shift));
    run(program);
    return a(2);
  }
};

TEST_F(ArithmeticTest, AddsAndSubtracts) {
  EXPECT_EQ(result(Op::AluAdd, 0xffffffff, 2), 1u);
  EXPECT_EQ(result(Op::AluSub, 5, 7), 0xfffffffeu);
  EXPECT_EQ(result(Op::AluBSubA, 5, 7), 2u);
  EXPECT_EQ(result(Op::AluAdd8, 0x1ff, 0x102), 0x201u);
  EXPECT_EQ(result(Op::AluAdd16, 0x1ffff, 0x10002), 0x20001u);
}

TEST_F(ArithmeticTest, ComputesBitwiseOperations) {
  EXPECT_EQ(result(Op::AluAnd, 0xff00ff00, 0x0ff00ff0), 0x0f000f00u);
  EXPECT_EQ(result(Op::AluOr, 0xff00ff00, 0x0ff00ff0), 0xfff0fff0u);
  EXPECT_EQ(result(Op::AluXor, 0xff00ff00, 0x0ff00ff0), 0xf0f0f0f0u);
  EXPECT_EQ(result(Op::AluNotAnd, 0xff00ff00, 0x0ff00ff0), 0x00f000f0u);
  EXPECT_EQ(result(Op::AluAndNot, 0xff00ff00, 0x0ff00ff0), 0xf000f000u);
}

TEST_F(ArithmeticTest, CarriesThroughLongNumbers) {
  Program program;
  loadConstant(program, gprA(0), 0xffffffff);
  loadConstant(program, gprA(1), 5);
  program.push_back(alu(Op::AluAdd, gprA(2), gprA(0), imm(1)));
  program.push_back(alu(Op::AluAddCarry, gprA(3), gprA(1), imm(0)));
  program.push_back(alu(Op::AluSub, gprB(2), imm(0), gprB(9)));
  program.push_back(alu(Op::AluSub, gprB(2), gprA(2), imm(1)));
  program.push_back(alu(Op::AluSubCarry, gprB(3), gprA(3), imm(0)));
  run(program);
  EXPECT_EQ(a(2), 0u);
  EXPECT_EQ(a(3), 6u);
  EXPECT_EQ(b(2), 0xffffffffu);
  EXPECT_EQ(b(3), 5u);
}

TEST_F(ArithmeticTest, CarryOfSubtractionMeansNoBorrow) {
  EXPECT_TRUE(flag(Op::AluSub, 7, 7, Op::Bcs));
  EXPECT_FALSE(flag(Op::AluSub, 6, 7, Op::Bcs));
  EXPECT_TRUE(flag(Op::AluSub, 0xffffffff, 1, Op::Bcs));
  EXPECT_TRUE(flag(Op::AluBSubA, 6, 7, Op::Bcs));
}

TEST_F(ArithmeticTest, SignedConditionsUseOverflow) {
  EXPECT_TRUE(flag(Op::AluSub, 0x80000000, 1, Op::Blt));
  EXPECT_TRUE(flag(Op::AluSub, 0x80000000, 1, Op::Bvs));
  EXPECT_TRUE(flag(Op::AluSub, 0x7fffffff, 0xffffffff, Op::Bgt));
  EXPECT_TRUE(flag(Op::AluAdd, 0x7fffffff, 1, Op::Bvs));
  EXPECT_TRUE(flag(Op::AluAdd, 0x7fffffff, 1, Op::Bmi));
  EXPECT_FALSE(flag(Op::AluAdd, 0xffffffff, 1, Op::Bvs));
  EXPECT_TRUE(flag(Op::AluAdd, 0xffffffff, 1, Op::Beq));
  EXPECT_TRUE(flag(Op::AluSub, 3, 3, Op::Ble));
  EXPECT_TRUE(flag(Op::AluSub, 3, 3, Op::Bge));
  EXPECT_FALSE(flag(Op::AluSub, 3, 3, Op::Bgt));
}

TEST_F(ArithmeticTest, FrozenConditionCodesDoNotChange) {
  Program program;
  loadConstant(program, gprA(0), 0xffffffff);
  program.push_back(immed(gprB(0), 0x2000));
  program.push_back(csrWrite(Csr_CC_ENABLE, imm(0)));
  program.insert(program.end(), 3, nop());
  // The last instruction that sets the flags: carry, zero.
  program.push_back(alu(Op::AluAdd, gprA(2), gprA(0), imm(1)));
  // Neither these instructions nor a swap change them.
  program.push_back(alu(Op::AluAdd, gprA(2), gprA(0), imm(0)));
  program.push_back(ctxArb(1));
  program.push_back(alu(Op::AluSub, gprA(2), imm(3), gprB(9)));
  for (uint32_t i = 3; i < 6; ++i)
    program.push_back(alu(Op::AluAddCarry, gprA(i), imm(i), gprB(1)));
  uint32_t next = static_cast<uint32_t>(program.size()) + 2;
  program.push_back(branch(Op::Bne, next, 1));
  program.push_back(alu(Op::AluAddCarry, gprA(6), imm(6), gprB(1)));
  program.push_back(csrWrite(Csr_CC_ENABLE, gprB(0)));
  program.insert(program.end(), 4, nop());
  // Enabled again, they have their old values; then they change.
  program.push_back(alu(Op::AluAddCarry, gprA(7), imm(7), gprB(1)));
  program.push_back(alu(Op::AluAddCarry, gprA(8), imm(8), gprB(1)));
  run(program);
  for (uint32_t i = 3; i < 8; ++i)
    EXPECT_EQ(a(i), i + 1) << "a" << i;
  EXPECT_EQ(a(8), 8u);
}

TEST_F(ArithmeticTest, ShiftsTheSecondOperandOnly) {
  EXPECT_EQ(shifted(Op::ShfB, 0, 0x80000001, shl(4)), 0x10u);
  EXPECT_EQ(shifted(Op::ShfB, 0, 0x80000001, shr(4)), 0x08000000u);
  EXPECT_EQ(shifted(Op::ShfB, 0, 0x80000001, rotr(4)), 0x18000000u);
  EXPECT_EQ(shifted(Op::ShfNotB, 0, 0xffff0000, shr(16)), 0xffff0000u);
  EXPECT_EQ(shifted(Op::ShfOr, 0xff, 0xff, shl(8)), 0xffffu);
  EXPECT_EQ(shifted(Op::ShfAnd, 0xff, 0xff0, shr(8)), 0xfu);
  EXPECT_EQ(shifted(Op::ShfAndNot, 0xff, 0xf, shl(4)), 0xfu);
  EXPECT_EQ(shifted(Op::ShfNotAnd, 0xff, 0xff, shl(4)), 0xf00u);
}

TEST_F(ArithmeticTest, IndirectShiftTakesThePreviousFirstOperand) {
  Program program;
  loadConstant(program, gprA(0), 12);
  loadConstant(program, gprB(0), 0xabcd);
  program.push_back(alu(Op::AluOr, none(), gprA(0), imm(0)));
  program.push_back(aluShf(Op::ShfB, gprA(1), none(), gprB(0), shlIndirect()));
  program.push_back(alu(Op::AluOr, none(), gprA(0), imm(0)));
  program.push_back(aluShf(Op::ShfB, gprA(2), none(), gprB(0), shrIndirect()));
  run(program);
  EXPECT_EQ(a(1), 0xabcd000u);
  EXPECT_EQ(a(2), 0xau);
}

TEST_F(ArithmeticTest, ArithmeticShiftRepeatsThePreviousSign) {
  Program program;
  loadConstant(program, gprB(0), 0x80000000);
  program.push_back(alu(Op::AluOr, none(), imm(0), gprB(0)));
  program.push_back(asr(gprA(1), gprB(0), shr(4)));
  program.push_back(alu(Op::AluOr, none(), imm(0), imm(0)));
  program.push_back(asr(gprA(2), gprB(0), shr(4)));
  program.erase(program.end() - 2); // the sign now comes from a1
  run(program);
  EXPECT_EQ(a(1), 0xf8000000u);
  EXPECT_EQ(a(2), 0xf8000000u);
}

TEST_F(ArithmeticTest, DoubleShiftTakesTheLowWord) {
  Program program;
  loadConstant(program, gprA(0), 0x00000012);
  loadConstant(program, gprB(0), 0x34567890);
  program.push_back(dblShf(gprA(1), gprA(0), gprB(0), shr(8)));
  run(program);
  EXPECT_EQ(a(1), 0x12345678u);
}

TEST_F(ArithmeticTest, LoadsFields) {
  Program program;
  loadConstant(program, gprA(0), 0x11223344);
  loadConstant(program, gprA(1), 0x11223344);
  loadConstant(program, gprB(0), 0xaabbccdd);
  program.push_back(ldField(gprA(0), 0b0110, gprB(0)));
  program.push_back(ldField(gprA(1), 0b0011, gprB(0), shr(16), true));
  run(program);
  EXPECT_EQ(a(0), 0x11bbcc44u);
  EXPECT_EQ(a(1), 0x0000aabbu);
}

TEST_F(ArithmeticTest, BuildsConstants) {
  Program program = {
      immed(gprA(0), 0x1234, 8),     immed(gprA(1), 0x1234, 16, true),
      immed(gprA(2), 0x5678),        immedWord(1, gprA(2), 0x1234),
      immedByte(0, gprA(2), 0xff),   immed(gprB(3), 0xffff),
      immedWord(0, gprB(3), 0x0001), immedByte(3, gprB(3), 0x80),
      immedByte(2, gprB(3), 0x40),   immedByte(1, gprB(3), 0x20)};
  run(program);
  EXPECT_EQ(a(0), 0x123400u);
  EXPECT_EQ(a(1), 0xedcbffffu);
  EXPECT_EQ(a(2), 0x123456ffu);
  EXPECT_EQ(b(3), 0x80402001u);
}

TEST_F(ArithmeticTest, Multiplies) {
  Program program;
  loadConstant(program, gprA(0), 0xfffffff0);
  loadConstant(program, gprB(0), 0x12345678);
  auto all = [&](std::vector<Op> steps) {
    for (Op op : steps)
      program.push_back(mulStep(op, gprA(0), gprB(0)));
  };
  all({Op::MulStart, Op::Mul32x32Step1, Op::Mul32x32Step2, Op::Mul32x32Step3,
       Op::Mul32x32Step4});
  program.push_back(mulLast(Op::Mul32x32Last, gprA(1)));
  program.push_back(mulLast(Op::Mul32x32Last2, gprA(2)));
  all({Op::MulStart, Op::Mul16x16Step1, Op::Mul16x16Step2});
  program.push_back(mulLast(Op::Mul16x16Last, gprA(3)));
  all({Op::MulStart, Op::Mul24x8Step1});
  program.push_back(mulLast(Op::Mul24x8Last, gprA(4)));
  run(program);
  uint64_t product = uint64_t{0xfffffff0} * 0x12345678;
  EXPECT_EQ(a(1), static_cast<uint32_t>(product));
  EXPECT_EQ(a(2), static_cast<uint32_t>(product >> 32));
  EXPECT_EQ(a(3), 0xfff0u * 0x5678u);
  EXPECT_EQ(a(4), 0xfffff0u * 0x78u);
}

TEST_F(ArithmeticTest, FindsAndCountsBits) {
  Program program;
  loadConstant(program, gprB(0), 0x00ff0100);
  program.push_back(ffs(gprA(0), gprB(0)));
  Instruction first = alu(Op::PopCount1, none(), none(), gprB(0));
  Instruction second = alu(Op::PopCount2, none(), none(), gprB(0));
  program.push_back(first);
  program.push_back(second);
  program.push_back(alu(Op::PopCount3, gprA(1), none(), gprB(0)));
  run(program);
  EXPECT_EQ(a(0), 8u);
  EXPECT_EQ(a(1), 9u);
}

TEST_F(ArithmeticTest, AlignsBytes) {
  Program program;
  loadConstant(program, gprB(0), 0x00112233);
  loadConstant(program, gprB(1), 0x44556677);
  program.push_back(csrWrite(Csr_BYTE_INDEX, imm(1)));
  for (int i = 0; i < 3; ++i)
    program.push_back(nop());
  program.push_back(alu(Op::ByteAlignBe, none(), none(), gprB(0)));
  program.push_back(alu(Op::ByteAlignBe, gprA(0), none(), gprB(1)));
  program.push_back(alu(Op::ByteAlignLe, none(), gprB(0), none()));
  program.push_back(alu(Op::ByteAlignLe, gprA(1), gprB(1), none()));
  run(program);
  EXPECT_EQ(a(0), 0x11223344u);
  EXPECT_EQ(a(1), 0x77001122u);
}

// "alu[d, --, B, y]" and "alu[d, a0, B, y]" are one word.
TEST_F(ArithmeticTest, AShiftTakesItsCountFromA0WhereNoOperandIsNamed) {
  Program program;
  loadConstant(program, gprA(0), 3);
  loadConstant(program, gprB(1), 1);
  program.push_back(alu(Op::AluB, none(), none(), gprB(1)));
  program.push_back(aluShf(Op::ShfB, gprB(2), none(), gprB(1), shlIndirect()));
  program.push_back(alu(Op::AluB, none(), gprA(0), gprB(1)));
  program.push_back(aluShf(Op::ShfB, gprB(3), none(), gprB(1), shlIndirect()));
  // With b on port A, port B holds the literal 0.
  program.push_back(alu(Op::AluB, none(), none(), gprA(0)));
  program.push_back(aluShf(Op::ShfB, gprB(4), none(), gprB(1), shlIndirect()));
  run(program);
  EXPECT_EQ(b(2), 8u);
  EXPECT_EQ(b(3), 8u);
  EXPECT_EQ(b(4), 1u);
}

TEST_F(ArithmeticTest, AbsoluteRegistersAliasOtherContexts) {
  run({immed(absA(16 + 3), 77), immed(absB(5), 78)});
  EXPECT_EQ(a(16 + 3), 77u);
  EXPECT_EQ(b(5), 78u);
}

TEST_F(ArithmeticTest, TransferInAndOutAreDifferentRegisters) {
  load({move(sXfer(3), imm(9)), move(gprA(0), sXfer(3)), ctxArbKill()});
  chip->engine(0).poke(reg::sIn + 3, 42);
  finish();
  EXPECT_EQ(a(0), 42u);
  EXPECT_EQ(chip->engine(0).peek(reg::sOut + 3), 9u);
}

TEST_F(ArithmeticTest, TransferIndexStepsThroughRegisters) {
  Program program = {csrWrite(Csr_T_INDEX, imm(2 << 2)), nop(), nop(), nop()};
  program.push_back(move(gprA(0), sXferIndex(PostModify::Increment)));
  program.push_back(move(gprA(1), sXferIndex(PostModify::Increment)));
  program.push_back(ctxArbKill());
  load(program);
  chip->engine(0).poke(reg::sIn + 2, 22);
  chip->engine(0).poke(reg::sIn + 3, 33);
  finish();
  EXPECT_EQ(a(0), 22u);
  EXPECT_EQ(a(1), 33u);
}

TEST_F(ArithmeticTest, CrcMatchesTheKnownRemainder) {
  // CRC-32 of the four bytes "1234", most significant byte first, bits of each
  // byte reversed as on the wire: complement of the bit-reversed remainder.
  Program program;
  loadConstant(program, gprB(0), 0x31323334);
  program.push_back(immed(gprA(0), 0, 0, true));
  program.push_back(csrWrite(Csr_CRC_REMAINDER, gprA(0)));
  program.insert(program.end(), OtherCsrSlots, nop());
  Instruction crc = alu(Op::Crc, gprA(1), none(), gprB(0));
  crc.crcType = CrcType::Crc32;
  crc.crcBitSwap = true;
  program.push_back(crc);
  for (int i = 0; i < 5; ++i)
    program.push_back(nop());
  program.push_back(csrRead(Csr_CRC_REMAINDER));
  program.push_back(immed(gprA(2), 0));
  run(program);
  uint32_t reversed = 0;
  for (int i = 0; i < 32; ++i)
    reversed |= (a(2) >> i & 1) << (31 - i);
  EXPECT_EQ(~reversed, 0x9be3e0a3u);
  EXPECT_EQ(a(1), 0x31323334u);
}
