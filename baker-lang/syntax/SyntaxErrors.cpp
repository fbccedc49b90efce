// Syntax errors that people can read.
//
// The sentence is chosen by what could have come: an expression, a statement,
// a declaration, a type, a name, or one of a few tokens. If brackets are open,
// the innermost one is what is missing its end, and a note points at it.

#include "baker-lang/syntax/SyntaxErrors.h"

#include "BakerParser.h"

#include <algorithm>

using antlr4::Parser;
using antlr4::Token;
using antlr4::misc::IntervalSet;

namespace karakal::lang {

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

TokenPlaces::TokenPlaces(uint32_t file, std::string_view text)
    : file(file), bytes(uint32_t(text.size())) {
  auto continues = [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
  };
  if (std::all_of(text.begin(), text.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
    return;
  for (uint32_t i = 0; i < text.size(); ++i)
    if (!continues(text[i]))
      offsets.push_back(i);
  offsets.push_back(bytes);
}

uint32_t TokenPlaces::byteOf(size_t character) const {
  if (offsets.empty())
    return uint32_t(std::min<size_t>(character, bytes));
  return offsets[std::min(character, offsets.size() - 1)];
}

SourceRange TokenPlaces::range(const Token *token) const {
  if (token->getType() == Token::EOF)
    return {file, bytes, bytes};
  return {file, byteOf(token->getStartIndex()),
          byteOf(token->getStopIndex() + 1)};
}

SourceRange TokenPlaces::range(const Token *first, const Token *last) const {
  if (!first)
    return {file, 0, 0};
  SourceRange range = this->range(first);
  if (last)
    range.end = std::max(range.end, this->range(last).end);
  return range;
}

//===----------------------------------------------------------------------===//
// Wording
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

/// The innermost bracket still open in front of `token`, or null.
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

static bool contains(Parser *parser, const IntervalSet &set,
                     const char *literal) {
  return set.contains(parser->getTokenType(literal));
}

static bool isKeyword(const Token *token) {
  return token->getType() < BakerParser::SIZED_TYPE &&
         std::isalpha(static_cast<unsigned char>(token->getText()[0]));
}

/// What the names of a small set of tokens look like: "';' or ','".
static std::string listed(Parser *parser, const IntervalSet &set) {
  std::vector<std::string> words;
  bool hasName = set.contains(size_t(BakerParser::IDENT));
  for (ssize_t type : set.toList()) {
    std::string literal = parser->getVocabulary().getLiteralName(type);
    if (hasName && literal == "'*'")
      continue; // the star of a handle goes without saying
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

std::string SyntaxErrors::missingMessage(Parser *parser, Token *found,
                                         const IntervalSet &expected,
                                         DiagId &id, bool &isAfterPrevious) {
  auto can = [&](const char *literal) {
    return contains(parser, expected, literal);
  };
  std::string text = found->getText();
  std::string name = quoted(found);
  id = DiagId::UnexpectedToken;
  if (can("'module'"))
    return text == "}" ? "this '}' closes nothing"
                       : "expected a declaration, found " + name;
  if (can("'wiring'"))
    return "expected a declaration or the '}' of the module, found " + name;
  if (expected.contains(size_t(BakerParser::NUMBER))) {
    if (text == "else")
      return "this 'else' belongs to no 'if'";
    if (can("'if'"))
      return "expected a statement, found " + name;
    id = DiagId::NotExpression;
    return "expected an expression before " + name;
  }
  if (can("'+'")) {
    // An expression is complete; what closes it is missing.
    Token *open = openBracket(parser, found);
    std::string bracket = open ? open->getText() : "";
    id = DiagId::MissingToken;
    isAfterPrevious = true;
    if (bracket == "(" && can("')'"))
      return "expected ')' before " + name;
    if (bracket == "[" && can("']'"))
      return "expected ']' before " + name;
    if (can("';'"))
      return "expected ';' before " + name;
    if (can("':'"))
      return "expected ':' before " + name;
    if (can("'}'"))
      return "expected ',' or '}' before " + name;
    return name + " cannot stand here";
  }
  if (expected.contains(size_t(BakerParser::SIZED_TYPE)))
    return "expected a type, found " + name;
  if (can("'demux'") && expected.contains(size_t(BakerParser::IDENT)) &&
      !can("'}'"))
    return "expected a field name, found " + name;
  if (expected.size() <= 3) {
    id = DiagId::MissingToken;
    isAfterPrevious = can("';'") || can("')'") || can("']'");
    std::string message =
        "expected " + listed(parser, expected) + " before " + name;
    if (expected.contains(size_t(BakerParser::IDENT)) && isKeyword(found))
      message += "; the word " + name + " has a meaning of its own";
    return message;
  }
  return name + " cannot stand here";
}

bool SyntaxErrors::isNews(Token *found) {
  return linesReported.insert(found->getLine()).second;
}

void SyntaxErrors::report(Parser *parser, Token *found,
                          const IntervalSet &expected) {
  if (!isNews(found))
    return;
  DiagId id = DiagId::UnexpectedToken;
  bool isAfterPrevious = false;
  std::string message =
      missingMessage(parser, found, expected, id, isAfterPrevious);
  SourceRange range = places.range(found);
  Token *previous = previousToken(parser, found);
  if (isAfterPrevious && previous && previous->getLine() < found->getLine()) {
    SourceRange before = places.range(previous);
    range = {before.file, before.end, before.end};
    message = message.substr(0, message.find(" before ")) + " after " +
              quoted(previous);
  }
  Token *open = openBracket(parser, found);
  bool isEnd = found->getType() == Token::EOF;
  if (isEnd && open) {
    id = DiagId::MissingToken;
    message = "the file ends inside brackets";
  }
  Diagnostic &diagnostic =
      lang::report(diagnostics, id, range, std::move(message));
  if (isAfterPrevious && previous && !isEnd)
    for (const char *missing : {";", ")", "]"})
      if (diagnostic.message.find(std::string("expected '") + missing + "'") ==
          0) {
        uint32_t end = places.range(previous).end;
        diagnostic.fix({range.file, end, end}, missing);
      }
  if (open && (isEnd || (id == DiagId::MissingToken &&
                         diagnostic.message.find("expected ')'") == 0)))
    diagnostic.note(places.range(open), "to close this " + quoted(open));
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
  if (!isNews(found))
    return;
  Token *previous = previousToken(parser, found);
  bool isType = start->getType() == BakerParser::SIZED_TYPE || isKeyword(start);
  std::string message =
      isType && previous == start
          ? "expected a name after the type " + quoted(start) + ", found " +
                quoted(found)
          : quoted(found) + " cannot follow " + quoted(previous) + " here";
  Diagnostic &diagnostic =
      lang::report(diagnostics, DiagId::UnexpectedToken, places.range(found),
                   std::move(message));
  static const std::vector<std::string> keywords = {
      "const",   "enum",   "protocol", "struct",      "module",   "metadata",
      "ppf",     "wiring", "control",  "init",        "if",       "while",
      "for",     "switch", "return",   "break",       "continue", "else",
      "default", "case",   "demux",    "drop_reason", "critical"};
  std::string keyword = nearestName(start->getText(), keywords);
  if (!keyword.empty())
    diagnostic.note(places.range(start), "did you mean '" + keyword + "'?")
        .fix(places.range(start), keyword);
}

//===----------------------------------------------------------------------===//
// Recovery
//===----------------------------------------------------------------------===//

/// Tokens at which parsing can go on, if they are expected.
static bool isLandmark(const std::string &text) {
  static const std::set<std::string> words = {
      ";",        "{",      "}",        "if",          "while",
      "do",       "for",    "switch",   "return",      "break",
      "continue", "case",   "const",    "enum",        "protocol",
      "struct",   "module", "metadata", "ppf",         "wiring",
      "control",  "init",   "default",  "drop_reason", "critical"};
  return words.count(text) != 0;
}

/// Skips a whole `{ … }`, the current token being the `{`.
static void skipBlock(Parser *parser) {
  int depth = 0;
  do {
    std::string text = parser->getCurrentToken()->getText();
    depth += text == "{" ? 1 : text == "}" ? -1 : 0;
    parser->consume();
  } while (depth > 0 && parser->getCurrentToken()->getType() != Token::EOF);
}

/// A token too many is passed over, except those that give the text its shape.
Token *SyntaxErrors::singleTokenDeletion(Parser *parser) {
  std::string text = parser->getCurrentToken()->getText();
  if (text == ";" || text == "{" || text == "}")
    return nullptr;
  return DefaultErrorStrategy::singleTokenDeletion(parser);
}

void SyntaxErrors::recover(Parser *parser, std::exception_ptr) {
  auto *input = parser->getInputStream();
  if (lastErrorIndex == int(input->index()) &&
      lastErrorStates.contains(parser->getState()))
    parser->consume(); // no progress otherwise
  lastErrorIndex = int(input->index());
  lastErrorStates.add(parser->getState());
  // What the rules that are being left can go on with.
  IntervalSet follow = getErrorRecoverySet(parser);
  for (Token *token = parser->getCurrentToken(); token->getType() != Token::EOF;
       token = parser->getCurrentToken()) {
    std::string text = token->getText();
    bool isExpected = follow.contains(token->getType());
    if (isExpected &&
        (isLandmark(text) || text == ")" || text == "]" || text == ","))
      return;
    // A declaration whose head was not understood takes its body along.
    if (text == "{" && !isExpected)
      skipBlock(parser);
    else
      parser->consume();
    if (text == "{" && follow.contains(parser->getCurrentToken()->getType())) {
      endErrorCondition(parser); // what comes next is a new matter
      return;
    }
  }
}

} // namespace karakal::lang
