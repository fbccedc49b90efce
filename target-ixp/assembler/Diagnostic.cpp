#include "target-ixp/assembler/Diagnostic.h"
#include "support/Printable.h"

namespace karakal::target {

std::string Diagnostic::str(const char *severity) const {
  std::string text = error.str();
  constexpr std::string_view usual = ": error: ";
  if (size_t at = text.find(usual); at != std::string::npos)
    text.replace(at, usual.size(), std::string(": ") + severity + ": ");
  if (!sourceLine.empty() && error.column) {
    text += "\n  " + printable(sourceLine) + "\n  ";
    for (uint32_t i = 0; i + 1 < error.column && i < sourceLine.size(); ++i)
      if ((uint8_t(sourceLine[i]) & 0xc0) != 0x80) // not inside a character
        text += sourceLine[i] == '\t' ? '\t' : ' ';
    text += '^';
  }
  if (!note.empty())
    text += "\n  note: " + note;
  return text;
}

} // namespace karakal::target
