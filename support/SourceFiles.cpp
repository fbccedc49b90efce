#include "support/SourceFiles.h"

#include "support/Error.h"
#include "support/Text.h"

#include <algorithm>

namespace karakal {

SourceRange spanning(SourceRange first, SourceRange last) {
  KARAKAL_ASSERT(first.file == last.file, "a range across two files");
  return {first.file, std::min(first.begin, last.begin),
          std::max(first.end, last.end)};
}

SourceFile::SourceFile(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)) {
  lineStarts.push_back(0);
  for (uint32_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n')
      lineStarts.push_back(i + 1);
}

uint32_t characterCount(std::string_view text) {
  return uint32_t(text.size() -
                  std::count_if(text.begin(), text.end(), isContinuation));
}

SourceLocation SourceFile::location(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, uint32_t(text_.size()));
  auto next = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset);
  uint32_t number = uint32_t(next - lineStarts.begin());
  uint32_t start = lineStarts[number - 1];
  return {number, 1 + characterCount(text().substr(start, offset - start))};
}

uint32_t SourceFile::lineStart(uint32_t number) const {
  KARAKAL_ASSERT(number >= 1 && number <= lineStarts.size(),
                 "'" + path_ + "' has no line " + std::to_string(number));
  return lineStarts[number - 1];
}

std::string_view SourceFile::line(uint32_t number) const {
  uint32_t start = lineStart(number);
  uint32_t end = number < lineStarts.size() ? lineStarts[number] - 1
                                            : uint32_t(text_.size());
  std::string_view line = text().substr(start, end - start);
  if (!line.empty() && line.back() == '\r')
    line.remove_suffix(1);
  return line;
}

uint32_t SourceManager::add(std::string path, std::string text) {
  files.emplace_back(std::move(path), std::move(text));
  return uint32_t(files.size() - 1);
}

std::string_view SourceManager::text(SourceRange range) const {
  KARAKAL_ASSERT(range.begin <= range.end,
                 "a range that ends before it begins");
  return file(range.file).text().substr(range.begin, range.end - range.begin);
}

} // namespace karakal
