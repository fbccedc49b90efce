// Constants of the chip that the sources of runtime/ use by name.
//
// runtime/*.uc and runtime/*.ll cannot include MemoryMap.h. The assembler and
// the driver give them the names of RuntimeConstants.def instead.

#ifndef KARAKAL_TARGET_IXP_CHIP_RUNTIMECONSTANTS_H
#define KARAKAL_TARGET_IXP_CHIP_RUNTIMECONSTANTS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace karakal::target {

struct RuntimeConstant {
  const char *name;
  uint32_t value;
};

/// Returns the rows of RuntimeConstants.def in its order.
const std::vector<RuntimeConstant> &runtimeConstants();

/// Returns the value of the constant `name`, or nothing if the table has no
/// such row.
std::optional<uint32_t> runtimeConstant(const std::string &name);

/// Returns the table as lines "#define NAME value".
std::string runtimeConstantDefines();

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_RUNTIMECONSTANTS_H
