// Locations in source files.

#include "support/SourceFiles.h"

#include <gmock/gmock.h>

using namespace karakal;
using ::testing::ExitedWithCode;

namespace {

TEST(SourceFile, CountsLinesAndColumnsFromOne) {
  SourceFile file("a.baker", "ab\ncd\n\ne");
  auto expectAt = [&](uint32_t offset, uint32_t line, uint32_t column) {
    SourceLocation location = file.location(offset);
    EXPECT_EQ(location.line, line) << offset;
    EXPECT_EQ(location.column, column) << offset;
  };
  expectAt(0, 1, 1);
  expectAt(1, 1, 2);
  expectAt(2, 1, 3); // the line break belongs to its line
  expectAt(3, 2, 1);
  expectAt(6, 3, 1);
  expectAt(7, 4, 1);
  expectAt(8, 4, 2);   // the end of the file
  expectAt(100, 4, 2); // an offset past it
}

TEST(SourceFile, ColumnsCountCharactersNotBytes) {
  SourceFile file("a.baker", "\xc3\xa4\xe2\x82\xacz"); // ä, €, z
  EXPECT_EQ(file.location(2).column, 2u);
  EXPECT_EQ(file.location(5).column, 3u);
  EXPECT_EQ(characterCount(file.text()), 3u);
  EXPECT_EQ(characterCount(""), 0u);
}

TEST(SourceFile, LinesHaveNoLineBreak) {
  SourceFile file("a.baker", "ab\r\n\ncd");
  EXPECT_EQ(file.line(1), "ab");
  EXPECT_EQ(file.line(2), "");
  EXPECT_EQ(file.line(3), "cd");
  EXPECT_EQ(file.lineStart(1), 0u);
  EXPECT_EQ(file.lineStart(2), 4u);
  EXPECT_EQ(file.lineStart(3), 5u);
}

TEST(SourceFile, AMissingLineIsAnInternalError) {
  SourceFile file("a.baker", "ab\n");
  EXPECT_EQ(file.line(2), "");
  EXPECT_EXIT(file.lineStart(0), ExitedWithCode(3), "no line 0");
  EXPECT_EXIT(file.lineStart(3), ExitedWithCode(3), "no line 3");
}

TEST(SourceManager, GivesTheTextOfARange) {
  SourceManager sources;
  EXPECT_EQ(sources.add("a.baker", "module a"), 0u);
  EXPECT_EQ(sources.add("b.baker", "module b"), 1u);
  EXPECT_EQ(sources.size(), 2u);
  EXPECT_EQ(sources.file(1).path(), "b.baker");
  EXPECT_EQ(sources.text({1, 0, 6}), "module");
  EXPECT_EQ(sources.text({1, 2, 4}), "du");
  EXPECT_EQ(sources.text({1, 7, 8}), "b");
  EXPECT_EQ(sources.text({0, 8, 8}), "");
  EXPECT_EXIT(sources.text({0, 2, 1}), ExitedWithCode(3), "ends before");
}

TEST(SourceRange, SpansFromTheFirstToTheLastByteOfBoth) {
  EXPECT_EQ(spanning({1, 2, 5}, {1, 7, 9}), (SourceRange{1, 2, 9}));
  EXPECT_EQ(spanning({1, 7, 9}, {1, 2, 5}), (SourceRange{1, 2, 9}));
  EXPECT_EQ(spanning({1, 2, 9}, {1, 3, 4}), (SourceRange{1, 2, 9}));
  EXPECT_EXIT(spanning({1, 2, 5}, {2, 7, 9}), ExitedWithCode(3), "two files");
}

TEST(SourceRange, StartsAtTheFirstByteOfTheFirstFile) {
  EXPECT_EQ(SourceRange(), (SourceRange{0, 0, 0}));
  EXPECT_EQ(SourceLocation().line, 1u);
  EXPECT_EQ(SourceLocation().column, 1u);
}

TEST(SourceRange, EqualOnlyIfFileBeginAndEndAgree) {
  SourceRange range{1, 2, 3};
  EXPECT_TRUE((range == SourceRange{1, 2, 3}));
  EXPECT_FALSE((range == SourceRange{0, 2, 3}));
  EXPECT_FALSE((range == SourceRange{1, 1, 3}));
  EXPECT_FALSE((range == SourceRange{1, 2, 4}));
}

} // namespace
