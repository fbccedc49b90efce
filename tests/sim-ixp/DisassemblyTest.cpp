// The simulator runs a word if and only if the disassembler reads it, and the
// text that it prints assembles to a word with the same meaning.

#include "sim-ixp/engine/PrepareProgram.h"
#include "target-ixp/assembler/Assembler.h"
#include "target-ixp/table/Encoding.h"
#include "target-ixp/table/InstructionTable.h"
#include "target-ixp/table/Printer.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

using namespace karakal;
using namespace karakal::sim;
using target::Instruction;

namespace {

constexpr unsigned ProgramWords = 4000; // the control store holds 4096

std::vector<std::string> linesOf(const std::vector<uint64_t> &words) {
  std::istringstream text(target::printProgram(words));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);)
    if (line[0] == ' ') // not a label
      lines.push_back(line);
  return lines;
}

/// A memory command adds its two address operands, so their order is free.
bool areEqual(const Instruction &left, Instruction right) {
  if (left == right)
    return true;
  if (!target::row(left.op).isCommand())
    return false;
  std::swap(right.a, right.b);
  return left == right;
}

/// Returns how many of the words are instructions.
unsigned checkWords(const std::vector<uint64_t> &words) {
  MicroProgram program = prepareProgram(words);
  std::vector<std::string> lines = linesOf(words);
  EXPECT_EQ(lines.size(), words.size());
  std::vector<target::Diagnostic> diagnostics;
  auto again = target::assembleText(target::printProgram(words), "random", {},
                                    diagnostics);
  for (const target::Diagnostic &diagnostic : diagnostics)
    if (!again)
      ADD_FAILURE() << diagnostic.str();
  if (!again || lines.size() != words.size())
    return 0;
  MicroProgram second = prepareProgram(again->words);
  unsigned legal = 0;
  for (size_t n = 0; n < words.size(); ++n) {
    bool isRead = lines[n].find(".word") == std::string::npos;
    EXPECT_EQ(isRead, bool(program.isLegal[n])) << lines[n];
    EXPECT_EQ(second.isLegal[n], program.isLegal[n]) << lines[n];
    legal += isRead;
    if (!isRead) {
      EXPECT_EQ(again->words[n], words[n]);
      continue;
    }
    EXPECT_TRUE(target::isCanonical(again->words[n])) << lines[n];
    EXPECT_TRUE(areEqual(program.instructions[n], second.instructions[n]))
        << std::hex << words[n] << lines[n];
    bool saysWord = lines[n].find("// word") != std::string::npos;
    EXPECT_EQ(saysWord, again->words[n] != words[n]) << lines[n];
  }
  return legal;
}

TEST(Disassembly, RandomWordsAreReadIfAndOnlyIfTheyRun) {
  std::mt19937_64 random(7);
  unsigned legal = 0;
  for (unsigned round = 0; round < 20; ++round) {
    std::vector<uint64_t> words(ProgramWords);
    for (uint64_t &word : words)
      word = random() & 0xffffffffff;
    legal += checkWords(words);
  }
  EXPECT_GT(legal, 1000u);
}

// Most random words belong to few rows, so each row gets its share.
TEST(Disassembly, RandomFieldsOfEveryRowAreReadIfAndOnlyIfTheyRun) {
  std::mt19937_64 random(8);
  std::vector<unsigned> legal(target::OpCount);
  for (unsigned round = 0; round < 20; ++round) {
    std::vector<uint64_t> words(ProgramWords);
    for (size_t n = 0; n < words.size(); ++n) {
      const auto &row = target::instructionTable()[n % target::OpCount];
      // Some fields of the upper half are legal only with small values.
      uint64_t bits = random();
      if (round % 2)
        bits &= (random() & random() & random()) | 0xfffff;
      words[n] = row.bits | (bits & 0xffffffffff & ~row.mask);
      if (auto instruction = target::decode(words[n]))
        ++legal[static_cast<unsigned>(instruction->op)];
    }
    checkWords(words);
  }
  for (const target::InstructionRow &row : target::instructionTable())
    EXPECT_GT(legal[static_cast<unsigned>(row.op)], 0u)
        << row.mnemonic << " " << row.variant;
}

TEST(Disassembly, DontCareBitsAndExchangedPortsAreRead) {
  const std::pair<uint64_t, const char *> cases[] = {
      {0x8e02000600, "byte_align_le[--, a0]"}, // b1 on the unused port
      {0xb030060000, "alu[--, --, B, $0]"},    // the bank of no register
      {0xe0000c0010, "ctx_arb[--], br[.0]"},   // a mask that is not loaded
      {0xf000060305, "immed[$0, 0x5]"},        // the literal on port A
      {0xa0c0160305, "alu[a1, $0, +, 0x5]"},   // exchanged without need
  };
  for (auto [word, text] : cases) {
    Result<Instruction> instruction = target::decode(word);
    ASSERT_TRUE(instruction) << text;
    EXPECT_EQ(target::print(*instruction), text);
    checkWords({word});
  }
}

TEST(Disassembly, WordsThatBreakAnOperandRuleNeitherRunNorAreRead) {
  const uint64_t words[] = {
      0xa0800c0301, // alu[a0, 0x1, +, 0x0]: two immediates
      0x2830000320, // dram[read] with the odd signal 3 of a pair
      0xe000000000, // ctx_arb without a signal
  };
  for (uint64_t word : words) {
    EXPECT_FALSE(target::decode(word));
    EXPECT_EQ(checkWords({word}), 0u);
  }
}

} // namespace
