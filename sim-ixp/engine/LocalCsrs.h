// The local CSRs of an engine that all its contexts share.

#ifndef KARAKAL_SIM_IXP_ENGINE_LOCALCSRS_H
#define KARAKAL_SIM_IXP_ENGINE_LOCALCSRS_H

#include <cstdint>

namespace karakal::sim {

/// Values of CSRs. Writes take effect after the pipeline's delay
/// (PendingWrites.h).
struct LocalCsrs {
  static constexpr uint32_t flagsEnabledBit = 1u << 13; ///< of CC_ENABLE
  static constexpr uint32_t localGlobalBit = 16;   ///< and 17, of CTX_ENABLES
  static constexpr uint32_t neighbourSelfBit = 20; ///< of CTX_ENABLES

  uint32_t ctxEnables = 0;
  uint32_t ccEnable = flagsEnabledBit;
  uint32_t ctxPointer = 0;
  uint32_t byteIndex = 0;
  uint32_t tIndex = 0;
  uint32_t nnPut = 0;
  uint32_t nnGet = 0;
  uint32_t crcRemainder = 0;
  uint64_t crcEnd = 0; ///< cycle after the last crc, 0 if there was none
  uint32_t pseudoRandom = 1;
  /// TIMESTAMP less the ticks since cycle 0, after software has written it.
  uint64_t timestampOffset = 0;

  /// Whether operations set the condition codes.
  bool areFlagsEnabled() const { return ccEnable & flagsEnabledBit; }
  /// Whether all contexts share a local-memory pointer (0 or 1).
  bool isPointerGlobal(uint32_t pointer) const {
    return ctxEnables >> (localGlobalBit + pointer) & 1;
  }
  /// Whether the engine writes its own neighbour registers.
  bool isOwnNeighbour() const { return ctxEnables >> neighbourSelfBit & 1; }

  /// PSEUDO_RANDOM_NUMBER: steps a 32-bit Galois register. The polynomial is
  /// this project's choice.
  uint32_t nextRandom() {
    pseudoRandom = pseudoRandom >> 1 ^ (pseudoRandom & 1 ? 0xedb88320u : 0);
    return pseudoRandom;
  }
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_ENGINE_LOCALCSRS_H
