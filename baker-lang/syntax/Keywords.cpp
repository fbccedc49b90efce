#include "baker-lang/syntax/Keywords.h"

#include "BakerLexer.h"

#include <cctype>

namespace karakal::lang {

bool isKeyword(const antlr4::Token *token) {
  // ANTLR numbers the literals of the grammar before its named tokens, of which
  // SIZED_TYPE is the first.
  return token->getType() < BakerLexer::SIZED_TYPE &&
         std::isalpha(static_cast<unsigned char>(token->getText()[0]));
}

bool isScalarType(const antlr4::Token *token) {
  std::string text = token->getText();
  return token->getType() == BakerLexer::SIZED_TYPE || text == "bool" ||
         text == "int" || text == "unsigned";
}

} // namespace karakal::lang
