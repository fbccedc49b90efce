// Reading and writing of whole files.

#ifndef KARAKAL_SUPPORT_FILES_H
#define KARAKAL_SUPPORT_FILES_H

#include "support/Error.h"

#include <string>

namespace karakal {

/// Returns the bytes of a file, or of standard input if the path is "-". Error:
/// E-support-001 with the system's reason.
Result<std::string> readFile(const std::string &path);

/// Writes a file completely or not at all: writes a temporary file and renames
/// it. Writes to standard output if the path is "-". Error: E-support-002.
Status writeFile(const std::string &path, const std::string &bytes);

} // namespace karakal

#endif // KARAKAL_SUPPORT_FILES_H
