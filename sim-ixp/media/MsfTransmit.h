// The transmit side: from the transmit buffer to the wire.
//
// TX_CONTROL sets the element size (64, 128 or 256 bytes) and the bus width,
// which divides the transmit buffer into partitions: one of 128 elements of 64
// bytes, two of 64 or four of 32. Without MPHY, partition n sends to port n;
// with MPHY, an element's control word names the port. Software fills the
// elements of a partition in order (dram[tbuf_wr]) and validates each through
// its control words. In each partition the MSF takes the next element as soon
// as it is valid and its port enabled, moves it over the media bus into the
// port's FIFO when there is space, and counts it in TX_SEQUENCE, which software
// reads to learn how many elements are free again. So frames of a partition
// leave in the order in which elements were allocated, whatever the order in
// which they become valid.
//
// The port sends a frame once it holds all of it, at line rate; a frame below
// the minimum length takes the time of the minimum length. The frame's last
// four bytes are its check sequence if the port is so set (ports.fcs); a frame
// in which they are wrong leaves like any other and is counted.

#ifndef KARAKAL_SIM_IXP_MEDIA_MSFTRANSMIT_H
#define KARAKAL_SIM_IXP_MEDIA_MSFTRANSMIT_H

#include "sim-ixp/bus/Chassis.h"
#include "sim-ixp/bus/Fifo.h"
#include "sim-ixp/bus/Scheduler.h"
#include "sim-ixp/bus/Server.h"
#include "sim-ixp/media/MsfReceive.h"
#include "sim-ixp/media/MsfRegisters.h"
#include "sim-ixp/media/TrafficSource.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace karakal::sim {

class ChipObserver;

/// Totals of the transmit side.
struct TransmitStatistics {
  uint64_t framesSent = 0;
  uint64_t frameBits = 0; ///< sent, with CRC
  uint64_t mpackets = 0;
  /// Frames with a wrong check sequence, of ports that take it from software.
  uint64_t wrongFcs = 0;
};

/// Transmit buffer, its partitions, and the outgoing ports.
class MsfTransmit : public EventTarget {
public:
  MsfTransmit(Chassis &chassis, ChipObserver &observer, uint32_t portCount);

  /// Called with each frame at the cycle at which it leaves.
  void onSent(std::function<void(const SentFrame &)> callback) {
    sink = std::move(callback);
  }

  // ---- registers and buffer ------------------------------------------------
  /// TX_SEQUENCE of a partition.
  uint32_t sequence(uint32_t partition) const;
  /// Sets element size, partitions and enabled channels; `engine` faults if
  /// size or partitions change while an element is valid.
  void setControl(uint32_t value, uint32_t engine);
  /// Validates an element. `engine` faults if the element is already valid, its
  /// payload does not fit, or its start and end marks do not fit the frame.
  void validate(uint32_t element, uint32_t controlWord, uint32_t engine);
  std::array<uint8_t, msf::bufferBytes> &buffer() { return tbuf; }
  /// Records which received frame's data the element at an address in MSF space
  /// holds.
  void setOriginAt(uint32_t address, const FrameOrigin &origin) {
    elements[size.elementAt(address)].origin = origin;
  }

  bool isDone() const;
  const TransmitStatistics &statistics() const { return totals; }
  const Server &bus() const { return mediaBus; }

  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override;

private:
  enum EventCode : uint32_t { ElementMoved, FrameEnds };

  struct Element {
    bool isValid = false;
    uint32_t control = 0;
    uint32_t engine = 0;
    FrameOrigin origin;
  };
  struct Partition {
    uint32_t first = 0, elementCount = 0;
    uint32_t next = 0; ///< the partition's next element to send
    uint32_t sent = 0; ///< elements so far
    uint32_t validCount = 0;
  };
  struct Port {
    uint32_t fifoUsed = 0;
    bool isInFrame = false; ///< between start and end elements
    SentFrame filling;      ///< arriving over the bus
    Fifo<SentFrame> frames; ///< complete, waiting for the wire
    bool isOnWire = false;
    double wireFree = 0;
  };

  void divide();
  uint32_t partitionOf(uint32_t element) const;
  uint32_t portOf(uint32_t partition, const Element &element) const;
  uint32_t nextElement(const Partition &partition) const {
    return partition.first + partition.next;
  }
  bool isReady(uint32_t partition) const;
  void tryBus(uint64_t cycle);
  std::vector<uint8_t> takeBytes();
  void takeFcs(std::vector<uint8_t> &bytes, Port &port);
  void elementMoved(uint64_t cycle, uint32_t element);
  void tryWire(uint64_t cycle, uint32_t port);
  void frameEnds(uint64_t cycle, uint32_t port);

  Scheduler &events;
  ChipObserver &observer;
  const target::ChipParameters &params;
  std::function<void(const SentFrame &)> sink;
  std::array<uint8_t, msf::bufferBytes> tbuf{};
  msf::ElementSize size;
  uint32_t control = 0; ///< TX_CONTROL
  uint32_t partitionsInUse = 1;
  uint32_t enabledPorts = 0; ///< bit n is port n
  std::array<Element, msf::elementCountMax> elements{};
  std::array<Partition, msf::partitionCount> partitions{};
  std::vector<Port> ports;
  /// Storage of frames that have left, for reuse.
  std::vector<std::vector<uint8_t>> spareBytes;
  Server mediaBus;
  bool isBusTaken = false;
  uint32_t nextPartition = 0;
  TransmitStatistics totals;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_MEDIA_MSFTRANSMIT_H
