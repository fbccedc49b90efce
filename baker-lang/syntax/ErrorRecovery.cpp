// Where parsing goes on after a syntax error.
//
//   x = (1 + ;       the statement is left out
//   y = 2;           parsed and checked
//   ppf { … }        the declaration is left out, with its block
//   ppf route { … }
//
// Files, modules, blocks and the braces of structs, PPFs and the like are lists
// of items. An error inside an item costs that item and nothing else. An item
// ends at its `;`, after its block, before the brace of its list, or at a line
// that is indented no deeper than the item's first line. Tokens that begin no
// item are left out in the same way.

#include "baker-lang/syntax/SyntaxErrors.h"

#include "support/Error.h"

#include "BakerParser.h"

using antlr4::Parser;
using antlr4::Token;

namespace karakal::lang {

/// True for a rule that is one item of a list.
static bool isItem(size_t rule) {
  static const std::set<size_t> rules = {
      BakerParser::RuleTopLevel,    BakerParser::RuleModuleItem,
      BakerParser::RuleStatement,   BakerParser::RuleSwitchItem,
      BakerParser::RuleEndpoint,    BakerParser::RuleWire,
      BakerParser::RuleStructField, BakerParser::RuleMetadataField,
      BakerParser::RuleProtocolItem};
  return rules.count(rule) != 0;
}

/// True for a rule that contains a list of such items.
static bool isList(size_t rule) {
  static const std::set<size_t> rules = {BakerParser::RuleProgram,
                                         BakerParser::RuleModuleDeclaration,
                                         BakerParser::RuleBlock,
                                         BakerParser::RuleStatement, // `switch`
                                         BakerParser::RulePpfDeclaration,
                                         BakerParser::RuleWiringDeclaration,
                                         BakerParser::RuleStructDeclaration,
                                         BakerParser::RuleMetadataDeclaration,
                                         BakerParser::RuleProtocolDeclaration};
  return rules.count(rule) != 0;
}

//===----------------------------------------------------------------------===//
// The end of an item
//===----------------------------------------------------------------------===//

namespace {

/// Finds the end of an item by its brackets and its indentation.
class ItemEnd {
public:
  ItemEnd(antlr4::TokenStream &stream, size_t start)
      : stream(stream), start(start) {}

  /// The index of the first token after the item. It is at least `least`.
  size_t find(size_t least);

private:
  const Token *at(size_t index) const { return stream.get(index); }
  bool isVisible(size_t index) const {
    return at(index)->getChannel() == Token::DEFAULT_CHANNEL;
  }
  bool isEnd(size_t index) const { return at(index)->getType() == Token::EOF; }
  size_t next(size_t index) const {
    while (!isEnd(index) && !isVisible(++index))
      ;
    return index;
  }
  bool isFirstOfLine(size_t index) const;
  /// The token after the `}` that closes the `{` at `index`.
  size_t afterBlock(size_t index) const;
  /// True if the item goes on at `index`, after one of its blocks.
  bool goesOn(size_t index) const;

  antlr4::TokenStream &stream;
  size_t start;
};

} // namespace

bool ItemEnd::isFirstOfLine(size_t index) const {
  size_t line = at(index)->getLine();
  while (index-- > 0)
    if (isVisible(index))
      return at(index)->getLine() < line;
  return true;
}

size_t ItemEnd::afterBlock(size_t index) const {
  KARAKAL_ASSERT(at(index)->getText() == "{", "a block begins with '{'");
  int depth = 0;
  do {
    std::string text = at(index)->getText();
    depth += text == "{" ? 1 : text == "}" ? -1 : 0;
    index = next(index);
  } while (depth > 0 && !isEnd(index));
  return index;
}

bool ItemEnd::goesOn(size_t index) const {
  std::string text = at(index)->getText(), first = at(start)->getText();
  return text == "else" || text == "," || text == ";" || text == ")" ||
         (first == "do" && text == "while");
}

size_t ItemEnd::find(size_t least) {
  const Token *first = at(start);
  bool isWholeLine = isFirstOfLine(start);
  int parens = 0, semicolonsInFor = first->getText() == "for" ? 2 : 0;
  for (size_t i = start; !isEnd(i);) {
    std::string text = at(i)->getText();
    bool isBeyond = i >= least;
    if (i != start && isBeyond && isWholeLine && isFirstOfLine(i) &&
        at(i)->getCharPositionInLine() <= first->getCharPositionInLine() &&
        text != "{" && text != "else")
      return i;
    if (text == "}" && isBeyond)
      return i;
    if (text == "{") {
      size_t after = afterBlock(i);
      i = after;
      if (after > least && !goesOn(after))
        return after;
      continue;
    }
    parens += text == "(" ? 1 : text == ")" ? -1 : 0;
    bool isInFor = text == ";" && parens > 0 && semicolonsInFor-- > 0;
    i = next(i);
    if (text == ";" && isBeyond && !isInFor)
      return i;
  }
  return std::max(least, stream.size() - 1);
}

//===----------------------------------------------------------------------===//
// Recovery
//===----------------------------------------------------------------------===//

void SyntaxErrors::skipToken(Parser *parser) {
  Token *token = parser->getCurrentToken();
  if (token->getType() == BakerParser::IDENT)
    program.unparsedNames.insert(token->getText());
  parser->consume();
}

void SyntaxErrors::skipItem(Parser *parser, size_t start) {
  auto *stream = parser->getTokenStream();
  size_t end = ItemEnd(*stream, start).find(stream->index());
  for (size_t i = start; i < stream->index(); ++i)
    if (stream->get(i)->getType() == BakerParser::IDENT)
      program.unparsedNames.insert(stream->get(i)->getText());
  while (stream->index() < end &&
         parser->getCurrentToken()->getType() != Token::EOF)
    skipToken(parser);
}

Token *SyntaxErrors::singleTokenDeletion(Parser *parser) {
  std::string text = parser->getCurrentToken()->getText();
  if (text == ";" || text == "{" || text == "}")
    return nullptr;
  return DefaultErrorStrategy::singleTokenDeletion(parser);
}

void SyntaxErrors::recover(Parser *parser, std::exception_ptr error) {
  auto *context = parser->getContext();
  if (!isItem(context->getRuleIndex())) {
    if (context->getRuleIndex() == BakerParser::RuleProgram)
      return; // a file is the outermost rule
    std::rethrow_exception(error);
  }
  size_t start = context->getStart()->getTokenIndex();
  KARAKAL_ASSERT(start <= parser->getTokenStream()->index(),
                 "an item begins after the current token");
  skipItem(parser, start);
  endErrorCondition(parser); // an error in the next item is a new error
}

/// The type of '}'. ANTLR copies a map of all tokens to find it.
static size_t closingBrace(Parser *parser) {
  static const size_t type = parser->getTokenType("'}'");
  return type;
}

void SyntaxErrors::sync(Parser *parser) {
  const auto &atn = parser->getInterpreter<antlr4::atn::ATNSimulator>()->atn;
  const antlr4::misc::IntervalSet &next =
      atn.nextTokens(atn.states[parser->getState()]);
  if (next.contains(parser->getCurrentToken()->getType()))
    return;
  auto *context =
      dynamic_cast<antlr4::ParserRuleContext *>(parser->getContext());
  KARAKAL_ASSERT(context, "the parser is in no rule");
  bool isFile = context->getRuleIndex() == BakerParser::RuleProgram;
  size_t end = isFile ? size_t(Token::EOF) : closingBrace(parser);
  if (!isList(context->getRuleIndex()) || !next.contains(end))
    return DefaultErrorStrategy::sync(parser);
  while (!next.contains(parser->getCurrentToken()->getType()) &&
         parser->getCurrentToken()->getType() != Token::EOF) {
    reportUnwantedToken(parser);
    size_t before = parser->getTokenStream()->index();
    skipItem(parser, before);
    // A brace that closes no list.
    if (parser->getTokenStream()->index() == before)
      skipToken(parser);
  }
}

} // namespace karakal::lang
