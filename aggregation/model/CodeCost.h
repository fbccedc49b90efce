// What generated code costs a message.
//
// Reads the final words of an aggregate with their estimated frequencies
// (codegen-me/machine/Frequencies.h) and adds up what one message costs: the
// feedback by which the throughput model and aggregation get true figures
// instead of the estimates of ir/analysis/OperationCost.h.
//
// A message is one round of the dispatch loop: the ring that is asked first is
// asked once a round.

#ifndef KARAKAL_AGGREGATION_MODEL_CODECOST_H
#define KARAKAL_AGGREGATION_MODEL_CODECOST_H

#include "aggregation/model/ThroughputModel.h"
#include "target-ixp/image/Microcode.h"

namespace karakal::agg {

/// Cost of a message. An SRAM command whose address shows no other channel
/// (WordValues.h) counts for channel 0, where packets are described.
StageCost costOfCode(const target::Microcode &code,
                     const target::ChipParameters &chip);

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_MODEL_CODECOST_H
