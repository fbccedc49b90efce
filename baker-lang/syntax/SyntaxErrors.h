// Readable syntax errors.
//
// ANTLR knows which tokens could have come next, often dozens. SyntaxErrors
// turns that set, the token found and the rule being parsed into one sentence.
// Then it skips to a token at which parsing can go on.

#ifndef KARAKAL_BAKER_LANG_SYNTAX_SYNTAXERRORS_H
#define KARAKAL_BAKER_LANG_SYNTAX_SYNTAXERRORS_H

#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "baker-lang/syntax/TokenRanges.h"

#include "antlr4-runtime.h"

#include <set>

namespace karakal::lang {

/// ANTLR's error strategy for Baker: reports at most one error for each line.
class SyntaxErrors : public antlr4::DefaultErrorStrategy {
public:
  /// Reports nothing on `linesWithErrors`.
  SyntaxErrors(const TokenRanges &tokenRanges, Diagnostics &diagnostics,
               std::set<size_t> linesWithErrors)
      : tokenRanges(tokenRanges), diagnostics(diagnostics),
        linesWithErrors(std::move(linesWithErrors)) {}

  void recover(antlr4::Parser *parser, std::exception_ptr error) override;

protected:
  void
  reportNoViableAlternative(antlr4::Parser *parser,
                            const antlr4::NoViableAltException &error) override;
  void
  reportInputMismatch(antlr4::Parser *parser,
                      const antlr4::InputMismatchException &error) override;
  void reportUnwantedToken(antlr4::Parser *parser) override;
  /// Skips an unexpected token, but not `;`, `{` or `}`.
  antlr4::Token *singleTokenDeletion(antlr4::Parser *parser) override;
  void reportMissingToken(antlr4::Parser *parser) override;

private:
  void report(antlr4::Parser *parser, antlr4::Token *found,
              const antlr4::misc::IntervalSet &expected);
  /// True for the first error of a line.
  bool isFirstOfLine(antlr4::Token *found);

  const TokenRanges &tokenRanges;
  Diagnostics &diagnostics;
  std::set<size_t> linesWithErrors;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_SYNTAXERRORS_H
