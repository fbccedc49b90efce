//===- MsfReceive.h - from the wire to a waiting thread -------*- C++ -*-===//
//
// A frame comes in by five steps:
//   1. its port's wire carries it into the port's FIFO, at line rate;
//   2. the FIFO hands it on in pieces of one element (an "mpacket"), as soon as
//      the piece is whole; the last piece waits for the frame's CRC;
//   3. the media bus, shared by the ports in turn, moves a piece into the first
//      element of the element free list; without a free element it stands
//      still, and the FIFOs fill up;
//   4. full elements wait in the order in which they were filled;
//   5. the first of them goes to the first thread of the thread free list: two
//      status words are pushed into its transfer registers, with a signal.
// Software gives an element back through RBUF_ELEMENT_DONE.
//
//===----------------------------------------------------------------------===//

#ifndef KARAKAL_SIM_IXP_MSFRECEIVE_H
#define KARAKAL_SIM_IXP_MSFRECEIVE_H

#include "sim-ixp/Chassis.h"
#include "sim-ixp/MsfRegisters.h"
#include "sim-ixp/Resource.h"
#include "sim-ixp/Scheduler.h"
#include "sim-ixp/Traffic.h"

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace karakal::sim {

class Recorder;

/// Where a frame came from: kept with its element, so that the run can tell
/// what became of it.
struct FrameOrigin {
  uint64_t number = SentFrame::unknownNumber;
  /// Cycle of the frame's last bit on the wire.
  uint64_t arrivedCycle = 0;
};

/// Totals of the receive side.
struct ReceiveStatistics {
  uint64_t framesArrived = 0; ///< begun on a wire
  uint64_t framesLost = 0;    ///< no room in a port's FIFO (open loop)
  uint64_t frameBits = 0;     ///< arrived, with CRC
  uint64_t mpackets = 0;      ///< handed to threads
  /// Cycles in which a piece waited for a free element.
  uint64_t elementWaitCycles = 0;
};

/// Ports, receive buffer, element and thread free lists.
class MsfReceive : public EventTarget {
public:
  MsfReceive(Chassis &chassis, Recorder &recorder, TrafficSource &source);

  /// Puts the usable elements on the free list and opens the ports.
  void start();
  /// Nothing left on a wire, in a FIFO or in an element.
  bool isDone() const;

  // ---- registers -----------------------------------------------------------
  void addThread(uint32_t data);
  /// An element that is not in use is a fault of `engine`.
  void freeElement(uint32_t element, uint32_t engine);

  const std::array<uint8_t, msf::bufferBytes> &buffer() const { return rbuf; }
  const FrameOrigin &origin(uint32_t element) const {
    return elements[element].origin;
  }
  const ReceiveStatistics &statistics() const { return totals; }
  const Resource &bus() const { return mediaBus; }

  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override;

private:
  enum EventCode : uint32_t { FrameStarts, PieceArrives, PieceMoved };

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
    bool isOnWire = false;
    bool isHeld = false;      ///< closed loop: waits for room in the FIFO
    bool isScheduled = false; ///< its next frame's start is an event
    uint32_t fifoUsed = 0;    ///< bytes, reserved at the frame's start
    std::deque<Piece> pieces;
  };
  struct Element {
    bool isInUse = false; ///< between the bus and RBUF_ELEMENT_DONE
    uint32_t port = 0;
    Piece piece{};
    FrameOrigin origin;
  };

  void scheduleNextFrame(uint32_t port);
  void startFrame(uint64_t cycle, uint32_t port);
  void schedulePiece(uint32_t port);
  void pieceArrives(uint64_t cycle, uint32_t port);
  void tryBus(uint64_t cycle);
  void pieceMoved(uint64_t cycle, uint32_t element);
  void dispatch(uint64_t cycle);
  double bytesToCycles(double bytes) const;

  Chassis &chassis;
  Scheduler &events;
  Recorder &recorder;
  TrafficSource &source;
  const target::ChipParameters &params;
  std::vector<Port> ports;
  std::array<uint8_t, msf::bufferBytes> rbuf{};
  std::array<Element, msf::elementCount> elements{};
  std::deque<uint32_t> freeElements;
  std::deque<uint32_t> fullElements;
  std::deque<uint32_t> threads;
  Resource mediaBus;
  bool isBusTaken = false;
  bool isElementMissing = false;
  uint64_t elementMissingSince = 0;
  uint32_t nextPort = 0;
  uint64_t startCycle = 0; ///< from which open-loop frames are due
  uint32_t elementsInUse = 0;
  ReceiveStatistics totals;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_MSFRECEIVE_H
