// Keywords that a program uses as names.
//
//   u8 protocol = 1;          error: 'protocol' is a keyword …
//   return protocol + 1;      not reported: the word is a name from there on
//
// `table` is a keyword only before a name and a brace, `in` and `out` only
// before a type, and names elsewhere. A keyword after a type, or after
// `module`, `ppf` and the like, can only be meant as a name. Fields of structs
// and metadata may be called like keywords.

#include "baker-lang/syntax/KeywordsAsNames.h"

#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "baker-lang/syntax/Keywords.h"
#include "support/Error.h"

#include "BakerLexer.h"

#include "llvm/ADT/StringRef.h"

#include <set>

using antlr4::Token;

namespace karakal::lang {

namespace {

class KeywordScan {
public:
  KeywordScan(antlr4::CommonTokenStream &stream, const TokenRanges &tokenRanges,
              Diagnostics &diagnostics)
      : tokenRanges(tokenRanges), diagnostics(diagnostics) {
    for (Token *token : stream.getTokens())
      if (token->getChannel() == Token::DEFAULT_CHANNEL) {
        tokens.push_back(token);
        texts.push_back(token->getText());
      }
  }
  void run();

private:
  /// Turns each `table` that declares no table, and each `in` and `out` that
  /// begins no endpoint, into an identifier.
  void keepAsNames();
  /// True if token `i`, a keyword, stands where a declaration has its name.
  bool isName(size_t i) const;
  /// Turns token `i` and the same words after it, up to the end of the
  /// enclosing block, into identifiers.
  void turnIntoName(size_t i);
  const std::string &text(size_t i) const {
    static const std::string none;
    return i < texts.size() ? texts[i] : none;
  }

  const TokenRanges &tokenRanges;
  Diagnostics &diagnostics;
  std::vector<Token *> tokens;
  std::vector<std::string> texts; ///< of the tokens
  /// For each open brace: whether it encloses fields.
  std::vector<bool> enclosesFields;
};

bool KeywordScan::isName(size_t i) const {
  static const std::set<std::string> heads = {
      "module", "ppf", "struct", "protocol", "enum", "instance", "drop_reason"};
  static const std::set<std::string> ends = {"=", ";", ",", ")", "[", "(", "{"};
  bool isType = tokens[i]->getType() == BakerLexer::SIZED_TYPE;
  if (i == 0 || (isScalarType(tokens[i]) && !isType) || text(i) == "void" ||
      (!enclosesFields.empty() && enclosesFields.back() && !isType) ||
      !ends.count(text(i + 1)))
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

void KeywordScan::turnIntoName(size_t i) {
  const std::string word = text(i);
  KARAKAL_ASSERT(isKeyword(tokens[i]) || isScalarType(tokens[i]),
                 "only keywords and types are turned into names");
  auto turn = [](Token *token) {
    dynamic_cast<antlr4::WritableToken &>(*token).setType(BakerLexer::IDENT);
  };
  // Fields are used outside the braces that declare them.
  if (!enclosesFields.empty() && enclosesFields.back()) {
    turn(tokens[i]);
    for (size_t k = 1; k < tokens.size(); ++k)
      if (text(k) == word && (text(k - 1) == "." || text(k - 1) == "->"))
        turn(tokens[k]);
    return;
  }
  int depth = 0;
  bool wasInside = false;
  for (size_t k = i; k < tokens.size() && depth >= 0; ++k) {
    std::string here = text(k);
    depth += here == "{" ? 1 : here == "}" ? -1 : 0;
    wasInside |= depth > 0;
    // A parameter is visible in the function body that follows it.
    if (enclosesFields.empty() &&
        ((wasInside && depth == 0) || (depth == 0 && here == ";")))
      return;
    bool isTypeOfNext = isScalarType(tokens[k]) && k + 1 < tokens.size() &&
                        tokens[k + 1]->getType() == BakerLexer::IDENT;
    if (here == word && !isTypeOfNext)
      turn(tokens[k]);
  }
}

void KeywordScan::keepAsNames() {
  auto isIdentifier = [&](size_t i) {
    return i < tokens.size() && tokens[i]->getType() == BakerLexer::IDENT;
  };
  for (size_t i = 0; i < tokens.size(); ++i) {
    bool isTable =
        text(i) == "table" && (text(i + 2) != "{" || !isIdentifier(i + 1));
    bool isEndpoint = (text(i) == "in" || text(i) == "out") &&
                      !isIdentifier(i + 1) &&
                      !(i + 1 < tokens.size() && isScalarType(tokens[i + 1]));
    if (isTable || isEndpoint)
      dynamic_cast<antlr4::WritableToken &>(*tokens[i])
          .setType(BakerLexer::IDENT);
  }
}

void KeywordScan::run() {
  keepAsNames();
  for (size_t i = 0; i < tokens.size(); ++i) {
    std::string here = text(i);
    if (here == "{") {
      bool isStruct = i > 1 && text(i - 2) == "struct";
      enclosesFields.push_back(isStruct ||
                               (i > 0 && text(i - 1) == "metadata"));
    } else if (here == "}" && !enclosesFields.empty()) {
      enclosesFields.pop_back();
    }
    bool isType = tokens[i]->getType() == BakerLexer::SIZED_TYPE;
    if ((!isKeyword(tokens[i]) && !isType) || !isName(i))
      continue;
    report(diagnostics, DiagId::ReservedName, tokenRanges.range(tokens[i]),
           "'" + here + "' is a " + (isType ? "type" : "keyword") +
               " and cannot be a name");
    turnIntoName(i);
  }
}

} // namespace

void turnKeywordsIntoNames(antlr4::CommonTokenStream &tokens,
                           const TokenRanges &tokenRanges,
                           Diagnostics &diagnostics) {
  KeywordScan(tokens, tokenRanges, diagnostics).run();
}

} // namespace karakal::lang
