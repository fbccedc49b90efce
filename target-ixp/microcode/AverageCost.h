// The average cost of a message, read from generated code.
//
// Adds up the final words of an aggregate, weighted by their estimated
// frequencies (codegen-me/machine/Frequencies.h). This is the feedback that
// replaces the estimates of ir/analysis/OperationCost.h in the throughput model
// and in aggregate formation.
//
// A message is one iteration of the dispatch loop. The ring that is polled
// first is polled once an iteration, so its frequency counts the messages.

#ifndef KARAKAL_TARGET_IXP_MICROCODE_AVERAGECOST_H
#define KARAKAL_TARGET_IXP_MICROCODE_AVERAGECOST_H

#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/image/Microcode.h"
#include "target-ixp/microcode/MessageCost.h"

namespace karakal::target {

/// The average cost of a message. The code must have frequencies. An SRAM
/// command counts for channel 0, where packet descriptors are, unless its
/// address is known to name another channel (RegisterValues.h).
MessageCost averageCost(const Microcode &code, const ChipParameters &chip);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_MICROCODE_AVERAGECOST_H
