#include "target-ixp/assembler/AsmLexer.h"
#include "support/Text.h"

#include <algorithm>
#include <cctype>

namespace karakal::target::as {

void Reporter::error(const Location &location, const char *id,
                     std::string message) {
  constexpr size_t DiagnosticsMax = 100; // more would not help
  ++errorCount;
  if (diagnostics.size() >= DiagnosticsMax)
    return;
  Diagnostic diagnostic;
  diagnostic.error = makeError(id, std::move(message));
  if (location.file) {
    diagnostic.error.file = location.file->name;
    diagnostic.error.line = location.line;
    diagnostic.error.column = location.column;
    if (location.line >= 1 && location.line <= location.file->lines.size())
      diagnostic.sourceLine = location.file->lines[location.line - 1];
  }
  if (!within.empty())
    diagnostic.note = within.back();
  diagnostics.push_back(std::move(diagnostic));
}

namespace {

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Parses the digits of a number of at most 2^40. Returns false on errors.
bool parseDigits(const std::string &digits, int base, int64_t &value) {
  if (digits.empty())
    return false;
  value = 0;
  for (char c : digits) {
    int digit = std::isdigit(static_cast<unsigned char>(c))
                    ? c - '0'
                    : std::tolower(static_cast<unsigned char>(c)) - 'a' + 10;
    if (digit < 0 || digit >= base)
      return false;
    value = value * base + digit;
    if (value > int64_t(1) << 40)
      return false;
  }
  return true;
}

class Lexer {
public:
  Lexer(const std::shared_ptr<const SourceFile> &file, Reporter &reporter)
      : file(file), reporter(reporter) {}

  std::vector<TokenLine> run() {
    for (lineNumber = 1; lineNumber <= file->lines.size(); ++lineNumber)
      lexLine(file->lines[lineNumber - 1]);
    if (inComment)
      reporter.error(commentStart, "E-target-ixp-101",
                     "this comment is never closed");
    return lines;
  }

private:
  const std::shared_ptr<const SourceFile> &file;
  Reporter &reporter;
  std::vector<TokenLine> lines;
  uint32_t lineNumber = 0;
  bool inComment = false;
  Location commentStart;

  Location locationOf(size_t position) const {
    return {file, lineNumber, static_cast<uint32_t>(position) + 1};
  }
  void lexLine(const std::string &text);
  size_t lexWord(const std::string &text, size_t begin, TokenLine &line,
                 bool pasted, bool space);
  size_t lexString(const std::string &text, size_t begin, TokenLine &line);
  size_t lexPunct(const std::string &text, size_t begin, TokenLine &line,
                  bool space);
};

void Lexer::lexLine(const std::string &text) {
  TokenLine line;
  size_t at = 0;
  bool pasted = false, space = false;
  while (at < text.size()) {
    if (inComment) {
      size_t end = text.find("*/", at);
      if (end == std::string::npos)
        break;
      inComment = false;
      at = end + 2;
      space = true;
      continue;
    }
    char c = text[at];
    if (std::isspace(static_cast<unsigned char>(c))) {
      space = true;
      ++at;
    } else if (c == ';' || text.compare(at, 2, "//") == 0) {
      break;
    } else if (text.compare(at, 4, "/**/") == 0) {
      pasted = true;
      at += 4;
      continue;
    } else if (text.compare(at, 2, "/*") == 0) {
      inComment = true;
      commentStart = locationOf(at);
      at += 2;
    } else {
      if (isWordCharacter(c))
        at = lexWord(text, at, line, pasted && !space, space);
      else if (c == '"')
        at = lexString(text, at, line);
      else
        at = lexPunct(text, at, line, space);
      pasted = space = false;
    }
  }
  lines.push_back(std::move(line));
}

size_t Lexer::lexWord(const std::string &text, size_t begin, TokenLine &line,
                      bool pasted, bool space) {
  size_t end = begin;
  while (end < text.size() && isWordCharacter(text[end]))
    ++end;
  Token token{Token::Kind::Word,
              text.substr(begin, end - begin),
              0,
              locationOf(begin),
              pasted,
              space};
  bool label = end < text.size() && text[end] == '#' &&
               !std::isdigit(static_cast<unsigned char>(text[begin]));
  if (label) {
    token.kind = Token::Kind::Label;
    ++end;
  } else {
    classifyWord(token, reporter);
  }
  line.push_back(token);
  return end;
}

size_t Lexer::lexString(const std::string &text, size_t begin,
                        TokenLine &line) {
  size_t end = text.find('"', begin + 1);
  if (end == std::string::npos) {
    reporter.error(locationOf(begin), "E-target-ixp-101",
                   "this string is never closed");
    return text.size();
  }
  line.push_back({Token::Kind::Text, text.substr(begin + 1, end - begin - 1), 0,
                  locationOf(begin), false, true});
  return end + 1;
}

size_t Lexer::lexPunct(const std::string &text, size_t begin, TokenLine &line,
                       bool space) {
  static const char *const Puncts[] = {
      "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "$$", "[",
      "]",  "(",  ")",  ",",  ":",  "#",  "$",  "@",  "*",  "&",  "|",  "^",
      "~",  "!",  "+",  "-",  "/",  "%",  "<",  ">",  "=",  ".",  "?"};
  for (const char *punct : Puncts) {
    size_t size = std::char_traits<char>::length(punct);
    if (text.compare(begin, size, punct) == 0) {
      line.push_back(
          {Token::Kind::Punct, punct, 0, locationOf(begin), false, space});
      return begin + size;
    }
  }
  size_t end = begin + 1;
  while (end < text.size() && isContinuation(text[end]))
    ++end;
  reporter.error(locationOf(begin), "E-target-ixp-100",
                 "the character '" + text.substr(begin, end - begin) +
                     "' has no meaning here");
  return end;
}

} // namespace

void classifyWord(Token &token, Reporter &reporter) {
  const std::string &text = token.text;
  if (!std::isdigit(static_cast<unsigned char>(text[0])))
    return;
  std::string prefix = text.substr(0, 2);
  int base = prefix == "0x" || prefix == "0X"   ? 16
             : prefix == "0b" || prefix == "0B" ? 2
                                                : 10;
  bool good =
      parseDigits(base == 10 ? text : text.substr(2), base, token.value);
  if (good) {
    token.kind = Token::Kind::Number;
    return;
  }
  // "32x32_start" and "24x8_last" are words of mul_step.
  if (base == 10 && text.find('x') != std::string::npos)
    return;
  reporter.error(token.location, "E-target-ixp-102",
                 "'" + text + "' is not a number of at most 40 bits");
  token.kind = Token::Kind::Number; // so that it is not reported again
  token.value = 0;
}

std::vector<TokenLine> lex(const std::shared_ptr<const SourceFile> &file,
                           Reporter &reporter) {
  return Lexer(file, reporter).run();
}

} // namespace karakal::target::as
