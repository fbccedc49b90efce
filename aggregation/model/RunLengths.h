// Instructions from swap to swap.
//
// A context keeps its engine from one swap to the next. How long that is, on
// the average over the ways that control takes from there, by the word of the
// swap.
//
//   L(w) = sum over the edges from w of
//            p(edge) * (dead cycles + words up to the next swap behind it)
//
// A return goes on behind all calls of its function, by how often each is made.
// The equations are solved by iteration, from the last word to the first.

#ifndef KARAKAL_AGGREGATION_MODEL_RUNLENGTHS_H
#define KARAKAL_AGGREGATION_MODEL_RUNLENGTHS_H

#include "aggregation/model/WordFlow.h"
#include "target-ixp/chip/ChipParameters.h"
#include <vector>

namespace karakal::agg {

/// Engine cycles of the run behind each word, the next swap included. The code
/// must have frequencies.
std::vector<double> runLengths(const target::Microcode &code,
                               const WordFlow &flow,
                               const target::ChipParameters &chip);

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_MODEL_RUNLENGTHS_H
