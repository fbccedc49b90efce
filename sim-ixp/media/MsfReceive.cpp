// The receive side: from the wire to a waiting thread.

#include "sim-ixp/media/MsfReceive.h"

#include "sim-ixp/observe/ChipObserver.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"
#include "traces/Wire.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace karakal::sim {

namespace {

uint64_t wholeCycle(double cycle) {
  return static_cast<uint64_t>(std::ceil(cycle));
}

/// 16-bit ones' complement sum over the payload, big-endian halves; the chip's
/// exact definition is not documented [M].
uint32_t onesComplementSum(const uint8_t *bytes, uint32_t size) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < size; ++i)
    sum += i % 2 ? bytes[i] : bytes[i] << 8;
  while (sum >> 16)
    sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

} // namespace

MsfReceive::MsfReceive(Chassis &chassis, ChipObserver &observer,
                       TrafficSource &source)
    : chassis(chassis), events(chassis.scheduler()), observer(observer),
      source(source), params(chassis.parameters()), ports(source.portCount()) {}

double MsfReceive::bytesToCycles(double bytes) const {
  return wireCycles(bytes, params);
}

void MsfReceive::setControl(uint32_t value, uint32_t engine) {
  uint32_t code = msf::ElementSize::codeOf(value);
  uint32_t newLists = msf::partsOf(msf::widthOf(value));
  if (code > 2)
    return observer.onFault(engine, "selects RBUF elements of size code 3");
  bool isDivided = code != size.code || newLists != listCount;
  if (isDivided && elementsInUse > 0)
    return observer.onFault(
        engine, "changes the RBUF's element size or lists while elements are "
                "in use");
  if (code != size.code) {
    freeElements.clear();
    for (Element &element : elements)
      element.state = Element::State::Unused;
  }
  size.code = code;
  listCount = newLists;
  enablePorts(value);
}

/// Opens and closes the ports' wires. Open-loop arrival times count from the
/// first enabled port on.
void MsfReceive::enablePorts(uint32_t control) {
  for (uint32_t index = 0; index < ports.size(); ++index) {
    Port &port = ports[index];
    bool isEnabled = msf::isPortEnabled(control, index);
    bool isNew = isEnabled && !port.isEnabled;
    port.isEnabled = isEnabled;
    if (!isNew)
      continue;
    if (!isStarted)
      startCycle = events.now();
    isStarted = true;
    if (!port.isOnWire && !port.isScheduled && !port.isHeld)
      scheduleNextFrame(index);
  }
}

bool MsfReceive::isDone() const {
  if (elementsInUse > 0)
    return false;
  for (const Port &port : ports)
    if (port.isScheduled || port.isHeld || port.isOnWire ||
        !port.pieces.empty())
      return false;
  return true;
}

void MsfReceive::onEvent(uint64_t cycle, uint32_t code, uint64_t argument) {
  uint32_t index = static_cast<uint32_t>(argument);
  switch (code) {
  case FrameStarts:
    return startFrame(cycle, index);
  case PieceArrives:
    return pieceArrives(cycle, index);
  case PieceMoved:
    return pieceMoved(cycle, index);
  case TimedOut:
    return timedOut(cycle, index, static_cast<uint32_t>(argument >> 32));
  }
}

//===----------------------------------------------------------------------===//
// 1, 2: the wire and the port's FIFO
//===----------------------------------------------------------------------===//

void MsfReceive::scheduleNextFrame(uint32_t index) {
  Port &port = ports[index];
  const OfferedFrame *frame = source.peek(index);
  if (!frame || !port.isEnabled)
    return;
  double due = static_cast<double>(startCycle) +
               frame->dueSeconds * static_cast<double>(params.meClockHz);
  double start = std::max(port.wireFree, due);
  port.frameStart = start;
  port.isScheduled = true;
  events.schedule(std::max(wholeCycle(start), events.now()), this, FrameStarts,
                  index);
}

void MsfReceive::startFrame(uint64_t cycle, uint32_t index) {
  Port &port = ports[index];
  port.isScheduled = false;
  port.frame = *source.peek(index);
  uint32_t bytes = static_cast<uint32_t>(port.frame.bytes->size());
  // A frame longer than the FIFO may pass through an empty FIFO.
  bool hasRoom =
      port.fifoUsed == 0 || port.fifoUsed + bytes <= params.portsFifoBytes;
  if (!hasRoom && source.isClosedLoop()) {
    port.isHeld = true;
    return;
  }
  source.take(index);
  ++totals.framesArrived;
  totals.frameBits += port.frame.wireBytes * 8;
  double start = std::max(port.frameStart, static_cast<double>(cycle) - 1);
  port.wireFree =
      start +
      bytesToCycles(double(port.frame.wireBytes + params.portsGapBytes));
  if (!hasRoom) {
    ++totals.framesLost;
    observer.onFrameLost(cycle, index, bytes);
    scheduleNextFrame(index);
    return;
  }
  port.frameStart = start;
  port.fifoUsed += bytes;
  port.isOnWire = true;
  port.pieceOffset = 0;
  schedulePiece(index);
}

void MsfReceive::schedulePiece(uint32_t index) {
  Port &port = ports[index];
  uint32_t bytes = static_cast<uint32_t>(port.frame.bytes->size());
  uint32_t end = std::min(port.pieceOffset + size.bytes(), bytes);
  bool isLast = end == bytes;
  double whole =
      port.frameStart +
      bytesToCycles(preambleBytes + (isLast ? port.frame.wireBytes : end));
  events.schedule(std::max(wholeCycle(whole), events.now()), this, PieceArrives,
                  index);
}

void MsfReceive::pieceArrives(uint64_t cycle, uint32_t index) {
  Port &port = ports[index];
  uint32_t bytes = static_cast<uint32_t>(port.frame.bytes->size());
  Piece piece;
  piece.bytes = port.frame.bytes;
  piece.offset = port.pieceOffset;
  piece.size = std::min(size.bytes(), bytes - port.pieceOffset);
  piece.isFirst = port.pieceOffset == 0;
  piece.isLast = piece.offset + piece.size == bytes;
  piece.hasError = piece.isLast && port.frame.hasError;
  piece.origin = {
      port.frame.number,
      wholeCycle(port.frameStart +
                 bytesToCycles(preambleBytes + port.frame.wireBytes))};
  KARAKAL_ASSERT(piece.size > 0, "a piece of a frame is empty");
  port.pieces.push_back(piece);
  port.pieceOffset += piece.size;
  if (piece.isLast) {
    port.isOnWire = false;
    observer.onFrameReceived(cycle, index, bytes);
    scheduleNextFrame(index);
  } else {
    schedulePiece(index);
  }
  tryBus(cycle);
}

//===----------------------------------------------------------------------===//
// 3: the media bus
//===----------------------------------------------------------------------===//

void MsfReceive::setHeld(bool held) {
  isHeld = held;
  tryBus(events.now());
}

void MsfReceive::tryBus(uint64_t cycle) {
  if (isBusTaken || isHeld)
    return;
  uint32_t count = static_cast<uint32_t>(ports.size());
  uint32_t chosen = nextPort;
  while (ports[chosen].pieces.empty()) {
    chosen = (chosen + 1) % count;
    if (chosen == nextPort)
      return;
  }
  if (freeElements.empty()) {
    if (!isElementMissing)
      elementMissingSince = cycle;
    isElementMissing = true;
    return;
  }
  if (isElementMissing)
    totals.elementWaitCycles += cycle - elementMissingSince;
  isElementMissing = false;

  nextPort = (chosen + 1) % count;
  uint32_t number = freeElements.front();
  freeElements.pop_front();
  Element &element = elements[number];
  KARAKAL_ASSERT(element.state == Element::State::Free,
                 "an RBUF element of the free list is in use");
  element.state = Element::State::InUse;
  element.port = chosen;
  element.piece = ports[chosen].pieces.front();
  ports[chosen].pieces.pop_front();
  ++elementsInUse;
  isBusTaken = true;
  uint64_t cycles = mediaBusCycles(element.piece.size, params);
  uint64_t taken = mediaBus.reserve(cycle, cycles);
  events.schedule(taken + cycles, this, PieceMoved, number);
}

void MsfReceive::pieceMoved(uint64_t cycle, uint32_t number) {
  Element &element = elements[number];
  const Piece &piece = element.piece;
  std::memcpy(rbuf.data() + number * size.bytes(),
              piece.bytes->data() + piece.offset, piece.size);
  element.origin = piece.origin;
  List &list = listOf(element.port);
  list.fullElements.push_back(number);
  isBusTaken = false;

  Port &port = ports[element.port];
  KARAKAL_ASSERT(port.fifoUsed >= piece.size,
                 "more bytes leave a port's FIFO than entered it");
  port.fifoUsed -= piece.size;
  if (port.isHeld) {
    const OfferedFrame *frame = source.peek(element.port);
    if (port.fifoUsed == 0 ||
        port.fifoUsed + frame->bytes->size() <= params.portsFifoBytes) {
      port.isHeld = false;
      port.wireFree = std::max(port.wireFree, static_cast<double>(cycle));
      scheduleNextFrame(element.port);
    }
  }
  dispatch(list, cycle);
  tryBus(cycle);
}

//===----------------------------------------------------------------------===//
// 4, 5: full elements and waiting threads
//===----------------------------------------------------------------------===//

/// Pushes a status to the first thread of a list.
void MsfReceive::takeThread(List &list, uint64_t cycle,
                            const uint32_t (&status)[2]) {
  uint32_t thread = list.threads.front();
  list.threads.pop_front();
  chassis.autopush(msf::freelistEngine(thread), msf::freelistContext(thread),
                   msf::freelistXfer(thread), status, 2,
                   msf::freelistSignal(thread),
                   cycle + params.msfAutopushCycles);
  ++list.serial;
  startTimeout(list);
}

void MsfReceive::dispatch(List &list, uint64_t cycle) {
  while (!list.fullElements.empty() && !list.threads.empty()) {
    uint32_t number = list.fullElements.front();
    list.fullElements.pop_front();
    const Element &element = elements[number];
    const Piece &piece = element.piece;
    uint32_t status[2] = {msf::receiveStatus(number, piece.size, element.port),
                          0};
    status[0] |= piece.isFirst ? msf::statusStart : 0;
    status[0] |= piece.isLast ? msf::statusEnd : 0;
    status[0] |= piece.hasError ? msf::statusError : 0;
    status[1] =
        onesComplementSum(rbuf.data() + number * size.bytes(), piece.size);
    ++totals.mpackets;
    takeThread(list, cycle, status);
  }
}

void MsfReceive::addThread(uint32_t number, uint32_t data) {
  List &list = lists[number];
  list.threads.push_back(data & 0xffff);
  if (list.threads.size() == 1)
    startTimeout(list);
  dispatch(list, events.now());
}

void MsfReceive::setTimeout(uint32_t number, uint32_t ticks) {
  lists[number].timeoutTicks = ticks;
  ++lists[number].serial;
  startTimeout(lists[number]);
}

/// The first thread of a list starts to wait.
void MsfReceive::startTimeout(List &list) {
  if (list.timeoutTicks == 0 || list.threads.empty())
    return;
  uint32_t number = static_cast<uint32_t>(&list - lists.data());
  events.schedule(events.now() +
                      uint64_t{list.timeoutTicks} * msf::timeoutTickCycles,
                  this, TimedOut, uint64_t{list.serial} << 32 | number);
}

void MsfReceive::timedOut(uint64_t cycle, uint32_t number, uint32_t serial) {
  List &list = lists[number];
  if (list.serial != serial || list.threads.empty())
    return;
  ++totals.nullStatuses;
  takeThread(list, cycle, {msf::statusNull, 0});
}

void MsfReceive::freeElement(uint32_t number, uint32_t engine) {
  auto refuse = [&](const char *why) {
    observer.onFault(engine,
                     "frees RBUF element " + std::to_string(number) + why);
  };
  if (number >= size.count())
    return refuse(", which the buffer does not have");
  const auto &unusable = msf::elementsUnusable[size.code];
  if (std::find(std::begin(unusable), std::end(unusable), number) !=
      std::end(unusable))
    return refuse(", which erratum 69 forbids");
  Element &element = elements[number];
  if (element.state == Element::State::Free)
    return refuse(", which is free");
  if (element.state == Element::State::InUse) {
    KARAKAL_ASSERT(elementsInUse > 0, "more RBUF elements freed than taken");
    --elementsInUse;
  }
  element.state = Element::State::Free;
  freeElements.push_back(number);
  tryBus(events.now());
}

} // namespace karakal::sim
