// The packets of a forwarder by DPDK: buffers, descriptors and the list of free
// buffers are those of a Baker program on x86, so both pay the same for a frame
// that enters and leaves.

#ifndef KARAKAL_TESTS_BENCH_X86_DPDK_PACKETS_H
#define KARAKAL_TESTS_BENCH_X86_DPDK_PACKETS_H

#include "codegen-x86/PacketFunctions.h"
#include "tests/bench/x86/dpdk/Forwarder.h"
#include <algorithm>
#include <functional>

namespace karakal::bench {

class Packets {
public:
  Packets()
      : buffers(size_t(target::BufferCount) * target::BufferStride +
                x86::SlackBytes),
        descriptors(size_t(target::BufferCount) * target::HandleStep),
        freeHandles(target::BufferCount), toSend(target::BufferCount) {
    x86::freeAllBuffers(freeHandles.data(), state);
    state.sent = toSend.data();
  }

  /// Frees what the burst before gave out.
  void freeGiven() {
    for (uint32_t i = 0; i < state.sentCount; ++i)
      x86::freeBuffer(state, state.sent[i]);
    state.sentCount = 0;
  }

  /// The handle of a frame in a buffer; 0 if none is free.
  uint32_t receive(const Frame &frame) {
    uint32_t handle = frame.bytes > target::FrameBytesMax
                          ? 0
                          : x86::receiveFrame(memory(), frame.data, frame.bytes,
                                              frame.port, sequence);
    sequence += handle != 0;
    return handle;
  }

  uint8_t *bytesOf(uint32_t handle) {
    return memory().bufferOf(handle) + target::BufferHeadroom;
  }
  uint32_t lengthOf(uint32_t handle) {
    return memory().descriptor(handle)[target::DescriptorHeadLength] & 0xffff;
  }
  uint32_t portOf(uint32_t handle) {
    return memory().descriptor(handle)[target::DescriptorPorts] >> 24;
  }

  void drop(uint32_t handle) { x86::freeBuffer(state, handle); }

  void send(uint32_t handle, uint32_t port) {
    memory().descriptor(handle)[target::DescriptorPorts] |= port << 16;
    state.sent[state.sentCount++] = handle;
  }

  /// Describes the frames to send; returns how many.
  uint32_t give(const Frame *in, Frame *out) {
    for (uint32_t i = 0; i < state.sentCount; ++i) {
      uint32_t handle = state.sent[i];
      const uint32_t *words = memory().descriptor(handle);
      uint32_t word = words[target::DescriptorHeadLength];
      out[i] = {memory().bufferOf(handle) + (word >> 16), word & 0xffff,
                words[target::DescriptorPorts] >> 16 & 0xff, in->timeNs};
    }
    return state.sentCount;
  }

private:
  x86::PacketMemory memory() {
    return {buffers.data(), descriptors.data(), state};
  }

  std::vector<uint8_t> buffers;
  std::vector<uint32_t> descriptors, freeHandles, toSend;
  x86::PacketState state{};
  uint32_t sequence = 0;
};

/// A forwarder that receives, checks, looks up and rewrites up to
/// `Call::Together` frames of a burst together.
///
///   Work::Key, Work::Found                what a look-up takes and gives
///   work.check(frame, bytes, port, key)   whether to look up, and for what
///   call.find(keys, count, found)         the look-ups
///   work.rewrite(frame, found, port)      whether to send; the port that it
///   came
///                                         from becomes that to send it on
template <typename Work, typename Call>
class DpdkForwarder final : public Forwarder {
public:
  DpdkForwarder(const Work &work, Call call, std::function<void()> first)
      : work(work), call(call), first(std::move(first)) {}

  void begin() override {
    if (first)
      first();
  }

  uint32_t batch(const Frame *in, uint32_t count, Frame *out) override {
    packets.freeGiven();
    for (uint32_t first = 0; first < count; first += Call::Together)
      run(in + first, std::min(Call::Together, count - first));
    return packets.give(in, out);
  }

private:
  void run(const Frame *in, uint32_t count) {
    uint32_t handles[Call::Together];
    typename Work::Key keys[Call::Together];
    typename Work::Found found[Call::Together];
    uint32_t asked = 0;
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t handle = packets.receive(in[i]);
      if (handle == 0)
        continue;
      handles[asked] = handle;
      if (work.check(packets.bytesOf(handle), packets.lengthOf(handle),
                     in[i].port, keys[asked]))
        ++asked;
      else
        packets.drop(handle);
    }
    call.find(keys, asked, found);
    for (uint32_t i = 0; i < asked; ++i) {
      uint32_t port = packets.portOf(handles[i]);
      if (work.rewrite(packets.bytesOf(handles[i]), found[i], port))
        packets.send(handles[i], port);
      else
        packets.drop(handles[i]);
    }
  }

  const Work &work;
  Call call;
  std::function<void()> first;
  Packets packets;
};

/// The bursts of a call that takes many look-ups at once: bulk calls of
/// rte_hash take at most 64.
constexpr uint32_t TogetherMax = 64;
constexpr uint32_t Bursts[] = {32, TogetherMax};

/// Adds the variants of a call, before whose bursts comes `first`.
template <typename Work, typename Call>
void addVariants(std::vector<Variant> &to, const std::string &name,
                 const Work &work, Call call,
                 const std::function<void()> &first = nullptr) {
  auto add = [&](uint32_t burst) {
    to.push_back(
        {name, burst, 1,
         std::make_unique<DpdkForwarder<Work, Call>>(work, call, first)});
  };
  if (Call::Together == 1)
    add(1);
  for (uint32_t burst : Bursts)
    add(burst);
}

} // namespace karakal::bench

#endif // KARAKAL_TESTS_BENCH_X86_DPDK_PACKETS_H
