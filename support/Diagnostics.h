// Errors and warnings about source files.
//
// They are collected while the compiler works and printed together at the end
// (DiagnosticPrinter.h).

#ifndef KARAKAL_SUPPORT_DIAGNOSTICS_H
#define KARAKAL_SUPPORT_DIAGNOSTICS_H

#include "support/SourceFiles.h"

#include <set>
#include <tuple>

namespace karakal {

enum class Severity { Error, Warning };

/// The `-W` options of a command line. A flag names a kind of warning.
struct WarningPolicy {
  bool areAllErrors = false;      ///< `-Werror`
  std::set<std::string> enabled;  ///< `-Wflag`
  std::set<std::string> disabled; ///< `-Wno-flag`
  std::set<std::string> errors;   ///< `-Werror=flag`
  std::set<std::string> offByDefault;
};

/// One error or warning with its notes.
struct Diagnostic {
  struct Note {
    SourceRange range;
    std::string message;
    /// False if the note is about no location.
    bool hasRange = true;
  };

  /// A fix-it: replaces the text in `range` by `text`. An empty range inserts.
  struct Fix {
    SourceRange range;
    std::string text;
  };

  Severity severity = Severity::Error;
  /// Catalogued id, for example `E-baker-020`.
  std::string id;
  /// The `-W` flag that controls this warning; empty for an error.
  std::string flag;
  SourceRange range;
  std::string message;
  std::vector<Note> notes;
  std::vector<Fix> fixes;
  /// False if the message is about no location.
  bool hasRange = true;

  Diagnostic &note(SourceRange where, std::string text);
  Diagnostic &note(std::string text);
  Diagnostic &fix(SourceRange where, std::string text);
};

/// The collected diagnostics of one compilation.
class Diagnostics {
public:
  SourceManager &sources() { return sources_; }
  const SourceManager &sources() const { return sources_; }

  /// Adds a diagnostic. The reference is valid until the next call. A
  /// diagnostic that has been added before, with the same range, id and
  /// message, is discarded.
  Diagnostic &add(Severity severity, std::string id, SourceRange range,
                  std::string message);
  /// Adds a diagnostic about no location.
  Diagnostic &add(Severity severity, std::string id, std::string message);

  /// Adds a warning of the kind `flag`. It is discarded if the policy disables
  /// the flag or the file's warnings are suppressed.
  Diagnostic &warn(const std::string &flag, std::string id, SourceRange range,
                   std::string message);

  void setWarningPolicy(WarningPolicy policy) {
    this->policy = std::move(policy);
  }
  /// Discards all warnings about `file`. Used for libraries, which the user
  /// cannot change.
  void suppressWarnings(uint32_t file) { filesWithoutWarnings.insert(file); }

  uint32_t errorCount() const { return errors; }
  bool hasErrors() const { return errors != 0; }
  /// All diagnostics, in the order in which they were added.
  const std::vector<Diagnostic> &all() const { return diagnostics; }

private:
  SourceManager sources_;
  std::vector<Diagnostic> diagnostics;
  WarningPolicy policy;
  std::set<uint32_t> filesWithoutWarnings;
  /// File, begin, end, id and message of each diagnostic added.
  std::set<std::tuple<uint32_t, uint32_t, uint32_t, std::string, std::string>>
      added;
  Diagnostic discarded; ///< receives the notes of discarded diagnostics
  uint32_t errors = 0;
};

} // namespace karakal

#endif // KARAKAL_SUPPORT_DIAGNOSTICS_H
