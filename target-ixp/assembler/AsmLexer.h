// Splits microcode source into tokens.
//
// Comments are ';', '//' to the end of the line, and '/* */'. A word is a
// sequence of letters, digits and underscores, so "32x32_start" and "0110" are
// also words. A word directly followed by '#' is a label. An empty comment
// '/**/' between two words joins them after macro substitution.

#ifndef KARAKAL_TARGET_IXP_ASSEMBLER_ASMLEXER_H
#define KARAKAL_TARGET_IXP_ASSEMBLER_ASMLEXER_H

#include "target-ixp/assembler/Diagnostic.h"

#include <memory>
#include <string>
#include <vector>

namespace karakal::target::as {

/// A source file and its lines, kept for messages.
struct SourceFile {
  std::string name;
  std::vector<std::string> lines;
};

/// The location of a token.
struct Location {
  std::shared_ptr<const SourceFile> file;
  uint32_t line = 0;   ///< 1-based
  uint32_t column = 0; ///< 1-based
};

struct Token {
  enum class Kind : uint8_t {
    Word,   ///< identifier, keyword
    Number, ///< decimal, 0x..., 0b...
    Label,  ///< word#, text without the '#'
    Text,   ///< "string", text without the quotes
    Punct,  ///< operator or bracket
  };
  Kind kind;
  std::string text;
  int64_t value = 0; ///< value of a Number
  Location location;
  bool pasted = false;      ///< joined to the token before it
  bool spaceBefore = false; ///< white space precedes it

  bool is(const char *punct) const {
    return kind == Kind::Punct && text == punct;
  }
  bool isWord() const { return kind == Kind::Word; }
};

/// The tokens of one source line. A preprocessor line begins with '#'.
using TokenLine = std::vector<Token>;

/// Collects diagnostics. Every stage reports here and continues.
class Reporter {
public:
  void error(const Location &location, const char *id, std::string message);
  /// The macro expansions around the current token, outermost first, e.g.
  /// "macro 'wait' used at rx.uc:12".
  std::vector<std::string> within;
  /// The first hundred diagnostics; further ones are only counted.
  std::vector<Diagnostic> diagnostics;
  size_t errorCount = 0;
};

/// Splits a file into tokens. Errors: E-target-ixp-100 (a character that begins
/// no token), 101 (an unterminated comment or string), 102 (a malformed
/// number).
std::vector<TokenLine> lex(const std::shared_ptr<const SourceFile> &file,
                           Reporter &reporter);

/// Sets kind and value of a token from its text, e.g. after pasting.
void classifyWord(Token &token, Reporter &reporter);

} // namespace karakal::target::as

#endif // KARAKAL_TARGET_IXP_ASSEMBLER_ASMLEXER_H
