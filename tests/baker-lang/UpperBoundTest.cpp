// Upper bounds of expressions, computed by hand.

#include "baker-lang/tree/UpperBound.h"
#include "tests/baker-lang/CheckedProgram.h"

using namespace karakal;
using namespace karakal::lang;

namespace {

/// The bound of an expression over `u32 x, u4 n, s32 i`, converted to u64.
std::optional<uint64_t> boundOf(const std::string &expression) {
  CheckedProgram checked("u64 f(u32 x, u4 n, s32 i) { return " + expression +
                         "; }" + anyPpf);
  EXPECT_FALSE(checked.diagnostics.hasErrors()) << expression;
  const FunctionDecl &function = *checked.program->decls.functions.at(0);
  auto &body = llvm::cast<BlockStmt>(*function.body);
  return upperBound(*llvm::cast<ReturnStmt>(*body.body.at(0)).value);
}

TEST(UpperBound, OfAVariableIsThatOfItsType) {
  EXPECT_EQ(boundOf("n"), 15u);
  EXPECT_EQ(boundOf("x"), UINT32_MAX);
}

TEST(UpperBound, OfASignedValueIsUnknown) {
  EXPECT_EQ(boundOf("i"), std::nullopt);
  EXPECT_EQ(boundOf("n - 1"), std::nullopt);
}

TEST(UpperBound, FollowsArithmetic) {
  EXPECT_EQ(boundOf("n + 1"), 16u);
  EXPECT_EQ(boundOf("n * 4"), 60u);
  EXPECT_EQ(boundOf("n << 2"), 60u);
  EXPECT_EQ(boundOf("x >> 28"), 15u);
  EXPECT_EQ(boundOf("x / 16"), 0x0fffffffu);
  EXPECT_EQ(boundOf("x % 10"), 9u);
  EXPECT_EQ(boundOf("n % 100"), 15u);
}

TEST(UpperBound, FollowsBitwiseOperators) {
  EXPECT_EQ(boundOf("x & 7"), 7u);
  EXPECT_EQ(boundOf("i & 7"), 7u); // one operand without a sign is enough
  EXPECT_EQ(boundOf("n | 16"), 31u);
  EXPECT_EQ(boundOf("n ^ 3"), 15u);
}

TEST(UpperBound, OfAComparisonIsOne) { EXPECT_EQ(boundOf("x < 3"), 1u); }

TEST(UpperBound, OfAConditionalIsTheGreaterOne) {
  EXPECT_EQ(boundOf("x != 0 ? n : 20"), 20u);
}

TEST(UpperBound, OfACastIsThatOfTheNarrowerType) {
  EXPECT_EQ(boundOf("(u8)x"), 255u);
  EXPECT_EQ(boundOf("(u8)n"), 15u);
}

TEST(UpperBound, OfACastThatMayChangeTheSignIsUnknown) {
  EXPECT_EQ(boundOf("(s8)n"), 15u);
  EXPECT_EQ(boundOf("(s8)(n * 8)"), 120u);
  EXPECT_EQ(boundOf("(s8)(n * 16)"), std::nullopt);
}

TEST(UpperBound, OfAValueThatMayWrapIsThatOfItsType) {
  EXPECT_EQ(boundOf("x + 1"), UINT32_MAX);
  EXPECT_EQ(boundOf("x * 2"), UINT32_MAX);
  EXPECT_EQ(boundOf("x << 4"), UINT32_MAX);
}

} // namespace
