// Packets of a program that runs on x86 at full speed.
//
// The memory that compiled code and this computer share
// (codegen-x86/PacketMemory.h): buffers, descriptors, the list of free buffers,
// the packets to send, counts. Frames come and go in bursts, as with a network
// card: `receive` copies a burst from a trace into buffers, the program runs
// for each of its packets, `transmit` takes what is to be sent.

#ifndef KARAKAL_HOST_FASTPACKETS_H
#define KARAKAL_HOST_FASTPACKETS_H

#include "codegen-x86/LiveProgram.h"
#include "codegen-x86/PacketFunctions.h"
#include "host/PacketRuntime.h"
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace karakal::host {

/// The frames of a trace side by side in memory, as a sending MAC pads them.
class FrameStore {
public:
  /// Frames that are too long for the port have no bytes.
  explicit FrameStore(const std::vector<traces::Packet> &trace);

  struct Frame {
    size_t offset;
    uint32_t bytes; ///< 0: oversize
    uint32_t port;
    uint64_t timeNs;
  };

  size_t size() const { return frames.size(); }
  const Frame &operator[](size_t index) const { return frames[index]; }
  const uint8_t *bytesOf(const Frame &frame) const {
    return memory.data() + frame.offset;
  }

private:
  std::vector<Frame> frames;
  std::vector<uint8_t> memory;
};

class FastPackets {
public:
  /// The most frames of a burst. Buffers beyond them are for copies.
  static constexpr uint32_t BurstMax = 256;

  FastPackets(uint32_t portCount, size_t dropReasonCount);
  FastPackets(const FastPackets &) = delete;

  /// Symbols of compiled code and the addresses of what they name.
  std::vector<std::pair<const char *, void *>> symbols();

  /// Puts a frame into a buffer as Rx does and returns its handle, or 0 if it
  /// is oversize or no buffer is free, which is a fault.
  uint32_t receive(const FrameStore &store, const FrameStore::Frame &frame);
  /// The same for a frame from outside; counts what it cannot take, which is no
  /// fault.
  uint32_t receive(const x86::Frame &frame);
  /// Whether frames that are sent are appended to `transmitted`, with the times
  /// of the packets that sent them.
  void setKeepFrames(bool keep) { keepFrames = keep; }
  /// Begins a burst with these frames. Packet `index` of it runs; the stages of
  /// a batch set it by themselves.
  void beginBurst(const FrameStore::Frame *first) {
    transmit(); // what control calls sent
    burst = first;
  }
  void setCurrent(uint32_t index) { state.current = index; }
  uint32_t current() const { return state.current; }
  /// The time of the packet that runs, or of the timer.
  uint64_t nowNs() const { return timeOf(state.current); }
  /// The time of a timer whose function runs; none: packets run.
  void setTimerTime(std::optional<uint64_t> timeNs) { timerNs = timeNs; }
  /// Frames that are sent go to `taker`. Null: they go nowhere.
  void setSink(x86::FrameSink *taker) { sink = taker; }
  /// Sends the packets of `PacketState::sent` and frees their buffers.
  void transmit();

  /// Queues a message; takes the oldest one, 0 if there is none.
  void queue(uint32_t message) {
    messages.push_back(message);
    ++state.queuedCount;
  }
  /// What a batch calls after a packet that queued messages.
  void setDrain(std::function<void()> call) { drainQueue = std::move(call); }
  void drain() { drainQueue(); }
  uint32_t nextMessage();

  /// Notes what the program did wrong, in the words of PacketRuntime.
  void setFault(x86::PacketFault fault, uint32_t a, uint32_t b);
  const std::string &fault() const { return firstFault; }
  /// Ends the packets that a fault left behind, but those that wait in queues,
  /// and forgets the fault. Returns the number of received frames among them.
  uint64_t recover();

  void setOnXScale(bool on) { state.onXScale = on; }
  bool onXScale() const { return state.onXScale != 0; }
  void countToXScale() { ++state.toXScale; }
  PacketCounts counts() const;
  uint64_t noBufferCount() const { return noBuffer; }
  const std::vector<uint64_t> &drops() const { return dropsByReason; }
  std::vector<traces::Packet> &transmitted() { return sentFrames; }
  /// Packets that wait in queues.
  uint32_t waiting() const { return state.waiting; }
  uint32_t buffersInUse() const {
    return target::BufferCount - state.freeCount;
  }

private:
  void give(uint32_t handle);
  uint64_t timeOf(uint32_t packet) const {
    return timerNs ? *timerNs : burst ? burst[packet].timeNs : 0;
  }
  x86::PacketMemory memory() {
    return {buffers.data(), descriptors.data(), state};
  }

  uint32_t portCount;
  std::vector<uint8_t> buffers;
  std::vector<uint32_t> descriptors, freeHandles, toSend, sentBy;
  std::vector<uint64_t> dropsByReason;
  x86::PacketState state{};
  std::deque<uint32_t> messages;
  std::vector<traces::Packet> sentFrames;
  uint64_t received = 0, oversize = 0, sentCount = 0, noBuffer = 0;
  /// Received frames that faults ended.
  uint64_t lost = 0;
  x86::FrameSink *sink = nullptr;
  uint32_t sequence = 0;
  bool keepFrames = true;
  std::optional<uint64_t> timerNs;
  const FrameStore::Frame *burst = nullptr;
  std::function<void()> drainQueue;
  /// What reading the sent frames leaves, so that it is not left out.
  uint64_t checksum = 0;
  std::string firstFault;
};

/// Makes the primitives of this thread use `packets` as long as it lives.
class ActiveFastPackets {
public:
  explicit ActiveFastPackets(FastPackets &packets);
  ~ActiveFastPackets();
  ActiveFastPackets(const ActiveFastPackets &) = delete;
};

} // namespace karakal::host

#endif // KARAKAL_HOST_FASTPACKETS_H
