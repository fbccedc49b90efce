// The tokens of a text, with comments, for features that need no program.

#ifndef KARAKAL_BAKER_LANG_EDITOR_SOURCETOKENS_H
#define KARAKAL_BAKER_LANG_EDITOR_SOURCETOKENS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace karakal::lang {

enum class TokenClass { Name, Type, Keyword, Number, String, Comment, Sign };

/// A token. `text` points into the text that was scanned.
struct SourceToken {
  TokenClass kind;
  uint32_t begin, end; ///< byte offsets
  std::string_view text;

  bool is(const char *other) const {
    return kind != TokenClass::Comment && text == other;
  }
  bool isWord() const {
    return kind == TokenClass::Name || kind == TokenClass::Keyword ||
           kind == TokenClass::Type;
  }
};
using SourceTokens = std::vector<SourceToken>;

/// The tokens of `text`, which is UTF-8 and outlives them.
SourceTokens scanTokens(std::string_view text);

/// `text` with blanks for the bodies of functions, all but the one around byte
/// `kept`. What it declares and all places stay the same. Takes a small part of
/// the time of scanTokens.
std::string withoutBodies(std::string_view text, size_t kept);

/// The index of the first token that begins at `offset` or after it.
size_t tokenFrom(const SourceTokens &tokens, uint32_t offset);

/// The name before `offset`, up to its last character: `a.b` of `a.b(x`. Empty
/// if there is none.
std::string dottedNameBefore(const SourceTokens &tokens, size_t end);

/// The call around a place: which function, and which of its arguments.
struct CallAround {
  std::string callee; ///< `checksum.fold`
  unsigned argument = 0;
};
/// The innermost call whose parentheses are open before token `end`. The callee
/// is empty if there is none.
CallAround callAround(const SourceTokens &tokens, size_t end);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_SOURCETOKENS_H
