// Source files and locations in them.

#ifndef KARAKAL_SUPPORT_SOURCEFILES_H
#define KARAKAL_SUPPORT_SOURCEFILES_H

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace karakal {

/// Part of one source file, in byte offsets; `end` is one past the last byte.
struct SourceRange {
  uint32_t file = 0;
  uint32_t begin = 0;
  uint32_t end = 0;

  bool operator==(const SourceRange &other) const {
    return file == other.file && begin == other.begin && end == other.end;
  }
};

/// Returns the smallest range that contains both ranges, which are in one file.
SourceRange spanning(SourceRange first, SourceRange last);

/// A line and a column of a file. Both start at 1; columns count characters
/// (code points).
struct SourceLocation {
  uint32_t line = 1;
  uint32_t column = 1;
};

/// The text of one source file.
class SourceFile {
public:
  SourceFile(std::string path, std::string text);

  const std::string &path() const { return path_; }
  std::string_view text() const { return text_; }
  SourceLocation location(uint32_t offset) const;
  /// Returns the text of a line without its line break.
  std::string_view line(uint32_t number) const;
  /// Returns the byte offset at which a line starts.
  uint32_t lineStart(uint32_t number) const;

private:
  std::string path_;
  std::string text_;
  std::vector<uint32_t> lineStarts;
};

/// Returns the number of characters (code points) in UTF-8 text.
uint32_t characterCount(std::string_view text);

/// The source files of one compilation. Their addresses are stable.
class SourceManager {
public:
  /// Adds a file and returns its number.
  uint32_t add(std::string path, std::string text);
  const SourceFile &file(uint32_t number) const { return files[number]; }
  uint32_t size() const { return uint32_t(files.size()); }
  std::string_view text(SourceRange range) const;

private:
  std::deque<SourceFile> files;
};

} // namespace karakal

#endif // KARAKAL_SUPPORT_SOURCEFILES_H
