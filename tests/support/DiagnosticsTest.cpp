// Discarding of diagnostics, and the warning policy.

#include "support/Diagnostics.h"

#include <gmock/gmock.h>

using namespace karakal;
using ::testing::ExitedWithCode;

namespace {

/// A warning of the kind `flag` under a policy: "error", "warning" or "".
std::string warned(const std::string &flag, WarningPolicy policy) {
  Diagnostics diagnostics;
  const uint32_t file = diagnostics.sources().add("a.baker", "text");
  diagnostics.setWarningPolicy(std::move(policy));
  diagnostics.warn(flag, "W-test-001", {file, 0, 4}, "a warning");
  if (diagnostics.all().empty())
    return "";
  EXPECT_EQ(diagnostics.all()[0].flag, flag);
  const bool isError = diagnostics.all()[0].severity == Severity::Error;
  EXPECT_EQ(diagnostics.hasErrors(), isError);
  return isError ? "error" : "warning";
}

WarningPolicy offByDefault() {
  WarningPolicy policy;
  policy.offByDefault = {"rare"};
  return policy;
}

TEST(WarningPolicy, AFlagIsOnUnlessDisabled) {
  EXPECT_EQ(warned("unused", {}), "warning");
  WarningPolicy policy;
  policy.disabled = {"unused"};
  EXPECT_EQ(warned("unused", policy), "");
  EXPECT_EQ(warned("shadow", policy), "warning");
}

TEST(WarningPolicy, AFlagThatIsOffByDefaultMustBeEnabled) {
  EXPECT_EQ(warned("rare", offByDefault()), "");
  EXPECT_EQ(warned("unused", offByDefault()), "warning");
  WarningPolicy enabled = offByDefault();
  enabled.enabled = {"rare"};
  EXPECT_EQ(warned("rare", enabled), "warning");
  WarningPolicy asError = offByDefault();
  asError.errors = {"rare"};
  EXPECT_EQ(warned("rare", asError), "error");
}

TEST(WarningPolicy, WerrorTurnsWarningsIntoErrors) {
  WarningPolicy all;
  all.areAllErrors = true;
  EXPECT_EQ(warned("unused", all), "error");
  all.disabled = {"unused"};
  EXPECT_EQ(warned("unused", all), "");
  WarningPolicy one;
  one.errors = {"unused"};
  EXPECT_EQ(warned("unused", one), "error");
  EXPECT_EQ(warned("shadow", one), "warning");
}

TEST(Diagnostics, WarningsOfASuppressedFileAreDiscardedButErrorsAreNot) {
  Diagnostics diagnostics;
  const uint32_t own = diagnostics.sources().add("a.baker", "text");
  const uint32_t library = diagnostics.sources().add("lib.baker", "text");
  diagnostics.suppressWarnings(library);
  diagnostics.warn("unused", "W-test-001", {library, 0, 4}, "of the library")
      .note("goes with it");
  diagnostics.warn("unused", "W-test-001", {own, 0, 4}, "of the program");
  diagnostics.add(Severity::Error, "E-test-001", {library, 0, 4}, "wrong");
  ASSERT_EQ(diagnostics.all().size(), 2u);
  EXPECT_EQ(diagnostics.all()[0].message, "of the program");
  EXPECT_TRUE(diagnostics.all()[0].notes.empty());
  EXPECT_EQ(diagnostics.all()[1].message, "wrong");
  EXPECT_EQ(diagnostics.errorCount(), 1u);
}

TEST(Diagnostics, CountsErrorsButNotWarnings) {
  Diagnostics diagnostics;
  diagnostics.sources().add("a.baker", "text");
  EXPECT_FALSE(diagnostics.hasErrors());
  diagnostics.add(Severity::Warning, "W-test-001", {0, 0, 1}, "warning");
  EXPECT_FALSE(diagnostics.hasErrors());
  diagnostics.add(Severity::Error, "E-test-001", {0, 0, 1}, "first");
  diagnostics.add(Severity::Error, "E-test-001", "without a location");
  EXPECT_EQ(diagnostics.errorCount(), 2u);
  EXPECT_TRUE(diagnostics.all()[1].hasRange);
  EXPECT_FALSE(diagnostics.all()[2].hasRange);
}

TEST(Diagnostics, DiscardsAnExactRepetitionWithItsNotes) {
  Diagnostics diagnostics;
  diagnostics.sources().add("a.baker", "text");
  auto add = [&](SourceRange range, const char *id, const char *message) {
    diagnostics.add(Severity::Error, id, range, message).note("a note");
  };
  add({0, 1, 2}, "E-test-001", "wrong");
  add({0, 1, 2}, "E-test-001", "wrong");
  EXPECT_EQ(diagnostics.errorCount(), 1u);
  EXPECT_EQ(diagnostics.all()[0].notes.size(), 1u);
  add({0, 0, 2}, "E-test-001", "wrong");
  add({0, 1, 3}, "E-test-001", "wrong");
  add({0, 1, 2}, "E-test-002", "wrong");
  add({0, 1, 2}, "E-test-001", "also wrong");
  EXPECT_EQ(diagnostics.all().size(), 5u);
}

TEST(Diagnostics, ShortensAMessageOfOver1000BytesAtACharacter) {
  Diagnostics diagnostics;
  diagnostics.sources().add("a.baker", "text");
  auto shown = [&](const std::string &message) {
    return diagnostics.add(Severity::Error, "E-test-001", message).message;
  };
  const std::string longest(1000, 'a');
  EXPECT_EQ(shown(longest), longest);
  EXPECT_EQ(shown(longest + "b"), longest + "…");
  // The euro sign takes bytes 998 to 1000.
  EXPECT_EQ(shown(longest.substr(2) + "€uros"), longest.substr(2) + "…");
}

TEST(Diagnostics, NotesAndFixesAreKept) {
  Diagnostics diagnostics;
  diagnostics.sources().add("a.baker", "text");
  Diagnostic &added =
      diagnostics.add(Severity::Error, "E-test-001", {0, 0, 1}, "wrong");
  added.note({0, 2, 3}, "here").note("nowhere").fix({0, 0, 1}, "T");
  const Diagnostic &kept = diagnostics.all()[0];
  ASSERT_EQ(kept.notes.size(), 2u);
  EXPECT_TRUE(kept.notes[0].hasRange);
  EXPECT_EQ(kept.notes[0].range, (SourceRange{0, 2, 3}));
  EXPECT_FALSE(kept.notes[1].hasRange);
  ASSERT_EQ(kept.fixes.size(), 1u);
  EXPECT_EQ(kept.fixes[0].text, "T");
}

TEST(Diagnostics, IdMessageAndFlagAreRequired) {
  Diagnostics diagnostics;
  diagnostics.sources().add("a.baker", "text");
  EXPECT_EXIT(diagnostics.add(Severity::Error, "", "text"), ExitedWithCode(3),
              "an id and a message");
  EXPECT_EXIT(diagnostics.add(Severity::Error, "E-test-001", ""),
              ExitedWithCode(3), "an id and a message");
  EXPECT_EXIT(diagnostics.warn("", "W-test-001", {0, 0, 1}, "text"),
              ExitedWithCode(3), "needs a flag");
}

} // namespace
