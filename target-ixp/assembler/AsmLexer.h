// Microcode source to tokens.
//
// Comments are ';', '//' to the end of the line, and '/* */'. A word is any
// run of letters, digits and underscores, so that "32x32_start" and "0110" are
// words too; a word with a '#' directly behind it is a label. An empty comment
// '/**/' between two words pastes them together after macro substitution.

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

/// Where a token stands.
struct Place {
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
  int64_t value = 0; ///< of a Number
  Place place;
  bool pasted = false;      ///< joins the token before it
  bool spaceBefore = false; ///< white space stands before it

  bool is(const char *punct) const {
    return kind == Kind::Punct && text == punct;
  }
  bool isWord() const { return kind == Kind::Word; }
};

/// One physical line: a preprocessor line begins with the '#' token.
using TokenLine = std::vector<Token>;

/// Collects diagnostics; every part of the assembler reports here and goes on.
class Reporter {
public:
  void error(const Place &place, const char *id, std::string message);
  /// What a diagnostic is within, e.g. "macro 'wait' used at rx.uc:12".
  std::vector<std::string> within;
  /// The first of them; beyond a hundred they are only counted.
  std::vector<Diagnostic> diagnostics;
  size_t errorCount = 0;
};

/// Splits a file; errors: E-target-ixp-100 (a character that begins no token),
/// 101 (an open comment or string), 102 (a malformed number).
std::vector<TokenLine> lex(const std::shared_ptr<const SourceFile> &file,
                           Reporter &reporter);

/// The token's kind and value from a word's text (for pasted words, too).
void classifyWord(Token &token, Reporter &reporter);

} // namespace karakal::target::as

#endif // KARAKAL_TARGET_IXP_ASSEMBLER_ASMLEXER_H
