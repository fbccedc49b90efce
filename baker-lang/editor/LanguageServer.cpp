// The life of a server and its documents. Requests.cpp answers the requests.

#include "baker-lang/editor/LanguageServer.h"

#include "baker-lang/editor/Outline.h"
#include "baker-lang/editor/SemanticTokens.h"
#include "support/Error.h"

#include <utility>

using nlohmann::json;

namespace karakal::lang {

LanguageServer::LanguageServer(std::istream &in, std::ostream &out,
                               std::vector<std::string> importFolders,
                               FindPlacements findPlacements,
                               std::function<bool()> isInputWaiting)
    : rpc(in, out), importFolders(std::move(importFolders)),
      findPlacements(std::move(findPlacements)),
      isInputWaiting(std::move(isInputWaiting)) {}

//===----------------------------------------------------------------------===//
// Documents
//===----------------------------------------------------------------------===//

void LanguageServer::open(const std::string &uri, const std::string &text) {
  texts[realPath(pathOfUri(uri))] = text;
  changed.insert(uri);
}

void LanguageServer::analyzeChanged() {
  for (const std::string &uri : std::exchange(changed, {})) {
    documents.erase(uri);
    OpenDocument opened{Document(pathOfUri(uri), texts, importFolders),
                        std::nullopt};
    auto [entry, isNew] = documents.emplace(uri, std::move(opened));
    KARAKAL_ASSERT(isNew, "a document is open twice");
    publishDiagnostics(uri, entry->second.document);
  }
}

void LanguageServer::close(const std::string &uri) {
  documents.erase(uri);
  changed.erase(uri);
  texts.erase(realPath(pathOfUri(uri)));
  rpc.write({{"jsonrpc", "2.0"},
             {"method", "textDocument/publishDiagnostics"},
             {"params", {{"uri", uri}, {"diagnostics", json::array()}}}});
}

void LanguageServer::publishDiagnostics(const std::string &uri,
                                        const Document &document) {
  json list = json::array();
  for (const Diagnostic &item : document.diagnostics().all()) {
    // What is about no place concerns a whole program: a library file is none.
    bool isHere = item.hasRange ? item.range.file == document.fileNumber()
                                : document.isWholeProgram();
    if (!isHere)
      continue;
    SourceRange range = item.hasRange ? item.range : SourceRange{};
    json entry = {{"range", rangeOf(document.file(), range.begin, range.end)},
                  {"severity", item.severity == Severity::Error ? 1 : 2},
                  {"code", item.id},
                  {"source", "bakerc"},
                  {"message", item.message}};
    for (const Diagnostic::Note &note : item.notes)
      if (note.hasRange)
        entry["relatedInformation"].push_back(
            {{"location", document.locationOf(note.range)},
             {"message", note.message}});
    list.push_back(std::move(entry));
  }
  rpc.write({{"jsonrpc", "2.0"},
             {"method", "textDocument/publishDiagnostics"},
             {"params", {{"uri", uri}, {"diagnostics", list}}}});
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static json capabilities() {
  return {{"capabilities",
           {{"positionEncoding", "utf-16"},
            {"textDocumentSync", 1}, // whole text
            {"completionProvider", {{"triggerCharacters", {".", ">", "@"}}}},
            {"hoverProvider", true},
            {"definitionProvider", true},
            {"referencesProvider", true},
            {"documentHighlightProvider", true},
            {"renameProvider", {{"prepareProvider", true}}},
            {"documentSymbolProvider", true},
            {"workspaceSymbolProvider", true},
            {"signatureHelpProvider", {{"triggerCharacters", {"(", ","}}}},
            {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
            {"semanticTokensProvider",
             {{"legend", semanticTokensLegend()}, {"full", true}}},
            {"foldingRangeProvider", true},
            {"inlayHintProvider", true},
            {"documentFormattingProvider", true}}},
          {"serverInfo", {{"name", "baker-lsp"}}}};
}

const std::map<std::string, LanguageServer::Answer> &LanguageServer::answers() {
  static const std::map<std::string, Answer> methods = {
      {"hover", &LanguageServer::hover},
      {"definition", &LanguageServer::definition},
      {"references", &LanguageServer::references},
      {"documentHighlight", &LanguageServer::highlights},
      {"prepareRename", &LanguageServer::prepareRename},
      {"rename", &LanguageServer::rename},
      {"documentSymbol", &LanguageServer::symbols},
      {"signatureHelp", &LanguageServer::signatureHelp},
      {"codeAction", &LanguageServer::codeActions},
      {"semanticTokens/full", &LanguageServer::colours},
      {"foldingRange", &LanguageServer::folding},
      {"inlayHint", &LanguageServer::inlayHints},
      {"formatting", &LanguageServer::formatting},
  };
  return methods;
}

json LanguageServer::answer(const std::string &method, const json &parameters) {
  if (method == "initialize") {
    isInitialized = true;
    return capabilities();
  }
  if (!isInitialized)
    throw ResponseError{ErrorCode::ServerNotInitialized,
                        "the first request is 'initialize'"};
  if (hasShutDown)
    throw ResponseError{ErrorCode::InvalidRequest,
                        "only 'exit' follows 'shutdown'"};
  if (method == "shutdown") {
    hasShutDown = true;
    return nullptr;
  }
  if (method == "textDocument/completion")
    return completion(parameters);
  analyzeChanged();
  if (method == "workspace/symbol")
    return workspaceSymbols(parameters);
  const std::string prefix = "textDocument/";
  bool isAboutText = method.rfind(prefix, 0) == 0;
  auto known = answers().find(isAboutText ? method.substr(prefix.size()) : "");
  if (known == answers().end())
    throw ResponseError{ErrorCode::MethodNotFound,
                        "there is no method '" + method + "'"};
  std::string uri = parameters.at("textDocument").at("uri");
  auto entry = documents.find(uri);
  if (entry == documents.end())
    throw ResponseError{ErrorCode::InvalidParams, "'" + uri + "' is not open"};
  return (this->*known->second)(entry->second, parameters);
}

void LanguageServer::handleNotification(const std::string &method,
                                        const json &parameters) {
  if (method == "exit") {
    hasExited = true;
  } else if (!isInitialized || hasShutDown) {
    return;
  } else if (method == "textDocument/didOpen") {
    const json &document = parameters.at("textDocument");
    open(document.at("uri"), document.at("text"));
  } else if (method == "textDocument/didChange") {
    open(parameters.at("textDocument").at("uri"),
         parameters.at("contentChanges").back().at("text"));
  } else if (method == "textDocument/didClose") {
    close(parameters.at("textDocument").at("uri"));
  }
}

void LanguageServer::handle(const json &message) {
  json id = message.is_object() ? message.value("id", json()) : json();
  json reply = {{"jsonrpc", "2.0"}, {"id", id}};
  auto fail = [&](ErrorCode code, const std::string &why) {
    reply["error"] = {{"code", code}, {"message", why}};
    rpc.write(reply);
  };
  if (message.is_discarded())
    return fail(ErrorCode::ParseError, "the message is not JSON");
  if (message.is_object() && !message.contains("method") && !id.is_null())
    return; // the answer to a request, which this server never sends
  if (!message.is_object() || !message.contains("method") ||
      !message["method"].is_string())
    return fail(ErrorCode::InvalidRequest, "the message has no method");
  std::string method = message["method"];
  json parameters = message.value("params", json::object());
  try {
    if (id.is_null())
      return handleNotification(method, parameters);
    reply["result"] = answer(method, parameters);
    rpc.write(reply);
  } catch (const ResponseError &error) {
    fail(error.code, error.message);
  } catch (const json::exception &error) {
    // A notification gets no answer, even if it is wrong.
    if (!id.is_null())
      fail(ErrorCode::InvalidParams, error.what());
  }
}

int LanguageServer::run() {
  while (!hasExited) {
    if (!changed.empty() && !isInputWaiting())
      analyzeChanged();
    std::optional<json> message = rpc.read();
    if (!message)
      break;
    handle(*message);
  }
  return hasShutDown ? ExitDone : ExitInputWrong;
}

} // namespace karakal::lang
