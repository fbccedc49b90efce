// What a port does to a frame.
//
// A trace may hold frames that no Ethernet carries. Every engine that sends a
// trace follows these rules, so that all see the same frames: a short frame is
// padded with zeros as a sending MAC pads it, an overlong one is dropped by Rx
// and counted, and a frame cut by the capture is sent as captured.

#ifndef KARAKAL_TRACES_WIRE_H
#define KARAKAL_TRACES_WIRE_H

#include "traces/Packet.h"

#include <cstddef>
#include <cstdint>

namespace karakal::traces {

/// The least frame in bytes, without CRC (IEEE 802.3, 3.2.8: 64 with it).
constexpr std::size_t frameBytesMin = 60;

/// The greatest frame in bytes, without CRC: 1,526 with CRC and two tags.
constexpr std::size_t frameBytesMax = 1522;

/// Bytes of the CRC, which rates count and frames here do not hold.
constexpr std::size_t crcBytes = 4;

/// Pads a frame with zeros to the least length.
inline void padToMinimum(Packet &packet) {
  if (packet.bytes.size() < frameBytesMin)
    packet.bytes.resize(frameBytesMin, 0);
}

/// Whether Rx drops the frame for its length.
inline bool isOversize(const Packet &packet,
                       std::size_t bytesMax = frameBytesMax) {
  return packet.bytes.size() > bytesMax;
}

} // namespace karakal::traces

#endif // KARAKAL_TRACES_WIRE_H
