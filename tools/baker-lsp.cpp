// Baker in editors.
//
// A server of the Language Server Protocol 3.17 on standard input and output:
// diagnostics, go to definition, hover, completion, rename, formatting. A file
// is analyzed as a program of its own with what it imports; imports are looked
// for beside it and in the folders named on the command line. Of a global
// variable, hover tells where the compiler puts it, and why.
//
// The text in the editor is analyzed from a file beside the one on disk, so
// that imports are found, which is removed at once.

#include "baker-lang/Frontend.h"
#include "baker-lang/editor/Format.h"
#include "baker-lang/editor/SymbolIndex.h"
#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "driver/report/AddressMap.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <unistd.h>

using nlohmann::json;
using namespace karakal;
namespace fs = std::filesystem;

namespace {

/// An open document with the last analysis of it.
struct Document {
  std::string path, text;
  std::unique_ptr<Diagnostics> diagnostics;
  std::unique_ptr<lang::Program> program;
  std::vector<lang::NamePlace> names;
  /// Where global variables lie, once somebody asks.
  std::optional<std::map<std::string, std::string>> places;
};

class Server {
public:
  explicit Server(std::vector<std::string> folders)
      : folders(std::move(folders)) {}
  int run();

private:
  void handle(const json &message);
  json answer(const std::string &method, const json &parameters);
  void open(const std::string &uri, std::string text);
  void publish(const std::string &uri, const Document &document);
  const lang::NamePlace *nameAt(const Document &document, const json &position);
  json definition(const Document &document, const json &position);
  json hover(Document &document, const json &position);
  std::string placeOf(Document &document, const lang::Decl &decl);
  json completion(const Document &document);
  json rename(const std::string &uri, const Document &document,
              const json &parameters);
  json formatting(const Document &document);
  json rangeOf(const Document &document, SourceRange range) const;
  std::string uriOf(const Document &document, SourceRange range) const;
  void send(const json &message);

  std::vector<std::string> folders;
  std::map<std::string, Document> documents;
  bool isShutDown = false, isDone = false;
};

std::string pathOf(const std::string &uri) {
  std::string path = uri.rfind("file://", 0) == 0 ? uri.substr(7) : uri;
  std::string result;
  for (size_t i = 0; i < path.size(); ++i)
    if (path[i] == '%' && i + 2 < path.size()) {
      result += char(std::strtol(path.substr(i + 1, 2).c_str(), nullptr, 16));
      i += 2;
    } else {
      result += path[i];
    }
  return result;
}

//===----------------------------------------------------------------------===//
// Documents
//===----------------------------------------------------------------------===//

void Server::open(const std::string &uri, std::string text) {
  Document &document = documents[uri];
  document.path = pathOf(uri);
  document.text = std::move(text);
  document.diagnostics = std::make_unique<Diagnostics>();
  document.diagnostics->setWarnings(*lang::warningPolicy({}));
  fs::path copy = fs::path(document.path).parent_path() /
                  (".baker-lsp-" + std::to_string(getpid()) + ".baker");
  std::ofstream(copy, std::ios::binary) << document.text;
  document.program =
      lang::parseAndCheck({copy.string()}, *document.diagnostics, folders);
  std::error_code ignored;
  fs::remove(copy, ignored);
  document.names = lang::namesOf(*document.program);
  document.places.reset();
  publish(uri, document);
}

/// Lines and characters from 0.
json Server::rangeOf(const Document &document, SourceRange range) const {
  const SourceFile &file = document.diagnostics->sources().file(range.file);
  auto position = [&](uint32_t offset) -> json {
    SourcePlace place = file.place(offset);
    return {{"line", place.line - 1}, {"character", place.column - 1}};
  };
  return {{"start", position(range.begin)},
          {"end", position(std::max(range.begin, range.end))}};
}

std::string Server::uriOf(const Document &document, SourceRange range) const {
  return "file://" +
         (range.file == 0
              ? document.path
              : fs::absolute(
                    document.diagnostics->sources().file(range.file).path())
                    .lexically_normal()
                    .string());
}

void Server::publish(const std::string &uri, const Document &document) {
  json list = json::array();
  for (const Diagnostic &item : document.diagnostics->all()) {
    SourceRange range = item.hasRange ? item.range : SourceRange{};
    if (range.file != 0)
      continue; // of an imported file
    json entry = {{"range", rangeOf(document, range)},
                  {"severity", item.severity == Severity::Error ? 1 : 2},
                  {"code", item.id},
                  {"source", "bakerc"},
                  {"message", item.message}};
    for (const Diagnostic::Note &note : item.notes)
      if (note.hasRange)
        entry["relatedInformation"].push_back(
            {{"location",
              {{"uri", uriOf(document, note.range)},
               {"range", rangeOf(document, note.range)}}},
             {"message", note.message}});
    list.push_back(std::move(entry));
  }
  send({{"jsonrpc", "2.0"},
        {"method", "textDocument/publishDiagnostics"},
        {"params", {{"uri", uri}, {"diagnostics", list}}}});
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

const lang::NamePlace *Server::nameAt(const Document &document,
                                      const json &position) {
  if (document.diagnostics->sources().size() == 0)
    return nullptr;
  const SourceFile &file = document.diagnostics->sources().file(0);
  for (const lang::NamePlace &name : document.names) {
    if (name.range.file != 0)
      continue;
    SourcePlace begin = file.place(name.range.begin);
    SourcePlace end = file.place(name.range.end);
    uint32_t line = position.at("line").get<uint32_t>() + 1;
    uint32_t column = position.at("character").get<uint32_t>() + 1;
    if (begin.line == line && begin.column <= column && column < end.column)
      return &name;
  }
  return nullptr;
}

json Server::definition(const Document &document, const json &position) {
  const lang::NamePlace *name = nameAt(document, position);
  if (!name || name->decl->range.end == 0)
    return nullptr;
  return {{"uri", uriOf(document, name->decl->range)},
          {"range", rangeOf(document, name->decl->range)}};
}

/// A second line about a global variable: where a compilation puts it.
std::string Server::placeOf(Document &document, const lang::Decl &decl) {
  auto *global = llvm::dyn_cast<lang::GlobalDecl>(&decl);
  if (!global || document.diagnostics->hasErrors())
    return "";
  if (!document.places)
    document.places =
        driver::placesOf(*document.program, document.diagnostics->sources());
  auto place = document.places->find(global->symbol);
  return place == document.places->end() ? "" : "\nlies in " + place->second;
}

json Server::hover(Document &document, const json &position) {
  const lang::NamePlace *name = nameAt(document, position);
  if (!name)
    return nullptr;
  std::string text =
      lang::describe(*name->decl) + placeOf(document, *name->decl);
  return {{"contents", {{"kind", "plaintext"}, {"value", text}}},
          {"range", rangeOf(document, name->range)}};
}

json Server::completion(const Document &document) {
  static const char *const words[] = {"packet_decap",
                                      "packet_encap",
                                      "packet_copy",
                                      "packet_create",
                                      "packet_drop",
                                      "packet_length",
                                      "packet_extend",
                                      "packet_shorten",
                                      "packet_add_tail",
                                      "packet_remove_tail",
                                      "channel_put",
                                      "atomic_add",
                                      "hash48",
                                      "hash64",
                                      "hash128",
                                      "timestamp",
                                      "random",
                                      "trace",
                                      "drop_count",
                                      "module",
                                      "ppf",
                                      "protocol",
                                      "wiring",
                                      "metadata",
                                      "drop_reason",
                                      "const",
                                      "struct",
                                      "enum",
                                      "import",
                                      "instance",
                                      "control",
                                      "init",
                                      "private",
                                      "critical",
                                      "if",
                                      "else",
                                      "while",
                                      "do",
                                      "for",
                                      "switch",
                                      "case",
                                      "default",
                                      "break",
                                      "continue",
                                      "return",
                                      "sizeof",
                                      "static_assert"};
  constexpr int functionKind = 3, fieldKind = 5, variableKind = 6,
                keywordKind = 14;
  std::map<std::string, json> items;
  for (const char *word : words)
    items[word] = {{"label", word}, {"kind", keywordKind}};
  for (const lang::Decl *decl : lang::visibleNames(*document.program))
    items[decl->name] = {{"label", decl->name},
                         {"kind", decl->kind == lang::DeclKind::Function
                                      ? functionKind
                                      : variableKind},
                         {"detail", lang::describe(*decl)}};
  for (const lang::NamePlace &name : document.names)
    if (name.decl->kind == lang::DeclKind::ProtocolField ||
        name.decl->kind == lang::DeclKind::Metadata)
      items[name.decl->name] = {{"label", name.decl->name},
                                {"kind", fieldKind},
                                {"detail", lang::describe(*name.decl)}};
  json list = json::array();
  for (auto &[label, item] : items)
    list.push_back(item);
  return list;
}

json Server::rename(const std::string &uri, const Document &document,
                    const json &parameters) {
  const lang::NamePlace *name = nameAt(document, parameters.at("position"));
  // What other files declare is theirs to rename.
  if (!name || name->decl->range.end == 0 || name->decl->range.file != 0)
    return nullptr;
  json edits = json::array();
  std::map<uint32_t, bool> seen;
  for (const lang::NamePlace &other : document.names)
    if (other.decl == name->decl && other.range.file == 0 &&
        !std::exchange(seen[other.range.begin], true))
      edits.push_back({{"range", rangeOf(document, other.range)},
                       {"newText", parameters.at("newName")}});
  return {{"changes", {{uri, edits}}}};
}

json Server::formatting(const Document &document) {
  std::string formatted = lang::format(document.text);
  if (formatted == document.text)
    return json::array();
  constexpr uint32_t past = 1u << 30;
  json all = {{"start", {{"line", 0}, {"character", 0}}},
              {"end", {{"line", past}, {"character", 0}}}};
  return json::array({{{"range", all}, {"newText", formatted}}});
}

json Server::answer(const std::string &method, const json &parameters) {
  if (method == "initialize")
    return {{"capabilities",
             {{"textDocumentSync", 1},
              {"definitionProvider", true},
              {"hoverProvider", true},
              {"completionProvider", {{"triggerCharacters", {".", ">"}}}},
              {"renameProvider", true},
              {"documentFormattingProvider", true}}},
            {"serverInfo", {{"name", "baker-lsp"}}}};
  if (method == "shutdown") {
    isShutDown = true;
    return nullptr;
  }
  std::string uri =
      parameters.value("textDocument", json::object()).value("uri", "");
  auto found = documents.find(uri);
  if (found == documents.end())
    return nullptr;
  Document &document = found->second;
  if (method == "textDocument/definition")
    return definition(document, parameters.at("position"));
  if (method == "textDocument/hover")
    return hover(document, parameters.at("position"));
  if (method == "textDocument/completion")
    return completion(document);
  if (method == "textDocument/rename")
    return rename(uri, document, parameters);
  if (method == "textDocument/formatting")
    return formatting(document);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void Server::handle(const json &message) {
  std::string method = message.value("method", "");
  json parameters = message.value("params", json::object());
  if (message.contains("id"))
    return send({{"jsonrpc", "2.0"},
                 {"id", message["id"]},
                 {"result", answer(method, parameters)}});
  if (method == "exit") {
    isDone = true;
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

void Server::send(const json &message) {
  std::string text =
      message.dump(-1, ' ', false, json::error_handler_t::replace);
  std::cout << "Content-Length: " << text.size() << "\r\n\r\n"
            << text << std::flush;
}

int Server::run() {
  while (!isDone && std::cin) {
    size_t length = 0;
    std::string header;
    while (std::getline(std::cin, header) && header != "\r" && !header.empty())
      if (header.rfind("Content-Length:", 0) == 0)
        length = std::strtoul(header.c_str() + 15, nullptr, 10);
    if (!std::cin)
      break;
    constexpr size_t bytesMax = 64 << 20;
    if (length > bytesMax)
      return 1;
    std::string text(length, '\0');
    std::cin.read(text.data(), std::streamsize(length));
    json message = json::parse(text, nullptr, /*allow_exceptions=*/false);
    try {
      if (message.is_object())
        handle(message);
    } catch (const json::exception &) {
      // A message that is not of the protocol gets no answer.
    }
  }
  return isShutDown ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  return Server({argv + 1, argv + argc}).run();
}
