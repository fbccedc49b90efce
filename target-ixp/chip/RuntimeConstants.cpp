#include "target-ixp/chip/RuntimeConstants.h"

#include "target-ixp/chip/DropReasons.h"
#include "target-ixp/chip/LocalCsrs.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/Order.h"
#include "target-ixp/chip/Punts.h"
#include "target-ixp/chip/Rings.h"

#include <cstdio>

namespace karakal::target {

const std::vector<RuntimeConstant> &runtimeConstants() {
  static const std::vector<RuntimeConstant> constants = {
#define KARAKAL_RUNTIME_CONSTANT(name, value) {#name, value},
#include "target-ixp/chip/RuntimeConstants.def"
  };
  return constants;
}

std::optional<uint32_t> runtimeConstant(const std::string &name) {
  for (const RuntimeConstant &constant : runtimeConstants())
    if (name == constant.name)
      return constant.value;
  return std::nullopt;
}

std::string runtimeConstantDefines() {
  std::string lines;
  for (const RuntimeConstant &constant : runtimeConstants()) {
    char value[16];
    std::snprintf(value, sizeof value, "0x%x", constant.value);
    lines += std::string("#define ") + constant.name + " " + value + "\n";
  }
  return lines;
}

} // namespace karakal::target
