// The formatter for Baker text.
//
// Works on tokens and the line breaks between them:
//
//   if (x>1)              if (x > 1)
//   return  f( x,2 );       return f(x, 2);
//
// A statement is indented by two columns more than what it is inside of, be it
// braces or the head of an `if` without braces; `case` like its `switch`. A
// continuation line is indented by four columns more than its statement.
//
// The formatter keeps a stack of what it is inside of. Any text, even one that
// is no program, moves it from state to state.

#include "baker-lang/editor/Formatter.h"

#include "support/Error.h"

#include "BakerLexer.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace karakal::lang {

namespace {

constexpr unsigned indentColumns = 2, continuationColumns = 4;

/// A token with the white space before it.
struct Token {
  std::string text;
  bool isComment = false;  ///< a comment or a line of a preprocessor
  bool isWord = false;     ///< name, keyword, number, type or literal
  unsigned lineBreaks = 0; ///< before it
  unsigned blanks = 0;     ///< before it, if there is no line break
  bool endsHead = false;   ///< the `)` of `if (…)` and the like
  bool isPrefix = false;   ///< a prefix operator
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
                     type == BakerLexer::OPEN_COMMENT ||
                     type == BakerLexer::DIRECTIVE;
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

/// True if an operand must follow token `i`, so that a sign there is a prefix.
bool needsOperand(const Tokens &tokens, size_t i) {
  const Token &token = tokens[i];
  if (token.isWord)
    return isOneOf(token.text, {"return", "case", "else", "do"});
  if (isOneOf(token.text, {"++", "--"}))
    return token.isPrefix;
  return token.endsHead || endsCast(tokens, i) ||
         !isOneOf(token.text, {")", "]"});
}

/// True if token `i` is a prefix operator.
bool isPrefix(const Tokens &tokens, size_t i) {
  return isOneOf(tokens[i].text, {"-", "+", "!", "~", "++", "--", "&", "*"}) &&
         (i == 0 || needsOperand(tokens, i - 1));
}

/// True if the tokens would be others if nothing separated them: `- -x`,
/// `1 .x`.
bool wouldJoin(const Token &left, const Token &right) {
  char last = left.text.back(), next = right.text.front();
  bool isNumber = std::isdigit(static_cast<unsigned char>(left.text[0]));
  return (last == next && isOneOf(std::string(1, last), {"+", "-", "&"})) ||
         (isNumber && next == '.');
}

/// True if token `i` of the line that begins with `first` is in a column of
/// endpoints: their types and stars keep their blanks.
///
///     in  ether_pkt * in_cc;
///     out arp_pkt   * arp_cc;
bool isAligned(const Tokens &tokens, size_t first, size_t i) {
  bool isEndpoint = isOneOf(tokens[first].text, {"in", "out"});
  return isEndpoint && tokens[i].blanks > 0 &&
         (i == first + 1 || (i == first + 2 && tokens[i].text == "*"));
}

/// True if a blank separates tokens i - 1 and i of one line.
bool hasBlankBefore(const Tokens &tokens, size_t i) {
  const std::string &left = tokens[i - 1].text, &right = tokens[i].text;
  if (tokens[i].isComment || tokens[i - 1].isComment)
    return true;
  if (wouldJoin(tokens[i - 1], tokens[i]))
    return tokens[i].blanks > 0;
  if (isOneOf(right, {";", ",", ")", "]", "."}))
    return false;
  if (right == "->")
    return tokens[i].blanks > 0; // only a wire has blanks around it
  if (isOneOf(left, {"(", "[", ".", "@"}))
    return false;
  if (left == "->")
    return tokens[i - 1].blanks > 0;
  if (right == "++" || right == "--")
    return needsOperand(tokens, i - 1) && left != "(" &&
           !tokens[i - 1].isPrefix && !endsCast(tokens, i - 1);
  if (tokens[i - 1].isPrefix || endsCast(tokens, i - 1))
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

/// What the formatter is inside of.
enum class Kind {
  Block,    ///< braces that hold statements or declarations
  Simple,   ///< a statement or declaration that ends with `;` or a block
  Label,    ///< `case …:`
  Head,     ///< `if`, `while`, … up to its body
  AfterIf,  ///< the body of an `if` has ended, `else` may follow
  AfterDo,  ///< the body of a `do` has ended, `while` follows
  Brackets, ///< parentheses or square brackets
  List,     ///< the braces of an initializer or `enum`
};

struct Frame {
  Kind kind;
  unsigned indentation;        ///< of its first line and of its `}`
  unsigned continuation;       ///< of its further lines
  std::string word;            ///< that begins it
  bool needsCondition = false; ///< Head: `(…)` has not ended yet
};

class Formatter {
public:
  explicit Formatter(const std::string &text) : tokens(tokenize(text)) {}
  std::string run();

private:
  /// Formats the line of the tokens from `first` to `end`, exclusive.
  void formatLine(size_t first, size_t end);
  /// The indentation of the line that begins with token `first`.
  unsigned indentationOf(size_t first) const;
  /// The first token from `i` on that is no comment, or null.
  const Token *significant(size_t i) const;
  /// Leaves an `if` or `do` that `next`, which may be null, does not go on.
  void settle(const Token *next);

  /// Enters and leaves frames for token `i`.
  void advance(size_t i);
  void beginStatement(const Token &token);
  void openBrace(size_t i);
  void closeBrace();
  void closeBracket(size_t i);
  void continueStatement(const Token &token);
  void endStatement();
  void push(Kind kind, unsigned indentation, unsigned columns,
            const std::string &word = "") {
    frames.push_back({kind, indentation, indentation + columns, word});
  }
  bool isIn(Kind kind) const {
    return !frames.empty() && frames.back().kind == kind;
  }
  /// True if a statement can begin.
  bool isAtStatement() const {
    return frames.empty() || isIn(Kind::Block) ||
           (isIn(Kind::Head) && !frames.back().needsCondition);
  }
  /// True if `token` begins a label of the `switch` around it.
  bool isLabel(const Token &token) const {
    return isIn(Kind::Block) && frames.back().word == "switch" &&
           isOneOf(token.text, {"case", "default"});
  }
  /// The indentation of a statement that begins here.
  unsigned statementIndentation() const {
    return frames.empty() ? 0 : frames.back().continuation;
  }

  Tokens tokens;
  std::string out;
  std::vector<Frame> frames;
  unsigned lineIndentation = 0;
  /// The next token is the name of an annotation, or may open its argument.
  bool isAnnotationName = false, isAnnotationArgument = false;
};

const Token *Formatter::significant(size_t i) const {
  while (i < tokens.size() && tokens[i].isComment)
    ++i;
  return i < tokens.size() ? &tokens[i] : nullptr;
}

void Formatter::settle(const Token *next) {
  while ((isIn(Kind::AfterIf) && !(next && next->text == "else")) ||
         (isIn(Kind::AfterDo) && !(next && next->text == "while"))) {
    frames.pop_back();
    endStatement();
  }
}

/// A statement has ended. It may be the body of the statement around it.
void Formatter::endStatement() {
  while (isIn(Kind::Head)) {
    Frame head = frames.back();
    frames.pop_back();
    if (head.word == "if" || head.word == "do")
      return push(head.word == "if" ? Kind::AfterIf : Kind::AfterDo,
                  head.indentation, 0);
  }
}

unsigned Formatter::indentationOf(size_t first) const {
  const Token *next = significant(first);
  bool isComment = tokens[first].isComment;
  if (frames.empty() || !next)
    return statementIndentation();
  const Frame &top = frames.back();
  if (next->text == "}" && !isComment) {
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
      if (frame->kind == Kind::Block || frame->kind == Kind::List)
        return frame->indentation;
    return 0;
  }
  bool isBlock = next->text == "{" && !isComment;
  if (isLabel(*next) ||
      (isBlock && (top.kind == Kind::Head || top.kind == Kind::Simple)))
    return top.indentation;
  return top.continuation;
}

void Formatter::beginStatement(const Token &token) {
  const std::string &text = token.text;
  unsigned indentation = statementIndentation();
  // `else if` goes on with the line of the `else`.
  if (isIn(Kind::Head) && frames.back().word == "else" && text == "if") {
    indentation = frames.back().indentation;
    frames.pop_back();
  }
  if (isOneOf(text, {"if", "while", "for", "switch", "critical", "do"})) {
    push(Kind::Head, indentation, indentColumns, text);
    frames.back().needsCondition = text != "do";
    return;
  }
  push(isLabel(token) ? Kind::Label : Kind::Simple, indentation,
       continuationColumns, text);
}

void Formatter::openBrace(size_t i) {
  bool isBody = isIn(Kind::Head) || isIn(Kind::Simple);
  bool isList = isBody ? frames.back().word == "enum" ||
                             (i > 0 && tokens[i - 1].text == "=")
                       : !isAtStatement();
  if (isList)
    return push(Kind::List, lineIndentation, indentColumns);
  // `case 0: {` is indented once.
  bool isAfterLabel =
      i > 0 && tokens[i - 1].text == ":" && tokens[i].lineBreaks == 0;
  unsigned indentation = isBody         ? frames.back().indentation
                         : isAfterLabel ? lineIndentation
                                        : statementIndentation();
  push(Kind::Block, indentation, indentColumns,
       isBody ? frames.back().word : "");
}

void Formatter::closeBrace() {
  auto isBraces = [](const Frame &frame) {
    return frame.kind == Kind::Block || frame.kind == Kind::List;
  };
  auto braces = std::find_if(frames.rbegin(), frames.rend(), isBraces);
  if (braces == frames.rend()) {
    frames.clear();
    return;
  }
  bool isBlock = braces->kind == Kind::Block;
  frames.erase(braces.base() - 1, frames.end());
  bool isEnum = isIn(Kind::Simple) && frames.back().word == "enum";
  if (!isBlock && !isEnum)
    return;
  if (isIn(Kind::Simple))
    frames.pop_back();
  endStatement();
}

void Formatter::closeBracket(size_t i) {
  if (!isIn(Kind::Brackets))
    return;
  frames.pop_back();
  if (!isIn(Kind::Head))
    return;
  tokens[i].endsHead = true;
  frames.back().needsCondition = false;
}

/// `else`, or the `while` of a `do`.
void Formatter::continueStatement(const Token &token) {
  unsigned indentation = frames.back().indentation;
  frames.pop_back();
  if (token.text == "else")
    push(Kind::Head, indentation, indentColumns, token.text);
  else
    push(Kind::Simple, indentation, continuationColumns);
}

void Formatter::advance(size_t i) {
  tokens[i].isPrefix = isPrefix(tokens, i);
  const Token &token = tokens[i];
  const std::string &text = token.text;
  if (token.isComment)
    return;
  settle(&token);
  bool isArgument = std::exchange(isAnnotationArgument, false) && text == "(";
  if (isArgument)
    return push(Kind::Brackets, statementIndentation(), continuationColumns);
  if (text == "@" || isAnnotationName) { // belongs to what follows
    isAnnotationArgument = std::exchange(isAnnotationName, text == "@");
    return;
  }
  if (text == "{")
    return openBrace(i);
  if (text == "}")
    return closeBrace();
  if (text == ")" || text == "]")
    return closeBracket(i);
  if (isIn(Kind::AfterIf) || isIn(Kind::AfterDo))
    return continueStatement(token);
  if (text == ";" && !isIn(Kind::Brackets) && !isIn(Kind::List)) {
    if (isIn(Kind::Simple) || isIn(Kind::Label))
      frames.pop_back();
    return endStatement();
  }
  if (isAtStatement())
    beginStatement(token);
  else if (text == ":" && isIn(Kind::Label))
    frames.pop_back();
  if (text == "(" || text == "[")
    push(Kind::Brackets, frames.back().indentation, continuationColumns);
}

void Formatter::formatLine(size_t first, size_t end) {
  KARAKAL_ASSERT(first < end && end <= tokens.size(), "a line without tokens");
  settle(significant(first));
  lineIndentation = indentationOf(first);
  out += std::string(lineIndentation, ' ');
  for (size_t i = first; i < end; ++i) {
    if (i > first && tokens[i].isComment)
      out += std::string(std::max(1u, tokens[i].blanks), ' ');
    else if (i > first && hasBlankBefore(tokens, i))
      out +=
          std::string(isAligned(tokens, first, i) ? tokens[i].blanks : 1, ' ');
    out += tokens[i].text;
    advance(i);
  }
  out += '\n';
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
