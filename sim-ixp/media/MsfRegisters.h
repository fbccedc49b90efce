// Addresses and fields of the MSF.
//
// The MSF as software sees it, in addition to the register offsets of
// target-ixp/chip/MemoryMap.h. The fields of the receive status come from the
// register header and the receive and transmit microcode that Linux carries for
// the real chip. A position that no source states is this project's choice,
// tagged [M]; microcode (runtime/rx.uc, runtime/tx.uc) and model share its
// definition here.

#ifndef KARAKAL_SIM_IXP_MEDIA_MSFREGISTERS_H
#define KARAKAL_SIM_IXP_MEDIA_MSFREGISTERS_H

#include "target-ixp/chip/MemoryMap.h"

#include <cstdint>

namespace karakal::sim::msf {

// ---- buffers ---------------------------------------------------------------
constexpr uint32_t spaceBytes = 0x4000;
constexpr uint32_t bufferBytes = target::MsfBufferBytes;
/// Elements of the smallest size, at reset.
constexpr uint32_t elementCountMax = target::MpacketElements;
/// Transmit partitions: one per port, each a quarter of the elements, in order,
/// counted by TX_SEQUENCE_partition [M].
constexpr uint32_t partitionCount = 4;
/// Elements that must never be on the free list, by size code (IXP2400 erratum
/// 69).
constexpr uint32_t elementsUnusable[3][4] = {
    {0, 9, 18, 27}, {0, 4, 9, 13}, {0, 2, 4, 6}};

/// How a buffer is divided into elements: bits 3:2 of RX_CONTROL and
/// TX_CONTROL.
struct ElementSize {
  uint32_t code = 0; ///< 0, 1, 2 = 64, 128, 256 bytes

  static constexpr uint32_t codeOf(uint32_t control) {
    return control >> 2 & 3;
  }
  constexpr uint32_t bytes() const { return target::MpacketBytes << code; }
  constexpr uint32_t count() const { return bufferBytes / bytes(); }
  constexpr uint32_t partitionElements() const {
    return count() / partitionCount;
  }
  /// The element at an address in MSF space.
  constexpr uint32_t elementAt(uint32_t address) const {
    return (address - target::MsfBufferData) % bufferBytes / bytes();
  }
};

// ---- thread free lists -----------------------------------------------------
constexpr uint32_t freelistCount = 4;
/// Bits 21:20 of RX_CONTROL are the bus width (1x32, 2x16, 4x8, 1x16 + 2x8):
/// the number of ports on the bus, and so of lists in use.
constexpr uint32_t freelistsInUse(uint32_t control) {
  constexpr uint32_t lists[] = {1, 2, 4, 3};
  return lists[control >> 20 & 3];
}
/// Timeout of list 0 [R]: the longest wait of its first thread, in timestamp
/// ticks; 0 = forever. The unit of measure is this project's choice [M].
constexpr uint32_t freelistTimeout = 0x50;
constexpr uint32_t timeoutTickCycles = target::TimestampTickCycles;
/// The status on a timeout: no start, no end, no bytes, of element 0, which is
/// never on a free list [M].
constexpr uint32_t statusNull = 0;

// ---- RX_THREAD_FREELIST data, 16 bits --------------------------------------
constexpr uint32_t freelistSignal(uint32_t data) { return data >> 12 & 0xf; }
/// Its cluster and engine: 0..7 is the engine's index.
constexpr uint32_t freelistEngine(uint32_t data) { return data >> 7 & 0x7; }
constexpr uint32_t freelistContext(uint32_t data) { return data >> 4 & 0x7; }
constexpr uint32_t freelistXfer(uint32_t data) { return data & 0xf; }

// ---- receive status word 0 -------------------------------------------------
constexpr uint32_t statusStart = 1u << 15;
constexpr uint32_t statusEnd = 1u << 14;
constexpr uint32_t statusError = 1u << 10;
constexpr uint32_t receiveStatus(uint32_t element, uint32_t bytes,
                                 uint32_t port) {
  return element << 24 | (bytes & 0xff) << 16 | port; // 0 means 256 bytes
}

// ---- transmit control word 0; word 1 is 0 ----------------------------------
constexpr uint32_t controlStart = 1u << 9;
constexpr uint32_t controlEnd = 1u << 8;
constexpr uint32_t controlPort(uint32_t word) { return word & 0x1f; }
/// Payload bytes, 0 means 256.
constexpr uint32_t controlLength(uint32_t word) {
  return word >> 24 ? word >> 24 : 256;
}
/// Bytes of the element before the payload, 0..7 [M: bits 15:13].
constexpr uint32_t controlPayloadOffset(uint32_t word) {
  return word >> 13 & 0x7;
}
/// A prepended part (bits 23:16 [M]); this model has none.
constexpr uint32_t controlPrepend(uint32_t word) { return word >> 16 & 0xff; }

// ---- TX_SEQUENCE -----------------------------------------------------------
constexpr uint32_t sequenceMask = 0xff;
constexpr uint32_t sequenceEmpty = 1u << 31;

} // namespace karakal::sim::msf

#endif // KARAKAL_SIM_IXP_MEDIA_MSFREGISTERS_H
