// The traffic offered to the ports, and the frames that leave.
//
// A source replays a trace. Packet n of a run is packet n of the trace, modulo
// the trace's length, padded to the minimum frame length, on the port that the
// trace gives. A run takes packets in this order; a given number of packets
// cuts or repeats the trace.
//
// Closed loop (the default): each port sends its packets back to back at line
// rate, and holds the next one while the receive side has no space. No frame is
// lost. Open loop: packet n is due when the frame bits before it have passed at
// the offered rate over all ports, or at the time that the trace gives, counted
// from the first packet. It is lost if there is no space. The bits of
// a frame include its 4-byte CRC; the line rate also counts 8 bytes of preamble
// and a gap of 12.
//
// A frame that leaves is recorded with its cycle, its port, its bytes and the
// number of the packet that it was received as.

#ifndef KARAKAL_SIM_IXP_MEDIA_TRAFFICSOURCE_H
#define KARAKAL_SIM_IXP_MEDIA_TRAFFICSOURCE_H

#include "traces/Packet.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace karakal::target {
struct ChipParameters;
}

namespace karakal::sim {

/// How a trace is offered.
struct TrafficOptions {
  uint32_t portCount = 4;
  /// Packets of the run; 0 = each packet of the trace once.
  uint64_t packetCount = 0;
  /// Frame bits per second over all ports, in 10^9; 0 = closed loop.
  double offeredGbps = 0;
  /// Packets are due at the times of the trace; goes without a rate.
  bool keepsTimes = false;
  /// Bit n: frames of port n carry their check sequence into the chip.
  uint32_t fcsPorts = 0;
  /// Which packets arrive with a receive error (tests).
  std::function<bool(uint64_t number)> hasError;
};

/// A frame to be received.
struct OfferedFrame {
  uint64_t number = 0; ///< of the run, from 0
  uint32_t port = 0;
  const std::vector<uint8_t> *bytes = nullptr; ///< as the chip receives it
  uint32_t wireBytes = 0;                      ///< without preamble, with CRC
  bool hasError = false;
  /// Open loop: seconds from the start; closed loop: 0.
  double dueSeconds = 0;
};

/// The packets of a run, port by port.
class TrafficSource {
public:
  /// The ports of the trace are taken modulo the number of ports.
  TrafficSource(std::vector<traces::Packet> trace,
                const TrafficOptions &options);

  /// The next frame of `port`, or nullptr if there is none. Does not change
  /// until `take`.
  const OfferedFrame *peek(uint32_t port);
  void take(uint32_t port);

  bool isClosedLoop() const {
    return options.offeredGbps <= 0 && !options.keepsTimes;
  }
  uint32_t portCount() const { return options.portCount; }
  uint64_t packetCount() const { return options.packetCount; }

private:
  /// When a packet of the trace is due in a repetition, in an open loop.
  double dueSeconds(uint64_t repetition, uint32_t packet) const;

  struct Port {
    /// Indices into the trace, ascending.
    std::vector<uint32_t> packets;
    uint64_t next = 0; ///< counted over all repetitions of the trace
    bool isPrepared = false;
    OfferedFrame frame;
  };

  TrafficOptions options;
  std::vector<traces::Packet> trace;
  /// Frame bits before each packet of the trace, and of the whole trace.
  std::vector<uint64_t> bitsBefore;
  uint64_t traceBits = 0;
  std::vector<Port> ports;
};

/// One frame that left the chip.
struct SentFrame {
  static constexpr uint64_t unknownNumber = ~uint64_t{0};
  uint64_t cycle = 0; ///< of its first bit on the wire
  uint32_t port = 0;
  /// The number of the packet that was received into the frame's buffer;
  /// `unknownNumber` for a copy.
  uint64_t number = unknownNumber;
  /// From the last bit received to the first bit sent; 0 if the number is
  /// unknown.
  uint64_t latencyCycles = 0;
  std::vector<uint8_t> bytes;
};

/// The part of `ports.gap_bytes` that precedes a frame.
constexpr uint32_t preambleBytes = 8;

/// Cycles that `bytes` take on the wire of a port.
double wireCycles(double bytes, const target::ChipParameters &parameters);

/// Cycles of the 32-bit media bus for a transfer of `bytes`, with its
/// overhead.
uint64_t mediaBusCycles(uint32_t bytes,
                        const target::ChipParameters &parameters);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_MEDIA_TRAFFICSOURCE_H
