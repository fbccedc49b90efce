// The transmit side: from the transmit buffer to the wire.
//
// The transmit buffer has four partitions, one per port, of 32 elements of 64
// bytes, 16 of 128 or 8 of 256 (TX_CONTROL). Software fills the elements of a
// partition in order (dram[tbuf_wr]) and validates each through its control
// words. In each partition the MSF takes the next element as soon as it is
// valid, moves it over the media bus into the port's FIFO when there is space,
// and counts it in TX_SEQUENCE, which software reads to learn how many elements
// are free again. So frames leave in the order in which elements were
// allocated, whatever the order in which they become valid.
//
// The port sends a frame once it holds all of it, at line rate; a frame below
// the minimum length takes the time of the minimum length.

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
  /// Sets the element size; `engine` faults while an element is valid.
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

  bool isReady(uint32_t partition) const;
  void tryBus(uint64_t cycle);
  std::vector<uint8_t> takeBytes();
  void elementMoved(uint64_t cycle, uint32_t element);
  void tryWire(uint64_t cycle, uint32_t port);
  void frameEnds(uint64_t cycle, uint32_t port);

  Scheduler &events;
  ChipObserver &observer;
  const target::ChipParameters &params;
  std::function<void(const SentFrame &)> sink;
  std::array<uint8_t, msf::bufferBytes> tbuf{};
  msf::ElementSize size;
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
