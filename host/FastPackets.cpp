// Packets of a program that runs on x86 at full speed.

#include "host/FastPackets.h"
#include "host/Primitives.h"
#include "host/standalone/PacketFaults.h"
#include "support/Error.h"
#include "target-ixp/chip/DropReasons.h"
#include "traces/Wire.h"
#include <algorithm>
#include <cstring>
#include <numeric>

namespace karakal::host {

FrameStore::FrameStore(const std::vector<traces::Packet> &trace) {
  constexpr size_t lineBytes = 64;
  size_t end = 0;
  for (const traces::Packet &packet : trace) {
    bool isOversize = traces::isOversize(packet);
    size_t bytes = isOversize ? 0
                              : std::max<size_t>(packet.bytes.size(),
                                                 traces::frameBytesMin);
    frames.push_back({end, uint32_t(bytes), packet.port, packet.timeNs});
    end += (bytes + lineBytes - 1) / lineBytes * lineBytes;
  }
  memory.resize(end);
  for (size_t i = 0; i < trace.size(); ++i)
    if (frames[i].bytes != 0)
      std::copy(trace[i].bytes.begin(), trace[i].bytes.end(),
                memory.begin() + frames[i].offset);
}

FastPackets::FastPackets(uint32_t portCount, size_t dropReasonCount)
    : portCount(portCount),
      buffers(size_t(target::BufferCount) * target::BufferStride +
              x86::SlackBytes),
      descriptors(target::BufferCount * target::HandleStep),
      freeHandles(target::BufferCount), toSend(target::BufferCount),
      sentBy(target::BufferCount),
      dropsByReason(std::max<size_t>(dropReasonCount, target::DropReasonsMin)) {
  KARAKAL_ASSERT(portCount != 0, "at least one port");
  x86::freeAllBuffers(freeHandles.data(), state);
  state.sent = toSend.data();
  state.sentBy = sentBy.data();
  state.drops = dropsByReason.data();
}

uint32_t FastPackets::receive(const FrameStore &store,
                              const FrameStore::Frame &frame) {
  if (frame.bytes == 0) {
    ++oversize;
    return 0;
  }
  uint32_t handle = x86::receiveFrame(memory(), store.bytesOf(frame),
                                      frame.bytes, frame.port, sequence);
  if (handle == 0) {
    if (firstFault.empty())
      firstFault = faults::noBufferToReceive();
    return 0;
  }
  ++sequence;
  ++received;
  return handle;
}

uint32_t FastPackets::receive(const x86::Frame &frame) {
  if (frame.bytes > target::FrameBytesMax) {
    ++oversize;
    return 0;
  }
  uint32_t handle = x86::receiveFrame(memory(), frame.data, frame.bytes,
                                      frame.port, sequence);
  if (handle == 0) {
    ++noBuffer;
    return 0;
  }
  ++sequence;
  ++received;
  return handle;
}

/// Gives a packet to the sink, padded as a sending MAC pads it. The padding may
/// not fit after the packet, so a short one moves to the start of its buffer.
void FastPackets::give(uint32_t handle) {
  const uint32_t *words = memory().descriptor(handle);
  uint32_t word = words[target::DescriptorHeadLength];
  uint32_t bytes = word & 0xffff;
  uint8_t *buffer = memory().bufferOf(handle), *at = buffer + (word >> 16);
  if (bytes < target::FrameBytesMin) {
    std::memmove(buffer, at, bytes);
    std::memset(buffer + bytes, 0, target::FrameBytesMin - bytes);
    bytes = target::FrameBytesMin;
    at = buffer;
  }
  sink->send({at, bytes, words[target::DescriptorPorts] >> 16 & 0xff});
}

uint64_t FastPackets::recover() {
  uint64_t before = lost;
  uint64_t ended = state.forwarded + state.dropped + state.consumed;
  KARAKAL_ASSERT(received >= ended + lost, "a frame ends once");
  messages.clear();
  state.queuedCount = 0;
  state.sentCount = 0;
  state.onXScale = 0;
  lost = received - ended - x86::freeAllButWaiting(memory());
  KARAKAL_ASSERT(buffersInUse() == state.waiting, "the others are free");
  firstFault.clear();
  return lost - before;
}

void FastPackets::transmit() {
  for (uint32_t i = 0; i < state.sentCount; ++i) {
    uint32_t handle = toSend[i];
    const uint32_t *words = memory().descriptor(handle);
    uint32_t port = words[target::DescriptorPorts] >> 16 & 0xff;
    if (port >= portCount) {
      ++state.drops[target::DropNoPort];
      state.dropped += words[target::DescriptorLink];
      continue;
    }
    uint32_t word = words[target::DescriptorHeadLength];
    const uint8_t *at = memory().bufferOf(handle) + (word >> 16);
    // Tx takes a packet without bytes, but has nothing to send.
    uint32_t bytes = word & 0xffff;
    if (bytes != 0) {
      ++sentCount;
      checksum += *at;
    }
    if (sink && bytes != 0)
      give(handle);
    else if (keepFrames && bytes != 0) {
      traces::Packet frame;
      frame.timeNs = timeOf(sentBy[i]);
      frame.port = port;
      frame.bytes.assign(at, at + bytes);
      traces::padToMinimum(frame);
      sentFrames.push_back(std::move(frame));
    }
    state.forwarded += words[target::DescriptorLink];
  }
  if (sink)
    sink->flush();
  for (uint32_t i = 0; i < state.sentCount; ++i)
    x86::freeBuffer(state, toSend[i]);
  state.sentCount = 0;
}

uint32_t FastPackets::nextMessage() {
  if (messages.empty())
    return 0;
  uint32_t message = messages.front();
  messages.pop_front();
  --state.queuedCount;
  return message;
}

void FastPackets::setFault(x86::PacketFault fault, uint32_t a, uint32_t b) {
  if (firstFault.empty())
    firstFault = faults::textOf(fault, a, b);
}

PacketCounts FastPackets::counts() const {
  PacketCounts counts;
  counts.received = received;
  counts.forwarded = state.forwarded;
  counts.dropped = state.dropped;
  counts.consumed = state.consumed;
  counts.copied = state.copied;
  counts.transmitted = sentCount;
  counts.oversize = oversize;
  counts.toXScale = state.toXScale;
  return counts;
}

//===----------------------------------------------------------------------===//
// What compiled code calls
//===----------------------------------------------------------------------===//

static thread_local FastPackets *active = nullptr;

ActiveFastPackets::ActiveFastPackets(FastPackets &packets) {
  KARAKAL_ASSERT(!active, "one program runs on a thread at a time");
  active = &packets;
}

ActiveFastPackets::~ActiveFastPackets() { active = nullptr; }

[[noreturn]] static void leaveWithFault(x86::PacketFault fault, uint32_t a,
                                        uint32_t b) {
  active->setFault(fault, a, b);
  leaveProgram();
}

static void reclaim() { active->transmit(); }

static void deliverQueued() { active->drain(); }

static void queueMessage(uint32_t message) {
  if (isMessageToXScale(message) && !active->onXScale())
    active->countToXScale();
  active->queue(message);
}

std::vector<std::pair<const char *, void *>> FastPackets::symbols() {
  using Names = x86::PacketSymbols;
  return {{Names::Buffers, buffers.data()},
          {Names::Descriptors, descriptors.data()},
          {Names::State, &state},
          {Names::Fault, reinterpret_cast<void *>(leaveWithFault)},
          {Names::Queue, reinterpret_cast<void *>(queueMessage)},
          {Names::Drain, reinterpret_cast<void *>(deliverQueued)},
          {Names::Reclaim, reinterpret_cast<void *>(reclaim)}};
}

} // namespace karakal::host
