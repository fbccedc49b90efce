#include "baker-lang/editor/SourceTokens.h"

#include "baker-lang/syntax/Keywords.h"
#include "baker-lang/syntax/TokenRanges.h"
#include "support/Error.h"

#include "BakerLexer.h"

#include <algorithm>
#include <cctype>

namespace karakal::lang {

static TokenClass classOf(const antlr4::Token *token) {
  switch (token->getType()) {
  case BakerLexer::LINE_COMMENT:
  case BakerLexer::BLOCK_COMMENT:
  case BakerLexer::OPEN_COMMENT:
    return TokenClass::Comment;
  case BakerLexer::IDENT:
    return TokenClass::Name;
  case BakerLexer::NUMBER:
  case BakerLexer::RATE:
  case BakerLexer::CHARACTER:
    return TokenClass::Number;
  case BakerLexer::STRING:
    return TokenClass::String;
  default:
    return isScalarType(token) ? TokenClass::Type
           : isKeyword(token)  ? TokenClass::Keyword
                               : TokenClass::Sign;
  }
}

SourceTokens scanTokens(std::string_view text) {
  antlr4::ANTLRInputStream input{std::string(text)};
  BakerLexer lexer(&input);
  lexer.removeErrorListeners();
  TokenRanges ranges(0, text);
  SourceTokens tokens;
  for (auto &token : lexer.getAllTokens()) {
    if (token->getType() == BakerLexer::SPACE)
      continue;
    SourceRange range = ranges.range(token.get());
    KARAKAL_ASSERT(range.begin <= range.end && range.end <= text.size(),
                   "a token outside of its text");
    tokens.push_back({classOf(token.get()), range.begin, range.end,
                      text.substr(range.begin, range.end - range.begin)});
  }
  return tokens;
}

namespace {

/// Walks over the characters of a text that are neither in comments nor in
/// strings.
class CodeWalk {
public:
  explicit CodeWalk(std::string_view text) : text(text) {}

  /// The next character of code at `at` or after it, or the size of the text.
  size_t code(size_t at) const {
    while (at < text.size()) {
      std::string_view rest = text.substr(at);
      if (rest.substr(0, 2) == "//")
        at = behind(at, "\n");
      else if (rest.substr(0, 2) == "/*")
        at = behind(at + 2, "*/");
      else if (rest[0] == '"' || rest[0] == '\'')
        at = behindQuote(at);
      else if (std::isspace(static_cast<unsigned char>(rest[0])))
        ++at;
      else
        return at;
    }
    return text.size();
  }

private:
  size_t behind(size_t at, std::string_view end) const {
    size_t found = text.find(end, at);
    return found == std::string_view::npos ? text.size() : found + end.size();
  }
  size_t behindQuote(size_t at) const {
    char quote = text[at];
    for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at)
      at += text[at] == '\\';
    return std::min(at + 1, text.size());
  }

  std::string_view text;
};

} // namespace

std::string withoutBodies(std::string_view text, size_t kept) {
  CodeWalk walk(text);
  std::string result(text);
  size_t declaration = walk.code(0), body = 0;
  unsigned open = 0; // braces in a body, which begins at `body`
  char before = ';';
  for (size_t at = declaration; at < text.size();
       before = text[at], at = walk.code(at + 1)) {
    bool isModule = text.substr(declaration, 6) == "module";
    if (text[at] == '{' && (open > 0 || (before == ')' && !isModule))) {
      if (open++ == 0)
        body = at;
    } else if (text[at] == '}' && open > 0) {
      if (--open == 0 && !(body < kept && kept <= at))
        for (size_t i = body + 1; i < at; ++i)
          if (result[i] != '\n')
            result[i] = ' ';
    }
    bool ends = text[at] == ';' || text[at] == '{' || text[at] == '}';
    if (open == 0 && ends)
      declaration = walk.code(at + 1);
  }
  return result;
}

size_t tokenFrom(const SourceTokens &tokens, uint32_t offset) {
  auto found = std::lower_bound(
      tokens.begin(), tokens.end(), offset,
      [](const SourceToken &token, uint32_t at) { return token.begin < at; });
  return size_t(found - tokens.begin());
}

std::string dottedNameBefore(const SourceTokens &tokens, size_t end) {
  std::string name;
  while (end > 0 && tokens[end - 1].isWord()) {
    name = std::string(tokens[end - 1].text) + name;
    if (end < 2 || !tokens[end - 2].is("."))
      break;
    name = "." + name;
    end -= 2;
  }
  return name;
}

CallAround callAround(const SourceTokens &tokens, size_t end) {
  CallAround call;
  unsigned closed = 0; // brackets that end before the place
  for (size_t i = end; i-- > 0;) {
    const SourceToken &token = tokens[i];
    if (token.is(")") || token.is("]"))
      ++closed;
    else if (token.is(";") || token.is("{") || token.is("}"))
      break;
    else if (token.is(",") && closed == 0)
      ++call.argument;
    else if ((token.is("(") || token.is("[")) && closed > 0)
      --closed;
    else if (token.is("(")) {
      call.callee = dottedNameBefore(tokens, i);
      if (!call.callee.empty())
        return call;
      call.argument = 0; // parentheses of an expression
    } else if (token.is("[")) {
      call.argument = 0;
    }
  }
  return {};
}

} // namespace karakal::lang
