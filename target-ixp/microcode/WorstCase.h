// The worst-case cost of a message.
//
// Path analysis of final microcode (the paper's section 5.1, last paragraph).
// An iteration of the dispatch loop handles one message at most. Its worst case
// is the longest path from the head of the loop back to it. A loop inside
// counts as its longest iteration times its iteration bound (Microcode::loops).
//
//   issue     engine cycles: one per word, and the dead cycles after swaps and
//             taken branches
//   latency   cycles in which the context waits for commands on idle units;
//             commands in flight together count once
//   busy      cycles of each shared unit
//
// Each figure is the maximum over all paths, so different figures may come from
// different paths. Waiting for another context to release a lock or to free
// space in a ring is not included: a loop around `ctx_arb[voluntary]` counts
// once.
//
// The paths of a class are those without certain marks of words
// (Microcode::marks). The code generator may lose a mark, so the paths of a
// class may be more than those that the program takes, never fewer.
//
// Cost: for W words in loops nested D deep, O(W * 2^D) for each class.

#ifndef KARAKAL_TARGET_IXP_MICROCODE_WORSTCASE_H
#define KARAKAL_TARGET_IXP_MICROCODE_WORSTCASE_H

#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/image/Microcode.h"
#include "target-ixp/microcode/MessageCost.h"
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace karakal::target {

struct WorstCase {
  /// The most of each figure.
  MessageCost cost;
  /// The path with the largest issue + latency / contexts: its words, excluding
  /// those of loops and calls on it, and its cost.
  std::vector<uint32_t> path;
  MessageCost pathCost;
};

/// The longest iterations of the dispatch loop of one program.
class WorstCases {
public:
  WorstCases(const Microcode &code, const ChipParameters &chip);
  ~WorstCases();

  /// The worst case of the paths without any of the marks, or nothing if there
  /// are none. Errors: E-target-ixp-147 (a loop without a bound), with its
  /// source location.
  Result<std::optional<WorstCase>> without(const std::set<PathMark> &marks);

private:
  std::unique_ptr<class IterationPaths> paths;
};

/// The worst case of all paths. Errors: as above.
Result<WorstCase> worstCaseOf(const Microcode &code,
                              const ChipParameters &chip);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_MICROCODE_WORSTCASE_H
