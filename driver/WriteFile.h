//===- WriteFile.h - whole files or none -----------------------*- C++ -*-===//

#ifndef KARAKAL_DRIVER_WRITEFILE_H
#define KARAKAL_DRIVER_WRITEFILE_H

#include "support/Error.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace karakal::driver {

/// Writes `content` to `path` by way of a temporary file beside it, so that
/// the file is whole or untouched; "-" is standard output. E-driver-022.
Status writeFile(const std::string &path, llvm::StringRef content);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_WRITEFILE_H
