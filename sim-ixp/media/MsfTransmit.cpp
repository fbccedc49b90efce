// The transmit side: from the transmit buffer to the wire.

#include "sim-ixp/media/MsfTransmit.h"

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
  KARAKAL_ASSERT(portCount <= msf::partitionCount, "one partition a port");
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
  if (code == size.code)
    return;
  if (code > 2)
    return observer.onFault(engine, "selects TBUF elements of size code 3");
  if (!isDone())
    return observer.onFault(
        engine, "changes the TBUF's element size while elements are valid");
  size.code = code;
  for (Partition &partition : partitions)
    partition.next = 0;
}

void MsfTransmit::validate(uint32_t number, uint32_t control, uint32_t engine) {
  auto refuse = [&](const char *why) {
    observer.onFault(engine, "makes TBUF element " + std::to_string(number) +
                                 " valid " + why);
  };
  if (number >= size.count() ||
      number / size.partitionElements() >= ports.size())
    return refuse("but no port sends it");
  Element &element = elements[number];
  if (element.isValid)
    return refuse("while it is valid");
  if (msf::controlLength(control) + msf::controlPayloadOffset(control) >
      size.bytes())
    return refuse("with more bytes than it holds");
  if (msf::controlPrepend(control) != 0)
    return refuse("with a prepended part, which the model does not have");
  element.isValid = true;
  element.control = control;
  element.engine = engine;
  ++partitions[number / size.partitionElements()].validCount;
  tryBus(events.now());
}

bool MsfTransmit::isReady(uint32_t index) const {
  const Partition &partition = partitions[index];
  const Element &element =
      elements[index * size.partitionElements() + partition.next];
  if (!element.isValid)
    return false;
  // Frames are sent whole, so one longer than the FIFO could never pass.
  const Port &port = ports[index];
  return port.fifoUsed + msf::controlLength(element.control) <=
         params.portsFifoBytes;
}

void MsfTransmit::tryBus(uint64_t cycle) {
  if (isBusTaken)
    return;
  uint32_t count = static_cast<uint32_t>(ports.size());
  uint32_t chosen = nextPartition;
  while (!isReady(chosen)) {
    chosen = (chosen + 1) % count;
    if (chosen == nextPartition)
      return;
  }
  nextPartition = (chosen + 1) % count;
  uint32_t number = chosen * size.partitionElements() + partitions[chosen].next;
  uint32_t bytes = msf::controlLength(elements[number].control);
  ports[chosen].fifoUsed += bytes;
  uint64_t cycles = mediaBusCycles(bytes, params);
  isBusTaken = true;
  uint64_t taken = mediaBus.reserve(cycle, cycles);
  events.schedule(taken + cycles, this, ElementMoved, number);
}

/// Storage for a frame; reuses that of a frame that has left, if any.
std::vector<uint8_t> MsfTransmit::takeBytes() {
  std::vector<uint8_t> bytes;
  if (spareBytes.empty()) {
    bytes.reserve(target::BufferBytes);
    return bytes;
  }
  bytes = std::move(spareBytes.back());
  spareBytes.pop_back();
  bytes.clear();
  return bytes;
}

void MsfTransmit::elementMoved(uint64_t cycle, uint32_t number) {
  uint32_t index = number / size.partitionElements();
  Element &element = elements[number];
  Partition &partition = partitions[index];
  Port &port = ports[index];
  isBusTaken = false;
  element.isValid = false;
  partition.next = (partition.next + 1) % size.partitionElements();
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
    port.frames.push_back(std::move(port.filling));
    tryWire(cycle, index);
  } else if (port.filling.bytes.size() + size.bytes() > params.portsFifoBytes) {
    return observer.onFault(element.engine,
                            "sends a frame longer than the port's FIFO");
  }
  tryBus(cycle);
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
