// Arguments that are empty.

#include "support/CommandLine.h"

#include "gtest/gtest.h"

#include <vector>

using namespace karakal;

namespace {

std::string emptyOf(std::vector<const char *> words) {
  words.insert(words.begin(), "tool");
  return findEmptyArgument(int(words.size()), words.data());
}

TEST(CommandLine, AnOptionWithoutItsValueIsEmpty) {
  EXPECT_EQ(emptyOf({"a.baker", "--punt-rate=", "-o", "x"}),
            "'--punt-rate' has an empty value; leave the option out or give it "
            "a value");
  EXPECT_EQ(emptyOf({"--a=1", "-b", "c=", "--d==", "--"}), "");
}

TEST(CommandLine, AnArgumentWithoutTextIsEmpty) {
  EXPECT_EQ(emptyOf({"-o", ""}), "the argument after '-o' is empty");
  EXPECT_EQ(emptyOf({""}), "the first argument is empty");
  EXPECT_EQ(emptyOf({}), "");
}

TEST(CommandLine, AfterTwoDashesAFileMayEndWithAnEqualsSign) {
  EXPECT_EQ(emptyOf({"--", "--punt-rate="}), "");
  EXPECT_NE(emptyOf({"--", ""}), "");
}

} // namespace
