// Syntax errors that people can read.
//
// ANTLR knows which tokens could have come next, often dozens. SyntaxErrors
// turns that set, the token found and the rule being parsed into one sentence,
// and after it skips to a place where parsing goes on sensibly.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_SYNTAXERRORS_H
#define KARAKAL_BAKER_LANG_SYNTAX_SYNTAXERRORS_H

#include "baker-lang/syntax/DiagnosticCatalogue.h"

#include "antlr4-runtime.h"

#include <set>

namespace karakal::lang {

/// Whether a token of a string has its closing quote, which its rule asks for
/// in vain at the end of a line.
inline bool isWholeString(const std::string &token) {
  if (token.size() < 2 || token.back() != '"')
    return false;
  size_t last = token.find_last_not_of('\\', token.size() - 2);
  return (token.size() - 2 - last) % 2 == 0;
}

/// Byte ranges of tokens: ANTLR counts characters, Diagnostics bytes.
class TokenPlaces {
public:
  TokenPlaces(uint32_t file, std::string_view text);

  SourceRange range(const antlr4::Token *token) const;
  /// From the start of `first` to the end of `last`; either may be null.
  SourceRange range(const antlr4::Token *first,
                    const antlr4::Token *last) const;

private:
  uint32_t byteOf(size_t character) const;

  uint32_t file;
  uint32_t bytes;
  /// Byte offset of each character; empty if the text is plain ASCII.
  std::vector<uint32_t> offsets;
};

class SyntaxErrors : public antlr4::DefaultErrorStrategy {
public:
  /// Nothing is reported on the lines `silent`: their tokens were.
  SyntaxErrors(const TokenPlaces &places, Diagnostics &diagnostics,
               std::set<size_t> silent)
      : places(places), diagnostics(diagnostics),
        linesReported(std::move(silent)) {}

  void recover(antlr4::Parser *parser, std::exception_ptr error) override;

protected:
  void
  reportNoViableAlternative(antlr4::Parser *parser,
                            const antlr4::NoViableAltException &error) override;
  void
  reportInputMismatch(antlr4::Parser *parser,
                      const antlr4::InputMismatchException &error) override;
  void reportUnwantedToken(antlr4::Parser *parser) override;
  antlr4::Token *singleTokenDeletion(antlr4::Parser *parser) override;
  void reportMissingToken(antlr4::Parser *parser) override;

private:
  void report(antlr4::Parser *parser, antlr4::Token *found,
              const antlr4::misc::IntervalSet &expected);
  std::string missingMessage(antlr4::Parser *parser, antlr4::Token *found,
                             const antlr4::misc::IntervalSet &expected,
                             DiagId &id, bool &isAfterPrevious);
  /// False if an error was reported on this line already.
  bool isNews(antlr4::Token *found);

  const TokenPlaces &places;
  Diagnostics &diagnostics;
  std::set<size_t> linesReported;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_SYNTAXERRORS_H
