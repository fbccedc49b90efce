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
/// Largest number of transmit partitions and thread free lists.
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
  /// The element at an address in MSF space.
  constexpr uint32_t elementAt(uint32_t address) const {
    return (address - target::MsfBufferData) % bufferBytes / bytes();
  }
};

// ---- RX_CONTROL and TX_CONTROL [R] -----------------------------------------
/// The division of a direction's 32 data lines, with one thread free list and
/// one transmit partition for each part: bits 21:20.
enum class BusWidth : uint32_t { One32, Two16, Four8, One16Two8 };
constexpr BusWidth widthOf(uint32_t control) {
  return static_cast<BusWidth>(control >> 20 & 3);
}
constexpr uint32_t widthBits(BusWidth width) {
  return static_cast<uint32_t>(width) << 20;
}
constexpr uint32_t partsOf(BusWidth width) {
  constexpr uint32_t parts[] = {1, 2, 4, 3};
  return parts[static_cast<uint32_t>(width)];
}
/// Several ports share a part (MPHY); otherwise part n is port n (SPHY).
constexpr uint32_t controlMphy = 1u << 19;
/// Up to 32 ports share one channel; otherwise each of four has its own.
constexpr uint32_t controlMphy32 = 1u << 18;
/// Bits 31:28 enable channels. Part n is the n-th of the width's channels; with
/// MPHY of four ports on 1x32, channel n is port n.
constexpr uint32_t controlChannelShift = 28;
constexpr uint32_t channelsOf(uint32_t control) {
  constexpr uint32_t channels[] = {0x1, 0x5, 0xf, 0xd};
  bool hasFourPorts =
      (control & controlMphy) != 0 && (control & controlMphy32) == 0;
  return widthOf(control) == BusWidth::One32 && hasFourPorts
             ? 0xf
             : channels[static_cast<uint32_t>(widthOf(control))];
}
/// The part that a port's frames pass.
constexpr uint32_t partOf(uint32_t control, uint32_t port) {
  return port % partsOf(widthOf(control));
}
/// Whether the channel of a port is enabled. Without MPHY there are only as
/// many ports as parts.
constexpr bool isPortEnabled(uint32_t control, uint32_t port) {
  uint32_t parts = partsOf(widthOf(control));
  uint32_t valid = channelsOf(control);
  uint32_t nth = port % parts;
  if ((control & controlMphy) == 0 && port >= parts)
    return false;
  if (parts == 1 && valid == 0xf)
    nth = port % 4;
  uint32_t channel = 0;
  for (uint32_t seen = 0;; ++channel)
    if ((valid >> channel & 1) != 0 && seen++ == nth)
      break;
  return (control >> controlChannelShift >> channel & 1) != 0;
}
/// Elements of a partition of TBUF, in order: equal parts; of 1x16 + 2x8, one
/// half and two quarters [M].
constexpr uint32_t partitionElements(BusWidth width, uint32_t part,
                                     uint32_t elements) {
  if (width == BusWidth::One16Two8)
    return part == 0 ? elements / 2 : elements / 4;
  return elements / partsOf(width);
}

// ---- thread free lists -----------------------------------------------------
constexpr uint32_t freelistCount = partitionCount;
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
