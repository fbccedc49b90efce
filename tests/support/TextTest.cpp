// Text in UTF-8.

#include "support/Text.h"

#include <gtest/gtest.h>

using namespace karakal;

namespace {

// One, two, three and four bytes.
const std::string letters = "a\xc3\xa4\xe2\x80\xa6\xf0\x9d\x84\x9e";

TEST(CharacterStart, IsNoByteInsideOfACharacter) {
  const size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
  for (size_t at = 0; at < std::size(expected); ++at)
    EXPECT_EQ(characterStart(letters, at), expected[at]) << at;
}

TEST(CharacterStart, OfTextThatIsNotUtf8IsItsBegin) {
  EXPECT_EQ(characterStart(std::string(30, '\x80'), 20), 0u);
  EXPECT_EQ(characterStart("", 3), 0u);
}

TEST(Printable, HasNoControlCharacters) {
  EXPECT_EQ(printable(std::string("\0\x1b[1m\x7f\r", 7)), "??[1m??");
  EXPECT_EQ(printable("\ta\n" + letters), "\ta\n" + letters);
}

TEST(BlanksBelow, AreAsWideAsTheCharacters) {
  EXPECT_EQ(blanksBelow("\tx" + letters), "\t     ");
  EXPECT_EQ(blanksBelow(""), "");
}

} // namespace
