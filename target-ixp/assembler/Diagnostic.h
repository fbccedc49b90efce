// An error of microcode source, printed with the source line and a caret.

#ifndef KARAKAL_TARGET_IXP_ASSEMBLER_DIAGNOSTIC_H
#define KARAKAL_TARGET_IXP_ASSEMBLER_DIAGNOSTIC_H

#include "support/Error.h"

#include <string>

namespace karakal::target {

/// An error and the text of the source line that it points to.
struct Diagnostic {
  Error error;
  std::string sourceLine;
  std::string note; ///< e.g. "in macro 'wait' used at rx.uc:12", or empty

  /// The message, the source line and a caret below the column. `severity` is
  /// the word before the message.
  std::string str(const char *severity = "error") const;
};

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_ASSEMBLER_DIAGNOSTIC_H
