// The hidden registers of an engine's data path.

#ifndef KARAKAL_SIM_IXP_ENGINE_DATALATCHES_H
#define KARAKAL_SIM_IXP_ENGINE_DATALATCHES_H

#include <cstdint>

namespace karakal::sim {

/// Condition codes: N and Z follow from the result.
struct ConditionCodes {
  uint32_t result = 0;
  bool carry = false;
  bool overflow = false;
};

/// State that an operation leaves for later ones, besides its result.
struct DataLatches {
  ConditionCodes flags;
  /// The condition codes while CC_ENABLE freezes them.
  ConditionCodes frozenFlags;
  uint32_t previousA = 0;      ///< shift count of an indirect shift
  uint32_t previousResult = 0; ///< also the word of an indirect reference
  uint32_t alignLatch = 0;     ///< previous word of byte_align
  uint64_t product = 0;
  uint32_t factorA = 0, factorB = 0;
  /// The value of local_csr_rd, which the next immed takes.
  bool csrReadPending = false;
  uint32_t csrReadValue = 0;

  void setFlags(uint32_t result, bool carry, bool overflow) {
    flags = {result, carry, overflow};
  }
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_ENGINE_DATALATCHES_H
