// Where local variables lie in finished words.

#include "WordsFixture.h"

#include "codegen-me/words/VariableRanges.h"
#include "target-ixp/image/LocalsFile.h"

#include <gmock/gmock.h>

using namespace karakal;
using namespace karakal::codegen;
using namespace karakal::target;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

class Variables : public Words {
protected:
  Variables() {
    program.variables = {{"x", "u32", {"a.baker", 3}, 0},
                         {"y", "u64", {"b.baker", 7}, 0}};
    program.sources = {{"a.baker", "f", 1}, {"a.baker", "g", 9}};
  }

  unsigned valuesOf(ValueMark mark) {
    program.values.push_back({mark});
    return unsigned(program.values.size() - 1);
  }
  /// The word that was added last makes a part of a variable.
  void makes(uint32_t variable, uint8_t part = 0, uint8_t parts = 1,
             ValuePart place = {}) {
    program.items.back().valuesMade = valuesOf({variable, part, parts, place});
  }
  /// A variable is at a place before the next item.
  void before(uint32_t variable, ValuePart place) {
    program.currentValues = valuesOf({variable, 0, 1, place});
  }
  /// "x 1-3 a4" of each range, by word.
  std::vector<std::string> ranges() {
    Microcode code;
    placeVariables(program, code);
    std::vector<std::string> found;
    for (const VariableRange &range : code.locals.ranges)
      found.push_back(code.locals.variables[range.variable].name + " " +
                      std::to_string(range.begin) + "-" +
                      std::to_string(range.end) + " " +
                      printPlace(range.parts));
    return found;
  }
};

TEST_F(Variables, AValueStaysUntilItsRegisterIsWritten) {
  add(alu(Op::AluAdd, gprA(4), gprA(1), gprB(1)));
  makes(0);
  add(move(gprB(4), gprA(4)));
  add(immedByte(0, gprA(4), 7)); // a part of it
  end();
  EXPECT_THAT(ranges(), ElementsAre("x 1-3 a4"));
}

TEST_F(Variables, ANewValueIsElsewhere) {
  add(move(gprA(4), gprB(1)));
  makes(0);
  add(move(gprB(5), gprA(1)));
  makes(0);
  end();
  EXPECT_THAT(ranges(), ElementsAre("x 1-2 a4", "x 2-3 b5"));
}

TEST_F(Variables, WherePathsDifferItIsNowhere) {
  const unsigned other = program.newLabel(), meet = program.newLabel();
  program.add(branchBit(true, gprA(2), 3, 0), other);
  add(move(gprA(4), gprB(1)));
  makes(0);
  program.add(branch(Op::Br, 0), meet);
  program.bind(other);
  add(move(gprA(5), gprB(1)));
  makes(0);
  program.bind(meet);
  end();
  EXPECT_THAT(ranges(), ElementsAre("x 2-3 a4"));
  // The same place on both paths is one.
  program.items[program.items.size() - 3].instruction.dest = gprA(4);
  EXPECT_THAT(ranges(), ElementsAre("x 2-3 a4", "x 4-5 a4"));
}

TEST_F(Variables, PartsCountWhenAllAreThere) {
  add(move(gprA(4), gprB(1)));
  makes(1, 0, 2);
  add(move(gprB(4), gprA(1)));
  makes(1, 1, 2);
  add(nop());
  end();
  EXPECT_THAT(ranges(), ElementsAre("y 2-4 a4:b4"));
}

TEST_F(Variables, AWordFromMemoryIsThereAfterTheWait) {
  add(command(Op::SramRead, sXfer(3), gprA(0), imm(0), 1));
  makes(0, 0, 1, {ValuePart::Kind::SXfer, 3, 0});
  add(nop());
  add(move(gprB(1), sXfer(3)));
  add(command(Op::SramRead, sXfer(3), gprA(0), imm(4), 1));
  end();
  placeWaits(program);
  // Words: read, wait (or a swap of the read), …, the second read and its wait.
  ASSERT_EQ(count("ctx_arb") + program.items[1].instruction.ctxSwap, 2u);
  std::vector<std::string> found = ranges();
  ASSERT_EQ(found.size(), 1u);
  unsigned moved = 0, again = 0;
  unsigned word = 0;
  for (const std::string &line : text()) {
    if (line == "label")
      continue;
    if (line == "alu[b1, --, B, $3]")
      moved = word;
    if (line.compare(0, 9, "sram[read") == 0)
      again = word; // the last one
    ++word;
  }
  EXPECT_THAT(found[0],
              testing::EndsWith("-" + std::to_string(again + 1) + " $3"));
  unsigned begin = unsigned(std::stoul(found[0].substr(2)));
  EXPECT_GT(begin, 0u);
  EXPECT_LE(begin, moved);
}

TEST_F(Variables, AValueWhoseWordIsGoneHidesItsVariable) {
  add(move(gprA(4), gprB(1)));
  makes(0);
  add(move(gprA(5), gprB(1)));
  makes(0);
  end();
  program.items.erase(program.items.begin() + 2);
  EXPECT_THAT(ranges(), IsEmpty());
}

TEST_F(Variables, AResultThatCannotBeReadIsNowhere) {
  add(move(gprA(4), gprB(1)));
  makes(0);
  add(nop());
  add(move(sXfer(2), gprB(1))); // an out-register
  makes(0);
  end();
  EXPECT_THAT(ranges(), ElementsAre("x 1-3 a4"));
}

TEST_F(Variables, AMergedWordMakesNothing) {
  add(move(gprB(4), sXfer(3)));
  add(ldField(gprB(4), 0b1110, dXfer(1)));
  makes(0);
  add(move(dXfer(1), gprB(4)));
  end();
  ASSERT_EQ(mergeParts(program), 1u);
  EXPECT_THAT(ranges(), IsEmpty());
}

TEST_F(Variables, AValueThatNoWordMakesHidesItsVariable) {
  add(move(gprA(4), gprB(1)));
  makes(0);
  end();
  program.lostVariables.insert(0);
  EXPECT_THAT(ranges(), IsEmpty());
}

TEST_F(Variables, BeforeAnItemAllPlacesCanBeNamed) {
  before(0, {ValuePart::Kind::Constant, 7, 0});
  add(nop());
  before(0, {ValuePart::Kind::Stack, 5, 16});
  program.bind(program.newLabel());
  add(nop());
  add(move(localMemory(0, 5), gprA(1)));
  before(0, {ValuePart::Kind::GprB, 2, 0});
  add(nop());
  before(0, {}); // nowhere
  end();
  EXPECT_THAT(ranges(),
              ElementsAre("x 0-1 0x7", "x 1-3 stack5/16", "x 3-4 b2"));
}

TEST_F(Variables, AFunctionEndsWhereTheNextBegins) {
  add(nop());
  makes(0);
  end();
  Microcode code;
  placeVariables(program, code);
  EXPECT_EQ(code.locals.variables[0].lastLine, 8u);
  EXPECT_EQ(code.locals.variables[1].lastLine, ~0u);
}

} // namespace
