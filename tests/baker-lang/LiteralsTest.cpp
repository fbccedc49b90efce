// Values of literals.

#include "baker-lang/syntax/Literals.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace karakal::lang;
using testing::HasSubstr;

namespace {

TEST(IntegerLiteral, HasBaseTenTwoOrSixteen) {
  EXPECT_EQ(parseInteger("0").value, 0u);
  EXPECT_EQ(parseInteger("1234567890").value, 1234567890u);
  EXPECT_EQ(parseInteger("0x1aF").value, 0x1afu);
  EXPECT_EQ(parseInteger("0X10").value, 16u);
  EXPECT_EQ(parseInteger("0b101").value, 5u);
  EXPECT_EQ(parseInteger("0B11").value, 3u);
  EXPECT_EQ(parseInteger("0b101").error, "");
}

TEST(IntegerLiteral, WithADigitOfAnotherBaseIsAnError) {
  EXPECT_THAT(parseInteger("0b102").error, HasSubstr("'2' is no digit"));
  EXPECT_THAT(parseInteger("12a").error, HasSubstr("'a' is no digit"));
  EXPECT_THAT(parseInteger("0xfg").error, HasSubstr("'g' is no digit"));
}

TEST(IntegerLiteral, WithoutDigitsIsAnError) {
  EXPECT_THAT(parseInteger("0x").error, HasSubstr("no digits"));
  EXPECT_THAT(parseInteger("0b").error, HasSubstr("no digits"));
}

TEST(IntegerLiteral, WithALeadingZeroIsAnError) {
  EXPECT_THAT(parseInteger("010").error, HasSubstr("octal"));
  EXPECT_THAT(parseInteger("00").error, HasSubstr("octal"));
}

TEST(IntegerLiteral, HasAtMost64Bits) {
  IntegerLiteral largest = parseInteger("18446744073709551615");
  EXPECT_EQ(largest.value, UINT64_MAX);
  EXPECT_FALSE(largest.isTooBig);
  EXPECT_EQ(parseInteger("0xffffffffffffffff").value, UINT64_MAX);
  EXPECT_EQ(largest.error, "");
}

TEST(IntegerLiteral, OfMoreThan64BitsIsAnError) {
  IntegerLiteral next = parseInteger("18446744073709551616");
  EXPECT_TRUE(next.isTooBig);
  EXPECT_THAT(next.error, HasSubstr("over 64 bits"));
  EXPECT_TRUE(parseInteger("0x10000000000000000").isTooBig);
  // The digits after the overflow do not hide it.
  EXPECT_TRUE(parseInteger("0x100000000000000001").isTooBig);
}

TEST(CharacterLiteral, IsOneAsciiCharacterOrEscape) {
  EXPECT_EQ(parseCharacter("'a'"), 'a');
  EXPECT_EQ(parseCharacter("'\\n'"), '\n');
  EXPECT_EQ(parseCharacter("'\\t'"), '\t');
  EXPECT_EQ(parseCharacter("'\\r'"), '\r');
  EXPECT_EQ(parseCharacter("'\\0'"), '\0');
  EXPECT_EQ(parseCharacter("'\\''"), '\'');
  EXPECT_EQ(parseCharacter("'\\\\'"), '\\');
}

TEST(CharacterLiteral, OfAnythingElseHasNoValue) {
  EXPECT_FALSE(parseCharacter("''"));
  EXPECT_FALSE(parseCharacter("'ab'"));
  EXPECT_FALSE(parseCharacter("'\\q'"));
  EXPECT_FALSE(parseCharacter("'\xc3\xa4'"));
}

TEST(StringLiteral, ReplacesEscapes) {
  EXPECT_EQ(parseString("\"a\\tb\\\"\"").text, "a\tb\"");
  EXPECT_FALSE(parseString("\"a\\tb\\\"\"").hasBadEscape);
  EXPECT_EQ(parseString("\"\"").text, "");
}

TEST(StringLiteral, WithAnUnknownEscapeIsAnError) {
  EXPECT_TRUE(parseString("\"a\\qb\"").hasBadEscape);
  EXPECT_EQ(parseString("\"a\\qb\"").text, "a?b");
}

TEST(StringLiteral, EndsWithAQuoteThatIsNotEscaped) {
  EXPECT_TRUE(isTerminatedString("\"a\""));
  EXPECT_TRUE(isTerminatedString("\"a\\\\\""));
  EXPECT_FALSE(isTerminatedString("\"a\\\""));
  EXPECT_FALSE(isTerminatedString("\"a"));
  EXPECT_FALSE(isTerminatedString("\""));
}

} // namespace
