#include "baker-lang/syntax/Keywords.h"

#include "support/Error.h"

#include "BakerLexer.h"

#include <cctype>

namespace karakal::lang {

static bool isLetter(char c) {
  return std::isalpha(static_cast<unsigned char>(c));
}

const std::vector<std::string> &keywords() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> result;
    antlr4::ANTLRInputStream empty;
    BakerLexer lexer(&empty);
    for (size_t type = 1; type < BakerLexer::SIZED_TYPE; ++type) {
      // A literal in quotes: 'module'.
      std::string literal(lexer.getVocabulary().getLiteralName(type));
      KARAKAL_ASSERT(literal.size() > 2, "a token of the grammar has no text");
      if (isLetter(literal[1]))
        result.push_back(literal.substr(1, literal.size() - 2));
    }
    return result;
  }();
  return words;
}

bool isKeyword(const antlr4::Token *token) {
  // ANTLR numbers the literals of the grammar before its named tokens, of which
  // SIZED_TYPE is the first.
  return token->getType() < BakerLexer::SIZED_TYPE &&
         isLetter(token->getText()[0]);
}

bool isScalarType(const antlr4::Token *token) {
  std::string text = token->getText();
  return token->getType() == BakerLexer::SIZED_TYPE || text == "bool" ||
         text == "int" || text == "unsigned";
}

} // namespace karakal::lang
