//===- CodeCost.h - what generated code costs a message --------*- C++ -*-===//
//
// Reads the final words of an aggregate with their estimated frequencies
// (codegen-me/Frequencies.h) and adds up what one message costs: the feedback
// by which the throughput model and aggregation get true figures instead of
// the estimates of ir/OperationCost.h.
//
// A message is one round of the dispatch loop: the ring that is asked first is
// asked once a round.
//
//===----------------------------------------------------------------------===//

#ifndef KARAKAL_AGGREGATION_CODECOST_H
#define KARAKAL_AGGREGATION_CODECOST_H

#include "aggregation/ThroughputModel.h"
#include "target-ixp/Microcode.h"

namespace karakal::agg {

/// Cost of a message. The words do not tell the SRAM channel: `sram1Commands`
/// of a message go to channel 1, all others to channel 0.
StageCost costOfCode(const target::Microcode &code,
                     const target::ChipParameters &chip, double sram1Commands);

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_CODECOST_H
