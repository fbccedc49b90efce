// How a pointer reaches its pointee.

#ifndef KARAKAL_BAKER_LANG_LOWER_ACCESSPATH_H
#define KARAKAL_BAKER_LANG_LOWER_ACCESSPATH_H

#include "mlir/IR/Types.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

namespace karakal::lang {

/// The fields and array indexings that lead from a global variable to a
/// pointee. Two pointers with the same access path differ in the values of
/// their indices only. A pointer to an entry of a table has the table as its
/// global variable, and the number of the entry as its first index.
struct AccessPath {
  std::string global;
  bool isTable = false;
  mlir::Type type; ///< of a reference to the global variable or the entry
  std::vector<std::string> steps; ///< field names; empty for an indexing

  size_t indexCount() const {
    return size_t(std::count(steps.begin(), steps.end(), ""));
  }
  bool operator<(const AccessPath &other) const {
    return std::tie(global, steps) < std::tie(other.global, other.steps);
  }
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_LOWER_ACCESSPATH_H
