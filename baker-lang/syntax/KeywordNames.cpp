// Keywords that were meant as names.
//
//   u8 protocol = 1;          error: 'protocol' is a word of the language …
//   return protocol + 1;      not reported: the word counts as a name here
//
// A keyword behind a type, or behind `module`, `ppf` and their like, cannot be
// anything but a name. Fields of structs and of metadata may bear keywords.

#include "baker-lang/syntax/KeywordNames.h"

#include "baker-lang/syntax/DiagnosticCatalogue.h"

#include "BakerLexer.h"

#include "llvm/ADT/StringRef.h"

#include <set>

using antlr4::Token;

namespace karakal::lang {

namespace {

class Scan {
public:
  Scan(antlr4::CommonTokenStream &stream, const TokenPlaces &places,
       Diagnostics &diagnostics)
      : places(places), diagnostics(diagnostics) {
    for (Token *token : stream.getTokens())
      if (token->getChannel() == Token::DEFAULT_CHANNEL)
        tokens.push_back(token);
  }
  void run();

private:
  bool isName(size_t i) const;
  void rename(size_t i);
  std::string text(size_t i) const {
    return i < tokens.size() ? tokens[i]->getText() : "";
  }

  const TokenPlaces &places;
  Diagnostics &diagnostics;
  std::vector<Token *> tokens;
  /// Of each open brace: it holds fields, which may bear keywords.
  std::vector<bool> holdsFields;
};

bool isKeyword(const Token *token) {
  return token->getType() < BakerLexer::SIZED_TYPE &&
         std::isalpha(static_cast<unsigned char>(token->getText()[0]));
}

bool isScalarType(const Token *token) {
  std::string text = token->getText();
  return token->getType() == BakerLexer::SIZED_TYPE || text == "bool" ||
         text == "int" || text == "unsigned";
}

/// Whether token `i`, a keyword, stands where a declaration has its name.
bool Scan::isName(size_t i) const {
  static const std::set<std::string> heads = {
      "module", "ppf", "struct", "protocol", "enum", "instance", "drop_reason"};
  static const std::set<std::string> ends = {"=", ";", ",", ")", "[", "(", "{"};
  if (i == 0 || isScalarType(tokens[i]) || text(i) == "void" ||
      (!holdsFields.empty() && holdsFields.back()) || !ends.count(text(i + 1)))
    return false;
  if (isScalarType(tokens[i - 1]))
    return true;
  bool isHead = heads.count(text(i - 1)) != 0;
  // `P_pkt * in`
  bool isHandle = text(i - 1) == "*" && i > 1 &&
                  tokens[i - 2]->getType() == BakerLexer::IDENT &&
                  llvm::StringRef(text(i - 2)).ends_with("_pkt");
  return isHead || isHandle;
}

/// Makes names of the word's uses until the block around it ends.
void Scan::rename(size_t i) {
  const std::string word = text(i);
  int depth = 0;
  bool wasInside = false;
  for (size_t k = i; k < tokens.size() && depth >= 0; ++k) {
    std::string here = text(k);
    depth += here == "{" ? 1 : here == "}" ? -1 : 0;
    wasInside |= depth > 0;
    // A parameter's block is the body behind it.
    if (holdsFields.empty() &&
        ((wasInside && depth == 0) || (depth == 0 && here == ";")))
      return;
    if (here == word)
      dynamic_cast<antlr4::WritableToken &>(*tokens[k])
          .setType(BakerLexer::IDENT);
  }
}

void Scan::run() {
  for (size_t i = 0; i < tokens.size(); ++i) {
    std::string here = text(i);
    if (here == "{") {
      bool isStruct = i > 1 && text(i - 2) == "struct";
      holdsFields.push_back(isStruct || (i > 0 && text(i - 1) == "metadata"));
    } else if (here == "}" && !holdsFields.empty()) {
      holdsFields.pop_back();
    }
    if (!isKeyword(tokens[i]) || !isName(i))
      continue;
    report(diagnostics, DiagId::ReservedName, places.range(tokens[i]),
           "'" + here + "' is a word of the language and cannot be a name");
    rename(i);
  }
}

} // namespace

void nameKeywords(antlr4::CommonTokenStream &tokens, const TokenPlaces &places,
                  Diagnostics &diagnostics) {
  Scan(tokens, places, diagnostics).run();
}

} // namespace karakal::lang
