// The local CSRs of a microengine.

#ifndef KARAKAL_TARGET_IXP_CHIP_LOCALCSRS_H
#define KARAKAL_TARGET_IXP_CHIP_LOCALCSRS_H

#include <cstdint>

namespace karakal::target {

/// Byte offsets of the local CSRs that programs write by number.
enum LocalCsr : uint16_t {
#define KARAKAL_LOCAL_CSR(name, offset) Csr_##name = offset,
#include "target-ixp/chip/LocalCsrs.def"
};

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_LOCALCSRS_H
