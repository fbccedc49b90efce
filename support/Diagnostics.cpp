#include "support/Diagnostics.h"

#include "support/Error.h"
#include "support/Text.h"

namespace karakal {

/// Shortens a message that quotes a very long name.
static std::string shortened(std::string message) {
  constexpr size_t bytesMax = 1000;
  if (message.size() <= bytesMax)
    return message;
  return message.substr(0, characterStart(message, bytesMax)) + "…";
}

Diagnostic &Diagnostic::note(SourceRange where, std::string text) {
  notes.push_back({where, shortened(std::move(text))});
  return *this;
}

Diagnostic &Diagnostic::note(std::string text) {
  notes.push_back({{}, shortened(std::move(text)), false});
  return *this;
}

Diagnostic &Diagnostic::fix(SourceRange where, std::string text) {
  fixes.push_back({where, std::move(text)});
  return *this;
}

Diagnostic &Diagnostics::add(Severity severity, std::string id,
                             SourceRange range, std::string message) {
  KARAKAL_ASSERT(!id.empty() && !message.empty(),
                 "a diagnostic needs an id and a message");
  message = shortened(std::move(message));
  // The instances of a module share its text. Report an error there once.
  if (range.end != 0 &&
      !added.insert({range.file, range.begin, range.end, id, message}).second)
    return discarded = Diagnostic();
  errors += severity == Severity::Error;
  diagnostics.push_back(
      {severity, std::move(id), "", range, std::move(message), {}, {}});
  return diagnostics.back();
}

Diagnostic &Diagnostics::warn(const std::string &flag, std::string id,
                              SourceRange range, std::string message) {
  KARAKAL_ASSERT(!flag.empty(), "a warning needs a flag");
  bool isOff = policy.disabled.count(flag) ||
               (policy.offByDefault.count(flag) &&
                !policy.enabled.count(flag) && !policy.errors.count(flag));
  if (isOff || filesWithoutWarnings.count(range.file))
    return discarded = Diagnostic();
  bool isError = policy.areAllErrors || policy.errors.count(flag);
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

} // namespace karakal
