// Braces that are missing or too many, found by the indentation of the text.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_BRACEREPAIR_H
#define KARAKAL_BAKER_LANG_SYNTAX_BRACEREPAIR_H

#include "baker-lang/syntax/TokenRanges.h"
#include "baker-lang/tree/Program.h"

#include "antlr4-runtime.h"

namespace karakal::lang {

/// A stream of tokens into which tokens can be inserted before parsing.
class RepairableTokens : public antlr4::CommonTokenStream {
public:
  using CommonTokenStream::CommonTokenStream;
  /// Replaces all tokens. They get new indices.
  void setTokens(std::vector<std::unique_ptr<antlr4::Token>> tokens);
  /// Gives the tokens away, until `setTokens` brings others.
  std::vector<std::unique_ptr<antlr4::Token>> takeTokens() {
    return std::move(_tokens);
  }
};

/// Reports braces without a partner, each once, where the indentation says that
/// the partner is missing, and makes the braces of `tokens` match. Does nothing
/// if all braces match, or if the indentation says nothing. Adds lines with
/// a report, and the names in lines that are left out, to `program`.
void repairBraces(RepairableTokens &tokens, const TokenRanges &tokenRanges,
                  Program &program, Diagnostics &diagnostics);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_BRACEREPAIR_H
