// The -W options.

#include "baker-lang/syntax/DiagnosticCatalogue.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace karakal;
using namespace karakal::lang;
using testing::HasSubstr;

namespace {

WarningPolicy policyOf(const std::vector<std::string> &options) {
  Result<WarningPolicy> policy = warningPolicy(options);
  EXPECT_TRUE(bool(policy));
  return *policy;
}

TEST(WarningPolicy, HasTheDefaultsOfTheCatalogue) {
  WarningPolicy policy = policyOf({});
  EXPECT_EQ(policy.offByDefault, std::set<std::string>{"conversion"});
  EXPECT_EQ(policy.errors,
            (std::set<std::string>{"constant-index", "port-range",
                                   "unread-channel"}));
  EXPECT_FALSE(policy.areAllErrors);
}

TEST(WarningPolicy, AGroupStandsForItsFlags) {
  EXPECT_EQ(policyOf({"no-truncation"}).disabled,
            (std::set<std::string>{"constant-cut", "conversion"}));
  EXPECT_EQ(policyOf({"no-unused"}).disabled.count("unused-variable"), 1u);
  EXPECT_EQ(policyOf({"no-unused"}).disabled.count("uninitialized"), 0u);
}

TEST(WarningPolicy, ErrorAndNoErrorChangeOneFlag) {
  EXPECT_EQ(policyOf({"error=unreachable"}).errors.count("unreachable"), 1u);
  EXPECT_EQ(policyOf({"no-error=unread-channel"}).errors,
            (std::set<std::string>{"constant-index", "port-range"}));
}

TEST(WarningPolicy, TheOrderOfTheOptionsDoesNotMatter) {
  EXPECT_EQ(policyOf({"no-error=unreachable", "error=unreachable"}).errors,
            policyOf({"error=unreachable", "no-error=unreachable"}).errors);
}

TEST(WarningPolicy, EverythingTurnsAllOn) {
  EXPECT_TRUE(policyOf({"everything"}).offByDefault.empty());
  EXPECT_TRUE(policyOf({"error"}).areAllErrors);
}

TEST(WarningPolicy, AnUnknownFlagIsAnErrorThatNamesTheNearest) {
  Result<WarningPolicy> policy = warningPolicy({"no-unreachible"});
  ASSERT_FALSE(bool(policy));
  EXPECT_THAT(policy.error().message, HasSubstr("'-Wno-unreachible'"));
  EXPECT_THAT(policy.error().message, HasSubstr("'unreachable'"));
}

} // namespace
