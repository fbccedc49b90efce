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
  // immed yields a result but has no a operand.
  expectBreach("immed[a0, 5]\nalu_shf[b0, --, B, b1, <<indirect]\nhalt\n",
               "132", 1);
  expectBreach("alu[b2, --, B, a1]\nalu_shf[b0, --, B, b1, >>indirect]\nhalt\n",
               "132", 1);
  expectNone("immed[--, 5]\nasr[a0, a0, >>3]\nhalt\n");
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

TEST(ProgramRule, FlagsDoNotSurviveASwapOnAnyPath) {
  const std::string swap = "s#: sram[read, $0, a0, 0, 1], ctx_swap[s1]\n";
  expectBreach(swap + "nop\nbeq[s#]\nhalt\n", "137", 2);
  expectBreach(swap + "nop\nalu[a1, a1, +carry, b1]\nhalt\n", "137", 2);
  expectBreach("s#: ctx_arb[s1], defer[1]\nalu[--, a0, -, b0]\nbeq[s#]\n"
               "halt\n",
               "137", 2);
  expectBreach("s#: ctx_arb[s1], br[far#]\nfar#: immed[a0, 1]\nbne[s#]\n"
               "halt\n",
               "137", 2);
  expectBreach(swap + "br[far#], defer[1]\nnop\nfar#: bcs[s#]\nhalt\n", "137",
               3);
  // The flags are written again, by an alu or in a delay slot.
  expectNone(swap + "nop\nalu[--, a0, -, b0]\nbeq[s#]\nhalt\n");
  expectNone(swap + "br[far#], defer[1]\nalu[--, a0, -, b0]\n"
                    "far#: bcs[s#]\nhalt\n");
  expectNone("s#: alu[--, a0, -, b0]\nbeq[s#]\nctx_arb[s1]\nhalt\n");
  // ld_field writes them only with load_cc.
  expectNone(swap + "ld_field[a0, 0001, b0], load_cc\nbeq[s#]\nhalt\n");
  expectBreach(swap + "ld_field[a0, 0001, b0]\nbeq[s#]\nhalt\n", "137", 2);
}

TEST(ProgramRule, AnOverrideDoesNotWidenABurst) {
  auto read = [](const std::string &count) {
    return "sram[read, $0, a0, 0, " + count +
           "], indirect_ref, sig_done[s1]\n"
           "ctx_arb[s1]\nhalt\n";
  };
  // Bit 25 and count - 1 at bits 24:21: 0x220 << 16 is 2.
  const std::string two = "immed[--, 0x220, <<16]\n";
  expectBreach(two + read("1"), "138", 1);
  expectNone(two + read("2"));
  expectNone(two + read("max_8"));
  // Without bit 25 the count stands; an unknown override is trusted.
  expectNone("immed[--, 0x020, <<16]\n" + read("1"));
  expectNone("alu[--, a1, OR, b1]\n" + read("1"));
  expectBreach("immed[a1, 0]\nimmed_w1[a1, 0x260]\nalu[--, --, B, a1]\n" +
                   read("2"),
               "138", 3);
  expectBreach("immed[b1, 1]\nalu_shf[b1, 1, OR, b1, <<4]\n"
               "alu_shf[--, --, B, b1, <<21]\n" +
                   read("1"),
               "138", 3);
  // A branch to the middle hides the constant.
  expectNone("immed[a1, 0]\nbeq[in#]\nimmed_w1[a1, 0x260]\n"
             "in#: alu[--, --, B, a1]\n" +
             read("2"));
  // max_8 may become 16, but $8 has only 8 registers up to $15.
  const std::string sixteen = "immed[--, 0x3e0, <<16]\n";
  expectNone(sixteen + read("max_8"));
  expectBreach(sixteen + "sram[read, $8, a0, 0, max_8], indirect_ref, "
                         "sig_done[s1]\nctx_arb[s1]\nhalt\n",
               "138", 1);
}

} // namespace
