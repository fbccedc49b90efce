#include "baker-lang/editor/LanguageServer.h"

#include "baker-lang/editor/Completion.h"
#include "baker-lang/editor/Describe.h"
#include "baker-lang/editor/Formatter.h"
#include "support/Error.h"

using nlohmann::json;

namespace karakal::lang {

//===----------------------------------------------------------------------===//
// Values of the protocol
//===----------------------------------------------------------------------===//

std::string pathOfUri(const std::string &uri) {
  std::string encoded = uri.rfind("file://", 0) == 0 ? uri.substr(7) : uri;
  std::string path;
  for (size_t i = 0; i < encoded.size(); ++i)
    if (encoded[i] == '%' && i + 2 < encoded.size()) {
      path += char(std::strtol(encoded.substr(i + 1, 2).c_str(), nullptr, 16));
      i += 2;
    } else {
      path += encoded[i];
    }
  return path;
}

/// Lines and characters of the protocol start at 0.
static SourceLocation locationOf(const json &position) {
  return {position.at("line").get<uint32_t>() + 1,
          position.at("character").get<uint32_t>() + 1};
}

static json positionOf(SourceLocation location) {
  KARAKAL_ASSERT(location.line > 0 && location.column > 0,
                 "lines and columns start at 1");
  return {{"line", location.line - 1}, {"character", location.column - 1}};
}

static json rangeOf(const Document &document, SourceRange range) {
  const SourceFile &file = document.sources().file(range.file);
  uint32_t end = std::max(range.begin, range.end);
  return {{"start", positionOf(file.location(range.begin))},
          {"end", positionOf(file.location(end))}};
}

static std::string uriOf(const Document &document, SourceRange range) {
  return "file://" + document.pathOfFile(range.file);
}

static json locationLink(const Document &document, SourceRange range) {
  return {{"uri", uriOf(document, range)}, {"range", rangeOf(document, range)}};
}

//===----------------------------------------------------------------------===//
// Documents
//===----------------------------------------------------------------------===//

LanguageServer::LanguageServer(std::istream &in, std::ostream &out,
                               std::vector<std::string> importFolders,
                               FindPlacements findPlacements)
    : rpc(in, out), importFolders(std::move(importFolders)),
      findPlacements(std::move(findPlacements)) {}

void LanguageServer::open(const std::string &uri, std::string text) {
  documents.erase(uri);
  OpenDocument opened{Document(pathOfUri(uri), std::move(text), importFolders),
                      std::nullopt};
  auto [entry, isNew] = documents.emplace(uri, std::move(opened));
  KARAKAL_ASSERT(isNew, "a document is open twice");
  publishDiagnostics(uri, entry->second.document);
}

void LanguageServer::publishDiagnostics(const std::string &uri,
                                        const Document &document) {
  json list = json::array();
  for (const Diagnostic &item : document.diagnostics().all()) {
    SourceRange range = item.hasRange ? item.range : SourceRange{};
    if (range.file != Document::fileNumber)
      continue; // about an imported file
    json entry = {{"range", rangeOf(document, range)},
                  {"severity", item.severity == Severity::Error ? 1 : 2},
                  {"code", item.id},
                  {"source", "bakerc"},
                  {"message", item.message}};
    for (const Diagnostic::Note &note : item.notes)
      if (note.hasRange)
        entry["relatedInformation"].push_back(
            {{"location", locationLink(document, note.range)},
             {"message", note.message}});
    list.push_back(std::move(entry));
  }
  rpc.write({{"jsonrpc", "2.0"},
             {"method", "textDocument/publishDiagnostics"},
             {"params", {{"uri", uri}, {"diagnostics", list}}}});
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

json LanguageServer::definition(const Document &document,
                                const json &position) const {
  const SymbolOccurrence *name = document.occurrenceAt(locationOf(position));
  bool isBuiltin = name && name->decl->range.end == 0;
  if (!name || isBuiltin)
    return nullptr;
  return locationLink(document, name->decl->range);
}

std::string LanguageServer::placementLine(OpenDocument &open,
                                          const Decl &decl) const {
  auto *global = llvm::dyn_cast<GlobalDecl>(&decl);
  if (!global || !findPlacements || open.document.diagnostics().hasErrors())
    return "";
  if (!open.placements)
    open.placements =
        findPlacements(open.document.program(), open.document.sources());
  auto placement = open.placements->find(global->symbol);
  return placement == open.placements->end()
             ? ""
             : "\nplaced in " + placement->second;
}

json LanguageServer::hover(OpenDocument &open, const json &position) const {
  const SymbolOccurrence *name =
      open.document.occurrenceAt(locationOf(position));
  if (!name)
    return nullptr;
  std::string text = describe(*name->decl) + placementLine(open, *name->decl);
  return {{"contents", {{"kind", "plaintext"}, {"value", text}}},
          {"range", rangeOf(open.document, name->range)}};
}

json LanguageServer::rename(const std::string &uri, const Document &document,
                            const json &parameters) const {
  const SymbolOccurrence *name =
      document.occurrenceAt(locationOf(parameters.at("position")));
  // Only names that this document declares can be renamed.
  if (!name || name->decl->range.end == 0 ||
      name->decl->range.file != Document::fileNumber)
    return nullptr;
  json edits = json::array();
  for (SourceRange range : document.rangesOf(*name->decl))
    edits.push_back({{"range", rangeOf(document, range)},
                     {"newText", parameters.at("newName")}});
  return {{"changes", {{uri, edits}}}};
}

json LanguageServer::formatting(const Document &document) const {
  std::string formatted = format(document.text());
  if (formatted == document.text())
    return json::array();
  constexpr uint32_t lineAfterLast = 1u << 30;
  json wholeText = {{"start", {{"line", 0}, {"character", 0}}},
                    {"end", {{"line", lineAfterLast}, {"character", 0}}}};
  return json::array({{{"range", wholeText}, {"newText", formatted}}});
}

static json capabilities() {
  return {{"capabilities",
           {{"textDocumentSync", 1}, // whole text
            {"definitionProvider", true},
            {"hoverProvider", true},
            {"completionProvider", {{"triggerCharacters", {".", ">"}}}},
            {"renameProvider", true},
            {"documentFormattingProvider", true}}},
          {"serverInfo", {{"name", "baker-lsp"}}}};
}

json LanguageServer::answer(const std::string &method, const json &parameters) {
  if (method == "initialize")
    return capabilities();
  if (method == "shutdown") {
    hasShutDown = true;
    return nullptr;
  }
  std::string uri =
      parameters.value("textDocument", json::object()).value("uri", "");
  auto entry = documents.find(uri);
  if (entry == documents.end())
    return nullptr;
  const Document &document = entry->second.document;
  if (method == "textDocument/definition")
    return definition(document, parameters.at("position"));
  if (method == "textDocument/hover")
    return hover(entry->second, parameters.at("position"));
  if (method == "textDocument/completion")
    return completionItems(document.program(), document.occurrences());
  if (method == "textDocument/rename")
    return rename(uri, document, parameters);
  if (method == "textDocument/formatting")
    return formatting(document);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void LanguageServer::handleNotification(const std::string &method,
                                        const json &parameters) {
  if (method == "exit") {
    hasExited = true;
  } else if (method == "textDocument/didOpen") {
    const json &document = parameters.at("textDocument");
    open(document.at("uri"), document.at("text"));
  } else if (method == "textDocument/didChange") {
    open(parameters.at("textDocument").at("uri"),
         parameters.at("contentChanges").back().at("text"));
  } else if (method == "textDocument/didClose") {
    documents.erase(parameters.at("textDocument").value("uri", ""));
  }
}

void LanguageServer::handle(const json &message) {
  std::string method = message.value("method", "");
  json parameters = message.value("params", json::object());
  if (!message.contains("id"))
    return handleNotification(method, parameters);
  rpc.write({{"jsonrpc", "2.0"},
             {"id", message["id"]},
             {"result", answer(method, parameters)}});
}

int LanguageServer::run() {
  while (!hasExited) {
    std::optional<json> message = rpc.read();
    if (!message)
      break;
    try {
      if (message->is_object())
        handle(*message);
    } catch (const json::exception &) {
      // Messages that do not follow the protocol are ignored.
    }
  }
  return hasShutDown ? ExitDone : ExitInputWrong;
}

} // namespace karakal::lang
