// Tests each rule about adjacent words with a program that violates it and one
// that does not.

#include "AssembledText.h"
#include "target-ixp/assembler/Assembler.h"
#include "target-ixp/table/ProgramRules.h"

#include <gtest/gtest.h>

using namespace karakal::target;

namespace {

/// Expects exactly one violation with this id at this word, or none.
void expectBreach(const std::string &text, const char *id, uint32_t address) {
  auto program = assembled(text);
  ASSERT_TRUE(program);
  std::vector<RuleBreach> breaches = checkProgram(program->words);
  ASSERT_EQ(breaches.size(), *id ? 1u : 0u) << text;
  ASSERT_EQ(program->warnings.size(), breaches.size());
  if (!*id)
    return;
  EXPECT_EQ(breaches[0].id, std::string("E-target-ixp-") + id) << text;
  EXPECT_EQ(breaches[0].address, address) << text;
}

void expectNone(const std::string &text) { expectBreach(text, "", 0); }

TEST(ProgramRule, DelaySlotsHoldNoBranch) {
  expectNone("s#: br[s#], defer[2]\nnop\nnop\n");
  expectBreach("s#: br[s#], defer[2]\nnop\nbr[s#]\n", "130", 0);
  expectBreach("s#: br[s#], defer[1]\nctx_arb[s1]\nbr[s#]\n", "130", 0);
}

TEST(ProgramRule, AnImmedMustFollowACsrRead) {
  expectNone("local_csr_rd[NN_PUT]\nimmed[a0, 0]\nhalt\n");
  expectBreach("local_csr_rd[NN_PUT]\nalu[a0, --, B, b0]\nhalt\n", "131", 0);
}

TEST(ProgramRule, ThePreviousInstructionMustYieldTheOperand) {
  expectNone("alu[--, a0, OR, 0]\ndram[tbuf_wr, --, a0, b0, 1], indirect_ref\n"
             "halt\n");
  expectBreach("s#: dram[tbuf_wr, --, a0, b0, 1], indirect_ref\nbr[s#]\n",
               "132", 0);
  expectNone("alu[--, a0, OR, 0]\nalu_shf[b0, --, B, b1, <<indirect]\nhalt\n");
  expectBreach("ctx_arb[s1]\nalu_shf[b0, --, B, b1, <<indirect]\nhalt\n", "132",
               1);
  expectNone("alu[--, a0, OR, 0]\nasr[a0, a0, >>3]\nhalt\n");
  expectBreach("ctx_arb[s1]\nasr[a0, a0, >>3]\nhalt\n", "132", 1);
}

TEST(ProgramRule, ControlMustNotLeaveTheProgram) {
  expectNone("ctx_arb[kill]\n");
  expectBreach("nop\n", "133", 0);
  expectBreach("s#: beq[s#]\n", "133", 0);
  expectBreach("br[.7]\n", "133", 0);
}

TEST(ProgramRule, NoCamInstructionFollowsAConditionalBranch) {
  expectNone("s#: beq[s#]\nnop\ncam_clear\nhalt\n");
  expectBreach("s#: beq[s#]\ncam_clear\nhalt\n", "134", 1);
}

TEST(ProgramRule, TheCrcRemainderTakesEffectLate) {
  expectBreach("crc_be[crc_32, --, a0]\ncrc_be[crc_32, --, a0]\nhalt\n", "135",
               0);
  expectNone("crc_be[crc_32, --, a0]\nnop\nnop\nnop\nnop\nnop\n"
             "local_csr_rd[CRC_REMAINDER]\nimmed[a0, 0]\nhalt\n");
  expectBreach("crc_be[crc_32, --, a0]\nnop\nlocal_csr_rd[CRC_REMAINDER]\n"
               "immed[a0, 0]\nhalt\n",
               "135", 0);
}

TEST(ProgramRule, LocalMemoryAddressTakesThreeWords) {
  const std::string write = "local_csr_wr[ACTIVE_LM_ADDR_0, a0]\n";
  expectNone(write + "nop\nnop\nnop\nimmed[*l$index0[0], 0]\nhalt\n");
  expectNone(write + "immed[*l$index1[0], 0]\nhalt\n");
  expectBreach(write + "nop\nnop\nimmed[*l$index0[0], 0]\nhalt\n", "136", 0);
  expectBreach("cam_lookup[a0, b0], lm_addr1[0]\n"
               "alu[a0, a1, +, *l$index1[2]]\nhalt\n",
               "136", 0);
}

TEST(ProgramRule, FlagsDoNotSurviveASwap) {
  expectBreach("s#: ctx_arb[s1]\nbeq[s#]\nhalt\n", "137", 1);
  expectNone("s#: ctx_arb[s1]\nbr_signal[s2, s#]\nhalt\n");
}

} // namespace
