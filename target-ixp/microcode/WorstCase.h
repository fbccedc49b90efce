// The most that a message can cost.
//
// Path analysis of final microcode (the paper's section 5.1, last paragraph).
// A turn leads from the head of the dispatch loop back to it and handles one
// message at most. Its worst case is the longest path, a loop being as long as
// its longest round times the rounds that it makes at most (Microcode::loops).
//
//   issue     engine cycles: a word each, and the dead ones behind swaps and
//             branches that are taken
//   latency   cycles in which the context waits for commands that nothing else
//             delays; commands that are on their way together count once
//   busy      cycles of each shared unit
//
// Each figure is the most of any path; they may be those of several paths. What
// a turn waits until others give up a lock or make room in a ring is in none of
// them: of a loop around `ctx_arb[voluntary]` one round counts.
//
// Cost: for W words in loops D deep, O(W · 2^D) for each figure.

#ifndef KARAKAL_TARGET_IXP_MICROCODE_WORSTCASE_H
#define KARAKAL_TARGET_IXP_MICROCODE_WORSTCASE_H

#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/image/Microcode.h"
#include "target-ixp/microcode/MessageCost.h"
#include <vector>

namespace karakal::target {

struct WorstCase {
  MessageCost cost;
  /// The path on which issue + latency / contexts is largest: its words, those
  /// of loops and calls on the way left out, and what it costs.
  std::vector<uint32_t> path;
  MessageCost pathCost;
};

/// The worst case of a turn. Errors: E-target-ixp-147 (a loop without a
/// bound), with its place in the source.
Result<WorstCase> worstCaseOf(const Microcode &code,
                              const ChipParameters &chip);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_MICROCODE_WORSTCASE_H
