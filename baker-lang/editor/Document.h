// A source file that is open in an editor.

#ifndef KARAKAL_BAKER_LANG_EDITOR_DOCUMENT_H
#define KARAKAL_BAKER_LANG_EDITOR_DOCUMENT_H

#include "baker-lang/editor/SymbolOccurrences.h"
#include "support/Diagnostics.h"

#include <memory>
#include <string>
#include <vector>

namespace karakal::lang {

/// The text in the editor, analyzed as a program of its own with its imports.
class Document {
public:
  /// Analyzes `text` as the contents of the file at `path`. Imports are looked
  /// up beside that file, then in `importFolders`. For the time of the analysis
  /// the text is in a temporary file in the folder of `path`.
  Document(std::string path, std::string text,
           const std::vector<std::string> &importFolders);

  /// Number of the document itself among its sources. Imports follow.
  static constexpr uint32_t fileNumber = 0;

  const std::string &path() const { return path_; }
  const std::string &text() const { return text_; }
  /// The path of one of the sources.
  std::string pathOfFile(uint32_t number) const;

  const Program &program() const { return *program_; }
  const Diagnostics &diagnostics() const { return *diagnostics_; }
  const SourceManager &sources() const { return diagnostics_->sources(); }

  const std::vector<SymbolOccurrence> &occurrences() const {
    return occurrences_;
  }
  /// The name at `location` of the document, or null.
  const SymbolOccurrence *occurrenceAt(SourceLocation location) const;
  /// The ranges in the document that name `decl`, each once.
  std::vector<SourceRange> rangesOf(const Decl &decl) const;

private:
  std::string path_, text_;
  std::unique_ptr<Diagnostics> diagnostics_;
  std::unique_ptr<Program> program_;
  std::vector<SymbolOccurrence> occurrences_;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_DOCUMENT_H
