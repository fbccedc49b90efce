// Tests that every row of the table survives encoding and decoding, and
// printing and assembling, and that rows do not overlap.

#include "InstructionMaker.h"

#include "target-ixp/assembler/Assembler.h"
#include "target-ixp/table/Printer.h"

#include <gtest/gtest.h>

#include <map>

using namespace karakal;
using namespace karakal::target;
using namespace karakal::target::test;

namespace {

constexpr unsigned PerRow = 400;

TEST(RoundTrip, EveryRowDecodesToTheEncodedInstruction) {
  InstructionMaker maker(1);
  for (Op op : allOps())
    for (unsigned n = 0; n < PerRow; ++n) {
      Instruction made = canonical(maker.make(op, 8192));
      Result<uint64_t> word = encode(made);
      ASSERT_TRUE(word) << word.error().str();
      ASSERT_LT(*word, 1ull << 40);
      Result<Instruction> again = decode(*word);
      ASSERT_TRUE(again) << print(made);
      EXPECT_EQ(*again, made) << print(made) << " | " << print(*again);
      EXPECT_TRUE(isCanonical(*word)) << print(made);
    }
}

// A change of one field must change the word: no field is dropped.
TEST(RoundTrip, DifferentInstructionsHaveDifferentWords) {
  InstructionMaker maker(2);
  std::map<uint64_t, Instruction> seen;
  for (Op op : allOps())
    for (unsigned n = 0; n < PerRow; ++n) {
      Instruction made = canonical(maker.make(op, 8192));
      auto [entry, fresh] = seen.emplace(*encode(made), made);
      if (!fresh)
        EXPECT_EQ(entry->second, made)
            << print(entry->second) << " | " << print(made);
    }
}

TEST(RoundTrip, RowsDoNotOverlap) {
  const auto &table = instructionTable();
  for (const InstructionRow &left : table)
    for (const InstructionRow &right : table) {
      if (left.op >= right.op)
        continue;
      bool differ = (left.bits ^ right.bits) & left.mask & right.mask;
      // nop is one immed, told apart by being whole; dbl_shf is alu_shf with
      // the shift code 3, which alu_shf does not take.
      bool known = (left.op == Op::Nop && right.op == Op::Immed) ||
                   (left.op == Op::ShfB && right.op == Op::DblShf);
      EXPECT_TRUE(differ || known)
          << left.mnemonic << " " << left.variant << " and " << right.mnemonic
          << " " << right.variant;
    }
}

TEST(RoundTrip, FixedBitsAreWithinTheMask) {
  for (const InstructionRow &r : instructionTable()) {
    EXPECT_EQ(r.bits & ~r.mask, 0u) << r.mnemonic << " " << r.variant;
    EXPECT_EQ(r.mask >> 40, 0u);
    EXPECT_EQ(&row(r.op), &r);
    EXPECT_NE(*r.semantics, 0) << r.mnemonic;
    EXPECT_NE(*r.source, 0) << r.mnemonic;
  }
}

TEST(RoundTrip, RandomWordsDecodeConsistentlyOrNotAtAll) {
  std::mt19937_64 random(3);
  unsigned decoded = 0;
  for (unsigned n = 0; n < 300000; ++n) {
    uint64_t word = random() & 0xffffffffffull;
    Result<Instruction> instruction = decode(word);
    if (!instruction)
      continue;
    ++decoded;
    Result<uint64_t> again = encode(*instruction);
    ASSERT_TRUE(again) << again.error().str();
    Result<Instruction> same = decode(*again);
    ASSERT_TRUE(same);
    EXPECT_EQ(canonical(*instruction), *same) << std::hex << word;
  }
  EXPECT_GT(decoded, 1000u);
}

// The text of any instruction assembles to its word.
TEST(RoundTrip, TextAssemblesToTheSameWord) {
  constexpr unsigned Size = 4000;
  for (unsigned seed = 10; seed < 14; ++seed) {
    InstructionMaker maker(seed);
    std::vector<Op> ops = allOps();
    std::vector<uint64_t> words;
    for (unsigned n = 0; n < Size; ++n)
      words.push_back(*encode(maker.make(ops[n % ops.size()], Size)));
    std::vector<Diagnostic> diagnostics;
    auto program = assembleText(printProgram(words), "random", {}, diagnostics);
    for (const Diagnostic &diagnostic : diagnostics)
      ADD_FAILURE() << diagnostic.str();
    ASSERT_TRUE(program);
    ASSERT_EQ(program->words.size(), words.size());
    for (unsigned n = 0; n < Size; ++n)
      EXPECT_EQ(program->words[n], words[n]) << print(*decode(words[n]));
  }
}

TEST(RoundTrip, OtherWordsKeepTheirBits) {
  std::vector<uint64_t> words = {0xffffffffff, 0xa100000000, 0xd800000400,
                                 0xf0000c0300};
  std::vector<Diagnostic> diagnostics;
  std::string text = printProgram(words);
  EXPECT_NE(text.find(".word 0xffffffffff"), std::string::npos) << text;
  auto program = assembleText(text, "words", {}, diagnostics);
  ASSERT_TRUE(program);
  EXPECT_EQ(program->words, words);
}

TEST(RoundTrip, EquivalentInstructionsHaveTheSameText) {
  // Address operands in either order; an unused source with its filler.
  EXPECT_EQ(print(command(Op::SramRead, sXfer(0), gprB(1), imm(4), 1)),
            print(command(Op::SramRead, sXfer(0), imm(4), gprB(1), 1)));
  EXPECT_EQ(print(alu(Op::AluB, gprA(1), gprA(0), gprB(2))),
            print(move(gprA(1), gprB(2))));
  EXPECT_EQ(print(immed(none(), 0)), "nop");
}

} // namespace
