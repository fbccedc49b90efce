// Where control goes between words.
//
// The flow graph of final microcode, word by word: a branch's target follows
// its last delay slot; a call is passed over, with its callee beside the edge;
// a return leads nowhere.

#ifndef KARAKAL_AGGREGATION_MODEL_WORDFLOW_H
#define KARAKAL_AGGREGATION_MODEL_WORDFLOW_H

#include "target-ixp/image/Microcode.h"
#include "target-ixp/table/Instruction.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace karakal::agg {

struct WordEdge {
  uint32_t to = 0;
  /// Cycles in which nothing is issued behind the branch that goes here.
  double deadCycles = 0;
  /// First word of the function that runs on the way.
  std::optional<uint32_t> callee;
};

struct WordFlow {
  std::vector<target::Instruction> instructions;
  std::vector<std::vector<WordEdge>> edges; ///< by word

  explicit WordFlow(const target::Microcode &code);

  /// The words that `first` reaches without entering calls, in their order.
  std::vector<uint32_t> reachedFrom(uint32_t first) const;
};

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_MODEL_WORDFLOW_H
