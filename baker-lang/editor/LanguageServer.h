// A language server for Baker.
//
// Serves the Language Server Protocol 3.17: diagnostics, go to definition,
// hover, completion, rename and formatting.

#ifndef KARAKAL_BAKER_LANG_EDITOR_LANGUAGESERVER_H
#define KARAKAL_BAKER_LANG_EDITOR_LANGUAGESERVER_H

#include "baker-lang/editor/Document.h"
#include "baker-lang/editor/JsonRpc.h"

#include <functional>
#include <map>

namespace karakal::lang {

/// For each global variable, by its symbol: where the compiler places it and
/// why, as one line. Called with programs without errors.
using FindPlacements = std::function<std::map<std::string, std::string>(
    const Program &program, const SourceManager &sources)>;

class LanguageServer {
public:
  /// Imports are also looked up in `importFolders`. `findPlacements` is asked
  /// when a client hovers over a global variable; it may be empty.
  LanguageServer(std::istream &in, std::ostream &out,
                 std::vector<std::string> importFolders,
                 FindPlacements findPlacements);

  /// Serves messages until the client sends `exit` or the input ends. Returns
  /// the exit status: 0 if the client sent `shutdown` before, otherwise 1.
  int run();

private:
  using json = nlohmann::json;

  /// An open document. Its placements are computed when they are first needed.
  struct OpenDocument {
    Document document;
    std::optional<std::map<std::string, std::string>> placements;
  };

  void handle(const json &message);
  void handleNotification(const std::string &method, const json &parameters);
  json answer(const std::string &method, const json &parameters);
  void open(const std::string &uri, std::string text);
  void publishDiagnostics(const std::string &uri, const Document &document);

  json definition(const Document &document, const json &position) const;
  json hover(OpenDocument &open, const json &position) const;
  json rename(const std::string &uri, const Document &document,
              const json &parameters) const;
  json formatting(const Document &document) const;
  /// A second line of the hover over a global variable, or nothing.
  std::string placementLine(OpenDocument &open, const Decl &decl) const;

  JsonRpc rpc;
  std::vector<std::string> importFolders;
  FindPlacements findPlacements;
  std::map<std::string, OpenDocument> documents; ///< by URI
  bool hasShutDown = false, hasExited = false;
};

/// The path of a `file:` URI. Any other text is a path already.
std::string pathOfUri(const std::string &uri);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_LANGUAGESERVER_H
