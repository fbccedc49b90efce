// What local CSRs hold after a write: their masks, pointers and read-only ones.

#include "tests/sim-ixp/OneEngine.h"

using namespace karakal;
using namespace karakal::sim;
using namespace karakal::sim::testing;

namespace {

/// More cycles than any write of a CSR takes.
constexpr unsigned settled = 8;

class LocalCsrValues : public OneEngine {
protected:
  static void append(Program &program,
                     std::initializer_list<Instruction> more) {
    program.insert(program.end(), more);
  }
  static void write(Program &program, uint32_t csr, uint32_t value) {
    loadConstant(program, gprB(0), value);
    program.push_back(csrWrite(csr, gprB(0)));
    program.insert(program.end(), settled, nop());
  }
  static void read(Program &program, uint32_t csr, uint32_t into) {
    append(program, {csrRead(csr), immed(gprA(into), 0)});
  }
  /// The value of a CSR after a write.
  uint32_t after(uint32_t csr, uint32_t value) {
    chip.reset();
    Program program;
    write(program, csr, value);
    read(program, csr, 0);
    run(program);
    return a(0);
  }
};

} // namespace

TEST_F(LocalCsrValues, KeepTheBitsOfTheirFields) {
  EXPECT_EQ(after(Csr_T_INDEX, ~0u), 0x1fcu);
  EXPECT_EQ(after(Csr_BYTE_INDEX, ~0u), 3u);
  EXPECT_EQ(after(Csr_BYTE_INDEX, 6), 2u);
  EXPECT_EQ(after(Csr_T_INDEX_BYTE_INDEX, 0x2a7), 0xa4u + 3);
  EXPECT_EQ(after(Csr_NN_PUT, 0x1ff), 127u);
  EXPECT_EQ(after(Csr_NN_GET, 0x181), 1u);
  EXPECT_EQ(after(Csr_CSR_CTX_POINTER, 0xd), 5u);
  EXPECT_EQ(after(Csr_CRC_REMAINDER, 0x12345678), 0x12345678u);
  EXPECT_EQ(after(Csr_ACTIVE_CTX_WAKEUP_EVENTS, 0x3abcd), 0x1abcdu);
  EXPECT_EQ(after(Csr_ACTIVE_CTX_WAKEUP_EVENTS, 0x2abcd), 0xabcdu);
  EXPECT_EQ(after(Csr_ACTIVE_CTX_SIG_EVENTS, 0x30), 0x30u);
  EXPECT_EQ(after(Csr_ACTIVE_FUTURE_COUNT_SIGNAL, 7), 7u);
  EXPECT_EQ(after(Csr_ACTIVE_CTX_FUTURE_COUNT, 0x1e240), 0xe240u);
  EXPECT_EQ(after(Csr_TIMESTAMP_HIGH, 5), 5u);
  EXPECT_EQ(after(Csr_ACTIVE_LM_ADDR_0, 0x40), 0x40u);
  EXPECT_EQ(after(Csr_ACTIVE_LM_ADDR_1, 0x44), 0x44u);
}

TEST_F(LocalCsrValues, AnIndirectOneIsOfTheContextThatThePointerNames) {
  const std::pair<uint32_t, uint32_t> pairs[] = {
      {Csr_INDIRECT_LM_ADDR_0, Csr_ACTIVE_LM_ADDR_0},
      {Csr_INDIRECT_LM_ADDR_1, Csr_ACTIVE_LM_ADDR_1},
      {Csr_INDIRECT_CTX_SIG_EVENTS, Csr_ACTIVE_CTX_SIG_EVENTS},
      {Csr_INDIRECT_CTX_WAKEUP_EVENTS, Csr_ACTIVE_CTX_WAKEUP_EVENTS},
      {Csr_INDIRECT_FUTURE_COUNT_SIGNAL, Csr_ACTIVE_FUTURE_COUNT_SIGNAL},
      {Csr_INDIRECT_CTX_FUTURE_COUNT, Csr_ACTIVE_CTX_FUTURE_COUNT},
  };
  for (auto [indirect, active] : pairs) {
    chip.reset();
    Program program;
    write(program, active, 4);
    write(program, Csr_CSR_CTX_POINTER, 5);
    write(program, indirect, 8);
    read(program, active, 0);
    read(program, indirect, 1);
    write(program, Csr_CSR_CTX_POINTER, 6);
    read(program, indirect, 2);
    write(program, Csr_CSR_CTX_POINTER, 0);
    read(program, indirect, 3);
    run(program);
    EXPECT_EQ(a(0), 4u) << indirect;
    EXPECT_EQ(a(1), 8u) << indirect;
    EXPECT_EQ(a(2), 0u) << indirect;
    EXPECT_EQ(a(3), 4u) << indirect;
  }
}

TEST_F(LocalCsrValues, AByteIndexComesWithAPointerToo) {
  for (uint32_t csr :
       {Csr_ACTIVE_LM_ADDR_0_BYTE_INDEX, Csr_ACTIVE_LM_ADDR_1_BYTE_INDEX}) {
    chip.reset();
    Program program;
    write(program, csr, 0x46);
    read(program, Csr_BYTE_INDEX, 0);
    read(program, csr, 1);
    run(program);
    EXPECT_EQ(a(0), 2u);
    EXPECT_EQ(a(1) & ~3u, 0x44u);
  }
}

TEST_F(LocalCsrValues, RandomNumbersAreThoseOfAShiftRegister) {
  // The polynomial of Ethernet's CRC, one step a read; 0 would never change.
  for (auto [seed, first, second] :
       {std::tuple(1u, 0xedb88320u, 0x76dc4190u),
        std::tuple(0u, 0xedb88320u, 0x76dc4190u), std::tuple(4u, 2u, 1u),
        std::tuple(3u, 0xedb88321u, 0x9b64c2b0u)}) {
    chip.reset();
    Program program;
    write(program, Csr_PSEUDO_RANDOM_NUMBER, seed);
    read(program, Csr_PSEUDO_RANDOM_NUMBER, 0);
    read(program, Csr_PSEUDO_RANDOM_NUMBER, 1);
    run(program);
    EXPECT_EQ(a(0), first) << seed;
    EXPECT_EQ(a(1), second) << seed;
  }
}

TEST_F(LocalCsrValues, ATimestampCountsOnFromWhatIsWritten) {
  // A low half that overflows carries into the high half.
  Program program;
  write(program, Csr_TIMESTAMP_HIGH, 7);
  write(program, Csr_TIMESTAMP_LOW, 0xffffffff);
  program.insert(program.end(), 2 * TimestampTickCycles, nop());
  read(program, Csr_TIMESTAMP_HIGH, 0);
  read(program, Csr_TIMESTAMP_LOW, 1);
  run(program);
  EXPECT_EQ(a(0), 8u);
  EXPECT_LE(a(1), 3u);
}

TEST_F(LocalCsrValues, TheArbiterNamesTheRunningAndTheNextContext) {
  Program program = {branchOn(Op::BrCtx, 3, 4)};
  read(program, Csr_CTX_ARB_CNTL, 0);
  append(program, {ctxArbKill(), ctxArbKill()});
  load(program, 0, 1 << 0 | 1 << 3);
  finish();
  EXPECT_EQ(a(0), 0x30u);
  chip.reset();
  program = {};
  read(program, Csr_CTX_ARB_CNTL, 0);
  program.push_back(ctxArbKill());
  load(program, 0, 1 << 2);
  finish();
  EXPECT_EQ(a(2 * 16), 0x22u) << "alone, it is its own successor";
}

TEST_F(LocalCsrValues, ReadOnlyOnesIgnoreWrites) {
  Program program;
  for (uint32_t csr : {Csr_CTX_ARB_CNTL, Csr_ALU_OUT, Csr_PROFILE_COUNT})
    write(program, csr, 0x7777);
  read(program, Csr_CTX_ARB_CNTL, 0);
  read(program, Csr_PROFILE_COUNT, 1);
  run(program);
  EXPECT_EQ(a(0), 0u);
  EXPECT_LT(a(1), 100u);
}

TEST_F(LocalCsrValues, OneThatCannotBeWrittenIsAFault) {
  load({csrWrite(Csr_ACTIVE_CTX_STS, imm(1)), ctxArbKill()});
  chip->runTo(100);
  EXPECT_NE(observer.fault.find("cannot be written here"), std::string::npos)
      << observer.fault;
}

TEST_F(LocalCsrValues, ConditionCodesThatTheCoreFreezesStay) {
  for (bool isFrozen : {false, true}) {
    chip.reset();
    load({immed(gprA(1), 1),
          alu(Op::AluSub, gprA(2), gprA(1), gprB(0)), // not zero any more
          branch(Op::Beq, 4), immed(gprA(1), 2), ctxArbKill()});
    if (isFrozen)
      chip->engine(0).coreWriteCsr(Csr_CC_ENABLE, 0);
    finish();
    EXPECT_EQ(a(1), isFrozen ? 1u : 2u);
  }
}
