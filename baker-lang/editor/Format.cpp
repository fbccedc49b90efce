// The layout of Baker text.
//
// Works on tokens and the line breaks between them:
//
//   if (x>1)              if (x > 1)
//   return  f( x,2 );       return f(x, 2);
//
// A line begins at the depth of its braces, two columns each; `case` one less;
// the statement of an `if` or a loop without braces one more than its head; a
// line that goes on from the one above four columns behind it.

#include "baker-lang/editor/Format.h"

#include "BakerLexer.h"

#include <algorithm>
#include <set>
#include <vector>

namespace karakal::lang {

namespace {

constexpr unsigned indentColumns = 2, continuationColumns = 4;

struct Word {
  std::string text;
  bool isComment = false;
  bool isName = false;     ///< identifier, number, type or the like
  unsigned lineBreaks = 0; ///< in front of it
  unsigned blanks = 0;     ///< in front of it, if no line break is
};

using Words = std::vector<Word>;

Words wordsOf(const std::string &text) {
  antlr4::ANTLRInputStream input(text);
  BakerLexer lexer(&input);
  lexer.removeErrorListeners();
  Words words;
  Word next;
  for (auto &token : lexer.getAllTokens()) {
    std::string piece = token->getText();
    size_t type = token->getType();
    if (type == BakerLexer::SPACE) {
      for (char c : piece)
        next.lineBreaks += c == '\n';
      next.blanks = unsigned(piece.size());
      continue;
    }
    bool isLine = type == BakerLexer::LINE_COMMENT;
    next.isComment = isLine || type == BakerLexer::BLOCK_COMMENT ||
                     type == BakerLexer::OPEN_COMMENT;
    next.isName = type == BakerLexer::SIZED_TYPE || type == BakerLexer::IDENT ||
                  type == BakerLexer::NUMBER || type == BakerLexer::CHARACTER ||
                  type == BakerLexer::STRING ||
                  std::isalpha(static_cast<unsigned char>(piece[0]));
    while (!piece.empty() && (piece.back() == ' ' || piece.back() == '\r'))
      piece.pop_back();
    next.text = piece;
    words.push_back(next);
    next = Word();
  }
  return words;
}

bool isOneOf(const std::string &text,
             std::initializer_list<const char *> list) {
  return std::any_of(list.begin(), list.end(),
                     [&](const char *other) { return text == other; });
}

/// A word behind which an operand must come: a sign there is a prefix.
bool wantsOperand(const Word *word) {
  if (!word)
    return true;
  if (word->isName)
    return isOneOf(word->text, {"return", "case"});
  return !isOneOf(word->text, {")", "]", "}", "++", "--"});
}

bool isPrefix(const Words &words, size_t i) {
  const Word *before = i > 0 ? &words[i - 1] : nullptr;
  return isOneOf(words[i].text, {"-", "+", "!", "~", "++", "--"}) &&
         wantsOperand(before);
}

/// Whether the `)` at `i` ends a cast.
bool endsCast(const Words &words, size_t i) {
  if (i < 2 || words[i].text != ")" || words[i - 2].text != "(")
    return false;
  const std::string &type = words[i - 1].text;
  bool isSized = type.size() > 1 && (type[0] == 'u' || type[0] == 's') &&
                 type.find_first_not_of("0123456789", 1) == std::string::npos;
  bool isType = isSized || isOneOf(type, {"int", "bool", "unsigned"});
  return isType && (i == 2 || words[i - 3].text != "sizeof");
}

/// Whether a blank stands between word i - 1 and word i of one line.
bool isApart(const Words &words, size_t i) {
  const std::string &left = words[i - 1].text, &right = words[i].text;
  if (words[i].isComment || words[i - 1].isComment)
    return true;
  if (isOneOf(right, {";", ",", ")", "]", "."}))
    return false;
  if (right == "->")
    return words[i].blanks > 0; // a wire has blanks on both sides
  if (isOneOf(left, {"(", "[", ".", "@"}))
    return false;
  if (left == "->")
    return words[i - 1].blanks > 0;
  if (right == "++" || right == "--")
    return wantsOperand(&words[i - 1]) && left != "(";
  if (isPrefix(words, i - 1) || endsCast(words, i - 1))
    return false;
  if (right == "(")
    return isOneOf(left,
                   {"if", "for", "while", "switch", "critical", "return"}) ||
           !words[i - 1].isName;
  if (right == "[")
    return false;
  if (right == ":")
    return words[i].blanks > 0;
  if (left == "{" && right == "}")
    return words[i].blanks > 0;
  return true;
}

class Layout {
public:
  explicit Layout(const std::string &text) : words(wordsOf(text)) {}
  std::string run();

private:
  void line(size_t first, size_t end);
  unsigned columnsOf(size_t first);
  void follow(size_t first, size_t end, unsigned columns);

  Words words;
  std::string out;
  unsigned depth = 0;     ///< open braces
  unsigned brackets = 0;  ///< open parentheses and square brackets
  bool goesOn = false;    ///< the last line did not end its statement
  unsigned statement = 0; ///< columns where the statement begins
  /// The last line was a head without braces: columns of what it governs.
  unsigned governed = 0;
  bool isGoverned = false;
  std::vector<unsigned> heads; ///< columns of `if`s that an `else` may follow
};

unsigned Layout::columnsOf(size_t first) {
  const std::string &text = words[first].text;
  unsigned level = depth;
  if (text == "}" && level > 0)
    --level;
  bool isLabel =
      text == "case" || (text == "default" && first + 1 < words.size() &&
                         words[first + 1].text == ":");
  if (isLabel && level > 0)
    --level;
  if (goesOn && text != "}" && text != "{")
    return statement + continuationColumns;
  if (text == "else" && !heads.empty()) {
    unsigned columns = heads.back();
    heads.pop_back();
    return columns;
  }
  if (isGoverned && text != "{")
    return governed;
  return level * indentColumns;
}

/// What the line from `first` to `end` means for the next one.
void Layout::follow(size_t first, size_t end, unsigned columns) {
  for (size_t i = first; i < end; ++i) {
    const std::string &text = words[i].text;
    if (words[i].isComment)
      continue;
    if (text == "{")
      ++depth;
    else if (text == "}")
      depth -= depth > 0;
    else if (text == "(" || text == "[")
      ++brackets;
    else if (text == ")" || text == "]")
      brackets -= brackets > 0;
  }
  size_t last = end;
  while (last > first && words[last - 1].isComment)
    --last;
  if (last == first)
    return; // a comment alone changes nothing
  const std::string &tail = words[last - 1].text;
  const std::string &head = words[first].text;
  if (!goesOn)
    statement = columns;
  bool isElse = head == "else" || (head == "}" && first + 1 < last &&
                                   words[first + 1].text == "else");
  bool isIf =
      head == "if" || (isElse && words[last - 1].text != "else" && tail == ")");
  bool isHead =
      brackets == 0 &&
      ((tail == ")" &&
        (isIf || isOneOf(head, {"for", "while", "switch", "critical"}))) ||
       tail == "else" || tail == "do" || (goesOn && tail == ")" && isGoverned));
  if (isIf && !goesOn)
    heads.push_back(statement);
  bool isEnd = brackets == 0 && isOneOf(tail, {";", "{", "}", ":", ","});
  isGoverned = isHead;
  if (isHead)
    governed = statement + indentColumns;
  goesOn = !isEnd && !isHead && !(tail == ")" && head == "@");
  if (tail == "{" || tail == "}")
    heads.clear();
}

void Layout::line(size_t first, size_t end) {
  unsigned columns = columnsOf(first);
  out += std::string(columns, ' ');
  for (size_t i = first; i < end; ++i) {
    if (i > first && words[i].isComment)
      out += std::string(std::max(1u, words[i].blanks), ' ');
    else if (i > first && isApart(words, i))
      out += ' ';
    out += words[i].text;
  }
  out += '\n';
  follow(first, end, columns);
}

std::string Layout::run() {
  for (size_t first = 0; first < words.size();) {
    size_t end = first + 1;
    while (end < words.size() && words[end].lineBreaks == 0)
      ++end;
    if (first > 0 && words[first].lineBreaks > 1)
      out += '\n';
    line(first, end);
    first = end;
  }
  return out;
}

} // namespace

std::string format(const std::string &text) { return Layout(text).run(); }

} // namespace karakal::lang
