// Where local variables lie in finished words.

#include "WordsFixture.h"

#include "codegen-me/words/variables/VariableRanges.h"
#include "target-ixp/image/LocalsFile.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>

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

  static ValuePart a(uint32_t number) {
    return {ValuePart::Kind::GprA, number, 0};
  }
  static ValuePart b(uint32_t number) {
    return {ValuePart::Kind::GprB, number, 0};
  }
  /// From here on, a part of a variable is at a place.
  void isAt(uint32_t variable, ValuePart place, uint8_t part = 0,
            uint8_t parts = 1) {
    program.values.push_back(
        {variable, part, parts, place, unsigned(program.items.size()), 0});
  }
  /// What comes after is done by passes.
  void endSource() { source.emplace(program); }
  /// "x 1-3 a4" of each range, by word.
  std::vector<std::string> ranges() {
    if (!source)
      endSource();
    Microcode code;
    placeVariables(program, *source, code);
    std::vector<std::string> found;
    for (const VariableRange &range : code.locals.ranges)
      found.push_back(code.locals.variables[range.variable].name + " " +
                      std::to_string(range.begin) + "-" +
                      std::to_string(range.end) + " " +
                      printPlace(range.parts));
    return found;
  }

  std::optional<SourceValues> source;
};

TEST_F(Variables, AValueStaysUntilItsRegisterIsWritten) {
  add(alu(Op::AluAdd, gprA(4), gprA(1), gprB(1)));
  isAt(0, a(4));
  add(move(gprB(4), gprA(4)));
  add(immedByte(0, gprA(4), 7)); // a part of it
  end();
  EXPECT_THAT(ranges(), ElementsAre("x 1-3 a4"));
}

TEST_F(Variables, ANewValueIsElsewhere) {
  add(move(gprA(4), gprB(1)));
  isAt(0, a(4));
  add(move(gprB(5), gprA(1)));
  isAt(0, b(5));
  end();
  EXPECT_THAT(ranges(), ElementsAre("x 1-2 a4", "x 2-3 b5"));
}

TEST_F(Variables, AConstantNeedsNoWord) {
  add(nop());
  isAt(0, {ValuePart::Kind::Constant, 7, 0});
  add(move(gprA(4), gprB(1)));
  isAt(0, {ValuePart::Kind::Constant, 7, 0});
  end();
  EXPECT_THAT(ranges(), ElementsAre("x 1-3 0x7"));
}

TEST_F(Variables, NoWordSaysWhenAConstantChanges) {
  add(nop());
  isAt(0, {ValuePart::Kind::Constant, 7, 0});
  add(nop());
  isAt(0, {ValuePart::Kind::Constant, 8, 0});
  add(move(gprA(4), gprB(1)));
  isAt(0, a(4));
  end();
  EXPECT_THAT(ranges(), ElementsAre("x 3-4 a4"));
}

TEST_F(Variables, AValueThatLlvmHasLostHidesItsVariable) {
  add(move(gprA(4), gprB(1)));
  isAt(0, a(4));
  add(move(gprB(5), gprB(1)));
  isAt(0, b(5));
  end();
  program.valueCounts[{0, 0}] = 2;
  EXPECT_THAT(ranges(), ElementsAre("x 1-2 a4", "x 2-3 b5"));
  source.reset();
  program.valueCounts[{0, 0}] = 3;
  EXPECT_THAT(ranges(), IsEmpty());
}

TEST_F(Variables, AStackWordHasItUntilItIsWritten) {
  add(move(localMemory(0, 5), gprA(1)));
  isAt(0, {ValuePart::Kind::Stack, 5, 16});
  add(nop());
  add(move(localMemory(0, 5), gprA(2)));
  end();
  EXPECT_THAT(ranges(), ElementsAre("x 1-3 stack5/16"));
}

TEST_F(Variables, AnArgumentIsThereWhereItsFunctionBegins) {
  isAt(0, a(1));
  add(move(gprB(2), gprA(1)));
  add(move(gprA(1), gprB(3)));
  end();
  EXPECT_THAT(ranges(), ElementsAre("x 0-2 a1"));
}

/// A branch over one word to where the paths meet; both make x.
class MeetingPaths : public Variables {
protected:
  MeetingPaths() {
    const unsigned other = program.newLabel(), meet = program.newLabel();
    program.add(branchBit(true, gprA(2), 3, 0), other);
    add(move(gprA(4), gprB(1)));
    isAt(0, a(4));
    program.add(branch(Op::Br, 0), meet);
    program.bind(other);
    add(move(gprA(4), gprB(2)));
    second = unsigned(program.items.size() - 1);
    isAt(0, a(4));
    program.bind(meet);
  }
  unsigned second = 0; ///< the item that makes the other x
};

TEST_F(MeetingPaths, TwoValuesAreAtTheirPlace) {
  const unsigned last = program.newLabel();
  program.add(branchBit(true, gprA(2), 3, 0), last);
  add(nop());
  program.bind(last);
  end();
  EXPECT_THAT(ranges(), ElementsAre("x 2-3 a4", "x 4-7 a4"));
}

TEST_F(MeetingPaths, AtAnotherPlaceOnOnePathTheyAreNowhere) {
  program.values.back().place = b(2);
  end();
  EXPECT_THAT(ranges(), ElementsAre("x 2-3 a4"));
}

TEST_F(MeetingPaths, JoinedAtDifferentPlacesTheyAreNowhere) {
  isAt(0, a(4));
  end();
  endSource();
  program.items[second].instruction.dest = gprA(5);
  EXPECT_THAT(ranges(), ElementsAre("x 2-3 a4"));
}

TEST_F(Variables, AValueOfTheRoundBeforeIsNotThatOfThisOne) {
  // loop: x is what the last round made; then the word makes it again.
  const unsigned loop = program.newLabel();
  add(move(gprA(4), gprB(1)));
  program.bind(loop);
  isAt(0, a(4));
  add(nop());
  add(alu(Op::AluAdd, gprA(4), gprA(4), gprB(1)));
  isAt(1, a(4), 0, 1);
  program.add(branchBit(true, gprA(2), 3, 0), loop);
  end();
  EXPECT_THAT(ranges(), ElementsAre("x 1-3 a4", "y 3-5 a4"));
  // A pass lets the word be executed first: y is of this round, x is gone.
  std::swap(program.items[3], program.items[4]);
  EXPECT_THAT(ranges(), ElementsAre("x 1-2 a4", "y 3-5 a4"));
}

TEST_F(Variables, AWordThatMovesTakesItsValueWithIt) {
  add(move(gprA(4), gprB(1)));
  isAt(0, a(4));
  add(nop());
  add(move(gprB(5), gprA(1)));
  isAt(0, b(5));
  end();
  endSource();
  // Made before the nop, x is there only where the source has it.
  std::swap(program.items[2], program.items[3]);
  EXPECT_THAT(ranges(), ElementsAre("x 1-3 a4", "x 3-4 b5"));
}

TEST_F(Variables, AWordInAnotherBlockMakesNothing) {
  const unsigned other = program.newLabel();
  add(nop());
  program.add(branchBit(true, gprA(2), 3, 0), other);
  add(move(gprA(4), gprB(1)));
  isAt(0, a(4));
  add(nop());
  program.bind(other);
  end();
  endSource();
  EXPECT_THAT(ranges(), ElementsAre("x 3-4 a4"));
  std::rotate(program.items.begin() + 1, program.items.begin() + 3,
              program.items.begin() + 4);
  EXPECT_THAT(ranges(), IsEmpty());
}

/// Words of lines 10, 11, …, of which the first makes x.
class Lines : public Variables {
protected:
  void addAt(uint32_t line, const Instruction &instruction) {
    program.currentLine = uint32_t(program.sourceLines.size());
    program.sourceLines.push_back({"a.baker", line});
    add(instruction);
  }
};

TEST_F(Lines, AChangeThatComesTooLateHidesTheVariable) {
  addAt(10, move(gprA(4), gprB(1)));
  isAt(0, a(4));
  addAt(10, nop());
  addAt(12, nop()); // LLVM has moved it up
  addAt(11, move(gprA(5), gprB(1)));
  isAt(0, a(5));
  addAt(12, nop());
  end();
  EXPECT_THAT(ranges(), ElementsAre("x 1-2 a4", "x 3-4 a4", "x 4-6 a5"));
}

TEST_F(Lines, AChangeThatComesTooEarlyHidesTheVariable) {
  addAt(12, move(gprA(4), gprB(1)));
  isAt(0, a(4));
  addAt(11, nop());
  addAt(12, nop());
  end();
  EXPECT_THAT(ranges(), ElementsAre("x 2-4 a4"));
}

TEST_F(Lines, TheStepOfALoopFollowsItsBody) {
  const unsigned loop = program.newLabel();
  addAt(20, move(gprA(4), gprB(1)));
  isAt(0, a(4));
  program.bind(loop);
  addAt(21, nop());
  addAt(22, nop());
  addAt(20, alu(Op::AluAdd, gprA(4), gprA(4), imm(1)));
  isAt(0, a(4));
  program.add(branchBit(true, gprA(2), 3, 0), loop);
  end();
  EXPECT_THAT(ranges(), ElementsAre("x 1-6 a4"));
}

TEST_F(Variables, InlinedCallsHaveVariablesOfTheirOwn) {
  program.currentInstance = 1;
  add(move(gprA(4), gprB(1)));
  isAt(0, a(4));
  program.values.back().instance = 1;
  add(nop());
  program.currentInstance = 2;
  add(nop());
  add(move(gprA(5), gprB(1)));
  isAt(0, a(5));
  program.values.back().instance = 2;
  add(nop());
  program.currentInstance = 1;
  end();
  EXPECT_THAT(ranges(), ElementsAre("x 1-2 a4", "x 4-5 a5", "x 5-6 a4"));
}

TEST_F(Variables, PartsCountWhenAllAreThere) {
  add(move(gprA(4), gprB(1)));
  isAt(1, a(4), 0, 2);
  add(move(gprB(4), gprA(1)));
  isAt(1, b(4), 1, 2);
  add(nop());
  end();
  EXPECT_THAT(ranges(), ElementsAre("y 2-4 a4:b4"));
}

TEST_F(Variables, AWordFromMemoryIsThereAfterTheWait) {
  add(command(Op::SramRead, sXfer(3), gprA(0), imm(0), 1));
  isAt(0, {ValuePart::Kind::SXfer, 3, 0});
  add(nop());
  add(move(gprB(1), sXfer(3)));
  add(command(Op::SramRead, sXfer(3), gprA(0), imm(4), 1));
  end();
  endSource();
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

TEST_F(Variables, AValueWhoseWordIsGoneIsNowhere) {
  add(move(gprA(4), gprB(1)));
  isAt(0, a(4));
  add(nop());
  add(move(gprA(5), gprB(1)));
  isAt(0, a(5));
  end();
  endSource();
  program.items.erase(program.items.begin() + 3);
  EXPECT_THAT(ranges(), ElementsAre("x 1-2 a4"));
}

TEST_F(Variables, AResultThatCannotBeReadIsNowhere) {
  add(move(gprA(4), gprB(1)));
  isAt(0, a(4));
  add(nop());
  add(move(gprA(5), gprB(1)));
  isAt(0, a(5));
  end();
  endSource();
  program.items[3].instruction.dest = sXfer(2); // an out-register
  EXPECT_THAT(ranges(), ElementsAre("x 1-3 a4"));
}

TEST_F(Variables, AMergedWordMakesNothing) {
  add(move(gprB(4), sXfer(3)));
  add(ldField(gprB(4), 0b1110, dXfer(1)));
  isAt(0, b(4));
  add(move(dXfer(1), gprB(4)));
  end();
  endSource();
  ASSERT_EQ(mergeParts(program), 1u);
  EXPECT_THAT(ranges(), IsEmpty());
}

TEST_F(Variables, AFunctionEndsWhereTheNextBegins) {
  add(nop());
  end();
  endSource();
  Microcode code;
  placeVariables(program, *source, code);
  EXPECT_EQ(code.locals.variables[0].lastLine, 8u);
  EXPECT_EQ(code.locals.variables[1].lastLine, ~0u);
}

} // namespace
