// Tests of the assembler: macros, conditions, scopes, registers, signals, and
// error messages.

#include "target-ixp/assembler/Assembler.h"
#include "target-ixp/table/Printer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace karakal;
using namespace karakal::target;
using testing::HasSubstr;

namespace {

AssembledProgram assembled(const std::string &text,
                           const AssemblerOptions &options = {}) {
  std::vector<Diagnostic> diagnostics;
  auto program = assembleText(text, "t.uc", options, diagnostics);
  for (const Diagnostic &diagnostic : diagnostics)
    ADD_FAILURE() << diagnostic.str();
  return program.value_or(AssembledProgram{});
}

/// Assembles `text` and disassembles the words, without indentation.
std::string printed(const std::string &text,
                    const AssemblerOptions &options = {}) {
  std::string lines = printProgram(assembled(text, options).words);
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i)
    if (lines.compare(i, 4, "    ") == 0)
      i += 3;
    else
      out += lines[i];
  return out;
}

/// Expects errors with exactly these ids, in source order.
void expectErrors(const std::string &text, std::vector<std::string> ids) {
  std::vector<Diagnostic> diagnostics;
  EXPECT_FALSE(assembleText(text, "t.uc", {}, diagnostics)) << text;
  std::vector<std::string> found;
  std::string all;
  for (const Diagnostic &diagnostic : diagnostics) {
    found.push_back(diagnostic.error.id.substr(13));
    all += diagnostic.str() + "\n";
  }
  EXPECT_EQ(found, ids) << text << "\n" << all;
}

//===-- Accepted programs -------------------------------------------------===//

TEST(Assembler, CommentsAndContinuedLinesAreAccepted) {
  EXPECT_EQ(printed("/* a\n b */ nop ; c\nnop // d\n"
                    "sram[read, $0, a0,\n 4, 1],\n ctx_swap[s1]\n"),
            "nop\nnop\nsram[read, $0, a0, 0x4, 1], ctx_swap[s1]\n");
}

TEST(Assembler, CaseOfMnemonicsDoesNotMatter) {
  EXPECT_EQ(printed("ALU[A1, B2, and, A3]\nLocal_Csr_Rd[active_ctx_sts]\n"),
            "alu[a1, b2, AND, a3]\nlocal_csr_rd[ACTIVE_CTX_STS]\n");
}

TEST(Assembler, DefinesAndConditionsAreEvaluated) {
  const char *text = "#define A 3\n#define B (A + 1)\n"
                     "#ifdef A\nimmed[a0, B * 2]\n#else\nfoo\n#endif\n"
                     "#if B == 4 && defined(A)\nimmed[a0, 1]\n"
                     "#elif 1\nbar\n#else\nbaz\n#endif\n"
                     "#undef A\n#ifndef A\nimmed[a0, 2]\n#endif\n";
  EXPECT_EQ(printed(text), "immed[a0, 0x8]\nimmed[a0, 0x1]\nimmed[a0, 0x2]\n");
}

TEST(Assembler, OptionsDefineNames) {
  AssemblerOptions options;
  options.defines["PORTS"] = "4";
  EXPECT_EQ(printed("immed[a0, PORTS]\n", options), "immed[a0, 0x4]\n");
}

TEST(Assembler, EachMacroExpansionHasItsOwnLabels) {
  const char *text = "#macro wait(REG, LABEL)\nagain#:\nalu[REG, REG, -, 1]\n"
                     "bne[again#]\nbr[LABEL]\n#endm\n"
                     "wait(a0, end#)\nwait[a1, end#]\nend#: nop\n";
  EXPECT_EQ(printed(text),
            "l_0000#:\nalu[a0, a0, -, 0x1]\nbne[l_0000#]\nbr[l_0006#]\n"
            "l_0003#:\nalu[a1, a1, -, 0x1]\nbne[l_0003#]\nbr[l_0006#]\n"
            "l_0006#:\nnop\n");
}

TEST(Assembler, MacrosPasteAndRepeat) {
  const char *text = "#macro ring(N)\nend#:\n"
                     "br_inp_state[SCR_RING/**/N/**/_STATUS, end#]\n#endm\n"
                     "ring(3)\n#define I 0\n#repeat 2\nimmed[a0, I]\n"
                     "#define_eval I (I + 1)\n#endloop\n";
  EXPECT_EQ(printed(text), "l_0000#:\nbr_inp_state[scr_ring3_status, "
                           "l_0000#]\nimmed[a0, 0x0]\nimmed[a0, 0x1]\n");
}

TEST(Assembler, ImmedChoosesTheFormOfAConstant) {
  EXPECT_EQ(printed("immed[a0, 0xff00]\nimmed[a0, 0xff0000]\n"
                    "immed[a0, 0xffff0000]\nimmed[a0, -1]\nimmed[a0, 5, <<8]\n"
                    "immed[a0, 0xff00ffff]\n"),
            "immed[a0, 0xff00]\nimmed[a0, 0xff00, <<8]\n"
            "immed[a0, ~(0xffff)]\nimmed[a0, ~(0x0)]\nimmed[a0, 0x5, <<8]\n"
            "immed[a0, ~(0xff00), <<8]\n");
}

TEST(Assembler, TwoSourcesGetDifferentBanks) {
  auto program = assembled(".reg x y z\nalu[x, x, +, y]\nalu[z, y, -, z]\n");
  EXPECT_EQ(program.registers["x at t.uc:1"], "a0");
  EXPECT_EQ(program.registers["y at t.uc:1"], "b0");
  EXPECT_EQ(program.registers["z at t.uc:1"], "a1");
}

TEST(Assembler, RegistersNamedByNumberAreNotAllocated) {
  auto program = assembled(
      ".reg x y\n.reg $t\n.sig q\nalu[x, x, +, a0]\nalu[y, b0, +, y]\n"
      "sram[read, $0, a0, 0, 1], ctx_swap[s1]\nsram[read, $t, x, 0, 1], "
      "ctx_swap[q]\n");
  EXPECT_EQ(program.registers["x at t.uc:1"], "b1");
  EXPECT_EQ(program.registers["y at t.uc:1"], "a1");
  EXPECT_EQ(program.registers["$t at t.uc:2"], "$1");
  EXPECT_EQ(program.registers["q at t.uc:3"], "s2");
}

TEST(Assembler, AbsoluteRegistersNamedByNumberAreNotAllocated) {
  const std::string text = ".reg @x\nimmed[@x, 1]\n", x = "@x at t.uc:1";
  std::string usual = assembled(text).registers[x];
  ASSERT_FALSE(usual.empty());
  EXPECT_NE(assembled(text + "immed[" + usual + ", 2]\n").registers[x], usual);
}

TEST(Assembler, OnlyDisjointScopesShareRegisters) {
  auto program = assembled(".reg x\n.begin\n.reg y\nimmed[y, 1]\n.begin\n"
                           ".reg z\nimmed[z, 1]\n.end\n.end\n.begin\n.reg w\n"
                           "immed[w, 1]\n.end\nimmed[x, 1]\n");
  EXPECT_NE(program.registers["x at t.uc:1"], program.registers["y at t.uc:3"]);
  EXPECT_NE(program.registers["y at t.uc:3"], program.registers["z at t.uc:6"]);
  EXPECT_NE(program.registers["x at t.uc:1"],
            program.registers["w at t.uc:11"]);
}

TEST(Assembler, XferOrderGivesConsecutiveRegisters) {
  const char *text = ".reg $a $b $c\n.xfer_order $c $a\n.sig s\n.reg r\n"
                     "sram[write, $c, r, 0, 2], ctx_swap[s]\n"
                     "alu[$a, --, B, $b]\n";
  EXPECT_EQ(printed(text),
            "sram[write, $0, a0, 0x0, 2], ctx_swap[s1]\nalu[$1, --, B, $2]\n");
}

TEST(Assembler, ReadAndWriteRegistersShareANumber) {
  auto program = assembled(".reg read $in\n.reg write $out\n"
                           "alu[$out, --, B, $in]\n");
  EXPECT_EQ(program.registers["$in at t.uc:1"], "$0");
  EXPECT_EQ(program.registers["$out at t.uc:2"], "$0");
}

TEST(Assembler, DramSignalsArePairs) {
  const char *text = ".sig d e\n.reg read $$x[2]\n.xfer_order $$x\n.reg r\n"
                     "dram[read, $$x[0], r, 0, 1], sig_done[d]\n"
                     "ctx_arb[d, e]\nimmed[r, (&d << 4 | &$$x[1])]\n";
  EXPECT_EQ(printed(text), "dram[read, $$0, a0, 0x0, 1], sig_done[s2]\n"
                           "ctx_arb[s1, s2, s3]\nimmed[a0, 0x21]\n");
}

TEST(Assembler, AbsoluteRegistersDoNotOverlapRelativeOnes) {
  auto program = assembled(".reg global g @h\n.reg x\nalu[x, x, +, @g]\n"
                           "alu[h, --, B, x]\n");
  EXPECT_EQ(program.registers["g at t.uc:1"], "@a15");
  EXPECT_EQ(program.registers["@h at t.uc:1"][0], '@');
  EXPECT_EQ(program.registers["x at t.uc:2"], "b0");
}

TEST(Assembler, AnInnerRegisterDoesNotHideAnAbsoluteOne) {
  const char *text = ".reg @x\n.begin\n.reg x\nalu[@x, @x, +, 3]\n"
                     "alu[x, x, +, 3]\n.end\nalu[x, x, +, 4]\n";
  EXPECT_EQ(printed(text), "alu[@a15, @a15, +, 0x3]\nalu[b0, b0, +, 0x3]\n"
                           "alu[@a15, @a15, +, 0x4]\n");
  const char *both = ".reg global x\n.begin\n.reg @x\nalu[@x, @x, +, 3]\n"
                     ".end\nalu[@x, @x, +, 4]\n";
  EXPECT_EQ(printed(both),
            "alu[@b15, @b15, +, 0x3]\nalu[@a15, @a15, +, 0x4]\n");
}

TEST(Assembler, ARelativeRegisterIsNotNamedAsAbsolute) {
  expectErrors(".reg x\nalu[@x, @x, +, 3]\n", {"115"});
}

TEST(Assembler, DirectivesFixRegisterNumbers) {
  auto program = assembled(".areg p 5\n.reg read $s\n.addr $s 7\n.sig q\n"
                           ".addr q 9\nalu[p, p, +, $s]\nctx_arb[q]\n");
  EXPECT_EQ(printProgram(program.words),
            "    alu[a5, a5, +, $7]\n    ctx_arb[s9]\n");
}

TEST(Assembler, EveryOptionIsAccepted) {
  const char *text =
      "ctx_arb[s1, s2], any\nctx_arb[voluntary], defer[2]\n"
      "ctx_arb[s1], br[.1]\nhalt\nctx_arb[kill]\nctx_arb[--]\n"
      "ld_field[a0, 0011, b1, <<rot8], load_cc\n"
      "crc_le[crc_32, a0, b0], bytes_1_3, bit_swap\n"
      "cam_lookup[a0, b1], lm_addr1[2]\ncam_write[3, a1, 5]\n"
      "mul_step[a0, b0], 16x16_start\nmul_step[a1, --], 16x16_last\n"
      "jump[a0, .5], defer[3]\nrtn[b0]\nbr_!signal[s3, .0]\n"
      "br=byte[a0, 3, 0xff, .0]\nbr_bclr[b0, 31, .0], defer[1]\n"
      "dbl_shf[a0, a1, b1, >>indirect]\nalu[a0, a1, OR, b1, <<indirect]\n"
      "cap[read, $1, 0x4b20], ctx_swap[s1]\ncap[fast_wr, ALU, 0x4b20]\n"
      "hash_48[$2, 1], sig_done[s1]\nalu[*l$index0++, --, B, *$index--]\n";
  EXPECT_EQ(
      printed(text),
      "l_0000#:\nctx_arb[s1, s2], any\nl_0001#:\nctx_arb[voluntary], defer[2]\n"
      "ctx_arb[s1], br[l_0001#]\nctx_arb[bpt]\nctx_arb[kill]\n"
      "l_0005#:\nctx_arb[--]\n"
      "ld_field[a0, 0011, b1, >>rot24], load_cc\n"
      "crc_le[crc_32, a0, b0], bytes_1_3, bit_swap\n"
      "cam_lookup[a0, b1], lm_addr1[2]\ncam_write[0x3, a1, 5]\n"
      "mul_step[a0, b0], 32x32_start\nmul_step[a1, --], 16x16_last\n"
      "jump[a0, l_0005#], defer[3]\nrtn[b0]\nbr_!signal[s3, l_0000#]\n"
      "br=byte[a0, 3, 0xff, l_0000#]\n"
      "br_bclr[b0, 31, l_0000#], defer[1]\n"
      "dbl_shf[a0, a1, b1, >>indirect]\n"
      "alu_shf[a0, a1, OR, b1, <<indirect]\n"
      "cap[read, $1, 0x4b20], ctx_swap[s1]\ncap[fast_wr, ALU, 0x4b20]\n"
      "hash_48[$2, 1], sig_done[s1]\n"
      "alu[*l$index0++, --, B, *$index--]\n");
}

//===-- Errors ------------------------------------------------------------===//

TEST(AssemblerErrors, InvalidTokensAndSyntaxAreReported) {
  expectErrors("nop `\n", {"100"});
  expectErrors("nop\n/* open\n", {"101"});
  expectErrors("immed[a0, 0x]\n", {"102"});
  expectErrors("immed[a0, (1 + )]\n", {"103"});
  expectErrors("immed[a0, 1 / 0]\n", {"105"});
  expectErrors("alu[a0, b0, +, 1\n", {"111"});
  expectErrors("label# nop\n", {"111"});
  expectErrors("nop, defer[1]\n", {"111"});
  expectErrors("alu[a0, b0, +]\n", {"111"});
  expectErrors("", {"119"});
}

TEST(AssemblerErrors, WholeCharactersThatPrintAreShown) {
  std::vector<Diagnostic> diagnostics;
  assembleText("nop \x0e\xc3\xa4 \xc3\xb6\n", "t.uc", {}, diagnostics);
  ASSERT_EQ(diagnostics.size(), 3u);
  EXPECT_EQ(diagnostics[1].str(),
            "t.uc:1:6: error: the character '\xc3\xa4' has no meaning here "
            "[E-target-ixp-100]\n  nop ?\xc3\xa4 \xc3\xb6\n       ^");
  EXPECT_EQ(diagnostics[2].str(),
            "t.uc:1:9: error: the character '\xc3\xb6' has no meaning here "
            "[E-target-ixp-100]\n  nop ?\xc3\xa4 \xc3\xb6\n         ^");
}

TEST(AssemblerErrors, PreprocessorErrorsAreReported) {
  expectErrors("#if 1\nnop\n", {"106"});
  expectErrors("nop\n#endif\n", {"106"});
  expectErrors("nop\n#frobnicate\n", {"106"});
  expectErrors("#macro m(a)\nnop\n#endm\nm()\n", {"107"});
  expectErrors("#macro m(a)\nm(a)\n#endm\nm(1)\n", {"109"});
  expectErrors("#error \"no\"\nnop\n", {"108"});
  expectErrors("nop\n#macro m\n", {"106"});
  expectErrors("nop\n#repeat 2\n", {"106"});
  expectErrors("#repeat -1\nnop\n#endloop\n", {"106"});
  expectErrors("#repeat 4097\nnop\n#endloop\n", {"106"});
  expectErrors("#repeat x\nnop\n#endloop\n", {"104"});
  expectErrors("#include \"missing.uc\"\nnop\n", {"110"});
}

TEST(AssemblerErrors, UnknownAndDuplicateNamesAreReported) {
  expectErrors("beq[nowhere#]\n", {"115"});
  expectErrors("a#: nop\na#: nop\n", {"113"});
  expectErrors(".reg x x\nnop\n", {"113"});
  expectErrors(".reg b3\nnop\n", {"113"});
  expectErrors("frob[a0]\n", {"114"});
  expectErrors("alu[a0, b0, ++, 1]\n", {"114"});
  expectErrors("sram[steal, $0, a0, 0, 1]\n", {"114"});
  expectErrors("ctx_arb[nosuch]\n", {"115"});
  expectErrors("alu[$nosuch, --, B, 1]\n", {"115"});
  expectErrors(".begin\n.reg x\n.end\nimmed[x, 1]\n", {"104"});
  expectErrors(".begin\nnop\n", {"112"});
  expectErrors("nop\n.end\n", {"112"});
  expectErrors(".frob\nnop\n", {"112"});
}

TEST(AssemblerErrors, InvalidRegistersAndSignalsAreReported) {
  expectErrors(".reg x\nalu[x, x, +, x]\n", {"116"});
  expectErrors(".reg x y z\nalu[x, x, +, y]\nalu[x, y, +, z]\n"
               "alu[x, x, +, z]\n",
               {"116"});
  expectErrors(".reg x\nalu[x, x, +, a1]\nalu[x, b1, +, x]\n", {"116"});
  std::string many = ".reg";
  std::string use;
  for (int n = 0; n < 40; ++n)
    many += " r" + std::to_string(n);
  expectErrors(many + "\nnop\n", {"117"});
  expectErrors(".sig a b c d e f g h i j k l m n o p\nnop\n", {"117"});
  expectErrors(".reg $a[9] $b[9]\n.xfer_order $a\n.xfer_order $b\nnop\n",
               {"117"});
  expectErrors(".reg write $o\nalu[a0, --, B, $o]\n", {"118"});
  expectErrors(".reg read $i\nalu[$i, --, B, 1]\n", {"118"});
  expectErrors(".reg $i\nsram[read, $i, a0, 0, 2]\n", {"118"});
}

TEST(AssemblerErrors, ViolationsOfMachineRulesHaveALine) {
  std::vector<Diagnostic> diagnostics;
  EXPECT_FALSE(assembleText("nop\n  alu[a0, a1, +, a2]\nbr[.0], defer[3]\n",
                            "t.uc", {}, diagnostics));
  ASSERT_EQ(diagnostics.size(), 2u);
  EXPECT_EQ(diagnostics[0].str(),
            "t.uc:2:3: error: 'a1' and 'a2' are both in bank A; the two GPR "
            "sources of an instruction must be in different banks "
            "[E-target-ixp-003]\n"
            "    alu[a0, a1, +, a2]\n    ^");
  EXPECT_EQ(diagnostics[1].error.id, "E-target-ixp-008");
}

TEST(AssemblerErrors, AllErrorsOfAFileAreReportedInOrder) {
  expectErrors("immed[a0, 0x12345678]\nfrob\nbeq[no#]\nalu[a0, a1, +, 300]\n",
               {"007", "114", "115", "001"});
}

TEST(AssemblerErrors, ExpansionAlwaysTerminates) {
  std::string loops, names = "#define N0 nop\n";
  for (int n = 0; n < 6; ++n)
    loops += "#repeat 4000\n";
  for (int n = 0; n < 6; ++n)
    loops += "#endloop\n";
  expectErrors(loops + "nop\n", {"109"});
  for (int n = 1; n < 40; ++n) {
    std::string last = "N" + std::to_string(n - 1);
    names += "#define N" + std::to_string(n) + " " + last + " " + last + "\n";
  }
  std::vector<Diagnostic> diagnostics;
  EXPECT_FALSE(assembleText(names + "N39\n", "t.uc", {}, diagnostics));
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_EQ(diagnostics[0].error.id, "E-target-ixp-109");
}

// After the hundredth error nothing more is shown or processed.
TEST(AssemblerErrors, OnlyTheFirstHundredAreShown) {
  std::string text;
  for (int line = 0; line < 300; ++line)
    text += "frob[a0]\n";
  std::vector<Diagnostic> diagnostics;
  EXPECT_FALSE(assembleText(text, "t.uc", {}, diagnostics));
  EXPECT_EQ(diagnostics.size(), 100u);
}

TEST(AssemblerErrors, ErrorsInMacrosNameTheUse) {
  std::vector<Diagnostic> diagnostics;
  EXPECT_FALSE(
      assembleText("#macro m\nfrob\n#endm\nnop\nm\n", "t.uc", {}, diagnostics));
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_THAT(diagnostics[0].str(), HasSubstr("in macro 'm' used at t.uc:5"));
}

} // namespace
