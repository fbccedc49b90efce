// The formatter for Baker text.
//
// Works on tokens and the line breaks between them:
//
//   if (x>1)              if (x > 1)
//   return  f( x,2 );       return f(x, 2);
//
// A line is indented by two columns for each open brace, `case` by two fewer.
// The statement of an `if` or a loop without braces is indented by two more
// than its head, and a continuation line by four more than its statement.

#include "baker-lang/editor/Formatter.h"

#include "support/Error.h"

#include "BakerLexer.h"

#include <algorithm>
#include <set>
#include <vector>

namespace karakal::lang {

namespace {

constexpr unsigned indentColumns = 2, continuationColumns = 4;

/// A token with the white space before it.
struct Token {
  std::string text;
  bool isComment = false;
  bool isWord = false;     ///< name, keyword, number, type or literal
  unsigned lineBreaks = 0; ///< before it
  unsigned blanks = 0;     ///< before it, if there is no line break
};

using Tokens = std::vector<Token>;

Tokens tokenize(const std::string &text) {
  antlr4::ANTLRInputStream input(text);
  BakerLexer lexer(&input);
  lexer.removeErrorListeners();
  Tokens tokens;
  Token next;
  for (auto &lexed : lexer.getAllTokens()) {
    std::string spelling = lexed->getText();
    size_t type = lexed->getType();
    if (type == BakerLexer::SPACE) {
      for (char c : spelling)
        next.lineBreaks += c == '\n';
      next.blanks = unsigned(spelling.size());
      continue;
    }
    bool isLine = type == BakerLexer::LINE_COMMENT;
    next.isComment = isLine || type == BakerLexer::BLOCK_COMMENT ||
                     type == BakerLexer::OPEN_COMMENT;
    next.isWord = type == BakerLexer::SIZED_TYPE || type == BakerLexer::IDENT ||
                  type == BakerLexer::NUMBER || type == BakerLexer::CHARACTER ||
                  type == BakerLexer::STRING ||
                  std::isalpha(static_cast<unsigned char>(spelling[0]));
    while (!spelling.empty() &&
           (spelling.back() == ' ' || spelling.back() == '\r'))
      spelling.pop_back();
    next.text = spelling;
    tokens.push_back(next);
    next = Token();
  }
  return tokens;
}

bool isOneOf(const std::string &text,
             std::initializer_list<const char *> list) {
  return std::any_of(list.begin(), list.end(),
                     [&](const char *other) { return text == other; });
}

/// True if an operand must follow `token`, so that a sign there is a prefix.
/// Null stands for the beginning of the text.
bool needsOperand(const Token *token) {
  if (!token)
    return true;
  if (token->isWord)
    return isOneOf(token->text, {"return", "case"});
  return !isOneOf(token->text, {")", "]", "}", "++", "--"});
}

/// True if token `i` is a prefix operator.
bool isPrefix(const Tokens &tokens, size_t i) {
  const Token *before = i > 0 ? &tokens[i - 1] : nullptr;
  return isOneOf(tokens[i].text, {"-", "+", "!", "~", "++", "--"}) &&
         needsOperand(before);
}

/// True if token `i` is the `)` of a cast.
bool endsCast(const Tokens &tokens, size_t i) {
  if (i < 2 || tokens[i].text != ")" || tokens[i - 2].text != "(")
    return false;
  const std::string &type = tokens[i - 1].text;
  bool isSized = type.size() > 1 && (type[0] == 'u' || type[0] == 's') &&
                 type.find_first_not_of("0123456789", 1) == std::string::npos;
  bool isType = isSized || isOneOf(type, {"int", "bool", "unsigned"});
  return isType && (i == 2 || tokens[i - 3].text != "sizeof");
}

/// True if a blank separates tokens i - 1 and i of one line.
bool hasBlankBefore(const Tokens &tokens, size_t i) {
  const std::string &left = tokens[i - 1].text, &right = tokens[i].text;
  if (tokens[i].isComment || tokens[i - 1].isComment)
    return true;
  if (isOneOf(right, {";", ",", ")", "]", "."}))
    return false;
  if (right == "->")
    return tokens[i].blanks > 0; // only a wire has blanks around it
  if (isOneOf(left, {"(", "[", ".", "@"}))
    return false;
  if (left == "->")
    return tokens[i - 1].blanks > 0;
  if (right == "++" || right == "--")
    return needsOperand(&tokens[i - 1]) && left != "(";
  if (isPrefix(tokens, i - 1) || endsCast(tokens, i - 1))
    return false;
  if (right == "(")
    return isOneOf(left,
                   {"if", "for", "while", "switch", "critical", "return"}) ||
           !tokens[i - 1].isWord;
  if (right == "[")
    return false;
  if (right == ":")
    return tokens[i].blanks > 0;
  if (left == "{" && right == "}")
    return tokens[i].blanks > 0;
  return true;
}

class Formatter {
public:
  explicit Formatter(const std::string &text) : tokens(tokenize(text)) {}
  std::string run();

private:
  /// Formats the line of the tokens from `first` to `end`, exclusive.
  void formatLine(size_t first, size_t end);
  /// The indentation of the line that begins with token `first`.
  unsigned indentationOf(size_t first);
  /// Updates the state after the line.
  void update(size_t first, size_t end, unsigned indentation);
  void countBrackets(size_t first, size_t end);

  Tokens tokens;
  std::string out;
  unsigned openBraces = 0;
  unsigned openBrackets = 0; ///< parentheses and square brackets
  bool continues = false;    ///< the last line did not end its statement
  unsigned statementIndentation = 0;
  /// The last line was the head of an `if` or a loop without braces.
  bool followsHead = false;
  unsigned bodyIndentation = 0; ///< after such a head
  /// Indentations of the `if`s that an `else` can follow.
  std::vector<unsigned> ifIndentations;
};

unsigned Formatter::indentationOf(size_t first) {
  const std::string &text = tokens[first].text;
  unsigned level = openBraces;
  if (text == "}" && level > 0)
    --level;
  bool isLabel =
      text == "case" || (text == "default" && first + 1 < tokens.size() &&
                         tokens[first + 1].text == ":");
  if (isLabel && level > 0)
    --level;
  if (continues && text != "}" && text != "{")
    return statementIndentation + continuationColumns;
  if (text == "else" && !ifIndentations.empty()) {
    unsigned indentation = ifIndentations.back();
    ifIndentations.pop_back();
    return indentation;
  }
  if (followsHead && text != "{")
    return bodyIndentation;
  return level * indentColumns;
}

void Formatter::countBrackets(size_t first, size_t end) {
  for (size_t i = first; i < end; ++i) {
    const std::string &text = tokens[i].text;
    if (tokens[i].isComment)
      continue;
    if (text == "{")
      ++openBraces;
    else if (text == "}")
      openBraces -= openBraces > 0;
    else if (text == "(" || text == "[")
      ++openBrackets;
    else if (text == ")" || text == "]")
      openBrackets -= openBrackets > 0;
  }
}

void Formatter::update(size_t first, size_t end, unsigned indentation) {
  countBrackets(first, end);
  size_t last = end;
  while (last > first && tokens[last - 1].isComment)
    --last;
  if (last == first)
    return; // a line of comments
  const std::string &tail = tokens[last - 1].text;
  const std::string &head = tokens[first].text;
  if (!continues)
    statementIndentation = indentation;
  bool isElse = head == "else" || (head == "}" && first + 1 < last &&
                                   tokens[first + 1].text == "else");
  bool isIf = head == "if" ||
              (isElse && tokens[last - 1].text != "else" && tail == ")");
  bool isHead =
      openBrackets == 0 &&
      ((tail == ")" &&
        (isIf || isOneOf(head, {"for", "while", "switch", "critical"}))) ||
       tail == "else" || tail == "do" ||
       (continues && tail == ")" && followsHead));
  if (isIf && !continues)
    ifIndentations.push_back(statementIndentation);
  bool isEnd = openBrackets == 0 && isOneOf(tail, {";", "{", "}", ":", ","});
  followsHead = isHead;
  if (isHead)
    bodyIndentation = statementIndentation + indentColumns;
  continues = !isEnd && !isHead && !(tail == ")" && head == "@");
  if (tail == "{" || tail == "}")
    ifIndentations.clear();
}

void Formatter::formatLine(size_t first, size_t end) {
  KARAKAL_ASSERT(first < end && end <= tokens.size(), "a line without tokens");
  unsigned indentation = indentationOf(first);
  out += std::string(indentation, ' ');
  for (size_t i = first; i < end; ++i) {
    if (i > first && tokens[i].isComment)
      out += std::string(std::max(1u, tokens[i].blanks), ' ');
    else if (i > first && hasBlankBefore(tokens, i))
      out += ' ';
    out += tokens[i].text;
  }
  out += '\n';
  update(first, end, indentation);
}

std::string Formatter::run() {
  for (size_t first = 0; first < tokens.size();) {
    size_t end = first + 1;
    while (end < tokens.size() && tokens[end].lineBreaks == 0)
      ++end;
    if (first > 0 && tokens[first].lineBreaks > 1)
      out += '\n';
    formatLine(first, end);
    first = end;
  }
  return out;
}

} // namespace

std::string format(const std::string &text) { return Formatter(text).run(); }

} // namespace karakal::lang
