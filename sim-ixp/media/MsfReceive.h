// The receive side: from the wire to a waiting thread.
//
// A frame is received in five steps:
//   1. the port's wire carries it into the port's FIFO, at line rate;
//   2. the FIFO passes it on in pieces of one element ("mpackets"), each as
//      soon as it is complete; the last piece waits for the frame's CRC;
//   3. the media bus, which serves the ports in turn, moves a piece into the
//      first element of the element free list; without a free element it
//      stalls, and the FIFOs fill up;
//   4. full elements wait in the order in which they were filled;
//   5. the first of them goes to the first thread of the thread free list: two
//      status words are pushed into its transfer registers, with a signal.
// Software frees an element through RBUF_ELEMENT_DONE. RX_CONTROL sets the
// element size (64, 128 or 256 bytes) and enables the ports' channels; at reset
// no port is enabled and no element is free: software frees each for the first
// time. The bus width sets the number of thread free lists: list p modulo that
// number serves port p [M]. A list may have a
// timeout: its first thread then gets a null status instead of waiting forever.

#ifndef KARAKAL_SIM_IXP_MEDIA_MSFRECEIVE_H
#define KARAKAL_SIM_IXP_MEDIA_MSFRECEIVE_H

#include "sim-ixp/bus/Chassis.h"
#include "sim-ixp/bus/Fifo.h"
#include "sim-ixp/bus/Scheduler.h"
#include "sim-ixp/bus/Server.h"
#include "sim-ixp/media/MsfRegisters.h"
#include "sim-ixp/media/TrafficSource.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace karakal::sim {

class ChipObserver;

/// The origin of a frame, stored with its element so that the run can tell what
/// became of the frame.
struct FrameOrigin {
  uint64_t number = SentFrame::unknownNumber;
  /// Cycle of the frame's last bit on the wire.
  uint64_t arrivedCycle = 0;
};

/// Totals of the receive side.
struct ReceiveStatistics {
  uint64_t framesArrived = 0; ///< whose first bit is on a wire
  uint64_t framesLost = 0;    ///< no space in a port's FIFO (open loop)
  uint64_t frameBits = 0;     ///< arrived, with CRC
  uint64_t mpackets = 0;      ///< handed to threads
  uint64_t nullStatuses = 0;  ///< sent to threads by a list's timeout
  /// Cycles in which a piece waited for a free element.
  uint64_t elementWaitCycles = 0;
};

/// Ports, receive buffer, element and thread free lists.
class MsfReceive : public EventTarget {
public:
  MsfReceive(Chassis &chassis, ChipObserver &observer, TrafficSource &source);

  /// True when nothing is left on a wire, in a FIFO or in an element.
  bool isDone() const;
  /// Frames stay in the ports' FIFOs, as when the channels of RX_CONTROL are
  /// disabled, until they are not held any more.
  void setHeld(bool isHeld);
  /// Whether a piece of a frame is in an element.
  bool hasElements() const { return elementsInUse > 0; }

  // ---- registers -----------------------------------------------------------
  /// Sets element size, lists and enabled ports; `engine` faults if size or
  /// lists change while an element is in use. Another size leaves no element
  /// free.
  void setControl(uint32_t value, uint32_t engine);
  void addThread(uint32_t list, uint32_t data);
  void setTimeout(uint32_t list, uint32_t ticks);
  /// Frees an element; `engine` faults if it is free, or may not be used.
  void freeElement(uint32_t element, uint32_t engine);

  const std::array<uint8_t, msf::bufferBytes> &buffer() const { return rbuf; }
  /// The origin of the frame in the element at an address in MSF space.
  const FrameOrigin &originAt(uint32_t address) const {
    return elements[size.elementAt(address)].origin;
  }
  const ReceiveStatistics &statistics() const { return totals; }
  const Server &bus() const { return mediaBus; }

  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override;

private:
  enum EventCode : uint32_t { FrameStarts, PieceArrives, PieceMoved, TimedOut };

  /// A part of a frame that fills one element.
  struct Piece {
    const std::vector<uint8_t> *bytes;
    uint32_t offset;
    uint32_t size;
    bool isFirst, isLast, hasError;
    FrameOrigin origin;
  };
  struct Port {
    double wireFree = 0;      ///< cycle at which the next frame may start
    double frameStart = 0;    ///< of the frame on the wire
    OfferedFrame frame;       ///< on the wire
    uint32_t pieceOffset = 0; ///< of the frame, arriving now
    bool isEnabled = false;
    bool isOnWire = false;
    bool isHeld = false;      ///< closed loop: waits for space in the FIFO
    bool isScheduled = false; ///< its next frame's start is an event
    uint32_t fifoUsed = 0;    ///< bytes, reserved at the frame's start
    Fifo<Piece> pieces;
  };
  struct Element {
    /// Unused: never freed. In use: between the bus and RBUF_ELEMENT_DONE.
    enum class State : uint8_t { Unused, Free, InUse };
    State state = State::Unused;
    uint32_t port = 0;
    Piece piece{};
    FrameOrigin origin;
  };
  /// Waiting threads, and the full elements that wait for threads.
  struct List {
    Fifo<uint32_t> threads;
    Fifo<uint32_t> fullElements;
    uint32_t timeoutTicks = 0;
    uint32_t serial = 0; ///< of the first thread: invalidates older timeouts
  };

  void enablePorts(uint32_t control);
  List &listOf(uint32_t port) { return lists[port % listCount]; }
  void takeThread(List &list, uint64_t cycle, const uint32_t (&status)[2]);
  void startTimeout(List &list);
  void timedOut(uint64_t cycle, uint32_t number, uint32_t serial);
  void scheduleNextFrame(uint32_t port);
  void startFrame(uint64_t cycle, uint32_t port);
  void schedulePiece(uint32_t port);
  void pieceArrives(uint64_t cycle, uint32_t port);
  void tryBus(uint64_t cycle);
  void pieceMoved(uint64_t cycle, uint32_t element);
  void dispatch(List &list, uint64_t cycle);
  double bytesToCycles(double bytes) const;

  Chassis &chassis;
  Scheduler &events;
  ChipObserver &observer;
  TrafficSource &source;
  const target::ChipParameters &params;
  std::vector<Port> ports;
  std::array<uint8_t, msf::bufferBytes> rbuf{};
  msf::ElementSize size;
  std::array<Element, msf::elementCountMax> elements{};
  Fifo<uint32_t> freeElements;
  std::array<List, msf::freelistCount> lists;
  uint32_t listCount = 1;
  Server mediaBus;
  bool isBusTaken = false;
  bool isHeld = false;
  bool isElementMissing = false;
  uint64_t elementMissingSince = 0;
  uint32_t nextPort = 0;
  bool isStarted = false;
  uint64_t startCycle = 0; ///< open-loop arrival times count from here
  uint32_t elementsInUse = 0;
  ReceiveStatistics totals;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_MEDIA_MSFRECEIVE_H
