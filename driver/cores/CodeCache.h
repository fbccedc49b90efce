// Code of earlier runs in a folder.
//
// A file holds the code for one key, after a checksum. It is written beside its
// name and then renamed, so that compilers that run at the same time can share
// the folder. What has not been used for a week is removed.

#ifndef KARAKAL_DRIVER_CORES_CODECACHE_H
#define KARAKAL_DRIVER_CORES_CODECACHE_H

#include "support/Error.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace karakal::driver {

class CodeCache {
public:
  explicit CodeCache(std::string folder) : folder(std::move(folder)) {}

  /// Returns the key of what the compiler at hand makes of these inputs.
  static std::string keyOf(llvm::ArrayRef<std::string> inputs);

  /// Returns the code with this key, or nothing if there is none or its file is
  /// damaged.
  std::optional<std::string> find(llvm::StringRef key) const;
  /// Makes the folder if it is needed. E-driver-023: it cannot be written.
  Status keep(llvm::StringRef key, llvm::StringRef code) const;

private:
  std::string pathOf(llvm::StringRef key) const;

  std::string folder;
};

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_CORES_CODECACHE_H
