// Lengths of compute segments, from one context swap to the next.
//
// A context keeps its engine from one swap to the next. The length of the
// segment after word w, averaged over the paths that control takes from there:
//
//   L(w) = sum over the edges from w of
//            p(edge) * (dead cycles + words up to the next swap on that edge)
//
// A return continues after all calls of its function, in proportion to the
// frequency of each call. The equations are solved by iteration, from the last
// word to the first.

#ifndef KARAKAL_TARGET_IXP_MICROCODE_SEGMENTLENGTHS_H
#define KARAKAL_TARGET_IXP_MICROCODE_SEGMENTLENGTHS_H

#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/microcode/FlowGraph.h"

#include <vector>

namespace karakal::target {

/// For each word, the engine cycles of the segment that begins after it,
/// including the swap that ends the segment. The code must have frequencies.
std::vector<double> segmentLengths(const Microcode &code, const WordFlow &flow,
                                   const ChipParameters &chip);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_MICROCODE_SEGMENTLENGTHS_H
