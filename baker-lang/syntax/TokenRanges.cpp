#include "baker-lang/syntax/TokenRanges.h"

#include "support/Error.h"
#include "support/Text.h"

#include <algorithm>

using antlr4::Token;

namespace karakal::lang {

TokenRanges::TokenRanges(uint32_t file, std::string_view text)
    : file(file), byteCount(uint32_t(text.size())) {
  if (std::all_of(text.begin(), text.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
    return;
  for (uint32_t i = 0; i < text.size(); ++i)
    if (!isContinuation(text[i]))
      offsets.push_back(i);
  offsets.push_back(byteCount);
}

uint32_t TokenRanges::byteOffset(size_t character) const {
  if (offsets.empty())
    return uint32_t(std::min<size_t>(character, byteCount));
  return offsets[std::min(character, offsets.size() - 1)];
}

SourceRange TokenRanges::range(const Token *token) const {
  if (token->getType() == Token::EOF)
    return {file, byteCount, byteCount};
  return {file, byteOffset(token->getStartIndex()),
          byteOffset(token->getStopIndex() + 1)};
}

SourceRange TokenRanges::range(const Token *first, const Token *last) const {
  if (!first)
    return {file, 0, 0};
  SourceRange range = this->range(first);
  if (last)
    range.end = std::max(range.end, this->range(last).end);
  KARAKAL_ASSERT(range.begin <= range.end && range.end <= byteCount,
                 "a token outside the file");
  return range;
}

} // namespace karakal::lang
