// Diagnostics as text and as JSON.

#include "support/DiagnosticPrinter.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <fcntl.h>
#include <sstream>
#include <unistd.h>

using namespace karakal;

namespace {

std::string printed(const Diagnostics &diagnostics, bool hasColour = false) {
  std::ostringstream out;
  printDiagnostics(diagnostics, out, hasColour);
  return out.str();
}

/// An error about bytes [begin, end) of a file with this text.
std::string errorIn(const std::string &text, uint32_t begin, uint32_t end) {
  Diagnostics diagnostics;
  diagnostics.sources().add("a.baker", text);
  diagnostics.add(Severity::Error, "E-test-001", {0, begin, end}, "wrong");
  return printed(diagnostics);
}

TEST(DiagnosticPrinter, UnderlinesTheRangeInItsLine) {
  EXPECT_EQ(errorIn("one\ntwo three\n", 8, 13),
            "a.baker:2:5: error: wrong [E-test-001]\n"
            "  two three\n"
            "      ^~~~~\n"
            "1 error\n");
}

TEST(DiagnosticPrinter, ARangeOfOneOrNoCharacterGetsACaret) {
  const std::string caret = "a.baker:1:2: error: wrong [E-test-001]\n"
                            "  abc\n"
                            "   ^\n"
                            "1 error\n";
  EXPECT_EQ(errorIn("abc", 1, 2), caret);
  EXPECT_EQ(errorIn("abc", 1, 1), caret);
}

TEST(DiagnosticPrinter, ARangeOfSeveralLinesIsUnderlinedToTheEndOfTheFirst) {
  EXPECT_EQ(errorIn("abc\ndef", 1, 6), "a.baker:1:2: error: wrong "
                                       "[E-test-001]\n"
                                       "  abc\n"
                                       "   ^~\n"
                                       "1 error\n");
}

TEST(DiagnosticPrinter, TheUnderlineCountsCharactersAndKeepsTabs) {
  EXPECT_EQ(errorIn("\t\xc3\xa4 \xc3\xa4\xc3\xa4", 4, 8),
            "a.baker:1:4: error: wrong [E-test-001]\n"
            "  \t\xc3\xa4 \xc3\xa4\xc3\xa4\n"
            "  \t  ^~\n"
            "1 error\n");
}

TEST(DiagnosticPrinter, ControlCharactersAreNotSentToTheTerminal) {
  EXPECT_EQ(errorIn("a\033b\x7f", 2, 3), "a.baker:1:3: error: wrong "
                                         "[E-test-001]\n"
                                         "  a?b?\n"
                                         "    ^\n"
                                         "1 error\n");
}

TEST(DiagnosticPrinter, ALongLineIsShownFrom60BytesBeforeTheRange) {
  std::string text(300, 'a');
  text[200] = 'b';
  EXPECT_EQ(errorIn(text, 200, 201),
            "a.baker:1:201: error: wrong [E-test-001]\n"
            "  " +
                std::string(60, 'a') + "b" + std::string(59, 'a') + "\n  " +
                std::string(60, ' ') +
                "^\n"
                "1 error\n");
  // A range that starts within 60 bytes is shown from the start of the line.
  EXPECT_EQ(errorIn(text, 60, 300), "a.baker:1:61: error: wrong "
                                    "[E-test-001]\n"
                                    "  " +
                                        std::string(120, 'a') + "\n  " +
                                        std::string(60, ' ') + "^" +
                                        std::string(59, '~') +
                                        "\n"
                                        "1 error\n");
}

TEST(DiagnosticPrinter, FixesAreShownBelowTheUnderline) {
  Diagnostics diagnostics;
  diagnostics.sources().add("a.baker", "x = hpos;\nhops;");
  diagnostics.add(Severity::Error, "E-test-001", {0, 4, 8}, "no such name")
      .fix({0, 4, 8}, "hops")
      .fix({0, 10, 14}, "on another line")
      .note({0, 10, 14}, "this one?")
      .note("a note without a location");
  EXPECT_EQ(printed(diagnostics),
            "a.baker:1:5: error: no such name [E-test-001]\n"
            "  x = hpos;\n"
            "      ^~~~\n"
            "      hops\n"
            "a.baker:2:1: note: this one?\n"
            "  hops;\n"
            "  ^~~~\n"
            "note: a note without a location\n"
            "1 error\n");
}

TEST(DiagnosticPrinter, AFixIsBelowItsPartOfALongLine) {
  // The second line is shown from byte 40, 60 bytes before the error.
  Diagnostics diagnostics;
  diagnostics.sources().add("a.baker", "x\n" + std::string(200, 'a'));
  diagnostics.add(Severity::Error, "E-test-001", {0, 102, 104}, "wrong")
      .fix({0, 107, 108}, "here")
      .fix({0, 42, 43}, "first shown")
      .fix({0, 41, 42}, "not shown");
  EXPECT_EQ(printed(diagnostics), "a.baker:2:101: error: wrong [E-test-001]\n"
                                  "  " +
                                      std::string(120, 'a') + "\n  " +
                                      std::string(60, ' ') + "^~\n  " +
                                      std::string(65, ' ') +
                                      "here\n"
                                      "  first shown\n"
                                      "1 error\n");
}

TEST(DiagnosticPrinter, AFixAfterALineBreakIsAtTheEndOfTheLine) {
  Diagnostics diagnostics;
  diagnostics.sources().add("a.baker", "ab\r\ncd");
  diagnostics.add(Severity::Error, "E-test-001", {0, 1, 2}, "wrong")
      .fix({0, 3, 3}, ";");
  EXPECT_EQ(printed(diagnostics), "a.baker:1:2: error: wrong [E-test-001]\n"
                                  "  ab\n"
                                  "   ^\n"
                                  "    ;\n"
                                  "1 error\n");
}

TEST(DiagnosticPrinter, ALongLineIsNotCutInsideACharacter) {
  // Byte 41 is the second of the character at 40.
  const std::string text =
      std::string(40, 'a') + "\xc3\xa4" + std::string(100, 'b');
  EXPECT_EQ(errorIn(text, 101, 102), "a.baker:1:101: error: wrong "
                                     "[E-test-001]\n"
                                     "  \xc3\xa4" +
                                         std::string(100, 'b') + "\n  " +
                                         std::string(60, ' ') +
                                         "^\n"
                                         "1 error\n");
}

TEST(DiagnosticPrinter, NamesTheFlagOfAWarning) {
  Diagnostics diagnostics;
  diagnostics.sources().add("a.baker", "ab");
  WarningPolicy policy;
  policy.errors = {"shadow"};
  diagnostics.setWarningPolicy(policy);
  diagnostics.warn("unused", "W-test-001", {0, 0, 1}, "first");
  diagnostics.warn("shadow", "W-test-002", {0, 1, 2}, "second");
  EXPECT_EQ(printed(diagnostics),
            "a.baker:1:1: warning: first [W-test-001, -Wunused]\n"
            "  ab\n"
            "  ^\n"
            "a.baker:1:2: error: second [W-test-002, -Werror=shadow]\n"
            "  ab\n"
            "   ^\n"
            "1 error\n");
}

TEST(DiagnosticPrinter, ColoursTellErrorsFromWarnings) {
  Diagnostics diagnostics;
  diagnostics.add(Severity::Error, "E-test-001", "wrong");
  diagnostics.add(Severity::Warning, "W-test-001", "doubtful");
  EXPECT_EQ(printed(diagnostics, true),
            "\033[1m\033[31merror: \033[0m\033[1mwrong\033[0m [E-test-001]\n"
            "\033[1m\033[35mwarning: \033[0m\033[1mdoubtful\033[0m "
            "[W-test-001]\n"
            "1 error\n");
}

TEST(DiagnosticPrinter, ColoursEndWithTheUnderlineAndTheFix) {
  Diagnostics diagnostics;
  diagnostics.sources().add("a.baker", "ab");
  diagnostics.add(Severity::Error, "E-test-001", {0, 0, 1}, "wrong")
      .fix({0, 0, 1}, "x");
  EXPECT_NE(printed(diagnostics, true)
                .find("\n  ab\n  \033[32m^\033[0m\n  \033[32mx\033[0m\n"),
            std::string::npos);
}

TEST(DiagnosticPrinter, OrdersByFileAndOffsetAfterThoseWithoutALocation) {
  Diagnostics diagnostics;
  diagnostics.sources().add("a.baker", "ab");
  diagnostics.sources().add("b.baker", "ab");
  diagnostics.add(Severity::Warning, "W-test-001", {1, 0, 1}, "fourth");
  diagnostics.add(Severity::Warning, "W-test-001", {0, 1, 2}, "third");
  diagnostics.add(Severity::Warning, "W-test-001", {0, 0, 1}, "second");
  diagnostics.add(Severity::Warning, "W-test-001", "first");
  const std::string text = printed(diagnostics);
  EXPECT_LT(text.find("first"), text.find("second"));
  EXPECT_LT(text.find("second"), text.find("third"));
  EXPECT_LT(text.find("third"), text.find("fourth"));
  EXPECT_EQ(text.find("error"), std::string::npos);
}

TEST(DiagnosticPrinter, PrintsAtMost100AndCountsTheRest) {
  Diagnostics diagnostics;
  for (int count = 0; count < 100; ++count)
    diagnostics.add(Severity::Error, "E-test-001", "wrong");
  EXPECT_EQ(printed(diagnostics).find("not shown"), std::string::npos);
  diagnostics.add(Severity::Error, "E-test-001", "wrong");
  const std::string text = printed(diagnostics);
  const std::string end = "\n1 more are not shown.\n101 errors\n";
  EXPECT_EQ(text.substr(text.size() - end.size()), end);
}

TEST(DiagnosticPrinter, JsonLocationsHaveAnExclusiveEnd) {
  Diagnostics diagnostics;
  diagnostics.sources().add("a.baker", "ab\ncd");
  diagnostics.warn("unused", "W-test-001", {0, 3, 5}, "first")
      .note("a note")
      .note({0, 0, 2}, "here")
      .fix({0, 3, 4}, "x");
  std::ostringstream out;
  printDiagnosticsAsJson(diagnostics, out);
  EXPECT_EQ(out.str(), R"([
  {
    "severity": "warning",
    "id": "W-test-001",
    "message": "first",
    "flag": "unused",
    "place": {
      "file": "a.baker",
      "line": 2,
      "column": 1,
      "end_line": 2,
      "end_column": 3
    },
    "notes": [
      {
        "message": "a note"
      },
      {
        "message": "here",
        "place": {
          "file": "a.baker",
          "line": 1,
          "column": 1,
          "end_line": 1,
          "end_column": 3
        }
      }
    ],
    "fixes": [
      {
        "text": "x",
        "place": {
          "file": "a.baker",
          "line": 2,
          "column": 1,
          "end_line": 2,
          "end_column": 2
        }
      }
    ]
  }
]
)");
}

TEST(DiagnosticPrinter, JsonOmitsMissingLocationsAndFlags) {
  Diagnostics diagnostics;
  std::ostringstream none, one;
  printDiagnosticsAsJson(diagnostics, none);
  EXPECT_EQ(none.str(), "[]\n");
  diagnostics.add(Severity::Error, "E-test-001", "bad byte \xff");
  printDiagnosticsAsJson(diagnostics, one);
  EXPECT_EQ(one.str(), "[\n  {\n    \"severity\": \"error\",\n"
                       "    \"id\": \"E-test-001\",\n"
                       "    \"message\": \"bad byte \xef\xbf\xbd\",\n"
                       "    \"notes\": []\n  }\n]\n");
}

/// standardErrorHasColour() with a terminal, or a file, as standard error.
bool hasColour(bool isTerminal) {
  const int before = dup(2);
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  dup2(isTerminal ? terminal : open("/dev/null", O_WRONLY), 2);
  const bool result = standardErrorHasColour();
  dup2(before, 2);
  close(before);
  close(terminal);
  return result;
}

TEST(StandardError, HasColourOnATerminalUnlessTheEnvironmentForbidsIt) {
  unsetenv("NO_COLOR");
  setenv("TERM", "xterm", 1);
  EXPECT_TRUE(hasColour(true));
  EXPECT_FALSE(hasColour(false));
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(hasColour(true));
  unsetenv("NO_COLOR");
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(hasColour(true));
  unsetenv("TERM");
  EXPECT_FALSE(hasColour(true));
}

} // namespace
