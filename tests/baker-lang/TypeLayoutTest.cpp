// Parts and sizes of types in memory, computed by hand.

#include "baker-lang/tree/TypeLayout.h"
#include "tests/baker-lang/CheckedProgram.h"

using namespace karakal;
using namespace karakal::lang;

namespace {

class TypeLayout : public testing::Test {
protected:
  const Type *typeOfGlobal(size_t number) const {
    return checked.program->decls.globals.at(number)->type;
  }

  CheckedProgram checked{std::string(R"(
struct inner { u48 mac; bool isUp; };
struct outer { inner pair[2]; u8 port; u33 wide; };
u32 one;
u33 two;
inner three;
outer nine[4];
u65 ten;
u97 eleven[2];
)") + anyPpf};
};

TEST_F(TypeLayout, AScalarTakesAWordForEach32Bits) {
  ASSERT_FALSE(checked.diagnostics.hasErrors());
  EXPECT_EQ(wordCountOf(typeOfGlobal(0)), 1u);
  EXPECT_EQ(wordCountOf(typeOfGlobal(1)), 2u);
  EXPECT_EQ(wordCountOf(typeOfGlobal(4)), 3u);
  EXPECT_EQ(wordCountOf(typeOfGlobal(5)), 8u);
}

TEST_F(TypeLayout, AStructTakesTheWordsOfItsFields) {
  EXPECT_EQ(wordCountOf(typeOfGlobal(2)), 3u);
  // Two pairs of three words, a word, and two words, four times.
  EXPECT_EQ(wordCountOf(typeOfGlobal(3)), 36u);
}

TEST_F(TypeLayout, ScalarsCountOnceWhateverTheirWidth) {
  EXPECT_EQ(scalarCountOf(typeOfGlobal(1)), 1u);
  EXPECT_EQ(scalarCountOf(typeOfGlobal(3)), 24u);
  EXPECT_EQ(scalarCountOf(typeOfGlobal(5)), 2u);
  EXPECT_EQ(storedPartCountOf(typeOfGlobal(3)), 24u);
  EXPECT_EQ(storedPartCountOf(typeOfGlobal(5)), 4u);
}

TEST_F(TypeLayout, ThePartsOfAggregatesAreElementsAndFields) {
  const Type *array = typeOfGlobal(3);
  EXPECT_EQ(partCountOf(array), 4u);
  const Type *outer = partTypeOf(array, 3);
  EXPECT_EQ(partCountOf(outer), 3u);
  EXPECT_EQ(partTypeOf(outer, 0)->str(), "inner[2]");
  EXPECT_EQ(partTypeOf(outer, 2)->str(), "u33");
}

TEST_F(TypeLayout, AScalarHasNoParts) {
  EXPECT_DEATH(partCountOf(typeOfGlobal(0)), "'u32' has no parts");
}

TEST_F(TypeLayout, APartAfterTheLastIsRefused) {
  EXPECT_DEATH(partTypeOf(typeOfGlobal(3), 4), "has fewer parts");
}

} // namespace
