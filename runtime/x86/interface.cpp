// The C interface of programs that are compiled ahead of time for x86.
//
// The compiler links this file into the program's object and gives the public
// functions the program's name: `karakal_x86_batch` becomes `NAME_batch`. What
// it makes for each program is declared below. The header that it writes
// (codegen-x86/Header.cpp) documents the interface.

#include "codegen-x86/PacketFunctions.h"
#include "runtime/x86/level.h"
#include "target-ixp/chip/DropReasons.h"
#include <cstdio>
#include <cstdlib>

using namespace karakal;

extern "C" {

// Made for each program.
void karakal_x86_rx(uint32_t handle);
void karakal_x86_deliver(uint32_t message);
void karakal_x86_run_inits();
extern const uint64_t karakal_x86_engine_hz;
extern const uint32_t karakal_x86_drop_reasons;
extern const char *const karakal_x86_drop_names[];
extern uint64_t karakal_x86_drop_counts[];

void karakal_x86_find_features();

// The memory of the program's packets.
alignas(64) uint8_t
    karakal_x86_buffers[target::BufferCount * target::BufferStride +
                        x86::SlackBytes];
alignas(64) uint32_t
    karakal_x86_descriptors[target::BufferCount * target::HandleStep];
x86::PacketState karakal_x86_state;

// The level of x86-64 whose code karakal_x86_batch runs.
uint32_t karakal_x86_level = 2;
}

namespace {

/// A frame as the header declares it.
struct Frame {
  const uint8_t *data;
  uint32_t bytes, port;
  uint64_t timeNs;
};

/// Counts as the header declares them.
struct Statistics {
  uint64_t received, forwarded, dropped, consumed, copied, transmitted,
      oversize, noBuffer;
};

uint32_t freeRing[target::BufferCount], toSend[target::BufferCount],
    sentBy[target::BufferCount];
/// Messages of channels that are not calls. Each holds a packet of its own.
uint32_t messages[target::BufferCount];
uint32_t firstMessage, endMessage;
uint32_t sequence, randomState = 1;
uint64_t nowNs, received, transmitted, oversize, noBuffer;

constexpr x86::PacketMemory memory{karakal_x86_buffers, karakal_x86_descriptors,
                                   karakal_x86_state};

/// Frees the packets that the call before gave out.
void freeSent() {
  x86::PacketState &state = karakal_x86_state;
  for (uint32_t i = 0; i < state.sentCount; ++i)
    x86::freeBuffer(state, state.sent[i]);
  state.sentCount = 0;
}

/// Takes a frame as Rx does; 0 if it is too long or no buffer is free.
uint32_t receive(const Frame &frame) {
  if (frame.bytes > target::FrameBytesMax) {
    ++oversize;
    return 0;
  }
  uint32_t handle =
      x86::receiveFrame(memory, frame.data, frame.bytes, frame.port, sequence);
  bool isReceived = handle != 0;
  sequence += isReceived;
  received += isReceived;
  noBuffer += !isReceived;
  return handle;
}

/// Makes the caller's view of a packet to send; false if it has no bytes or
/// goes to a port that is not there.
bool describe(uint32_t handle, Frame &frame) {
  const uint32_t *words = memory.descriptor(handle);
  uint32_t port = words[target::DescriptorPorts] >> 16 & 0xff;
  if (port >= target::PortCount) {
    ++karakal_x86_state.drops[target::DropNoPort];
    karakal_x86_state.dropped += words[target::DescriptorLink];
    return false;
  }
  uint32_t word = words[target::DescriptorHeadLength];
  karakal_x86_state.forwarded += words[target::DescriptorLink];
  uint32_t bytes = word & 0xffff;
  if (bytes == 0)
    return false;
  uint8_t *at = memory.bufferOf(handle) + (word >> 16);
  if (bytes < target::FrameBytesMin) {
    __builtin_memset(at + bytes, 0, target::FrameBytesMin - bytes);
    bytes = target::FrameBytesMin;
  }
  ++transmitted;
  frame = {at, bytes, port, nowNs};
  return true;
}

} // namespace

extern "C" {

void karakal_x86_init() {
  x86::PacketState &state = karakal_x86_state;
  karakal_x86_find_features();
  karakal_x86_level = x86::levelOfProcessor();
  state = {};
  x86::freeAllBuffers(freeRing, state);
  state.sent = toSend;
  state.sentBy = sentBy;
  state.drops = karakal_x86_drop_counts;
  karakal_x86_run_inits();
}

uint32_t karakal_x86_batch(const Frame *in, uint32_t count, Frame *out) {
  x86::PacketState &state = karakal_x86_state;
  freeSent();
  uint32_t sent = 0, described = 0;
  for (uint32_t i = 0; i < count; ++i) {
    nowNs = in[i].timeNs;
    if (uint32_t handle = receive(in[i]))
      karakal_x86_rx(handle);
    while (firstMessage != endMessage)
      karakal_x86_deliver(messages[firstMessage++ % target::BufferCount]);
    for (; described < state.sentCount; ++described)
      sent += describe(state.sent[described], out[sent]);
  }
  return sent;
}

uint32_t karakal_x86_use_level(uint32_t most) {
  uint32_t best = x86::levelOfProcessor();
  uint32_t level = most < best ? most : best;
  return karakal_x86_level = level < 2 ? 2 : level;
}

void karakal_x86_statistics(Statistics *statistics) {
  const x86::PacketState &state = karakal_x86_state;
  *statistics = {received,     state.forwarded, state.dropped, state.consumed,
                 state.copied, transmitted,     oversize,      noBuffer};
}

uint32_t karakal_x86_drop_reason_count() { return karakal_x86_drop_reasons; }

const char *karakal_x86_drop_name(uint32_t reason) {
  return reason < karakal_x86_drop_reasons ? karakal_x86_drop_names[reason]
                                           : nullptr;
}

uint64_t karakal_x86_drop_count(uint32_t reason) {
  return reason < karakal_x86_drop_reasons ? karakal_x86_drop_counts[reason]
                                           : 0;
}

// What the program calls.

// The caller still reads the packets to send.
void karakal_x86_reclaim() {}

void karakal_x86_queue(uint32_t message) {
  messages[endMessage++ % target::BufferCount] = message;
}

[[noreturn]] void karakal_x86_fault(x86::PacketFault fault, uint32_t a,
                                    uint32_t b) {
  std::fprintf(stderr,
               "the packet program did something illegal: %s (%u, %u)\n",
               x86::faultName(fault), a, b);
  std::abort();
}

uint32_t baker_timestamp() {
  return x86::timestampAt(nowNs, karakal_x86_engine_hz);
}

uint32_t baker_random() { return randomState = x86::nextRandom(randomState); }

void baker_trace_text(uint32_t) {}
void baker_trace_value(uint64_t) {}

} // extern "C"
