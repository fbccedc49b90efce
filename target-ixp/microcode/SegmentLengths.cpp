// Lengths of compute segments, from one context swap to the next.

#include "target-ixp/microcode/SegmentLengths.h"

#include "support/Error.h"
#include "target-ixp/microcode/InstructionCost.h"
#include "target-ixp/table/InstructionTable.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace karakal::target {

namespace {

/// The iteration ends after this many steps, or when no length changes by more
/// than so many cycles.
constexpr unsigned stepsMax = 2000;
constexpr double toleranceCycles = 0.01;

class Segments {
public:
  Segments(const Microcode &code, const WordFlow &flow,
           const ChipParameters &chip)
      : code(code), flow(flow), chip(chip), takenShare(code.words.size(), 1),
        functionOf(code.words.size()), after(code.words.size(), 0) {
    KARAKAL_ASSERT(code.frequencies.size() == code.words.size() &&
                       code.taken.size() == code.words.size(),
                   "segment lengths need the frequency of every word");
    KARAKAL_ASSERT(flow.graph.size() == code.words.size(),
                   "the flow graph is that of the program");
    for (uint32_t i = 0; i < code.words.size(); ++i) {
      const Instruction &branch = flow.instructions[i];
      if (row(branch.op).isBranch() && code.frequencies[i] > 0)
        takenShare[i + branch.defer] = code.taken[i] / code.frequencies[i];
    }
    for (const FunctionRange &function : code.functions)
      std::fill(functionOf.begin() + function.begin,
                functionOf.begin() + function.end, function.begin);
  }

  std::vector<double> solve() {
    for (unsigned step = 0; step < stepsMax; ++step) {
      findReturns();
      double change = 0;
      for (uint32_t i = uint32_t(after.size()); i-- > 0;) {
        double length = lengthAfter(i);
        change = std::max(change, std::abs(length - after[i]));
        after[i] = length;
      }
      if (change < toleranceCycles)
        break;
    }
    return after;
  }

private:
  /// The length from `word` to the next swap, including both.
  double lengthFrom(uint32_t word) const {
    const Instruction &instruction = flow.instructions[word];
    return isSwap(instruction) ? 1 + swapCycles(instruction, chip)
                               : 1 + after[word];
  }

  double lengthAfter(uint32_t word) const {
    const std::vector<FlowEdge> &edges = flow.graph.edgesOf(word);
    if (edges.empty()) {
      auto found = afterReturn.find(functionOf[word]);
      return found == afterReturn.end() ? 0 : found->second;
    }
    double length = 0, left = 1;
    for (size_t e = 0; e < edges.size(); ++e) {
      double share =
          e + 1 < edges.size() ? std::min(takenShare[word], left) : left;
      left -= share;
      uint32_t to = edges[e].callee ? *edges[e].callee : edges[e].to;
      length += share * (edges[e].deadCycles + lengthFrom(to));
    }
    return length;
  }

  /// Averages the lengths after all calls of each function.
  void findReturns() {
    std::map<uint32_t, double> calls, sums;
    for (uint32_t i = 0; i < after.size(); ++i)
      for (const FlowEdge &edge : flow.graph.edgesOf(i))
        if (edge.callee) {
          calls[*edge.callee] += code.frequencies[i];
          sums[*edge.callee] += code.frequencies[i] * lengthFrom(edge.to);
        }
    for (auto [callee, count] : calls)
      afterReturn[callee] = count > 0 ? sums[callee] / count : 0;
  }

  const Microcode &code;
  const WordFlow &flow;
  const ChipParameters &chip;
  /// By last delay slot, the share of executions that take the first edge.
  std::vector<double> takenShare;
  std::vector<uint32_t> functionOf; ///< first word of the function, by word
  std::map<uint32_t, double> afterReturn; ///< by first word of the function
  std::vector<double> after; ///< length of the segment after each word
};

} // namespace

std::vector<double> segmentLengths(const Microcode &code, const WordFlow &flow,
                                   const ChipParameters &chip) {
  return Segments(code, flow, chip).solve();
}

} // namespace karakal::target
