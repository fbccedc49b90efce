// Encoder and decoder agree with worked examples of the MEv2 reference.

#include "target-ixp/table/Encoding.h"
#include "target-ixp/table/InstructionTable.h"
#include "target-ixp/table/Printer.h"

#include <gtest/gtest.h>

using namespace karakal;
using namespace karakal::target;

namespace {

struct Worked {
  uint64_t word;
  const char *text;
  Instruction instruction;
};

std::vector<Worked> arithmeticWords() {
  return {
      {0xf0000cc005, "immed[a5, 0x30]", immed(gprA(5), 0x30)},
      {0xf4440c0005, "immed_w1[a5, 0x4000]", immedWord(1, gprA(5), 0x4000)},
      {0xf000003b00, "immed[b14, 0x0]", immed(gprB(14), 0)},
      {0xb440f03b1f, "alu[b15, b14, AND, 0x1f]",
       alu(Op::AluAnd, gprB(15), gprB(14), imm(0x1f))},
      {0x8ac0503e05, "alu_shf[a5, a5, OR, b15, <<20]",
       aluShf(Op::ShfOr, gprA(5), gprA(5), gprB(15), shl(20))},
      {0x848202013b, "alu_shf[--, 0x1b, AND, $0, >>8]",
       aluShf(Op::ShfAnd, none(), imm(0x1b), sXfer(0), shr(8))},
      {0xac40602600, "alu[a6, b9, XOR, *l$index0[0]]",
       alu(Op::AluXor, gprA(6), gprB(9), localMemory(0))},
      {0x8e02008200, "byte_align_le[--, a0]", // reads port A
       alu(Op::ByteAlignLe, none(), gprA(0), none())},
      {0x8e02080600, "byte_align_le[--, b1]", // exchanged
       alu(Op::ByteAlignLe, none(), gprB(1), none())},
      {0xb008060000, "alu[@b0, --, B, $0]", move(absB(0), sXfer(0))},
      {0xd805c00011, "br!=ctx[0, .23]", branchOn(Op::BrNotCtx, 0, 23)},
      {0xd81b00c214, "br_inp_state[scr_ring1_status, .108]",
       branchOn(Op::BrInpState, 3, 108)},
      {0xfc044c0000, "local_csr_rd[ACTIVE_CTX_STS]",
       csrRead(Csr_ACTIVE_CTX_STS)},
      {0xfc10ae2388, "local_csr_wr[SAME_ME_SIGNAL, 0x88]",
       csrWrite(Csr_SAME_ME_SIGNAL, imm(0x88))},
      {0xfc06600b00, "local_csr_wr[ACTIVE_LM_ADDR_0, b2]",
       csrWrite(Csr_ACTIVE_LM_ADDR_0, gprB(2))},
  };
}

std::vector<Worked> swapAndCommandWords() {
  return {
      {0xe000000030, "ctx_arb[s4, s5]", ctxArb(0x30)},
      {0xe000000001, "ctx_arb[voluntary]", ctxArbVoluntary()},
      {0xe000010000, "ctx_arb[kill]", ctxArbKill()},
      {0xe000020000, "ctx_arb[bpt]", halt()},
      {0x0042108002, "sram[read, $1, a2, 0x0, 2], ctx_swap[s4]",
       withSignal(command(Op::SramRead, sXfer(1), gprA(2), imm(0), 2), 4,
                  true)},
      {0x1940000428, "scratch[get, $0, 0x8, b1, 1], ctx_swap[s4]",
       withSignal(command(Op::ScratchGet, sXfer(0), gprB(1), imm(8), 1), 4,
                  true)},
      {0x3d00040320, "msf[fast_wr, --, 0x0, b0]",
       command(Op::MsfFastWr, none(), gprB(0), imm(0), 0)},
      {0x3d42001c20, "msf[write, $0, 0x0, b7, 2], ctx_swap[s4]",
       withSignal(command(Op::MsfWrite, sXfer(0), imm(0), gprB(7), 2), 4,
                  true)},
      {0x6a4e001300,
       "dram[rbuf_rd, --, a0, b4, max_8], indirect_ref, sig_done[s4]",
       withIndirect(withSignal(
           command(Op::DramRbufRd, none(), gprA(0), gprB(4), 8), 4))},
      {0x3300012f20, "cap[fast_wr, 0, 0x4b20]",
       [] {
         Instruction i = command(Op::CapFastWr, none(), none(), none(), 0);
         i.csr = 0x4b20;
         return i;
       }()},
  };
}

std::vector<Worked> camWords() {
  return {
      {0xf0000c0300, "nop", nop()},
      {0xa5b00c0000, "cam_clear",
       [] {
         Instruction i;
         i.op = Op::CamClear;
         return i;
       }()},
      {0xbb80900007, "cam_lookup[b9, a7]",
       alu(Op::CamLookup, gprB(9), gprA(7), none())},
      {0xbb80901407, "cam_lookup[b9, a7], lm_addr0[1]",
       [] {
         Instruction i = alu(Op::CamLookup, gprB(9), gprA(7), none());
         i.loadLm0 = true;
         i.lmBlock = 1;
         return i;
       }()},
      {0xbb80902807, "cam_lookup[b9, a7], lm_addr1[2]",
       [] {
         Instruction i = alu(Op::CamLookup, gprB(9), gprA(7), none());
         i.loadLm1 = true;
         i.lmBlock = 2;
         return i;
       }()},
  };
}

std::vector<Worked> workedWords() {
  std::vector<Worked> all = arithmeticWords();
  for (const auto &more : {swapAndCommandWords(), camWords()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(Encoding, EncodesTheExamplesOfTheReference) {
  for (const Worked &worked : workedWords()) {
    Result<uint64_t> word = encode(worked.instruction);
    ASSERT_TRUE(word) << worked.text << ": " << word.error().str();
    EXPECT_EQ(*word, worked.word) << worked.text << std::hex << " " << *word;
  }
}

TEST(Encoding, DecodesTheExamplesOfTheReference) {
  for (const Worked &worked : workedWords()) {
    Result<Instruction> instruction = decode(worked.word);
    ASSERT_TRUE(instruction) << worked.text;
    EXPECT_EQ(*instruction, canonical(worked.instruction)) << worked.text;
    EXPECT_EQ(print(*instruction), worked.text);
    EXPECT_EQ(print(worked.instruction), worked.text);
    EXPECT_TRUE(isCanonical(worked.word)) << worked.text;
  }
}

} // namespace
