// A source file that is open in an editor.

#ifndef KARAKAL_BAKER_LANG_EDITOR_DOCUMENT_H
#define KARAKAL_BAKER_LANG_EDITOR_DOCUMENT_H

#include "baker-lang/editor/SourceTokens.h"
#include "baker-lang/editor/SymbolOccurrences.h"
#include "baker-lang/syntax/SourceText.h"
#include "support/Diagnostics.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace karakal::lang {

/// The text in the editor, analyzed with the program that it belongs to: the
/// program of a file beside it that imports it and takes received packets, or
/// the file alone with its imports.
class Document {
public:
  /// Analyzes the file at `path`, whose text is among `texts`, as all texts
  /// that are open. Imports are looked up beside the importing file, then in
  /// `importFolders`.
  Document(const std::string &path, const SourceTexts &texts,
           const std::vector<std::string> &importFolders);

  const std::string &path() const { return path_; }
  const std::string &text() const { return text_; }
  /// The document as one of the sources of its program.
  uint32_t fileNumber() const { return fileNumber_; }
  const SourceFile &file() const { return sources().file(fileNumber_); }
  /// The absolute path of one of the sources.
  std::string pathOfFile(uint32_t number) const;

  const Program &program() const { return *program_; }
  const Diagnostics &diagnostics() const { return *diagnostics_; }
  const SourceManager &sources() const { return diagnostics_->sources(); }
  const SourceTokens &tokens() const { return tokens_; }
  /// True if some input of the program takes received packets.
  bool isWholeProgram() const { return !program_->receivers.empty(); }

  const std::vector<SymbolOccurrence> &occurrences() const {
    return occurrences_;
  }
  /// The name at a byte of the document, also just after it, or null.
  const SymbolOccurrence *occurrenceAt(uint32_t offset) const;
  /// The ranges in all files that name `symbol`, in order.
  std::vector<SourceRange> rangesOf(const Symbol &symbol) const;

  /// A range of one of the sources as a Location of the protocol.
  nlohmann::json locationOf(SourceRange range) const;

private:
  void analyze(const std::string &root, const SourceTexts &texts,
               const std::vector<std::string> &importFolders);

  std::string path_, text_;
  SourceTokens tokens_;
  std::unique_ptr<Diagnostics> diagnostics_;
  std::unique_ptr<Program> program_;
  uint32_t fileNumber_ = 0;
  std::vector<SymbolOccurrence> occurrences_;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_DOCUMENT_H
