// Readable syntax errors.
//
// ANTLR knows which tokens could have come next, often dozens. SyntaxErrors
// turns that set, the token found and the rule being parsed into one sentence.
// Then it leaves out the statement or declaration in which the error stands, so
// that one mistake gives one error (ErrorRecovery.cpp).

#ifndef KARAKAL_BAKER_LANG_SYNTAX_SYNTAXERRORS_H
#define KARAKAL_BAKER_LANG_SYNTAX_SYNTAXERRORS_H

#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "baker-lang/syntax/TokenRanges.h"
#include "baker-lang/tree/Program.h"

#include "antlr4-runtime.h"

#include <set>

namespace karakal::lang {

/// ANTLR's error strategy for Baker: reports at most one error for each line.
class SyntaxErrors : public antlr4::DefaultErrorStrategy {
public:
  /// Reports nothing on lines that are broken already. Adds broken lines, and
  /// the names in text that is left out, to `program`.
  SyntaxErrors(const TokenRanges &tokenRanges, Diagnostics &diagnostics,
               Program &program)
      : tokenRanges(tokenRanges), diagnostics(diagnostics), program(program) {}

  /// Leaves out the rest of the item (a statement, declaration, field or wire)
  /// that the parser is in. In a smaller rule it rethrows `error`, so that the
  /// enclosing rule recovers.
  void recover(antlr4::Parser *parser, std::exception_ptr error) override;
  /// Before each item of a list: leaves out what is not an item.
  void sync(antlr4::Parser *parser) override;

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
  /// Consumes tokens up to the end of the item that begins with the token
  /// `start` and contains the current token.
  void skipItem(antlr4::Parser *parser, size_t start);
  /// Consumes the current token and notes its name.
  void skipToken(antlr4::Parser *parser);
  /// True for the first error of a line.
  bool isFirstOfLine(antlr4::Token *found);

  const TokenRanges &tokenRanges;
  Diagnostics &diagnostics;
  Program &program;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_SYNTAX_SYNTAXERRORS_H
