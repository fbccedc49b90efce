// Errors of passes, as the user sees them.

#include "driver/PassErrors.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "support/DiagnosticPrinter.h"
#include "support/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <iostream>
#include <map>
#include <optional>

using namespace mlir;

namespace karakal::driver {

namespace {

/// The first place in a file that a location names.
std::optional<FileLineColLoc> placeOf(Location location) {
  std::optional<FileLineColLoc> found;
  location->walk([&](Location part) {
    auto place = dyn_cast<FileLineColLoc>(part);
    if (!place)
      return WalkResult::advance();
    found = place;
    return WalkResult::interrupt();
  });
  return found;
}

StringRef severityOf(mlir::Diagnostic &diagnostic) {
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Remark:
    return "remark";
  case DiagnosticSeverity::Note:
    return "note";
  }
  KARAKAL_UNREACHABLE("no such severity");
}

void printPlain(mlir::Diagnostic &diagnostic) {
  std::string location = locationText(diagnostic.getLocation());
  llvm::errs() << location << (location.empty() ? "" : ": ")
               << severityOf(diagnostic) << ": " << diagnostic.str() << "\n";
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    printPlain(note);
}

/// The sources of locations, as far as they can be read.
class Places {
public:
  explicit Places(SourceManager &sources) : sources(sources) {}

  /// The word at a location, or nothing.
  std::optional<SourceRange> rangeOf(Location location) {
    std::optional<FileLineColLoc> place = placeOf(location);
    if (!place)
      return std::nullopt;
    std::optional<uint32_t> number = numberOf(place->getFilename().str());
    if (!number)
      return std::nullopt;
    const SourceFile &file = sources.file(*number);
    StringRef text(file.text());
    if (place->getLine() > text.count('\n') + 1)
      return std::nullopt;
    uint32_t begin = file.lineStart(place->getLine());
    for (unsigned column = 1; column < place->getColumn(); ++column)
      do
        ++begin;
      while (begin < text.size() && (uint8_t(text[begin]) & 0xc0) == 0x80);
    if (begin >= text.size())
      return std::nullopt;
    uint32_t end = begin + 1;
    while (end < text.size() && (llvm::isAlnum(text[end]) || text[end] == '_'))
      ++end;
    return SourceRange{*number, begin, end};
  }

private:
  std::optional<uint32_t> numberOf(const std::string &path) {
    auto [entry, isNew] = numbers.try_emplace(path);
    if (isNew)
      if (auto text = readFile(path))
        entry->second = sources.add(path, *text);
    return entry->second;
  }

  SourceManager &sources;
  std::map<std::string, std::optional<uint32_t>> numbers;
};

/// The text without the id at its end; moves the id to `id`.
std::string withoutId(StringRef text, std::string &id) {
  size_t at = text.rfind(" [E-");
  if (at == StringRef::npos || !text.ends_with("]"))
    return text.str();
  id = text.slice(at + 2, text.size() - 1).str();
  return text.take_front(at).str();
}

} // namespace

std::string locationText(Location location) {
  std::optional<FileLineColLoc> place = placeOf(location);
  if (!place)
    return "";
  return place->getFilename().str() + ":" + std::to_string(place->getLine()) +
         ":" + std::to_string(place->getColumn());
}

void printPassDiagnostic(mlir::Diagnostic &diagnostic, bool isJson) {
  std::string id, message = withoutId(diagnostic.str(), id);
  if (id.empty() || diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return printPlain(diagnostic);
  Diagnostics printed;
  Places places(printed.sources());
  auto range = places.rangeOf(diagnostic.getLocation());
  if (!range && placeOf(diagnostic.getLocation()))
    return printPlain(diagnostic); // in no file
  karakal::Diagnostic &error =
      range ? printed.add(Severity::Error, id, *range, message)
            : printed.add(Severity::Error, id, message);
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    if (auto at = places.rangeOf(note.getLocation()))
      error.note(*at, note.str());
    else
      error.note(note.str());
  if (isJson)
    printDiagnosticsAsJson(printed, std::cerr);
  else
    printDiagnostics(printed, std::cerr, standardErrorHasColour());
}

} // namespace karakal::driver
