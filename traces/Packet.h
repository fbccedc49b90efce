// One frame of a trace.
//
// A trace is a list of frames, each with its time and its port. Frames hold no
// CRC: the one a file's frame had is not stored in pcap, and the simulated MACs
// neither check nor make one.

#ifndef KARAKAL_TRACES_PACKET_H
#define KARAKAL_TRACES_PACKET_H

#include <cstdint>
#include <vector>

namespace karakal::traces {

/// One Ethernet frame.
struct Packet {
  /// Nanoseconds since the epoch of the trace.
  uint64_t timeNs = 0;
  /// The port it enters or leaves by, from 0.
  uint32_t port = 0;
  /// From the destination address to the end of the payload, without CRC.
  std::vector<uint8_t> bytes;
};

} // namespace karakal::traces

#endif // KARAKAL_TRACES_PACKET_H
