// What is wrong with a source text.
//
// Errors and warnings about source files, collected while a stage goes on and
// printed together in the order of the text:
//
//   l3.baker:12:9: error: there is no name 'hpos' [E-baker-020]
//     x = hpos[1].port;
//         ^~~~
//   l3.baker:4:12: note: did you mean 'hops'?
//     next_hop hops[64];
//              ^~~~
//
// Under the text may stand what to write there instead (a fix-it).
//
// A range is a pair of byte offsets into one file. Columns count characters
// (code points), from 1.

#ifndef KARAKAL_SUPPORT_DIAGNOSTICS_H
#define KARAKAL_SUPPORT_DIAGNOSTICS_H

#include <cstdint>
#include <deque>
#include <iosfwd>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace karakal {

/// Part of one source file, in byte offsets; `end` is one past the last byte.
struct SourceRange {
  uint32_t file = 0;
  uint32_t begin = 0;
  uint32_t end = 0;

  bool operator==(const SourceRange &other) const {
    return file == other.file && begin == other.begin && end == other.end;
  }
};

/// The range from the start of `first` to the end of `last`, of one file.
SourceRange spanning(SourceRange first, SourceRange last);

/// A place as people write it, both numbers from 1.
struct SourcePlace {
  uint32_t line = 1;
  uint32_t column = 1;
};

/// One text, with the starts of its lines.
class SourceFile {
public:
  SourceFile(std::string path, std::string text);

  const std::string &path() const { return path_; }
  std::string_view text() const { return text_; }
  SourcePlace place(uint32_t offset) const;
  /// The line's text without its end.
  std::string_view line(uint32_t number) const;
  uint32_t lineStart(uint32_t number) const { return starts[number - 1]; }

private:
  std::string path_;
  std::string text_;
  std::vector<uint32_t> starts;
};

/// The files of one compilation; addresses of files are stable.
class SourceManager {
public:
  /// Adds a file and returns its number.
  uint32_t add(std::string path, std::string text);
  const SourceFile &file(uint32_t number) const { return files[number]; }
  uint32_t size() const { return uint32_t(files.size()); }
  std::string_view text(SourceRange range) const;

private:
  std::deque<SourceFile> files;
};

enum class Severity { Error, Warning };

/// What `-W` options ask for. A flag names a kind of warning.
struct WarningPolicy {
  bool areErrors = false;           ///< `-Werror`
  std::set<std::string> enabled;    ///< `-Wflag`
  std::set<std::string> disabled;   ///< `-Wno-flag`
  std::set<std::string> errors;     ///< `-Werror=flag`
  std::set<std::string> offDefault; ///< flags that are off unless enabled
};

/// One error or warning with its notes.
struct Diagnostic {
  struct Note {
    SourceRange range;
    std::string message;
    /// False: a remark without a place.
    bool hasRange = true;
  };

  /// What to write in place of a part of the text; an empty part: insert.
  struct Fix {
    SourceRange range;
    std::string text;
  };

  Severity severity = Severity::Error;
  /// Catalogued id, for example `E-baker-020`.
  std::string id;
  /// The `-W` flag that rules over this warning; empty for errors.
  std::string flag;
  SourceRange range;
  std::string message;
  std::vector<Note> notes;
  /// False: the message concerns no place in a file.
  bool hasRange = true;
  /// What would very probably mend it.
  std::vector<Fix> fixes;

  Diagnostic &note(SourceRange where, std::string text);
  Diagnostic &note(std::string text);
  Diagnostic &fix(SourceRange where, std::string text);
};

/// The collected diagnostics of one compilation.
class Diagnostics {
public:
  SourceManager &sources() { return sources_; }
  const SourceManager &sources() const { return sources_; }

  /// Adds a diagnostic; the reference is valid until the next one is added.
  Diagnostic &add(Severity severity, std::string id, SourceRange range,
                  std::string message);
  /// Adds a diagnostic that concerns no place.
  Diagnostic &add(Severity severity, std::string id, std::string message);

  /// Adds a warning of the kind `flag`, unless the policy or the file says no.
  Diagnostic &warn(const std::string &flag, std::string id, SourceRange range,
                   std::string message);

  void setWarnings(WarningPolicy policy) { warnings = std::move(policy); }
  /// Nothing is warned of in `file`: its reader cannot change it.
  void silence(uint32_t file) { silentFiles.insert(file); }

  uint32_t errorCount() const { return errors; }
  bool hasErrors() const { return errors != 0; }
  const std::vector<Diagnostic> &all() const { return diagnostics; }

  /// Prints all diagnostics in the order of the text, then their number.
  void print(std::ostream &out, bool colour) const;
  /// Prints all diagnostics in the order of the text as one JSON array, places
  /// as lines and columns from 1, ends exclusive.
  void printJson(std::ostream &out) const;

private:
  std::vector<const Diagnostic *> inOrder() const;

  SourceManager sources_;
  std::vector<Diagnostic> diagnostics;
  WarningPolicy warnings;
  std::set<uint32_t> silentFiles;
  std::set<std::tuple<uint32_t, uint32_t, uint32_t, std::string, std::string>>
      said;
  Diagnostic discarded; ///< takes the notes of a warning that is not wanted
  uint32_t errors = 0;
};

/// True if file descriptor 2 is a terminal that shows colours.
bool standardErrorHasColour();

/// The candidate nearest to `name` in spelling, empty if none is near.
std::string nearestName(std::string_view name,
                        const std::vector<std::string> &candidates);

} // namespace karakal

#endif // KARAKAL_SUPPORT_DIAGNOSTICS_H
