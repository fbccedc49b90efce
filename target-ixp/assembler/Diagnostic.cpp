#include "target-ixp/assembler/Diagnostic.h"
#include "support/Text.h"

namespace karakal::target {

std::string Diagnostic::str(const char *severity) const {
  std::string text = error.str();
  constexpr std::string_view usual = ": error: ";
  if (size_t at = text.find(usual); at != std::string::npos)
    text.replace(at, usual.size(), std::string(": ") + severity + ": ");
  if (!sourceLine.empty() && error.column) {
    text += "\n  " + printable(sourceLine) + "\n  " +
            blanksBelow(sourceLine.substr(0, error.column - 1)) + '^';
  }
  if (!note.empty())
    text += "\n  note: " + note;
  return text;
}

} // namespace karakal::target
