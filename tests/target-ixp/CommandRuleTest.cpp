// Tests each rule of commands in flight with a program that violates it and one
// that does not. The Rx and Tx microcode must violate none.

#include "AssembledText.h"
#include "target-ixp/assembler/Assembler.h"
#include "target-ixp/table/CommandRules.h"
#include "target-ixp/table/InstructionTable.h"

#include <gtest/gtest.h>

using namespace karakal::target;

namespace {

/// Expects violations of only this rule, the first at this word, or none.
void expectBreach(const std::string &text, const char *id, uint32_t address) {
  auto program = assembled(text);
  ASSERT_TRUE(program);
  std::vector<RuleBreach> breaches = checkCommands(program->words);
  for (const RuleBreach &breach : breaches)
    EXPECT_EQ(breach.id, std::string("E-target-ixp-") + id)
        << text << breach.message;
  ASSERT_EQ(breaches.empty(), !*id) << text;
  if (*id) {
    EXPECT_EQ(breaches[0].address, address) << text;
  }
}

void expectNone(const std::string &text) { expectBreach(text, "", 0); }

const std::string Read = "sram[read, $0, a0, 0, 2], sig_done[s1]\n";
const std::string Write = "sram[write, $0, a0, 0, 2], sig_done[s1]\n";
const std::string End = "ctx_arb[kill]\n";

TEST(CommandRule, ReadsOfInRegistersWaitForTheSignal) {
  expectNone(Read + "ctx_arb[s1]\nalu[a1, --, B, $1]\n" + End);
  expectNone(Read + "alu[a1, --, B, $2]\nctx_arb[s1]\n" + End);
  expectNone("sram[read, $0, a0, 0, 2], ctx_swap[s1]\nalu[a1, --, B, $1]\n" +
             End);
  expectBreach(Read + "alu[a1, --, B, $1]\nctx_arb[s1]\n" + End, "140", 1);
  expectBreach(Read + "ctx_arb[s1], defer[1]\nalu[a1, --, B, $0]\n" + End,
               "140", 2);
}

TEST(CommandRule, AnOverrideWidensTheRegistersInFlight) {
  const std::string read = "immed[--, 0x220, <<16]\nsram[read, $0, a0, 0, 1], "
                           "indirect_ref, sig_done[s1]\n";
  expectBreach(read + "alu[a1, --, B, $1]\nctx_arb[s1]\n" + End, "140", 2);
  expectNone(read + "alu[a1, --, B, $2]\nctx_arb[s1]\n" + End);
}

TEST(CommandRule, AComputedOverrideWidensTheRegisters) {
  struct {
    const char *left, *operation, *right;
  } sums[] = {{"0x200", "OR", "0x020"},
              {"0x200", "+", "0x020"},
              {"0x240", "-", "0x020"},
              {"0x2ff", "AND", "0x220"},
              {"0x2ff", "XOR", "0x0df"}};
  for (const auto &sum : sums) {
    const std::string read =
        std::string("immed[a1, ") + sum.left + ", <<16]\nimmed[b1, " +
        sum.right + ", <<16]\nalu[--, a1, " + sum.operation +
        ", b1]\nsram[read, $0, a0, 0, 1], indirect_ref, sig_done[s1]\n";
    expectBreach(read + "alu[a2, --, B, $1]\nctx_arb[s1]\n" + End, "140", 4);
    expectNone(read + "alu[a2, --, B, $2]\nctx_arb[s1]\n" + End);
  }
}

TEST(CommandRule, BothSignalsOfAPairMustBeWaitedFor) {
  const std::string read = "dram[read, $$0, a0, 0, 1], sig_done[s2]\n";
  expectNone(read + "ctx_arb[s2, s3]\nalu[a1, --, B, $$1]\n" + End);
  expectBreach(read + "ctx_arb[s2]\nalu[a1, --, B, $$1]\nctx_arb[s3]\n" + End,
               "140", 2);
}

TEST(CommandRule, WritesOfOutRegistersWaitForTheSignal) {
  expectNone("alu[$0, --, B, a1]\n" + Write +
             "ctx_arb[s1]\nalu[$0, --, B, a1]\n" + End);
  expectNone(Write + "alu[a1, --, B, $0]\nctx_arb[s1]\n" + End);
  expectBreach(Write + "alu[$1, --, B, a1]\nctx_arb[s1]\n" + End, "141", 1);
}

TEST(CommandRule, SignalsAndRegistersInFlightAreNotReused) {
  expectNone(Read +
             "sram[read, $2, a0, 0, 2], sig_done[s2]\n"
             "ctx_arb[s1, s2]\n" +
             End);
  expectBreach(Read +
                   "sram[read, $2, a0, 0, 2], sig_done[s1]\n"
                   "ctx_arb[s1]\n" +
                   End,
               "142", 1);
  expectBreach(Read +
                   "sram[read, $1, a0, 0, 2], sig_done[s2]\n"
                   "ctx_arb[s1, s2]\n" +
                   End,
               "142", 1);
}

TEST(CommandRule, EveryCommandMustBeWaitedFor) {
  expectNone("sram[incr, --, a0, 0]\n" + End);
  expectBreach("sram[read, $0, a0, 0, 2]\n" + End, "143", 0);
  expectBreach(Read + End, "143", 1);
}

TEST(CommandRule, EveryWaitNeedsACommand) {
  expectNone("ctx_arb[s4]\n" + End); // of another engine
  expectBreach(Read + "ctx_arb[s1]\nctx_arb[s1]\n" + End, "144", 2);
}

TEST(CommandRule, PathsThatMeetMustHaveTheSameCommandsInFlight) {
  expectNone("beq[other#]\n" + Read + "br[join#]\nother#:\n" + Read +
             "join#:\nctx_arb[s1]\n" + End);
  expectBreach("beq[join#]\n" + Read + "join#:\nctx_arb[s1]\n" + End, "145", 0);
}

TEST(CommandRule, BranchesCanTestSignals) {
  expectNone(Read + "poll#:\nbr_!signal[s1, poll#]\nalu[a1, --, B, $0]\n" +
             End);
  expectBreach(Read +
                   "br_signal[s1, done#]\nalu[a1, --, B, $0]\n"
                   "ctx_arb[s1]\ndone#:\n" +
                   End,
               "140", 2);
}

TEST(CommandRule, ReturnsLeadToTheWordAfterTheCall) {
  expectNone("load_addr[a0, back#]\nbr[f#]\nback#:\n" + End + "f#:\n" + Read +
             "ctx_arb[s1]\nrtn[a0]\n");
  expectBreach("load_addr[a0, back#]\nbr[f#]\nback#:\n" + End + "f#:\n" + Read +
                   "rtn[a0]\n",
               "143", 2);
}

TEST(CommandRule, IndexRegistersTakeEffectLateOnEveryPath) {
  const std::string set = "local_csr_wr[ACTIVE_LM_ADDR_0, a0]\n";
  const std::string use = "alu[a1, --, B, *l$index0[0]]\n";
  expectNone(set + "nop\nnop\nnop\n" + use + End);
  expectBreach(set + "nop\nnop\n" + use + End, "146", 3);
  // Across a branch, where checkProgram does not look.
  expectBreach(set + "beq[far#]\nnop\nnop\n" + use + End + "far#:\n" + use +
                   End,
               "146", 6);
  expectNone(set + "ctx_arb[voluntary]\n" + use + End);
}

TEST(CommandRule, TheLatestChangeCountsWherePathsMeet) {
  const std::string set = "local_csr_wr[ACTIVE_LM_ADDR_0, a0]\n";
  const std::string use = "alu[a1, --, B, *l$index0[0]]\n";
  const std::string setLongAgo = set + "nop\nnop\nnop\nnop\n";
  // The path that falls through changes the index register again, then the
  // path that branches does.
  const std::string fallsThrough = setLongAgo + "beq[join#]\n" + set;
  const std::string branches =
      setLongAgo + "beq[again#]\nbr[join#]\nagain#:\n" + set;
  const std::string wait = "nop\nnop\nnop\n";
  expectBreach(fallsThrough + "join#:\n" + use + End, "146", 7);
  expectBreach(branches + "join#:\n" + use + End, "146", 8);
  expectNone(fallsThrough + "join#:\n" + wait + use + End);
  expectNone(branches + "join#:\n" + wait + use + End);
}

TEST(CommandRule, AChangeAtTheEndOfALoopReachesItsHead) {
  const std::string use = "loop#:\nalu[a1, --, B, *l$index0[0]]\n";
  const std::string set = "local_csr_wr[ACTIVE_LM_ADDR_0, a0]\n";
  expectNone(use + set + "nop\nnop\nbr[loop#]\n");
  expectBreach(use + set + "nop\nbr[loop#]\n", "146", 0);
}

std::string nops(unsigned count) {
  std::string text;
  for (; count; --count)
    text += "nop\n";
  return text;
}

TEST(CommandRule, AStateIsNotUsedBeforeItsChangeTakesEffect) {
  struct Case {
    std::string change, use;
    unsigned slots;
  };
  const Case cases[] = {
      {"local_csr_wr[CRC_REMAINDER, a0]\n", "crc_be[crc_32, --, a1]\n",
       OtherCsrSlots},
      {"local_csr_wr[BYTE_INDEX, a0]\n", "byte_align_be[a1, b1]\n",
       ByteIndexSlots},
      {"local_csr_wr[T_INDEX_BYTE_INDEX, a0]\n", "byte_align_le[a1, b1]\n",
       ByteIndexSlots},
      {"local_csr_wr[NN_GET, a0]\n", "alu[a1, --, B, *n$index++]\n",
       NeighbourIndexSlots},
      {"local_csr_wr[NN_PUT, a0]\n", "alu[*n$index++, --, B, a1]\n",
       NeighbourIndexSlots},
      {"crc_be[crc_32, --, a0]\n", "crc_be[crc_32, --, a1]\n", CrcToCrcSlots},
      {"crc_be[crc_32, --, a0]\n",
       "local_csr_rd[CRC_REMAINDER]\nimmed[a1, 0]\n", CrcToCsrSlots},
      {"local_csr_wr[CTX_ENABLES, a0]\n",
       "local_csr_rd[CTX_ENABLES]\nimmed[a1, 0]\n", OtherCsrSlots},
  };
  for (const Case &c : cases) {
    expectNone(c.change + nops(c.slots) + c.use + End);
    expectBreach(c.change + nops(c.slots - 1) + c.use + End, "146", c.slots);
    if (c.slots > 1) // over a branch, that is one word
      expectBreach(c.change + "br[far#]\nfar#:\n" + c.use + End, "146", 2);
  }
}

TEST(CommandRule, RxAndTxViolateNoRule) {
  using Defines = std::map<std::string, std::string>;
  for (const char *name : {"rx.uc", "tx.uc"})
    for (const Defines &defines : {Defines{}, Defines{{"ORDER", ""}}}) {
      auto program =
          assembleFile(std::string(KARAKAL_RUNTIME_DIR) + "/" + name, defines);
      ASSERT_TRUE(program) << program.error().str();
      for (const RuleBreach &breach : checkCommands(program->words))
        ADD_FAILURE() << name << ", word " << breach.address << ": "
                      << breach.message;
    }
}

} // namespace
