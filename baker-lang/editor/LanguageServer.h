// A language server for Baker.
//
// Serves the Language Server Protocol 3.17 on two streams, one request after
// the other: diagnostics, completion, hovers, definitions, references,
// renaming, symbols, signatures, fixes, colours, folding, hints and formatting.

#ifndef KARAKAL_BAKER_LANG_EDITOR_LANGUAGESERVER_H
#define KARAKAL_BAKER_LANG_EDITOR_LANGUAGESERVER_H

#include "baker-lang/editor/Document.h"
#include "baker-lang/editor/JsonRpc.h"
#include "baker-lang/editor/Protocol.h"

#include <functional>
#include <map>
#include <set>

namespace karakal::lang {

/// Where the compiler puts a global variable.
struct GlobalPlacement {
  std::string place;       ///< "scratch at 0x3000"
  std::string reason;      ///< why; may be empty
  unsigned readCycles = 0; ///< latency of a read on an idle chip
};

/// The placement of each global variable, by its symbol. Called with programs
/// without errors.
using FindPlacements = std::function<std::map<std::string, GlobalPlacement>(
    const Program &program, const SourceManager &sources)>;

class LanguageServer {
public:
  /// Imports are also looked up in `importFolders`. `findPlacements` is asked
  /// when a client shows a global variable; it may be empty. `isInputWaiting`
  /// tells whether the client has sent more, for which it may wait a moment. A
  /// text that changes is analyzed when nothing is waiting.
  LanguageServer(std::istream &in, std::ostream &out,
                 std::vector<std::string> importFolders,
                 FindPlacements findPlacements,
                 std::function<bool()> isInputWaiting);

  /// Serves messages until the client sends `exit` or the input ends. Returns
  /// the exit status: 0 if the client sent `shutdown` before, otherwise 1.
  int run();

private:
  using json = nlohmann::json;
  using Placements = std::map<std::string, GlobalPlacement>;

  /// An open document. Its placements are computed when they are first needed.
  struct OpenDocument {
    Document document;
    std::optional<Placements> placements;
  };
  /// Answers a request about an open document.
  using Answer = json (LanguageServer::*)(OpenDocument &, const json &);

  void handle(const json &message);
  void handleNotification(const std::string &method, const json &parameters);
  /// Throws a ResponseError if there is no answer.
  json answer(const std::string &method, const json &parameters);
  static const std::map<std::string, Answer> &answers();

  /// Takes a text, to be analyzed later.
  void open(const std::string &uri, const std::string &text);
  /// Analyzes the texts that have changed.
  void analyzeChanged();
  void close(const std::string &uri);
  void publishDiagnostics(const std::string &uri, const Document &document);
  const Placements &placementsOf(OpenDocument &open);

  json completion(const json &parameters);
  json hover(OpenDocument &open, const json &parameters);
  json definition(OpenDocument &open, const json &parameters);
  json references(OpenDocument &open, const json &parameters);
  json highlights(OpenDocument &open, const json &parameters);
  json prepareRename(OpenDocument &open, const json &parameters);
  json rename(OpenDocument &open, const json &parameters);
  json symbols(OpenDocument &open, const json &parameters);
  json signatureHelp(OpenDocument &open, const json &parameters);
  json codeActions(OpenDocument &open, const json &parameters);
  json colours(OpenDocument &open, const json &parameters);
  json folding(OpenDocument &open, const json &parameters);
  json inlayHints(OpenDocument &open, const json &parameters);
  json formatting(OpenDocument &open, const json &parameters);
  json workspaceSymbols(const json &parameters) const;

  JsonRpc rpc;
  std::vector<std::string> importFolders;
  FindPlacements findPlacements;
  std::function<bool()> isInputWaiting;
  SourceTexts texts;                             ///< of the open documents
  std::map<std::string, OpenDocument> documents; ///< by URI
  std::set<std::string> changed;                 ///< URIs to be analyzed
  bool isInitialized = false, hasShutDown = false, hasExited = false;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_LANGUAGESERVER_H
