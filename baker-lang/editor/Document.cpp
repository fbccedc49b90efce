#include "baker-lang/editor/Document.h"

#include "baker-lang/checks/ParseAndCheck.h"
#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "support/Error.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>

namespace fs = std::filesystem;

namespace karakal::lang {

Document::Document(std::string path, std::string text,
                   const std::vector<std::string> &importFolders)
    : path_(std::move(path)), text_(std::move(text)),
      diagnostics_(std::make_unique<Diagnostics>()) {
  diagnostics_->setWarningPolicy(*warningPolicy({}));
  fs::path copy = fs::path(path_).parent_path() /
                  (".baker-lsp-" + std::to_string(getpid()) + ".baker");
  std::ofstream(copy, std::ios::binary) << text_;
  ParseOptions options;
  options.importFolders = importFolders;
  program_ = parseAndCheck({copy.string()}, *diagnostics_, options);
  std::error_code ignored;
  fs::remove(copy, ignored);
  KARAKAL_ASSERT(sources().size() == 0 ||
                     sources().file(fileNumber).path() == copy.string(),
                 "the document is not the first of its sources");
  occurrences_ = findOccurrences(*program_);
}

std::string Document::pathOfFile(uint32_t number) const {
  if (number == fileNumber)
    return path_;
  return fs::absolute(sources().file(number).path())
      .lexically_normal()
      .string();
}

const SymbolOccurrence *Document::occurrenceAt(SourceLocation location) const {
  if (sources().size() == 0)
    return nullptr;
  const SourceFile &file = sources().file(fileNumber);
  for (const SymbolOccurrence &occurrence : occurrences_) {
    if (occurrence.range.file != fileNumber)
      continue;
    SourceLocation begin = file.location(occurrence.range.begin);
    SourceLocation end = file.location(occurrence.range.end);
    if (begin.line == location.line && begin.column <= location.column &&
        location.column < end.column)
      return &occurrence;
  }
  return nullptr;
}

std::vector<SourceRange> Document::rangesOf(const Decl &decl) const {
  std::vector<SourceRange> ranges;
  std::set<uint32_t> seen;
  for (const SymbolOccurrence &occurrence : occurrences_)
    if (occurrence.decl == &decl && occurrence.range.file == fileNumber &&
        seen.insert(occurrence.range.begin).second)
      ranges.push_back(occurrence.range);
  return ranges;
}

} // namespace karakal::lang
