// The transmit side: from the transmit buffer to the wire.

#include "sim-ixp/media/MsfTransmit.h"

#include "sim-ixp/media/FrameCheck.h"
#include "sim-ixp/observe/ChipObserver.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/MemoryMap.h"
#include "traces/Wire.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace karakal::sim {

namespace {
uint64_t wholeCycle(double cycle) {
  return static_cast<uint64_t>(std::ceil(cycle));
}
} // namespace

MsfTransmit::MsfTransmit(Chassis &chassis, ChipObserver &observer,
                         uint32_t portCount)
    : events(chassis.scheduler()), observer(observer),
      params(chassis.parameters()), ports(portCount) {
  KARAKAL_ASSERT(portCount <= 32, "a control word names one of 32 ports");
  divide();
}

uint32_t MsfTransmit::sequence(uint32_t index) const {
  const Partition &partition = partitions[index];
  return (partition.sent & msf::sequenceMask) |
         (partition.validCount == 0 ? msf::sequenceEmpty : 0);
}

bool MsfTransmit::isDone() const {
  for (const Partition &partition : partitions)
    if (partition.validCount > 0)
      return false;
  for (const Port &port : ports)
    if (port.fifoUsed > 0 || port.isOnWire)
      return false;
  return true;
}

void MsfTransmit::onEvent(uint64_t cycle, uint32_t code, uint64_t argument) {
  uint32_t index = static_cast<uint32_t>(argument);
  if (code == ElementMoved)
    elementMoved(cycle, index);
  else
    frameEnds(cycle, index);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

void MsfTransmit::setControl(uint32_t value, uint32_t engine) {
  uint32_t code = msf::ElementSize::codeOf(value);
  msf::BusWidth width = msf::widthOf(value);
  if (code > 2)
    return observer.onFault(engine, "selects TBUF elements of size code 3");
  bool isDivided = code != size.code || width != msf::widthOf(control);
  if (isDivided && !isDone())
    return observer.onFault(
        engine,
        "changes the TBUF's elements or partitions while elements are valid");
  control = value;
  size.code = code;
  if (isDivided)
    divide();
  enabledPorts = 0;
  for (uint32_t port = 0; port < ports.size(); ++port)
    enabledPorts |= uint32_t{msf::isPortEnabled(control, port)} << port;
  tryBus(events.now());
}

/// Divides the buffer into the partitions of TX_CONTROL.
void MsfTransmit::divide() {
  msf::BusWidth width = msf::widthOf(control);
  partitionsInUse = msf::partsOf(width);
  nextPartition = 0;
  uint32_t first = 0;
  for (uint32_t part = 0; part < partitionsInUse; ++part) {
    Partition &partition = partitions[part];
    partition.first = first;
    partition.elementCount = msf::partitionElements(width, part, size.count());
    partition.next = 0;
    first += partition.elementCount;
  }
  KARAKAL_ASSERT(first == size.count(), "the partitions fill the buffer");
}

uint32_t MsfTransmit::partitionOf(uint32_t number) const {
  uint32_t part = partitionsInUse - 1;
  while (number < partitions[part].first)
    --part;
  return part;
}

uint32_t MsfTransmit::portOf(uint32_t index, const Element &element) const {
  return (control & msf::controlMphy) != 0 ? msf::controlPort(element.control)
                                           : index;
}

void MsfTransmit::validate(uint32_t number, uint32_t word, uint32_t engine) {
  auto refuse = [&](const char *why) {
    observer.onFault(engine, "makes TBUF element " + std::to_string(number) +
                                 " valid " + why);
  };
  if (number >= size.count())
    return refuse("which the buffer does not have");
  Element &element = elements[number];
  if (element.isValid)
    return refuse("while it is valid");
  if (msf::controlLength(word) + msf::controlPayloadOffset(word) > size.bytes())
    return refuse("with more bytes than it holds");
  if (msf::controlPrepend(word) != 0)
    return refuse("with a prepended part, which the model does not have");
  uint32_t index = partitionOf(number);
  element.control = word;
  if (portOf(index, element) >= ports.size())
    return refuse("but no port sends it");
  element.isValid = true;
  element.engine = engine;
  ++partitions[index].validCount;
  tryBus(events.now());
}

bool MsfTransmit::isReady(uint32_t index) const {
  const Element &element = elements[nextElement(partitions[index])];
  if (!element.isValid)
    return false;
  uint32_t number = portOf(index, element);
  if (!(enabledPorts >> number & 1))
    return false;
  // Frames are sent whole, so one longer than the FIFO could never pass.
  const Port &port = ports[number];
  return port.fifoUsed + msf::controlLength(element.control) <=
         params.portsFifoBytes;
}

void MsfTransmit::tryBus(uint64_t cycle) {
  if (isBusTaken)
    return;
  uint32_t count = partitionsInUse;
  uint32_t chosen = nextPartition;
  while (!isReady(chosen)) {
    chosen = (chosen + 1) % count;
    if (chosen == nextPartition)
      return;
  }
  nextPartition = (chosen + 1) % count;
  uint32_t number = nextElement(partitions[chosen]);
  uint32_t bytes = msf::controlLength(elements[number].control);
  ports[portOf(chosen, elements[number])].fifoUsed += bytes;
  uint64_t cycles = mediaBusCycles(bytes, params);
  isBusTaken = true;
  uint64_t taken = mediaBus.reserve(cycle, cycles);
  events.schedule(taken + cycles, this, ElementMoved, number);
}

/// Frames for which storage is made at once, because the number of frames under
/// way grows by a few for a long time.
static constexpr size_t framesAtOnce = 16;

/// Storage for a frame; reuses that of a frame that has left, if any.
std::vector<uint8_t> MsfTransmit::takeBytes() {
  if (spareBytes.empty()) {
    spareBytes.resize(framesAtOnce);
    for (std::vector<uint8_t> &bytes : spareBytes)
      bytes.reserve(target::BufferBytes);
  }
  std::vector<uint8_t> bytes = std::move(spareBytes.back());
  spareBytes.pop_back();
  bytes.clear();
  return bytes;
}

void MsfTransmit::elementMoved(uint64_t cycle, uint32_t number) {
  uint32_t part = partitionOf(number);
  Element &element = elements[number];
  Partition &partition = partitions[part];
  uint32_t index = portOf(part, element);
  Port &port = ports[index];
  isBusTaken = false;
  element.isValid = false;
  if (++partition.next == partition.elementCount)
    partition.next = 0;
  ++partition.sent;
  --partition.validCount;
  ++totals.mpackets;

  bool isStart = element.control & msf::controlStart;
  if (isStart == port.isInFrame)
    return observer.onFault(
        element.engine, "sends TBUF element " + std::to_string(number) +
                            (isStart ? ", the start of a frame inside a frame"
                                     : ", outside of a frame"));
  if (isStart) {
    port.filling = SentFrame();
    port.filling.bytes = takeBytes();
    port.filling.port = index;
    port.filling.number = element.origin.number;
    // Stored here until the frame leaves.
    port.filling.latencyCycles = element.origin.arrivedCycle;
  }
  const uint8_t *payload = tbuf.data() + number * size.bytes() +
                           msf::controlPayloadOffset(element.control);
  port.filling.bytes.insert(port.filling.bytes.end(), payload,
                            payload + msf::controlLength(element.control));
  port.isInFrame = !(element.control & msf::controlEnd);
  element.origin = FrameOrigin();
  if (!port.isInFrame) {
    if (params.portsFcs >> index & 1)
      takeFcs(port.filling.bytes, port);
    port.frames.push_back(std::move(port.filling));
    tryWire(cycle, index);
  } else if (port.filling.bytes.size() + size.bytes() > params.portsFifoBytes) {
    return observer.onFault(element.engine,
                            "sends a frame longer than the port's FIFO");
  }
  tryBus(cycle);
}

/// Removes the check sequence that software has put at a frame's end; the FIFO
/// holds its bytes until the frame has left.
void MsfTransmit::takeFcs(std::vector<uint8_t> &bytes, Port &port) {
  size_t kept = bytes.size() - std::min(bytes.size(), traces::crcBytes);
  uint8_t expected[traces::crcBytes];
  storeFrameCheckSequence(bytes.data(), kept, expected);
  totals.wrongFcs += bytes.size() != kept + traces::crcBytes ||
                     !std::equal(std::begin(expected), std::end(expected),
                                 bytes.begin() + std::ptrdiff_t(kept));
  port.fifoUsed -= static_cast<uint32_t>(bytes.size() - kept);
  bytes.resize(kept);
}

//===----------------------------------------------------------------------===//
// The wire
//===----------------------------------------------------------------------===//

void MsfTransmit::tryWire(uint64_t cycle, uint32_t index) {
  Port &port = ports[index];
  if (port.isOnWire || port.frames.empty())
    return;
  SentFrame &frame = port.frames.front();
  double bytes = static_cast<double>(
      std::max(frame.bytes.size(), traces::frameBytesMin) + traces::crcBytes);
  double start = std::max(port.wireFree, static_cast<double>(cycle) - 1);
  frame.cycle = std::max(wholeCycle(start), cycle);
  frame.latencyCycles = frame.number == SentFrame::unknownNumber
                            ? 0
                            : frame.cycle - frame.latencyCycles;
  double end = start + wireCycles(preambleBytes + bytes, params);
  port.wireFree =
      start +
      wireCycles(bytes + static_cast<double>(params.portsGapBytes), params);
  port.isOnWire = true;
  events.schedule(std::max(wholeCycle(end), cycle), this, FrameEnds, index);
}

void MsfTransmit::frameEnds(uint64_t cycle, uint32_t index) {
  Port &port = ports[index];
  SentFrame frame = std::move(port.frames.front());
  port.frames.pop_front();
  port.isOnWire = false;
  port.fifoUsed -= static_cast<uint32_t>(frame.bytes.size());
  // The MAC pads a short frame with zeros.
  if (frame.bytes.size() < traces::frameBytesMin)
    frame.bytes.resize(traces::frameBytesMin);
  uint32_t bytes = static_cast<uint32_t>(frame.bytes.size());
  ++totals.framesSent;
  totals.frameBits += uint64_t(bytes + traces::crcBytes) * 8;
  observer.onFrameSent(cycle, index, bytes);
  if (sink)
    sink(frame);
  spareBytes.push_back(std::move(frame.bytes));
  tryWire(cycle, index);
  tryBus(cycle);
}

} // namespace karakal::sim
