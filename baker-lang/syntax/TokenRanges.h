// Source ranges of ANTLR's tokens.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_TOKENRANGES_H
#define KARAKAL_BAKER_LANG_SYNTAX_TOKENRANGES_H

#include "support/Diagnostics.h"

#include "antlr4-runtime.h"

namespace karakal::lang {

/// Converts token positions of one file. ANTLR counts characters, Diagnostics
/// counts bytes.
class TokenRanges {
public:
  /// `text` is valid UTF-8.
  TokenRanges(uint32_t file, std::string_view text);

  SourceRange range(const antlr4::Token *token) const;
  /// From the start of `first` to the end of `last`. Either may be null.
  SourceRange range(const antlr4::Token *first,
                    const antlr4::Token *last) const;

private:
  uint32_t byteOffset(size_t character) const;

  uint32_t file;
  uint32_t byteCount;
  /// Byte offset of each character; empty if the text is ASCII.
  std::vector<uint32_t> offsets;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_TOKENRANGES_H
