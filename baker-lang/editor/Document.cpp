#include "baker-lang/editor/Document.h"

#include "baker-lang/checks/ParseAndCheck.h"
#include "baker-lang/editor/Protocol.h"
#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "support/Error.h"

#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <set>

namespace fs = std::filesystem;

namespace karakal::lang {

//===----------------------------------------------------------------------===//
// The program that a file belongs to
//===----------------------------------------------------------------------===//

namespace {

/// What the text of a file says about its program.
struct FileOutline {
  std::set<std::string> imports; ///< paths of files in the same folder
  bool takesPackets = false;     ///< wires `rx`
};

/// Reads only what it needs, because it reads all files of a folder at each
/// change of one.
FileOutline outlineOf(const std::string &folder, std::string_view text) {
  FileOutline outline;
  auto isWordAt = [&](size_t i) {
    return i < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[i])) ||
            text[i] == '_');
  };
  auto behindBlanks = [&](size_t i) {
    return std::min(text.find_first_not_of(" \t", i), text.size());
  };
  for (size_t at = text.find("rx"); at < text.size();
       at = text.find("rx", at + 2)) {
    std::string_view next = text.substr(behindBlanks(at + 2), 2);
    outline.takesPackets |= (at == 0 || !isWordAt(at - 1)) &&
                            (next == "->" || next.substr(0, 1) == "[");
  }
  constexpr std::string_view word = "import";
  for (size_t at = text.find(word); at < text.size();
       at = text.find(word, at + word.size())) {
    bool beginsLine = at == 0 || text[at - 1] == '\n';
    size_t name = behindBlanks(at + word.size());
    if (!beginsLine || name == at + word.size())
      continue;
    std::string path = folder + "/";
    for (; isWordAt(name) || (name < text.size() && text[name] == '.'); ++name)
      path += text[name] == '.' ? '/' : text[name];
    outline.imports.insert(realPath(path + ".baker"));
  }
  return outline;
}

/// The outlines of the Baker files in a folder, by path; none if it has very
/// many.
std::map<std::string, FileOutline> outlinesIn(const std::string &folder,
                                              const SourceTexts &texts) {
  constexpr size_t filesMax = 100;
  std::map<std::string, FileOutline> outlines;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end;
       !failed && entry != end; entry.increment(failed)) {
    std::string path = realPath(entry->path().string());
    if (entry->path().extension() != ".baker")
      continue;
    if (outlines.size() == filesMax)
      return {};
    auto open = texts.find(path);
    auto onDisk = llvm::MemoryBuffer::getFile(path);
    if (open != texts.end())
      outlines[path] = outlineOf(folder, open->second);
    else if (onDisk && firstInvalidByte((*onDisk)->getBuffer()) ==
                           (*onDisk)->getBufferSize())
      outlines[path] = outlineOf(folder, (*onDisk)->getBuffer());
  }
  return outlines;
}

/// The file whose program holds `path`: `path` itself, unless another file of
/// the folder takes packets and imports it.
std::string rootOf(const std::string &path, const SourceTexts &texts) {
  std::string folder = fs::path(path).parent_path().string();
  if (outlineOf(folder, texts.at(path)).takesPackets)
    return path;
  auto outlines = outlinesIn(folder, texts);
  std::set<std::string> seen;
  std::function<bool(const std::string &)> reaches =
      [&](const std::string &from) {
        if (from == path)
          return true;
        if (!seen.insert(from).second)
          return false;
        const std::set<std::string> &imports = outlines[from].imports;
        return std::any_of(imports.begin(), imports.end(), reaches);
      };
  for (auto &[other, outline] : std::map(outlines)) {
    seen.clear();
    if (outline.takesPackets && reaches(other))
      return other;
  }
  return path;
}

} // namespace

//===----------------------------------------------------------------------===//
// Document
//===----------------------------------------------------------------------===//

Document::Document(const std::string &path, const SourceTexts &texts,
                   const std::vector<std::string> &importFolders)
    : path_(realPath(path)) {
  auto text = texts.find(path_);
  KARAKAL_ASSERT(text != texts.end(), "the document is not open");
  text_ = text->second;
  tokens_ = scanTokens(text_);
  analyze(rootOf(path_, texts), texts, importFolders);
  auto findOwn = [&] {
    for (uint32_t number = 0; number < sources().size(); ++number)
      if (realPath(sources().file(number).path()) == path_)
        return number;
    return sources().size();
  };
  fileNumber_ = findOwn();
  if (fileNumber_ == sources().size()) { // its program did not parse
    analyze(path_, texts, importFolders);
    fileNumber_ = findOwn();
  }
  if (fileNumber_ == sources().size()) // too long to be a program
    fileNumber_ = diagnostics_->sources().add(path_, text_);
  occurrences_ = findOccurrences(*program_, sources());
}

void Document::analyze(const std::string &root, const SourceTexts &texts,
                       const std::vector<std::string> &importFolders) {
  diagnostics_ = std::make_unique<Diagnostics>();
  diagnostics_->setWarningPolicy(*warningPolicy({}));
  ParseOptions options;
  options.importFolders = importFolders;
  options.texts = texts;
  program_ = parseAndCheck({root}, *diagnostics_, options);
}

std::string Document::pathOfFile(uint32_t number) const {
  return fs::absolute(sources().file(number).path())
      .lexically_normal()
      .string();
}

const SymbolOccurrence *Document::occurrenceAt(uint32_t offset) const {
  const SymbolOccurrence *best = nullptr;
  for (const SymbolOccurrence &occurrence : occurrences_) {
    SourceRange range = occurrence.range;
    if (range.file == fileNumber_ && range.begin <= offset &&
        offset <= range.end && (!best || offset < range.end))
      best = &occurrence;
  }
  return best;
}

std::vector<SourceRange> Document::rangesOf(const Symbol &symbol) const {
  std::vector<SourceRange> ranges;
  for (const SymbolOccurrence &occurrence : occurrences_)
    if (occurrence.symbol == symbol)
      ranges.push_back(occurrence.range);
  return ranges;
}

nlohmann::json Document::locationOf(SourceRange range) const {
  return {
      {"uri", uriOfPath(pathOfFile(range.file))},
      {"range", rangeOf(sources().file(range.file), range.begin, range.end)}};
}

} // namespace karakal::lang
