// Counts the branches that a processor mispredicts.
//
// A tournament predictor (McFarling, 1993): one table of two-bit counters by
// branch, one by branch and the last `HistoryBits` outcomes, and one that tells
// for each branch which of the two to believe. Processors of today do better on
// long patterns, so the count is an upper estimate.

#ifndef KARAKAL_CODEGEN_X86_MODEL_BRANCHPREDICTOR_H
#define KARAKAL_CODEGEN_X86_MODEL_BRANCHPREDICTOR_H

#include <cstdint>
#include <vector>

namespace karakal::x86 {

class BranchPredictor {
public:
  static constexpr uint32_t HistoryBits = 16;

  /// Notes the outcome of a branch; whether it was mispredicted.
  bool mispredicts(uint32_t branch, bool taken);

private:
  static constexpr uint32_t size = 1u << HistoryBits;
  std::vector<uint8_t> alone = std::vector<uint8_t>(size, 1);
  std::vector<uint8_t> withHistory = std::vector<uint8_t>(size, 1);
  /// 2 and 3: believe `withHistory`.
  std::vector<uint8_t> choice = std::vector<uint8_t>(size, 1);
  uint32_t history = 0;
};

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_MODEL_BRANCHPREDICTOR_H
