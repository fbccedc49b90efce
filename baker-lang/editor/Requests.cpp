// The requests that a language server answers about an open document.

#include "baker-lang/editor/Completion.h"
#include "baker-lang/editor/Describe.h"
#include "baker-lang/editor/Formatter.h"
#include "baker-lang/editor/LanguageServer.h"
#include "baker-lang/editor/Outline.h"
#include "baker-lang/editor/Rename.h"
#include "baker-lang/editor/SemanticTokens.h"
#include "baker-lang/editor/WordHelp.h"
#include "support/Error.h"

#include <algorithm>

using nlohmann::json;

namespace karakal::lang {

static uint32_t placeOf(const Document &document, const json &parameters) {
  return offsetOf(document.file(), parameters.at("position"));
}

const LanguageServer::Placements &
LanguageServer::placementsOf(OpenDocument &open) {
  if (!open.placements) {
    bool isComplete = findPlacements && open.document.isWholeProgram() &&
                      !open.document.diagnostics().hasErrors();
    open.placements = isComplete ? findPlacements(open.document.program(),
                                                  open.document.sources())
                                 : Placements();
  }
  return *open.placements;
}

//===----------------------------------------------------------------------===//
// What a name is
//===----------------------------------------------------------------------===//

/// Does not wait for the analysis of a text that has just changed.
json LanguageServer::completion(const json &parameters) {
  std::string uri = parameters.at("textDocument").at("uri");
  std::string path = realPath(pathOfUri(uri));
  if (!texts.count(path))
    throw ResponseError{ErrorCode::InvalidParams, "'" + uri + "' is not open"};
  auto entry = documents.find(uri);
  return completionItems(path, parameters.at("position"), texts,
                         entry == documents.end()
                             ? SourceManager()
                             : entry->second.document.sources(),
                         importFolders);
}

/// Help for the word of the language at byte `offset`: a keyword, a primitive
/// or a scalar type.
static json wordHover(const Document &document, uint32_t offset) {
  for (const SourceToken &token : document.tokens()) {
    if (token.begin > offset || token.end <= offset || !token.isWord())
      continue;
    const WordHelp *help = helpFor(token.text);
    std::string text = help ? std::string(help->form) + "\n" + help->meaning
                            : describeScalarType(std::string(token.text));
    if (!text.empty())
      return {{"contents", {{"kind", "plaintext"}, {"value", text}}},
              {"range", rangeOf(document.file(), token.begin, token.end)}};
  }
  return nullptr;
}

json LanguageServer::hover(OpenDocument &open, const json &parameters) {
  const Document &document = open.document;
  uint32_t offset = placeOf(document, parameters);
  const SymbolOccurrence *name = document.occurrenceAt(offset);
  if (!name)
    return wordHover(document, offset);
  std::string text = describe(name->symbol);
  if (auto *global = llvm::dyn_cast<GlobalDecl>(name->symbol.decl)) {
    const Placements &placements = placementsOf(open);
    auto found = placements.find(global->symbol);
    if (found != placements.end()) {
      const GlobalPlacement &placement = found->second;
      text += "\nplaced in " + placement.place;
      if (!placement.reason.empty())
        text += ": " + placement.reason;
      text += "\na read takes " + std::to_string(placement.readCycles) +
              " cycles on an idle chip";
    }
  }
  return {
      {"contents", {{"kind", "plaintext"}, {"value", text}}},
      {"range", rangeOf(document.file(), name->range.begin, name->range.end)}};
}

/// The file that an `import` around byte `offset` reads, or null.
static json importAt(const Document &document, uint32_t offset) {
  const SourceTokens &tokens = document.tokens();
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("import") || tokens[i].begin > offset)
      continue;
    std::string path;
    size_t end = i + 1;
    for (; end < tokens.size() && !tokens[end].is(";"); ++end)
      path += tokens[end].is(".") ? "/" : std::string(tokens[end].text);
    if (end == tokens.size() || tokens[end].begin < offset)
      continue;
    path = "/" + path + ".baker";
    for (uint32_t file = 0; file < document.sources().size(); ++file) {
      const std::string &source = document.sources().file(file).path();
      if (source.size() > path.size() &&
          source.compare(source.size() - path.size(), path.size(), path) == 0)
        return document.locationOf({file, 0, 0});
    }
  }
  return nullptr;
}

json LanguageServer::definition(OpenDocument &open, const json &parameters) {
  const Document &document = open.document;
  uint32_t offset = placeOf(document, parameters);
  const SymbolOccurrence *name = document.occurrenceAt(offset);
  if (!name)
    return importAt(document, offset);
  return name->symbol.isBuiltin()
             ? json()
             : document.locationOf(name->symbol.declaredAt());
}

json LanguageServer::references(OpenDocument &open, const json &parameters) {
  const Document &document = open.document;
  const SymbolOccurrence *name =
      document.occurrenceAt(placeOf(document, parameters));
  bool withDeclaration = parameters.value("context", json::object())
                             .value("includeDeclaration", true);
  json list = json::array();
  if (name)
    for (SourceRange range : document.rangesOf(name->symbol))
      if (withDeclaration || !(range == name->symbol.declaredAt()))
        list.push_back(document.locationOf(range));
  return list;
}

json LanguageServer::highlights(OpenDocument &open, const json &parameters) {
  const Document &document = open.document;
  const SymbolOccurrence *name =
      document.occurrenceAt(placeOf(document, parameters));
  json list = json::array();
  if (name)
    for (SourceRange range : document.rangesOf(name->symbol))
      if (range.file == document.fileNumber())
        list.push_back(
            {{"range", rangeOf(document.file(), range.begin, range.end)}});
  return list;
}

json LanguageServer::workspaceSymbols(const json &parameters) const {
  std::map<std::string, json> symbols;
  for (auto &[uri, open] : documents)
    addWorkspaceSymbols(open.document, parameters.value("query", ""), symbols);
  json list = json::array();
  for (auto &[place, symbol] : symbols)
    list.push_back(symbol);
  return list;
}

json LanguageServer::signatureHelp(OpenDocument &open, const json &parameters) {
  const Document &document = open.document;
  uint32_t offset = placeOf(document, parameters);
  CallAround call =
      callAround(document.tokens(), tokenFrom(document.tokens(), offset));
  NamedPlace place =
      expressionAt(document.program(), document.fileNumber(), offset);
  const ModuleDecl *module = place.function ? place.function->module : nullptr;
  Signature signature = signatureOf(document.program(), module, call.callee);
  if (signature.label.empty())
    return nullptr;
  json information = {{"label", signature.label},
                      {"parameters", json::array()}};
  for (const std::string &parameter : signature.parameters)
    information["parameters"].push_back({{"label", parameter}});
  if (!signature.meaning.empty())
    information["documentation"] = signature.meaning;
  return {{"signatures", {information}},
          {"activeSignature", 0},
          {"activeParameter", call.argument}};
}

//===----------------------------------------------------------------------===//
// The text as a whole
//===----------------------------------------------------------------------===//

json LanguageServer::symbols(OpenDocument &open, const json &) {
  return documentSymbols(open.document);
}

json LanguageServer::colours(OpenDocument &open, const json &) {
  return semanticTokens(open.document);
}

json LanguageServer::folding(OpenDocument &open, const json &) {
  return foldingRanges(open.document);
}

/// What each global variable costs, after its name: `: 4 words, scratch at
/// 0x0`.
json LanguageServer::inlayHints(OpenDocument &open, const json &parameters) {
  const Document &document = open.document;
  const json &range = parameters.at("range");
  uint32_t begin = offsetOf(document.file(), range.at("start"));
  uint32_t end = offsetOf(document.file(), range.at("end"));
  const Placements &placements = placementsOf(open);
  std::map<uint32_t, json> hints; // an instance declares the same variables
  document.program().forEachDeclList(
      [&](const DeclList &list, const ModuleDecl *) {
        for (const auto &global : list.globals) {
          SourceRange name = global->range;
          auto placement = placements.find(global->symbol);
          if (name.file != document.fileNumber() || name.begin < begin ||
              name.end > end || placement == placements.end())
            continue;
          const GlobalPlacement &where = placement->second;
          hints[name.begin] = {
              {"position", positionOf(document.file(), name.end)},
              {"label", ": " + sizeText(global->type) + ", " + where.place},
              {"tooltip", where.reason + "\na read takes " +
                              std::to_string(where.readCycles) + " cycles"}};
        }
      });
  json list = json::array();
  for (auto &[place, hint] : hints)
    list.push_back(hint);
  return list;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

json LanguageServer::prepareRename(OpenDocument &open, const json &parameters) {
  const SymbolOccurrence &name =
      renameableAt(open.document, placeOf(open.document, parameters));
  return {{"range",
           rangeOf(open.document.file(), name.range.begin, name.range.end)},
          {"placeholder", name.symbol.name()}};
}

json LanguageServer::rename(OpenDocument &open, const json &parameters) {
  return renameEdit(open.document, placeOf(open.document, parameters),
                    parameters.at("newName"), texts, importFolders);
}

/// "Change 'coutn' to 'count'"
static std::string titleOf(const Document &document,
                           const Diagnostic::Fix &fix) {
  std::string old(document.sources().text(fix.range));
  if (old.empty())
    return "Insert '" + fix.text + "'";
  return fix.text.empty() ? "Remove '" + old + "'"
                          : "Change '" + old + "' to '" + fix.text + "'";
}

/// The fixes of the diagnostics in a range. Several fixes of one diagnostic are
/// one action.
json LanguageServer::codeActions(OpenDocument &open, const json &parameters) {
  const Document &document = open.document;
  const json &range = parameters.at("range");
  uint32_t begin = offsetOf(document.file(), range.at("start"));
  uint32_t end = offsetOf(document.file(), range.at("end"));
  json actions = json::array();
  for (const Diagnostic &item : document.diagnostics().all()) {
    bool isHere = item.hasRange && item.range.file == document.fileNumber() &&
                  item.range.begin <= end && item.range.end >= begin;
    if (!isHere || item.fixes.empty())
      continue;
    json changes = json::object();
    for (const Diagnostic::Fix &fix : item.fixes) {
      json place = document.locationOf(fix.range);
      changes[place["uri"].get<std::string>()].push_back(
          {{"range", place["range"]}, {"newText", fix.text}});
    }
    actions.push_back({{"title", titleOf(document, item.fixes.front())},
                       {"kind", "quickfix"},
                       {"edit", {{"changes", changes}}}});
  }
  return actions;
}

json LanguageServer::formatting(OpenDocument &open, const json &) {
  const Document &document = open.document;
  std::string formatted = format(document.text());
  if (formatted == document.text())
    return json::array();
  auto size = uint32_t(document.file().text().size());
  return json::array(
      {{{"range", rangeOf(document.file(), 0, size)}, {"newText", formatted}}});
}

} // namespace karakal::lang
