//===- MsfRegisters.h - addresses and fields of the MSF -------*- C++ -*-===//
//
// The media switch fabric interface as software sees it, beside the register
// offsets of target-ixp/MemoryMap.h. The fields of the receive status come from
// the register header and the receive and transmit microcode that Linux carries
// for the real chip. Where no source states a position it is this project's
// choice, tagged [M]; microcode (runtime/rx.uc, runtime/tx.uc) and the model
// agree on it here and nowhere else.
//
//===----------------------------------------------------------------------===//

#ifndef KARAKAL_SIM_IXP_MSFREGISTERS_H
#define KARAKAL_SIM_IXP_MSFREGISTERS_H

#include "target-ixp/MemoryMap.h"

#include <cstdint>

namespace karakal::sim::msf {

// ---- buffers ---------------------------------------------------------------
constexpr uint32_t spaceBytes = 0x4000;
constexpr uint32_t bufferBytes = target::MsfBufferBytes;
constexpr uint32_t elementBytes = target::MpacketBytes;
constexpr uint32_t elementCount = target::MpacketElements;
/// Transmit partitions with 64-byte elements: one a port, in-order elements
/// partition * 32 .. partition * 32 + 31, counted by TX_SEQUENCE_partition [M].
constexpr uint32_t partitionCount = 4;
constexpr uint32_t partitionElements = elementCount / partitionCount;
/// Elements that must never be on the free list with 64-byte elements
/// (IXP2400 erratum 69).
constexpr uint32_t elementsUnusable[] = {0, 9, 18, 27};

// ---- RX_THREAD_FREELIST data, 16 bits --------------------------------------
constexpr uint32_t freelistSignal(uint32_t data) { return data >> 12 & 0xf; }
/// Cluster and engine in it: 0..7 is the engine's index.
constexpr uint32_t freelistEngine(uint32_t data) { return data >> 7 & 0x7; }
constexpr uint32_t freelistContext(uint32_t data) { return data >> 4 & 0x7; }
constexpr uint32_t freelistXfer(uint32_t data) { return data & 0xf; }

// ---- receive status word 0 -------------------------------------------------
constexpr uint32_t statusStart = 1u << 15;
constexpr uint32_t statusEnd = 1u << 14;
constexpr uint32_t statusError = 1u << 10;
constexpr uint32_t receiveStatus(uint32_t element, uint32_t bytes,
                                 uint32_t port) {
  return element << 24 | bytes << 16 | port;
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

#endif // KARAKAL_SIM_IXP_MSFREGISTERS_H
