// Instructions from swap to swap.

#include "aggregation/model/RunLengths.h"
#include "aggregation/model/WordCost.h"
#include "target-ixp/table/InstructionTable.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace karakal::agg {

using target::Instruction;
using target::Op;

namespace {

/// Rounds of the iteration after which lengths are taken as they are, and the
/// change, in cycles, below which they have settled.
constexpr unsigned roundsMax = 2000;
constexpr double settled = 0.01;

class Runs {
public:
  Runs(const target::Microcode &code, const WordFlow &flow,
       const target::ChipParameters &chip)
      : code(code), flow(flow), chip(chip), taken(code.words.size(), 1),
        functionOf(code.words.size()), behind(code.words.size(), 0) {
    for (uint32_t i = 0; i < code.words.size(); ++i) {
      const Instruction &branch = flow.instructions[i];
      if (target::row(branch.op).isBranch() && code.frequencies[i] > 0)
        taken[i + branch.defer] = code.taken[i] / code.frequencies[i];
    }
    for (const target::FunctionRange &function : code.functions)
      std::fill(functionOf.begin() + function.begin,
                functionOf.begin() + function.end, function.begin);
  }

  std::vector<double> solve() {
    for (unsigned round = 0; round < roundsMax; ++round) {
      findReturns();
      double change = 0;
      for (uint32_t i = uint32_t(behind.size()); i-- > 0;) {
        double length = lengthBehind(i);
        change = std::max(change, std::abs(length - behind[i]));
        behind[i] = length;
      }
      if (change < settled)
        break;
    }
    return behind;
  }

private:
  /// From `word` to the next swap, both included.
  double lengthFrom(uint32_t word) const {
    const Instruction &instruction = flow.instructions[word];
    return isSwap(instruction) ? 1 + swapCycles(instruction, chip)
                               : 1 + behind[word];
  }

  double lengthBehind(uint32_t word) const {
    const std::vector<WordEdge> &edges = flow.edges[word];
    if (edges.empty()) {
      auto after = afterReturn.find(functionOf[word]);
      return after == afterReturn.end() ? 0 : after->second;
    }
    double length = 0, left = 1;
    for (size_t e = 0; e < edges.size(); ++e) {
      double share = e + 1 < edges.size() ? std::min(taken[word], left) : left;
      left -= share;
      uint32_t to = edges[e].callee ? *edges[e].callee : edges[e].to;
      length += share * (edges[e].deadCycles + lengthFrom(to));
    }
    return length;
  }

  /// What follows the returns of each function.
  void findReturns() {
    std::map<uint32_t, double> calls, sums;
    for (uint32_t i = 0; i < behind.size(); ++i)
      for (const WordEdge &edge : flow.edges[i])
        if (edge.callee) {
          calls[*edge.callee] += code.frequencies[i];
          sums[*edge.callee] += code.frequencies[i] * lengthFrom(edge.to);
        }
    for (auto [callee, count] : calls)
      afterReturn[callee] = count > 0 ? sums[callee] / count : 0;
  }

  const target::Microcode &code;
  const WordFlow &flow;
  const target::ChipParameters &chip;
  std::vector<double> taken;        ///< share of the first edge, by last slot
  std::vector<uint32_t> functionOf; ///< first word of the function of each word
  std::map<uint32_t, double> afterReturn; ///< by first word of the function
  std::vector<double> behind;
};

} // namespace

std::vector<double> runLengths(const target::Microcode &code,
                               const WordFlow &flow,
                               const target::ChipParameters &chip) {
  return Runs(code, flow, chip).solve();
}

} // namespace karakal::agg
