// Readable syntax errors.
//
// The sentence says what could have come next: an expression, a statement, a
// declaration, a type, a name, or one of a few tokens. If a bracket is open
// at the end of an expression, its closing bracket is what is missing, and a
// note points at the opening one.

#include "baker-lang/syntax/SyntaxErrors.h"

#include "baker-lang/syntax/Keywords.h"
#include "support/Error.h"
#include "support/NearestName.h"

#include "BakerParser.h"

using antlr4::Parser;
using antlr4::Token;
using antlr4::misc::IntervalSet;

namespace karakal::lang {

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

static std::string quoted(const Token *token) {
  if (token->getType() == Token::EOF)
    return "the end of the file";
  return "'" + token->getText() + "'";
}

static Token *previousToken(Parser *parser, Token *token) {
  auto *stream = parser->getTokenStream();
  for (size_t i = token->getTokenIndex(); i-- > 0;)
    if (stream->get(i)->getChannel() == Token::DEFAULT_CHANNEL)
      return stream->get(i);
  return nullptr;
}

/// The innermost bracket that is still open before `token`, or null.
static Token *openBracket(Parser *parser, Token *token) {
  auto *stream = parser->getTokenStream();
  int depth = 0;
  for (size_t i = token->getTokenIndex(); i-- > 0;) {
    Token *other = stream->get(i);
    if (other->getChannel() != Token::DEFAULT_CHANNEL)
      continue;
    std::string text = other->getText();
    if (text == ")" || text == "]" || text == "}")
      ++depth;
    else if (text == "(" || text == "[" || text == "{")
      if (depth-- == 0)
        return other;
  }
  return nullptr;
}

/// A few tokens as a list for a message: "';' or ','".
static std::string listed(Parser *parser, const IntervalSet &set) {
  std::vector<std::string> words;
  bool hasName = set.contains(size_t(BakerParser::IDENT));
  for (ssize_t type : set.toList()) {
    std::string literal = parser->getVocabulary().getLiteralName(type);
    if (hasName && literal == "'*'")
      continue; // a name may always have the star of a handle
    words.push_back(type == BakerParser::IDENT ? "a name"
                    : type == BakerParser::NUMBER
                        ? "a number"
                        : parser->getVocabulary().getDisplayName(type));
  }
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

//===----------------------------------------------------------------------===//
// Wording
//===----------------------------------------------------------------------===//

namespace {

/// The message of a syntax error.
struct Wording {
  DiagId id = DiagId::UnexpectedToken;
  std::string message;
  /// Continues the message if the error is reported at the token found.
  std::string suffix = "";
  /// The error is that something is missing between the previous token and the
  /// one found. It is reported after the previous token if that is on an
  /// earlier line.
  bool isAfterPrevious = false;
  /// The missing token, if it is `;`, `)` or `]`.
  std::string missing = "";
};

/// Chooses the wording of one syntax error.
class WordingChoice {
public:
  WordingChoice(Parser *parser, Token *found, const IntervalSet &expected)
      : parser(parser), found(found), expected(expected), name(quoted(found)) {}

  Wording choose() const;

private:
  /// Wording for what C has and Baker does not; without a message if the error
  /// is none of these.
  Wording foreign() const;
  Wording afterExpression() const;
  Wording oneOfFew() const;

  bool isExpected(const char *literal) const {
    return expected.contains(parser->getTokenType(literal));
  }
  bool isExpected(size_t type) const { return expected.contains(type); }

  Parser *parser;
  Token *found;
  const IntervalSet &expected;
  std::string name; ///< of the token found, in quotes
};

} // namespace

/// True for a word that names a type in C but not in Baker.
static bool isTypeWordOfC(const std::string &text) {
  return text == "long" || text == "short" || text == "char" || text == "int" ||
         text == "unsigned" || text == "signed";
}

Wording WordingChoice::foreign() const {
  Token *before = previousToken(parser, found);
  Token *first = before ? previousToken(parser, before) : nullptr;
  if (!first)
    return {};
  std::string text = found->getText(), last = before->getText();
  if (text == "*" && isScalarType(before) && first->getText() == "(" &&
      isExpected("')'"))
    return {DiagId::PointerCast, "a pointer cannot be cast: it points to "
                                 "variables of one type, '" +
                                     last + "' here"};
  if (isScalarType(first) && isTypeWordOfC(last) && isExpected("';'"))
    return {DiagId::ForeignWord,
            "there is no type '" + first->getText() + " " + last +
                "'; Baker's integers are 'u1' to 'u128' and 's1' to 's64'"};
  size_t rule =
      parser->getContext()
          ? dynamic_cast<antlr4::ParserRuleContext *>(parser->getContext())
                ->getRuleIndex()
          : 0;
  if (text == "[" && rule == BakerParser::RuleMetadataField)
    return {DiagId::ForeignWord,
            "a metadata field cannot be an array; declare several fields"};
  return {};
}

Wording WordingChoice::choose() const {
  std::string text = found->getText();
  if (Wording wording = foreign(); !wording.message.empty())
    return wording;
  if (isExpected("'module'") && isExpected("'struct'"))
    return {DiagId::UnexpectedToken,
            text == "}" ? "this '}' closes nothing"
                        : "expected a declaration, found " + name};
  if (isExpected("'wiring'") && isExpected("'struct'"))
    return {DiagId::UnexpectedToken,
            "expected a declaration or the '}' of the module, found " + name};
  if (isExpected(BakerParser::NUMBER)) {
    if (text == "else")
      return {DiagId::UnexpectedToken, "this 'else' belongs to no 'if'"};
    if (isExpected("'if'"))
      return {DiagId::UnexpectedToken, "expected a statement, found " + name};
    return {DiagId::NotExpression, "expected an expression before " + name};
  }
  if (isExpected("'+'"))
    return afterExpression();
  if (isExpected(BakerParser::SIZED_TYPE))
    return {DiagId::UnexpectedToken, "expected a type, found " + name};
  if (isExpected("'demux'") && isExpected(BakerParser::IDENT) &&
      !isExpected("'}'"))
    return {DiagId::UnexpectedToken, "expected a field name, found " + name};
  if (expected.size() <= 3)
    return oneOfFew();
  return {DiagId::UnexpectedToken, name + " is not allowed here"};
}

/// An expression is complete. The token that should end it is missing.
Wording WordingChoice::afterExpression() const {
  Token *open = openBracket(parser, found);
  std::string bracket = open ? open->getText() : "";
  auto missing = [&](const char *what, const char *token = "") -> Wording {
    return {DiagId::MissingToken, std::string("expected ") + what,
            " before " + name, /*isAfterPrevious=*/true, token};
  };
  if (bracket == "(" && isExpected("')'"))
    return missing("')'", ")");
  if (bracket == "[" && isExpected("']'"))
    return missing("']'", "]");
  if (isExpected("';'"))
    return missing("';'", ";");
  if (isExpected("':'"))
    return missing("':'");
  if (isExpected("'}'"))
    return missing("',' or '}'");
  return {DiagId::MissingToken, name + " is not allowed here", "",
          /*isAfterPrevious=*/true};
}

/// Only a few tokens can come next: names them all.
Wording WordingChoice::oneOfFew() const {
  std::string list = listed(parser, expected);
  Wording wording{DiagId::MissingToken, "expected " + list, " before " + name,
                  isExpected("';'") || isExpected("')'") || isExpected("']'")};
  for (const char *token : {";", ")", "]"})
    if (list.rfind("'" + std::string(token) + "'", 0) == 0)
      wording.missing = token;
  if (isExpected(BakerParser::IDENT) && isKeyword(found))
    wording.suffix += "; " + name + " is a keyword";
  return wording;
}

//===----------------------------------------------------------------------===//
// Reporting
//===----------------------------------------------------------------------===//

/// Keywords that a statement or declaration can begin with.
static const std::vector<std::string> &firstWords() {
  static const std::vector<std::string> words = {
      "const",    "enum",        "protocol", "struct",  "module",
      "metadata", "ppf",         "wiring",   "control", "init",
      "if",       "while",       "for",      "switch",  "return",
      "break",    "continue",    "else",     "default", "case",
      "demux",    "drop_reason", "critical", "import",  "instance"};
  return words;
}

/// The first token of the statement that the parser is in, or null.
static Token *itemStart(Parser *parser) {
  for (antlr4::RuleContext *rule = parser->getContext(); rule;
       rule = dynamic_cast<antlr4::RuleContext *>(rule->parent))
    if (rule->getRuleIndex() == BakerParser::RuleStatement)
      return dynamic_cast<antlr4::ParserRuleContext *>(rule)->getStart();
  return nullptr;
}

bool SyntaxErrors::isFirstOfLine(Token *found) {
  uint32_t file = tokenRanges.range(found).file;
  return program.brokenLines.insert({file, found->getLine()}).second;
}

void SyntaxErrors::report(Parser *parser, Token *found,
                          const IntervalSet &expected) {
  if (!isFirstOfLine(found))
    return;
  Wording wording = WordingChoice(parser, found, expected).choose();
  KARAKAL_ASSERT(!wording.message.empty(), "a syntax error without a message");
  SourceRange range = tokenRanges.range(found);
  Token *previous = previousToken(parser, found);
  if (wording.isAfterPrevious && previous &&
      previous->getLine() < found->getLine()) {
    SourceRange before = tokenRanges.range(previous);
    range = {before.file, before.end, before.end};
    wording.suffix = " after " + quoted(previous);
  }
  Token *open = openBracket(parser, found);
  Token *start = itemStart(parser);
  bool isEndOfFile = found->getType() == Token::EOF;
  if (isEndOfFile && open)
    wording = {DiagId::MissingToken, "the file ends inside brackets"};
  Diagnostic &diagnostic = lang::report(diagnostics, wording.id, range,
                                        wording.message + wording.suffix);
  // `whle (x) {` is a call without its semicolon.
  std::string keyword =
      start && start->getType() == BakerParser::IDENT && found->getText() != ";"
          ? nearestName(start->getText(), firstWords())
          : "";
  if (!keyword.empty()) {
    diagnostic.note(tokenRanges.range(start), "did you mean '" + keyword + "'?")
        .fix(tokenRanges.range(start), keyword);
  } else if (!wording.missing.empty() && wording.isAfterPrevious && previous &&
             !isEndOfFile) {
    uint32_t end = tokenRanges.range(previous).end;
    diagnostic.fix({range.file, end, end}, wording.missing);
  }
  if (open && (isEndOfFile ||
               (wording.id == DiagId::MissingToken && wording.missing == ")")))
    diagnostic.note(tokenRanges.range(open), "to close this " + quoted(open));
}

void SyntaxErrors::reportInputMismatch(
    Parser *parser, const antlr4::InputMismatchException &error) {
  report(parser, error.getOffendingToken(), error.getExpectedTokens());
}

void SyntaxErrors::reportUnwantedToken(Parser *parser) {
  if (inErrorRecoveryMode(parser))
    return;
  beginErrorCondition(parser);
  report(parser, parser->getCurrentToken(), parser->getExpectedTokens());
}

void SyntaxErrors::reportMissingToken(Parser *parser) {
  reportUnwantedToken(parser);
}

void SyntaxErrors::reportNoViableAlternative(
    Parser *parser, const antlr4::NoViableAltException &error) {
  Token *start = error.getStartToken();
  Token *found = error.getOffendingToken();
  if (start == found) {
    report(parser, found, parser->getExpectedTokens());
    return;
  }
  if (!isFirstOfLine(found))
    return;
  Token *previous = previousToken(parser, found);
  bool isType = start->getType() == BakerParser::SIZED_TYPE || isKeyword(start);
  std::string message =
      isType && previous == start
          ? "expected a name after the type " + quoted(start) + ", found " +
                quoted(found)
          : quoted(found) + " cannot follow " + quoted(previous) + " here";
  Diagnostic &diagnostic =
      lang::report(diagnostics, DiagId::UnexpectedToken,
                   tokenRanges.range(found), std::move(message));
  std::string keyword = nearestName(start->getText(), firstWords());
  if (!keyword.empty())
    diagnostic.note(tokenRanges.range(start), "did you mean '" + keyword + "'?")
        .fix(tokenRanges.range(start), keyword);
}

} // namespace karakal::lang
