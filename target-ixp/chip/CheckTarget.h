// Whether programs can be compiled for a chip.

#ifndef KARAKAL_TARGET_IXP_CHIP_CHECKTARGET_H
#define KARAKAL_TARGET_IXP_CHIP_CHECKTARGET_H

#include "target-ixp/chip/ChipParameters.h"

namespace karakal::target {

/// Whether programs can be compiled for the chip. E-target-ixp-094 says what
/// it lacks; E-target-ixp-095 that its contexts could overflow its rings.
Status checkIsTarget(const ChipParameters &chip);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_CHECKTARGET_H
