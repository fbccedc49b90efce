#include "baker-lang/editor/SemanticTokens.h"

#include "baker-lang/editor/Protocol.h"
#include "support/Error.h"

using nlohmann::json;

namespace karakal::lang {

namespace {

enum class Colour {
  Namespace,
  Class,
  Interface,
  Struct,
  Enum,
  Type,
  Function,
  Variable,
  Parameter,
  Property,
  EnumMember,
  Event,
  Keyword,
  Number,
  String,
  Comment,
};
constexpr const char *colourNames[] = {
    "namespace", "class",    "interface", "struct",   "enum",       "type",
    "function",  "variable", "parameter", "property", "enumMember", "event",
    "keyword",   "number",   "string",    "comment"};

enum Modifier : unsigned { Declaration = 1, ReadOnly = 2, DefaultLibrary = 4 };
constexpr const char *modifierNames[] = {"declaration", "readonly",
                                         "defaultLibrary"};

Colour colourOf(const Symbol &symbol) {
  if (symbol.field)
    return Colour::Property;
  switch (symbol.decl->kind) {
  case DeclKind::Module:
    return Colour::Namespace;
  case DeclKind::Ppf:
    return Colour::Class;
  case DeclKind::Protocol:
    return Colour::Interface;
  case DeclKind::Struct:
    return Colour::Struct;
  case DeclKind::Enum:
    return Colour::Enum;
  case DeclKind::Function:
    return Colour::Function;
  case DeclKind::ProtocolField:
  case DeclKind::Metadata:
    return Colour::Property;
  case DeclKind::DropReason:
    return Colour::EnumMember;
  case DeclKind::Endpoint:
    return Colour::Event;
  default:
    break;
  }
  auto *variable = llvm::dyn_cast<VarDecl>(symbol.decl);
  return variable && variable->isParameter ? Colour::Parameter
                                           : Colour::Variable;
}

unsigned modifiersOf(const SymbolOccurrence &occurrence) {
  const Decl &decl = *occurrence.symbol.decl;
  auto *global = llvm::dyn_cast<GlobalDecl>(&decl);
  bool isReadOnly = decl.kind == DeclKind::Const || (global && global->isConst);
  bool isDeclaration = occurrence.range == occurrence.symbol.declaredAt();
  return (isDeclaration ? Declaration : 0) | (isReadOnly ? ReadOnly : 0) |
         (occurrence.symbol.isBuiltin() ? DefaultLibrary : 0);
}

/// Encodes tokens in the order of the text, each relative to the one before.
class Encoder {
public:
  explicit Encoder(const SourceFile &file) : file(file) {}
  json data = json::array();

  /// A range within one line.
  void add(uint32_t begin, uint32_t end, Colour colour, unsigned modifiers) {
    json from = positionOf(file, begin), to = positionOf(file, end);
    unsigned at = from["line"], character = from["character"];
    KARAKAL_ASSERT(at >= line, "tokens are in the order of the text");
    data.push_back(at - line);
    data.push_back(at == line ? character - column : character);
    data.push_back(to["character"].get<unsigned>() - character);
    data.push_back(colour);
    data.push_back(modifiers);
    line = at;
    column = character;
  }

private:
  const SourceFile &file;
  unsigned line = 0, column = 0;
};

/// The colour of a token that is no name of a symbol; false if it has none.
bool colourOf(const SourceToken &token, Colour &colour, unsigned &modifiers) {
  switch (token.kind) {
  case TokenClass::Keyword:
    colour = Colour::Keyword;
    return true;
  case TokenClass::Type:
    colour = Colour::Type;
    return true;
  case TokenClass::Number:
    colour = Colour::Number;
    return true;
  case TokenClass::String:
    colour = Colour::String;
    return true;
  case TokenClass::Comment:
    colour = Colour::Comment;
    return true;
  case TokenClass::Name:
    colour = Colour::Function;
    modifiers = DefaultLibrary;
    return primitiveNamed(std::string(token.text)) != Primitive::None;
  case TokenClass::Sign:
    return false;
  }
  KARAKAL_UNREACHABLE("no such class of tokens");
}

} // namespace

json semanticTokensLegend() {
  return {{"tokenTypes", colourNames}, {"tokenModifiers", modifierNames}};
}

json semanticTokens(const Document &document) {
  std::map<uint32_t, const SymbolOccurrence *> names;
  for (const SymbolOccurrence &occurrence : document.occurrences())
    if (occurrence.range.file == document.fileNumber())
      names[occurrence.range.begin] = &occurrence;
  Encoder encoder(document.file());
  for (const SourceToken &token : document.tokens()) {
    Colour colour = Colour::Variable;
    unsigned modifiers = 0;
    if (auto name = names.find(token.begin); name != names.end()) {
      colour = colourOf(name->second->symbol);
      modifiers = modifiersOf(*name->second);
    } else if (!colourOf(token, colour, modifiers)) {
      continue;
    }
    for (uint32_t begin = token.begin; begin < token.end;) {
      size_t lineEnd = token.text.find('\n', begin - token.begin);
      uint32_t end = lineEnd == std::string_view::npos
                         ? token.end
                         : token.begin + uint32_t(lineEnd);
      if (end > begin)
        encoder.add(begin, end, colour, modifiers);
      begin = end + 1;
    }
  }
  return {{"data", encoder.data}};
}

} // namespace karakal::lang
