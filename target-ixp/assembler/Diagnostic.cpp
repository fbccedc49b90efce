#include "target-ixp/assembler/Diagnostic.h"

namespace karakal::target {

std::string Diagnostic::str(const char *severity) const {
  std::string text = error.str();
  constexpr std::string_view usual = ": error: ";
  if (size_t at = text.find(usual); at != std::string::npos)
    text.replace(at, usual.size(), std::string(": ") + severity + ": ");
  if (!sourceLine.empty() && error.column) {
    text += "\n  " + sourceLine + "\n  ";
    for (uint32_t i = 0; i + 1 < error.column && i < sourceLine.size(); ++i)
      text += sourceLine[i] == '\t' ? '\t' : ' ';
    text += '^';
  }
  if (!note.empty())
    text += "\n  note: " + note;
  return text;
}

} // namespace karakal::target
