// What is wrong with a source text.
//
// Places in texts, and the printing of diagnostics with the line concerned
// and an underline below it.

#include "support/Diagnostics.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <tuple>
#include <unistd.h>

namespace karakal {

SourceRange spanning(SourceRange first, SourceRange last) {
  return {first.file, std::min(first.begin, last.begin),
          std::max(first.end, last.end)};
}

SourceFile::SourceFile(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)) {
  starts.push_back(0);
  for (uint32_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n')
      starts.push_back(i + 1);
}

/// Characters of `text`: bytes that do not continue a UTF-8 sequence.
static uint32_t characterCount(std::string_view text) {
  return uint32_t(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

SourcePlace SourceFile::place(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, uint32_t(text_.size()));
  auto next = std::upper_bound(starts.begin(), starts.end(), offset);
  uint32_t number = uint32_t(next - starts.begin());
  uint32_t start = starts[number - 1];
  return {number, 1 + characterCount(text().substr(start, offset - start))};
}

std::string_view SourceFile::line(uint32_t number) const {
  uint32_t start = starts[number - 1];
  uint32_t end =
      number < starts.size() ? starts[number] - 1 : uint32_t(text_.size());
  std::string_view line = text().substr(start, end - start);
  if (!line.empty() && line.back() == '\r')
    line.remove_suffix(1);
  return line;
}

uint32_t SourceManager::add(std::string path, std::string text) {
  files.emplace_back(std::move(path), std::move(text));
  return uint32_t(files.size() - 1);
}

std::string_view SourceManager::text(SourceRange range) const {
  return file(range.file).text().substr(range.begin, range.end - range.begin);
}

/// A message may quote a name of any length: cut to what people read.
static std::string readable(std::string message) {
  constexpr size_t bytesMax = 1000;
  if (message.size() <= bytesMax)
    return message;
  size_t end = bytesMax;
  // A cut may not fall inside a character.
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xc0) == 0x80)
    --end;
  return message.substr(0, end) + "…";
}

Diagnostic &Diagnostic::note(SourceRange where, std::string text) {
  notes.push_back({where, readable(std::move(text)), true});
  return *this;
}

Diagnostic &Diagnostic::note(std::string text) {
  notes.push_back({{}, readable(std::move(text)), false});
  return *this;
}

Diagnostic &Diagnostic::fix(SourceRange where, std::string text) {
  fixes.push_back({where, std::move(text)});
  return *this;
}

Diagnostic &Diagnostics::add(Severity severity, std::string id,
                             SourceRange range, std::string message) {
  message = readable(std::move(message));
  // The instances of a module share its text: what is wrong there is said once.
  if (range.end != 0 &&
      !said.insert({range.file, range.begin, range.end, id, message}).second)
    return discarded = Diagnostic();
  errors += severity == Severity::Error;
  diagnostics.push_back(
      {severity, std::move(id), "", range, std::move(message), {}, true, {}});
  return diagnostics.back();
}

Diagnostic &Diagnostics::warn(const std::string &flag, std::string id,
                              SourceRange range, std::string message) {
  bool isOff = warnings.disabled.count(flag) ||
               (warnings.offDefault.count(flag) &&
                !warnings.enabled.count(flag) && !warnings.errors.count(flag));
  if (isOff || silentFiles.count(range.file))
    return discarded = Diagnostic();
  bool isError = warnings.areErrors || warnings.errors.count(flag);
  Diagnostic &diagnostic = add(isError ? Severity::Error : Severity::Warning,
                               std::move(id), range, std::move(message));
  diagnostic.flag = flag;
  return diagnostic;
}

Diagnostic &Diagnostics::add(Severity severity, std::string id,
                             std::string message) {
  Diagnostic &diagnostic =
      add(severity, std::move(id), SourceRange{}, std::move(message));
  diagnostic.hasRange = false;
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

namespace {
class Printer {
public:
  Printer(std::ostream &out, const SourceManager &sources, bool colour)
      : out(out), sources(sources), colour(colour) {}

  void print(const Diagnostic &diagnostic) {
    bool isError = diagnostic.severity == Severity::Error;
    head(diagnostic.hasRange, diagnostic.range, isError ? "error" : "warning",
         isError ? "31" : "35");
    set("1");
    out << diagnostic.message;
    set("0");
    out << " [" << diagnostic.id;
    if (!diagnostic.flag.empty())
      out << ", -W" << (isError ? "error=" : "") << diagnostic.flag;
    out << "]\n";
    if (diagnostic.hasRange)
      excerpt(diagnostic.range, diagnostic.fixes);
    for (const Diagnostic::Note &note : diagnostic.notes) {
      head(note.hasRange, note.range, "note", "36");
      out << note.message << '\n';
      if (note.hasRange)
        excerpt(note.range);
    }
  }

private:
  void set(const char *code) {
    if (colour)
      out << "\033[" << code << 'm';
  }

  void head(bool hasRange, SourceRange range, const char *word,
            const char *wordColour) {
    if (hasRange) {
      const SourceFile &file = sources.file(range.file);
      SourcePlace place = file.place(range.begin);
      out << file.path() << ':' << place.line << ':' << place.column << ": ";
    }
    set("1");
    set(wordColour);
    out << word << ": ";
    set("0");
  }

  /// The first line of the range with `^~~~` under it. Long lines are shown
  /// around the range.
  void excerpt(SourceRange range,
               const std::vector<Diagnostic::Fix> &fixes = {}) {
    constexpr size_t widthMax = 120;
    const SourceFile &file = sources.file(range.file);
    SourcePlace place = file.place(range.begin);
    std::string_view line = file.line(place.line);
    size_t begin =
        std::min<size_t>(range.begin - file.lineStart(place.line), line.size());
    size_t end = std::min<size_t>(std::max(range.end, range.begin) -
                                      file.lineStart(place.line),
                                  line.size());
    size_t from = begin > widthMax / 2 ? begin - widthMax / 2 : 0;
    // A cut may not fall inside a character.
    while (from > 0 && (static_cast<unsigned char>(line[from]) & 0xc0) == 0x80)
      --from;
    std::string_view shown = line.substr(from, widthMax);
    end = std::min(end, from + shown.size());
    out << "  " << printable(shown) << "\n  ";
    indent(line.substr(from, begin - from));
    set("32");
    out << '^';
    if (end > begin + 1)
      out << std::string(characterCount(line.substr(begin, end - begin)) - 1,
                         '~');
    set("0");
    out << '\n';
    for (const Diagnostic::Fix &fix : fixes)
      if (fix.range.file == range.file &&
          file.place(fix.range.begin).line == place.line)
        showFix(line, from, fix.range.begin - file.lineStart(place.line),
                fix.text);
  }

  void showFix(std::string_view line, size_t from, size_t begin,
               const std::string &text) {
    begin = std::min(begin, line.size());
    if (begin < from)
      return;
    out << "  ";
    indent(line.substr(from, begin - from));
    set("32");
    out << text;
    set("0");
    out << '\n';
  }

  /// Blanks as wide as `text`; tabs stay tabs, so that what follows stands
  /// below its text.
  void indent(std::string_view text) {
    for (char c : text)
      if ((static_cast<unsigned char>(c) & 0xc0) != 0x80)
        out << (c == '\t' ? '\t' : ' ');
  }

  /// Control characters could change the terminal's state: shown as '?'.
  static std::string printable(std::string_view text) {
    std::string result(text);
    for (char &c : result)
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f)
        c = '?';
    return result;
  }

  std::ostream &out;
  const SourceManager &sources;
  bool colour;
};
} // namespace

std::vector<const Diagnostic *> Diagnostics::inOrder() const {
  std::vector<const Diagnostic *> ordered;
  for (const Diagnostic &diagnostic : diagnostics)
    ordered.push_back(&diagnostic);
  std::stable_sort(
      ordered.begin(), ordered.end(),
      [](const Diagnostic *a, const Diagnostic *b) {
        return std::tuple(a->hasRange, a->range.file, a->range.begin) <
               std::tuple(b->hasRange, b->range.file, b->range.begin);
      });
  return ordered;
}

void Diagnostics::print(std::ostream &out, bool colour) const {
  constexpr size_t countMax = 100;
  std::vector<const Diagnostic *> ordered = inOrder();
  Printer printer(out, sources_, colour);
  for (size_t i = 0; i < std::min(ordered.size(), countMax); ++i)
    printer.print(*ordered[i]);
  if (ordered.size() > countMax)
    out << ordered.size() - countMax << " more are not shown.\n";
  if (errors != 0)
    out << errors << (errors == 1 ? " error\n" : " errors\n");
}

static nlohmann::ordered_json placeJson(const SourceManager &sources,
                                        SourceRange range) {
  const SourceFile &file = sources.file(range.file);
  SourcePlace begin = file.place(range.begin), end = file.place(range.end);
  return {{"file", file.path()},
          {"line", begin.line},
          {"column", begin.column},
          {"end_line", end.line},
          {"end_column", end.column}};
}

void Diagnostics::printJson(std::ostream &out) const {
  auto list = nlohmann::ordered_json::array();
  for (const Diagnostic *diagnostic : inOrder()) {
    bool isError = diagnostic->severity == Severity::Error;
    nlohmann::ordered_json item = {{"severity", isError ? "error" : "warning"},
                                   {"id", diagnostic->id},
                                   {"message", diagnostic->message}};
    if (!diagnostic->flag.empty())
      item["flag"] = diagnostic->flag;
    if (diagnostic->hasRange)
      item["place"] = placeJson(sources_, diagnostic->range);
    item["notes"] = nlohmann::ordered_json::array();
    for (const Diagnostic::Note &note : diagnostic->notes) {
      nlohmann::ordered_json part = {{"message", note.message}};
      if (note.hasRange)
        part["place"] = placeJson(sources_, note.range);
      item["notes"].push_back(std::move(part));
    }
    for (const Diagnostic::Fix &fix : diagnostic->fixes)
      item["fixes"].push_back(
          {{"text", fix.text}, {"place", placeJson(sources_, fix.range)}});
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

//===----------------------------------------------------------------------===//
// Spelling
//===----------------------------------------------------------------------===//

/// Edits (insert, delete, replace, swap of neighbours) from `a` to `b`.
static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1,
                                     std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j)
    d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
                          d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::string nearestName(std::string_view name,
                        const std::vector<std::string> &candidates) {
  constexpr size_t lengthMax = 64;
  std::string nearest;
  size_t distanceBest = std::max<size_t>(name.size() / 3, 1) + 1;
  if (name.size() > lengthMax)
    return nearest;
  for (const std::string &candidate : candidates) {
    if (candidate.size() > lengthMax || candidate == name)
      continue;
    size_t distance = editDistance(name, candidate);
    if (distance < distanceBest && distance < name.size()) {
      distanceBest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

} // namespace karakal
