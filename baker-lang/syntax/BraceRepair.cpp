// Makes the braces of a file match.
//
//   ppf p {
//     in ether_pkt * in_cc;
//   wiring {                   error: expected '}' before 'wiring'
//
// One missing brace shifts the nesting of all text after it, so no parser can
// recover from it. The indentation still says what was meant: a line that is
// indented no deeper than an open brace's line closes the brace. The text is
// trusted only if its braces do not match, and as often as braces are missing.

#include "baker-lang/syntax/BraceRepair.h"

#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "support/Error.h"

#include "BakerLexer.h"

using antlr4::Token;

namespace karakal::lang {

void RepairableTokens::setTokens(std::vector<std::unique_ptr<Token>> tokens) {
  _tokens = std::move(tokens);
  for (size_t i = 0; i < _tokens.size(); ++i)
    dynamic_cast<antlr4::WritableToken &>(*_tokens[i]).setTokenIndex(i);
  seek(0);
}

namespace {

class BraceRepair {
public:
  BraceRepair(RepairableTokens &stream, const TokenRanges &tokenRanges,
              Program &program, Diagnostics &diagnostics)
      : stream(stream), tokenRanges(tokenRanges), program(program),
        diagnostics(diagnostics) {
    for (Token *token : stream.getTokens())
      if (token->getChannel() == Token::DEFAULT_CHANNEL) {
        tokens.push_back(token);
        size_t i = tokens.size() - 1;
        lineStarts.push_back(isFirstOfLine(i) ? i : lineStarts.back());
      }
  }
  void run();

private:
  struct Open {
    size_t brace;  ///< index in `tokens`
    size_t column; ///< of the first token of its line
  };

  /// Counts the braces without a partner.
  void count();
  void dropImpossibleBraces();
  void visitLineStart(size_t i);
  void visitClosing(size_t i);
  /// The block of `open.back()` ends before token `i`.
  void insertClosing(size_t i);
  /// The brace at `i` closes nothing: its opening brace or the line with it is
  /// missing.
  void repairOpening(size_t i);
  /// The token type of `brace`.
  size_t typeOf(const std::string &brace) const;
  /// Writes the repaired tokens to the stream.
  void rebuild();

  std::string text(size_t i) const {
    return i < tokens.size() ? tokens[i]->getText() : "";
  }
  bool isFirstOfLine(size_t i) const {
    return i == 0 || tokens[i - 1]->getLine() < tokens[i]->getLine();
  }
  size_t column(size_t i) const { return tokens[i]->getCharPositionInLine(); }
  /// The column of the statement or declaration whose block begins at `brace`.
  size_t headColumn(size_t brace) const;
  /// The first token of the line of token `i`.
  size_t lineStart(size_t i) const { return lineStarts[i]; }
  Diagnostic &report(DiagId id, size_t i, SourceRange where,
                     std::string message) {
    program.brokenLines.insert({where.file, tokens[i]->getLine()});
    return lang::report(diagnostics, id, where, std::move(message));
  }
  SourceRange after(size_t i) const {
    SourceRange range = tokenRanges.range(tokens[i]);
    return {range.file, range.end, range.end};
  }

  RepairableTokens &stream;
  const TokenRanges &tokenRanges;
  Program &program;
  Diagnostics &diagnostics;
  std::vector<Token *> tokens;    ///< without the hidden ones
  std::vector<size_t> lineStarts; ///< for each token
  std::vector<Open> open;
  size_t missingClosings = 0, missingOpenings = 0;
  /// Tokens to leave out, and braces to insert before a token.
  std::set<size_t> dropped;
  std::multimap<size_t, const char *> inserted;
};

} // namespace

void BraceRepair::count() {
  missingClosings = missingOpenings = 0;
  for (size_t i = 0; i < tokens.size(); ++i)
    if (dropped.count(i))
      continue;
    else if (text(i) == "{")
      ++missingClosings;
    else if (text(i) == "}" && missingClosings-- == 0)
      missingClosings = 0, ++missingOpenings;
}

/// Drops braces that can have no place where they stand: `wire -> { x;`.
void BraceRepair::dropImpossibleBraces() {
  static const std::set<std::string> beforeOpening = {
      ")",    "{",  "}",    ";",     ":",      "=",       ",",
      "else", "do", "enum", "demux", "wiring", "metadata"};
  static const std::set<std::string> notAfterClosing = {
      "=", ")", "]", ".", "->", "(", "[",  "==", "!=", "&&", "||",
      "+", "/", "&", "|", "<",  ">", "<=", ">=", "?",  ":"};
  for (size_t i = 1; i + 1 < tokens.size(); ++i) {
    bool isOpening = text(i) == "{", isClosing = text(i) == "}";
    bool isImpossible = (isOpening && missingClosings > 0 &&
                         !beforeOpening.count(text(i - 1)) &&
                         tokens[i - 1]->getType() != BakerLexer::IDENT) ||
                        (isClosing && missingOpenings > 0 &&
                         notAfterClosing.count(text(i + 1)));
    if (!isImpossible)
      continue;
    report(DiagId::UnexpectedToken, i, tokenRanges.range(tokens[i]),
           "this '" + text(i) + "' is not allowed here");
    dropped.insert(i);
    count();
  }
}

size_t BraceRepair::headColumn(size_t brace) const {
  // A condition or a list of parameters can take several lines.
  size_t i = brace;
  int depth = 0;
  if (i > 0 && text(i - 1) == ")")
    do {
      --i;
      depth += text(i) == ")" ? 1 : text(i) == "(" ? -1 : 0;
    } while (i > 0 && depth > 0);
  return column(lineStart(i));
}

void BraceRepair::insertClosing(size_t i) {
  KARAKAL_ASSERT(!open.empty() && i > 0, "no block is open");
  size_t brace = open.back().brace;
  open.pop_back();
  --missingClosings;
  inserted.emplace(i, "}");
  report(DiagId::MissingToken, i - 1, after(i - 1),
         "expected '}' after '" + text(i - 1) + "'")
      .note(tokenRanges.range(tokens[brace]), "to close this '{'");
}

/// A line that begins with something else than a brace.
void BraceRepair::visitLineStart(size_t i) {
  bool isLabel = text(i) == "case" || text(i) == "default";
  while (missingClosings > 0 && !open.empty() &&
         column(i) <= open.back().column &&
         (!isLabel || column(i) < open.back().column) &&
         open.back().brace + 1 != i)
    insertClosing(i);
}

void BraceRepair::visitClosing(size_t i) {
  if (isFirstOfLine(i)) {
    while (missingClosings > 0 && !open.empty() &&
           column(i) < open.back().column)
      insertClosing(i);
    if (missingOpenings > 0 &&
        (open.empty() || column(i) > open.back().column)) {
      repairOpening(i);
      return;
    }
  }
  if (!open.empty()) {
    open.pop_back();
  } else if (missingOpenings > 0) {
    repairOpening(i);
  }
}

void BraceRepair::repairOpening(size_t i) {
  --missingOpenings;
  // The lines of the block are indented deeper than its closing brace.
  size_t first = i;
  size_t limit = open.empty() ? 0 : open.back().brace + 1;
  while (first > limit && column(lineStart(first - 1)) > column(i))
    first = lineStart(first - 1);
  bool hasHead = first > limit && first < i && isFirstOfLine(first) &&
                 (text(first - 1) == ")" || text(first - 1) == "else" ||
                  text(first - 1) == "do" || text(first - 1) == "wiring" ||
                  text(first - 1) == "metadata" ||
                  tokens[first - 1]->getType() == BakerLexer::IDENT);
  if (hasHead) {
    report(DiagId::MissingToken, first - 1, after(first - 1),
           "expected '{' after '" + text(first - 1) + "'")
        .fix(after(first - 1), " {");
    inserted.emplace(first, "{");
    return;
  }
  bool isInFunction = false;
  for (const Open &block : open)
    isInFunction |= block.brace > 0 && text(block.brace - 1) == ")";
  dropped.insert(i);
  if (isInFunction || first == i || open.size() > 1) {
    report(DiagId::UnexpectedToken, i, tokenRanges.range(tokens[i]),
           "this '}' closes nothing");
    return;
  }
  // Statements outside a function: the function's head is missing.
  report(DiagId::UnexpectedToken, first, tokenRanges.range(tokens[first]),
         "these lines up to the '}' belong to no function")
      .note(tokenRanges.range(tokens[i]), "this '}' closes nothing");
  for (size_t k = first; k < i; ++k) {
    program.unparsedNames.insert(text(k));
    dropped.insert(k);
  }
}

void BraceRepair::run() {
  count();
  if (missingClosings == 0 && missingOpenings == 0)
    return;
  dropImpossibleBraces();
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (dropped.count(i))
      continue;
    if (text(i) == "}") {
      visitClosing(i);
      continue;
    }
    if (isFirstOfLine(i) && text(i) != "{" &&
        tokens[i]->getType() != Token::EOF)
      visitLineStart(i);
    if (text(i) == "{")
      open.push_back({i, headColumn(i)});
  }
  if (!dropped.empty() || !inserted.empty())
    rebuild();
}

size_t BraceRepair::typeOf(const std::string &brace) const {
  auto *lexer = dynamic_cast<antlr4::Lexer *>(stream.getTokenSource());
  KARAKAL_ASSERT(lexer, "the tokens do not come from a lexer");
  return lexer->getTokenType("'" + brace + "'");
}

void BraceRepair::rebuild() {
  std::map<const Token *, size_t> index;
  for (size_t i = 0; i < tokens.size(); ++i)
    index[tokens[i]] = i;
  std::vector<std::unique_ptr<Token>> result;
  for (std::unique_ptr<Token> &token : stream.takeTokens()) {
    auto entry = index.find(token.get());
    if (entry != index.end()) {
      auto [begin, end] = inserted.equal_range(entry->second);
      for (auto brace = begin; brace != end; ++brace) {
        // An empty token, after the last one before it.
        auto made = std::make_unique<antlr4::CommonToken>(token.get());
        made->setText(brace->second);
        made->setType(typeOf(brace->second));
        const Token *last = tokens[entry->second - 1];
        made->setLine(last->getLine());
        made->setStartIndex(last->getStopIndex() + 1);
        made->setStopIndex(last->getStopIndex());
        result.push_back(std::move(made));
      }
      if (dropped.count(entry->second))
        dynamic_cast<antlr4::WritableToken &>(*token).setChannel(
            Token::HIDDEN_CHANNEL);
    }
    result.push_back(std::move(token));
  }
  stream.setTokens(std::move(result));
}

void repairBraces(RepairableTokens &tokens, const TokenRanges &tokenRanges,
                  Program &program, Diagnostics &diagnostics) {
  BraceRepair(tokens, tokenRanges, program, diagnostics).run();
}

} // namespace karakal::lang
