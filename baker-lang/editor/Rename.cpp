#include "baker-lang/editor/Rename.h"

#include "baker-lang/editor/Protocol.h"
#include "baker-lang/editor/WordHelp.h"
#include "baker-lang/syntax/Keywords.h"
#include "support/Error.h"

#include <algorithm>

using nlohmann::json;

namespace karakal::lang {

[[noreturn]] static void refuse(const std::string &why) {
  throw ResponseError{ErrorCode::RequestFailed, why};
}

const SymbolOccurrence &renameableAt(const Document &document,
                                     uint32_t offset) {
  const SymbolOccurrence *name = document.occurrenceAt(offset);
  if (!name)
    refuse("there is no name of the program here");
  if (name->symbol.isBuiltin())
    refuse("'" + name->symbol.name() + "' is part of the language");
  return *name;
}

/// Refuses what is no name of a declaration.
static void checkName(const std::string &name) {
  SourceTokens tokens = scanTokens(name);
  bool isWord = tokens.size() == 1 && tokens[0].text == name;
  if (isWord && (tokens[0].kind == TokenClass::Keyword ||
                 tokens[0].kind == TokenClass::Type))
    refuse("'" + name + "' is a word of the language");
  if (!isWord || tokens[0].kind != TokenClass::Name)
    refuse("'" + name + "' is no name: use letters, digits and '_'");
  if (primitiveNamed(name) != Primitive::None)
    refuse("'" + name + "' is a word of the language");
}

/// Files of a library are not for the user to change.
static void checkFiles(const Document &document,
                       const std::vector<SourceRange> &ranges,
                       const std::vector<std::string> &importFolders) {
  for (SourceRange range : ranges) {
    std::string path = realPath(document.pathOfFile(range.file));
    for (const std::string &folder : importFolders)
      if (path.rfind(realPath(folder) + "/", 0) == 0 &&
          document.path().rfind(realPath(folder) + "/", 0) != 0)
        refuse("the name occurs in the library: " + path);
  }
}

namespace {

/// The ranges of one file and its text after the replacement.
struct ChangedFile {
  std::string text;
  std::vector<SourceRange> newRanges; ///< of the new names
};

} // namespace

/// `ranges` are in order and in one file.
static ChangedFile replaceAll(const SourceFile &file,
                              const std::vector<SourceRange> &ranges,
                              const std::string &newName) {
  ChangedFile changed;
  uint32_t end = 0;
  for (SourceRange range : ranges) {
    KARAKAL_ASSERT(range.begin >= end, "the ranges are in order");
    changed.text += file.text().substr(end, range.begin - end);
    auto begin = uint32_t(changed.text.size());
    changed.text += newName;
    changed.newRanges.push_back(
        {range.file, begin, begin + uint32_t(newName.size())});
    end = range.end;
  }
  changed.text += file.text().substr(end);
  return changed;
}

/// The errors of a program by message id, so that places do not matter.
static std::multiset<std::string> errorsOf(const Document &document) {
  std::multiset<std::string> ids;
  for (const Diagnostic &item : document.diagnostics().all())
    if (item.severity == Severity::Error)
      ids.insert(item.id);
  return ids;
}

/// What is wrong with the renamed program; empty if nothing is.
static std::string faultOf(const Document &before, const Document &after,
                           const SymbolOccurrence &name,
                           const std::vector<std::string> &places,
                           const std::string &newName) {
  if (errorsOf(before) != errorsOf(after))
    for (const Diagnostic &item : after.diagnostics().all())
      if (item.severity == Severity::Error)
        return item.message;
  std::vector<std::string> found;
  for (const SymbolOccurrence &occurrence : after.occurrences()) {
    if (occurrence.symbol.name() != newName)
      continue;
    std::string place = after.locationOf(occurrence.range).dump();
    bool isRenamed =
        std::find(places.begin(), places.end(), place) != places.end();
    std::string declared =
        after.locationOf(occurrence.symbol.declaredAt()).dump();
    bool meansIt =
        std::find(places.begin(), places.end(), declared) != places.end();
    if (isRenamed != meansIt)
      return "'" + newName + "' would mean another thing in line " +
             std::to_string(after.sources()
                                .file(occurrence.range.file)
                                .location(occurrence.range.begin)
                                .line);
    if (isRenamed)
      found.push_back(place);
  }
  return found.size() == places.size()
             ? ""
             : "'" + newName + "' would hide or lose a use of '" +
                   name.symbol.name() + "'";
}

json renameEdit(const Document &document, uint32_t offset,
                const std::string &newName, const SourceTexts &texts,
                const std::vector<std::string> &importFolders) {
  const SymbolOccurrence &name = renameableAt(document, offset);
  checkName(newName);
  std::vector<SourceRange> ranges = document.rangesOf(name.symbol);
  checkFiles(document, ranges, importFolders);
  std::map<uint32_t, std::vector<SourceRange>> byFile;
  for (SourceRange range : ranges)
    byFile[range.file].push_back(range);
  SourceTexts changedTexts = texts;
  std::vector<std::pair<uint32_t, std::vector<SourceRange>>> newRanges;
  json changes = json::object();
  for (auto &[number, places] : byFile) {
    const SourceFile &file = document.sources().file(number);
    ChangedFile changed = replaceAll(file, places, newName);
    changedTexts[realPath(file.path())] = changed.text;
    newRanges.push_back({number, changed.newRanges});
    json &edits = changes[uriOfPath(document.pathOfFile(number))];
    for (SourceRange place : places)
      edits.push_back({{"range", rangeOf(file, place.begin, place.end)},
                       {"newText", newName}});
  }
  Document after(document.path(), changedTexts, importFolders);
  // The same files in the same order.
  std::vector<std::string> places;
  for (auto &[number, list] : newRanges)
    for (SourceRange range : list)
      if (number < after.sources().size())
        places.push_back(after.locationOf(range).dump());
  if (std::string fault = faultOf(document, after, name, places, newName);
      !fault.empty())
    refuse("cannot rename '" + name.symbol.name() + "' to '" + newName +
           "': " + fault);
  return {{"changes", changes}};
}

} // namespace karakal::lang
