#include "baker-lang/editor/Outline.h"

#include "baker-lang/editor/Describe.h"
#include "baker-lang/editor/Protocol.h"
#include "support/Error.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>

using nlohmann::json;

namespace karakal::lang {

namespace {

/// Values of SymbolKind in the protocol.
enum class SymbolKind {
  Module = 2,
  Class = 5,
  Property = 7,
  Field = 8,
  Enum = 10,
  Interface = 11,
  Function = 12,
  Variable = 13,
  Constant = 14,
  EnumMember = 22,
  Struct = 23,
  Event = 24,
};

SymbolKind kindOf(const Decl &decl) {
  switch (decl.kind) {
  case DeclKind::Module:
    return SymbolKind::Module;
  case DeclKind::Ppf:
    return SymbolKind::Class;
  case DeclKind::Protocol:
    return SymbolKind::Interface;
  case DeclKind::Struct:
    return SymbolKind::Struct;
  case DeclKind::Enum:
    return SymbolKind::Enum;
  case DeclKind::Function:
    return SymbolKind::Function;
  case DeclKind::Const:
    return SymbolKind::Constant;
  case DeclKind::ProtocolField:
    return SymbolKind::Field;
  case DeclKind::Metadata:
    return SymbolKind::Property;
  case DeclKind::DropReason:
    return SymbolKind::EnumMember;
  case DeclKind::Endpoint:
    return SymbolKind::Event;
  default:
    return SymbolKind::Variable;
  }
}

/// Calls `visit(decl)` for each declaration of the list, outermost first, but
/// not for what functions declare.
template <typename Visit> void forEachDecl(const DeclList &list, Visit visit) {
  auto visitAll = [&](const auto &decls) {
    for (const auto &decl : decls)
      visit(*decl);
  };
  visitAll(list.constants);
  visitAll(list.structs);
  visitAll(list.enums);
  visitAll(list.metadata);
  visitAll(list.dropReasons);
  visitAll(list.globals);
  visitAll(list.functions);
  visitAll(list.bodies);
  for (const auto &protocol : list.protocols) {
    visit(*protocol);
    visitAll(protocol->fields);
  }
  for (const auto &ppf : list.ppfs) {
    visit(*ppf);
    visitAll(ppf->endpoints);
  }
}

template <typename Visit>
void forEachDecl(const Program &program, Visit visit) {
  for (const auto &module : program.modules)
    visit(*module);
  program.forEachDeclList([&](const DeclList &list, const ModuleDecl *) {
    forEachDecl(list, visit);
  });
}

/// A declaration with the tokens that it extends over.
struct Entry {
  json symbol;
  uint32_t begin, end; ///< bytes
  uint32_t name;       ///< where its name begins
};

/// From the token after the last `;`, `{` or `}` to the `;` or the matching
/// `}` of the declaration whose name begins at byte `name`.
std::pair<uint32_t, uint32_t> extentOf(const SourceTokens &tokens,
                                       uint32_t name) {
  size_t first = tokenFrom(tokens, name);
  KARAKAL_ASSERT(first < tokens.size(), "a name is a token");
  size_t last = first;
  auto ends = [](const SourceToken &token) {
    return token.is(";") || token.is("{") || token.is("}") ||
           token.kind == TokenClass::Comment;
  };
  while (first > 0 && !ends(tokens[first - 1]))
    --first;
  unsigned open = 0;
  for (; last + 1 < tokens.size(); ++last) {
    if (tokens[last].is("{"))
      ++open;
    else if (tokens[last].is("}") && (open == 0 || --open == 0))
      break;
    else if (tokens[last].is(";") && open == 0)
      break;
  }
  return {tokens[first].begin, tokens[last].end};
}

/// Moves each entry into the entry that contains it.
json nested(std::vector<Entry> &entries, size_t &next, uint32_t end) {
  json list = json::array();
  while (next < entries.size() && entries[next].begin < end) {
    Entry &entry = entries[next++];
    json inner = nested(entries, next, entry.end);
    if (!inner.empty())
      entry.symbol["children"] = std::move(inner);
    list.push_back(std::move(entry.symbol));
  }
  return list;
}

} // namespace

json documentSymbols(const Document &document) {
  std::vector<Entry> entries;
  auto add = [&](const Decl &decl) {
    if (decl.range.file != document.fileNumber() || decl.range.end == 0)
      return;
    auto [begin, end] = extentOf(document.tokens(), decl.range.begin);
    end = std::max(end, decl.range.end);
    const SourceFile &file = document.file();
    std::string name(document.sources().text(decl.range));
    if (auto *body = llvm::dyn_cast<FunctionDecl>(&decl);
        body && !body->path.empty()) {
      name.clear();
      for (const Identifier &part : body->path)
        name += (name.empty() ? "" : ".") + part.name;
    }
    if (name.empty())
      return;
    entries.push_back(
        {{{"name", name},
          {"detail", describe(decl)},
          {"kind", kindOf(decl)},
          {"range", rangeOf(file, begin, end)},
          {"selectionRange", rangeOf(file, decl.range.begin, decl.range.end)}},
         begin,
         end,
         decl.range.begin});
  };
  forEachDecl(document.program(), add);
  // Several names of one declaration begin at one place: the first is not
  // around the others.
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return std::tie(a.begin, b.end, a.name) < std::tie(b.begin, a.end, b.name);
  });
  auto isSame = [](const Entry &a, const Entry &b) { return a.name == b.name; };
  entries.erase(std::unique(entries.begin(), entries.end(), isSame),
                entries.end());
  for (size_t i = 0; i + 1 < entries.size(); ++i)
    if (entries[i].begin == entries[i + 1].begin)
      entries[i].end = entries[i].begin;
  size_t next = 0;
  return nested(entries, next, uint32_t(document.text().size()) + 1);
}

void addWorkspaceSymbols(const Document &document, const std::string &query,
                         std::map<std::string, json> &symbols) {
  forEachDecl(document.program(), [&](const Decl &decl) {
    if (decl.range.end == 0 ||
        !llvm::StringRef(decl.name).contains_insensitive(query))
      return;
    json location = document.locationOf(decl.range);
    symbols.emplace(location.dump(), json{{"name", decl.name},
                                          {"kind", kindOf(decl)},
                                          {"location", location}});
  });
}

json foldingRanges(const Document &document) {
  json ranges = json::array();
  auto lineOf = [&](uint32_t offset) {
    return document.file().location(offset).line - 1;
  };
  auto add = [&](uint32_t first, uint32_t last, const char *kind) {
    if (last <= first)
      return;
    json range = {{"startLine", first}, {"endLine", last}};
    if (kind)
      range["kind"] = kind;
    ranges.push_back(std::move(range));
  };
  std::vector<uint32_t> open; // lines of `{`
  const SourceTokens &tokens = document.tokens();
  for (size_t i = 0; i < tokens.size(); ++i) {
    const SourceToken &token = tokens[i];
    if (token.is("{")) {
      open.push_back(lineOf(token.begin));
    } else if (token.is("}") && !open.empty()) {
      uint32_t last = lineOf(token.begin);
      add(open.back(), last > 0 ? last - 1 : 0, nullptr);
      open.pop_back();
    }
    // Comments, or imports, on consecutive lines.
    bool isComment = token.kind == TokenClass::Comment;
    if (!isComment && !token.is("import"))
      continue;
    uint32_t first = lineOf(token.begin), last = lineOf(token.end - 1);
    size_t end = i + 1;
    for (; end < tokens.size(); ++end) {
      bool belongs = isComment ? tokens[end].kind == TokenClass::Comment
                               : tokens[end].isWord() || tokens[end].is(".") ||
                                     tokens[end].is(";");
      if (!belongs || lineOf(tokens[end].begin) > last + 1)
        break;
      bool isOther = !isComment && lineOf(tokens[end].begin) > last &&
                     !tokens[end].is("import");
      if (isOther)
        break;
      last = lineOf(tokens[end].end - 1);
    }
    add(first, last, isComment ? "comment" : "imports");
    i = end - 1;
  }
  return ranges;
}

} // namespace karakal::lang
