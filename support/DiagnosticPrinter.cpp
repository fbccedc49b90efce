#include "support/DiagnosticPrinter.h"

#include "support/Text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <tuple>
#include <unistd.h>

namespace karakal {

namespace {

/// Prints single diagnostics.
class Printer {
public:
  Printer(std::ostream &out, const SourceManager &sources, bool hasColour)
      : out(out), sources(sources), hasColour(hasColour) {}

  void print(const Diagnostic &diagnostic) {
    bool isError = diagnostic.severity == Severity::Error;
    head(diagnostic.hasRange, diagnostic.range, isError ? "error" : "warning",
         isError ? "31" : "35");
    setStyle("1");
    out << printable(diagnostic.message);
    setStyle("0");
    out << " [" << diagnostic.id;
    if (!diagnostic.flag.empty())
      out << ", -W" << (isError ? "error=" : "") << diagnostic.flag;
    out << "]\n";
    if (diagnostic.hasRange)
      excerpt(diagnostic.range, diagnostic.fixes);
    for (const Diagnostic::Note &note : diagnostic.notes) {
      head(note.hasRange, note.range, "note", "36");
      out << printable(note.message) << '\n';
      if (note.hasRange)
        excerpt(note.range);
    }
  }

private:
  /// Sets the terminal's style to a code of ANSI's "select graphic rendition".
  void setStyle(const char *code) {
    if (hasColour)
      out << "\033[" << code << 'm';
  }

  void head(bool hasRange, SourceRange range, const char *word,
            const char *wordColour) {
    if (hasRange) {
      const SourceFile &file = sources.file(range.file);
      SourceLocation location = file.location(range.begin);
      out << file.path() << ':' << location.line << ':' << location.column
          << ": ";
    }
    setStyle("1");
    setStyle(wordColour);
    out << word << ": ";
    setStyle("0");
  }

  /// Prints the first line of the range with `^~~~` below it. Of a long line,
  /// prints the part around the range.
  void excerpt(SourceRange range,
               const std::vector<Diagnostic::Fix> &fixes = {}) {
    constexpr size_t widthMax = 120;
    const SourceFile &file = sources.file(range.file);
    SourceLocation location = file.location(range.begin);
    std::string_view line = file.line(location.line);
    size_t begin = std::min<size_t>(range.begin - file.lineStart(location.line),
                                    line.size());
    size_t end = std::min<size_t>(std::max(range.end, range.begin) -
                                      file.lineStart(location.line),
                                  line.size());
    size_t from =
        characterStart(line, begin > widthMax / 2 ? begin - widthMax / 2 : 0);
    std::string_view shown =
        line.substr(from, characterStart(line, from + widthMax) - from);
    end = std::min(end, from + shown.size());
    out << "  " << printable(shown) << "\n  ";
    out << blanksBelow(line.substr(from, begin - from));
    setStyle("32");
    out << '^';
    if (end > begin + 1)
      out << std::string(characterCount(line.substr(begin, end - begin)) - 1,
                         '~');
    setStyle("0");
    out << '\n';
    for (const Diagnostic::Fix &fix : fixes)
      if (fix.range.file == range.file &&
          file.location(fix.range.begin).line == location.line)
        showFix(line, from, fix.range.begin - file.lineStart(location.line),
                fix.text);
  }

  void showFix(std::string_view line, size_t from, size_t begin,
               const std::string &text) {
    begin = std::min(begin, line.size());
    if (begin < from)
      return;
    out << "  ";
    out << blanksBelow(line.substr(from, begin - from));
    setStyle("32");
    out << text;
    setStyle("0");
    out << '\n';
  }

  std::ostream &out;
  const SourceManager &sources;
  bool hasColour;
};
} // namespace

/// The diagnostics in the order of the text.
static std::vector<const Diagnostic *> inOrder(const Diagnostics &diagnostics) {
  std::vector<const Diagnostic *> ordered;
  for (const Diagnostic &diagnostic : diagnostics.all())
    ordered.push_back(&diagnostic);
  std::stable_sort(
      ordered.begin(), ordered.end(),
      [](const Diagnostic *a, const Diagnostic *b) {
        return std::tuple(a->hasRange, a->range.file, a->range.begin) <
               std::tuple(b->hasRange, b->range.file, b->range.begin);
      });
  return ordered;
}

void printDiagnostics(const Diagnostics &diagnostics, std::ostream &out,
                      bool hasColour) {
  constexpr size_t countMax = 100;
  std::vector<const Diagnostic *> ordered = inOrder(diagnostics);
  Printer printer(out, diagnostics.sources(), hasColour);
  for (size_t i = 0; i < std::min(ordered.size(), countMax); ++i)
    printer.print(*ordered[i]);
  if (ordered.size() > countMax)
    out << ordered.size() - countMax << " more are not shown.\n";
  if (uint32_t errors = diagnostics.errorCount())
    out << errors << (errors == 1 ? " error\n" : " errors\n");
}

static nlohmann::ordered_json rangeJson(const SourceManager &sources,
                                        SourceRange range) {
  const SourceFile &file = sources.file(range.file);
  SourceLocation begin = file.location(range.begin);
  SourceLocation end = file.location(range.end);
  return {{"file", file.path()},
          {"line", begin.line},
          {"column", begin.column},
          {"end_line", end.line},
          {"end_column", end.column}};
}

void printDiagnosticsAsJson(const Diagnostics &diagnostics, std::ostream &out) {
  const SourceManager &sources = diagnostics.sources();
  auto list = nlohmann::ordered_json::array();
  for (const Diagnostic *diagnostic : inOrder(diagnostics)) {
    bool isError = diagnostic->severity == Severity::Error;
    nlohmann::ordered_json item = {{"severity", isError ? "error" : "warning"},
                                   {"id", diagnostic->id},
                                   {"message", diagnostic->message}};
    if (!diagnostic->flag.empty())
      item["flag"] = diagnostic->flag;
    if (diagnostic->hasRange)
      item["place"] = rangeJson(sources, diagnostic->range);
    item["notes"] = nlohmann::ordered_json::array();
    for (const Diagnostic::Note &note : diagnostic->notes) {
      nlohmann::ordered_json part = {{"message", note.message}};
      if (note.hasRange)
        part["place"] = rangeJson(sources, note.range);
      item["notes"].push_back(std::move(part));
    }
    for (const Diagnostic::Fix &fix : diagnostic->fixes)
      item["fixes"].push_back(
          {{"text", fix.text}, {"place", rangeJson(sources, fix.range)}});
    list.push_back(std::move(item));
  }
  out << list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
      << '\n';
}

bool standardErrorHasColour() {
  const char *terminal = std::getenv("TERM");
  return isatty(2) && !std::getenv("NO_COLOR") && terminal &&
         std::string_view(terminal) != "dumb";
}

} // namespace karakal
