// The C interface of programs that are compiled ahead of time for x86.
//
// The compiler links this file into the program's object and gives the public
// functions the program's name: `karakal_x86_batch` becomes `NAME_batch`. What
// it makes for each program is declared below. The header that it writes
// (codegen-x86/Header.cpp) documents the interface.

#include "codegen-x86/BatchMemory.h"
#include "codegen-x86/PacketFunctions.h"
#include "codegen-x86/ProgramTable.h"
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
/// x86::BatchMemory::RunFunction; does nothing if there are no stages.
void karakal_x86_run_batch(const uint32_t *handles, uint32_t first,
                           uint32_t count);
extern const uint32_t karakal_x86_has_stages;
extern uint32_t karakal_x86_sub_batch;
/// Whether the consumer of a channel is on the XScale core of a chip.
extern const uint8_t karakal_x86_channel_on_xscale[];
extern const uint64_t karakal_x86_engine_hz;
/// The timers in the order of the program, and when each is due.
extern const uint32_t karakal_x86_timer_count;
extern const uint64_t karakal_x86_timer_intervals_ns[];
extern uint32_t (*const karakal_x86_timer_functions[])(const uint64_t *);
extern uint64_t karakal_x86_timer_due_ns[];
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

// Who is told of a fault; null: the process ends.
void (*karakal_x86_on_fault)(x86::PacketFault fault, uint32_t a, uint32_t b);

void karakal_x86_drain();
}

namespace {

using Frame = x86::LibraryFrame;

uint32_t freeHandles[target::BufferCount], toSend[target::BufferCount],
    sentBy[target::BufferCount];
/// Messages of channels that are not calls. Each holds a packet of its own.
uint32_t messages[target::BufferCount];
uint32_t firstMessage, endMessage;
uint32_t sequence, randomState = 1;
uint64_t received, transmitted, oversize, noBuffer;
/// The frames that run; null between batches, when it is `lastNs`.
const Frame *batch;
uint64_t lastNs;
/// Whether the caller has told the time since the start.
bool hasClock;
/// How many of the packets to send the caller has.
uint32_t given;

uint64_t timeOf(uint32_t packet) {
  return batch ? batch[packet].timeNs : lastNs;
}

constexpr x86::PacketMemory memory{karakal_x86_buffers, karakal_x86_descriptors,
                                   karakal_x86_state};

/// Frees the packets that the call before gave out. Control functions may have
/// sent others since.
void freeGiven() {
  x86::PacketState &state = karakal_x86_state;
  for (uint32_t i = 0; i < given; ++i)
    x86::freeBuffer(state, state.sent[i]);
  state.sentCount -= given;
  __builtin_memmove(state.sent, state.sent + given,
                    state.sentCount * sizeof *state.sent);
  given = 0;
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
bool describe(uint32_t handle, uint64_t timeNs, Frame &frame) {
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
  frame = {at, bytes, port, timeNs};
  return true;
}

/// Gives the packets to send that the caller does not have yet.
Frame *give(Frame *out) {
  x86::PacketState &state = karakal_x86_state;
  for (; given < state.sentCount; ++given)
    out += describe(state.sent[given], timeOf(state.sentBy[given]), *out);
  return out;
}

/// The timer that is due first, the first of them in the program if there are
/// several; `karakal_x86_timer_count` without timers.
uint32_t nextTimer() {
  uint32_t next = 0;
  for (uint32_t i = 1; i < karakal_x86_timer_count; ++i)
    if (karakal_x86_timer_due_ns[i] < karakal_x86_timer_due_ns[next])
      next = i;
  return next;
}

/// Sets when each timer is due after the start of the clock.
void startClock(uint64_t ns) {
  for (uint32_t i = 0; i < karakal_x86_timer_count; ++i)
    karakal_x86_timer_due_ns[i] = ns + karakal_x86_timer_intervals_ns[i];
  hasClock = true;
}

/// Calls a timer at the last of its times by `ns`.
void callTimer(uint32_t timer, uint64_t ns) {
  uint64_t interval = karakal_x86_timer_intervals_ns[timer];
  uint64_t &due = karakal_x86_timer_due_ns[timer];
  lastNs = due + (ns - due) / interval * interval;
  due = lastNs + interval;
  const uint64_t none = 0;
  (void)karakal_x86_timer_functions[timer](&none);
  karakal_x86_drain();
}

Frame *runOneByOne(uint32_t count, Frame *out) {
  for (uint32_t i = 0; i < count; ++i) {
    karakal_x86_state.current = i;
    if (uint32_t handle = receive(batch[i]))
      karakal_x86_rx(handle);
    karakal_x86_drain();
    out = give(out);
  }
  return out;
}

Frame *runInStages(uint32_t count, uint32_t step, Frame *out) {
  uint32_t handles[x86::BatchMemory::SlotCount];
  for (uint32_t first = 0; first < count; first += step) {
    uint32_t left = count - first, together = left < step ? left : step;
    for (uint32_t i = 0; i < together; ++i)
      handles[i] = receive(batch[first + i]);
    karakal_x86_run_batch(handles, first, together);
    out = give(out);
  }
  return out;
}

} // namespace

extern "C" {

void karakal_x86_init() {
  x86::PacketState &state = karakal_x86_state;
  karakal_x86_find_features();
  karakal_x86_level = x86::levelOfProcessor();
  state = {};
  x86::freeAllBuffers(freeHandles, state);
  state.sent = toSend;
  state.sentBy = sentBy;
  state.drops = karakal_x86_drop_counts;
  given = 0;
  hasClock = false;
  karakal_x86_run_inits();
}

uint32_t karakal_x86_batch(const Frame *in, uint32_t count, Frame *out) {
  freeGiven();
  Frame *end = give(out);
  if (count == 0)
    return static_cast<uint32_t>(end - out);
  batch = in;
  end = karakal_x86_has_stages && karakal_x86_sub_batch > 1
            ? runInStages(count, karakal_x86_sub_batch, end)
            : runOneByOne(count, end);
  lastNs = in[count - 1].timeNs;
  batch = nullptr;
  return static_cast<uint32_t>(end - out);
}

uint64_t karakal_x86_set_time(uint64_t ns) {
  if (!hasClock)
    startClock(ns);
  uint64_t next = ~uint64_t(0);
  for (uint32_t timer = nextTimer(); timer < karakal_x86_timer_count;
       timer = nextTimer()) {
    next = karakal_x86_timer_due_ns[timer];
    if (next > ns)
      break;
    callTimer(timer, ns);
  }
  lastNs = ns;
  return next;
}

uint64_t karakal_x86_move_clock(uint64_t ns) {
  uint64_t before = lastNs;
  lastNs = ns;
  return before;
}

uint32_t karakal_x86_use_sub_batch(uint32_t most) {
  constexpr uint32_t slots = x86::BatchMemory::SlotCount;
  uint32_t step = most > slots ? slots : most;
  return karakal_x86_sub_batch =
             step == 0 || !karakal_x86_has_stages ? 1 : step;
}

uint32_t karakal_x86_use_level(uint32_t most) {
  uint32_t best = x86::levelOfProcessor();
  uint32_t level = most < best ? most : best;
  return karakal_x86_level = level < 2 ? 2 : level;
}

void karakal_x86_statistics(x86::LibraryCounts *statistics) {
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
  x86::PacketState &state = karakal_x86_state;
  state.toXScale +=
      karakal_x86_channel_on_xscale[message >> 24] && !state.onXScale;
  ++state.queuedCount;
  messages[endMessage++ % target::BufferCount] = message;
}

void karakal_x86_drain() {
  x86::PacketState &state = karakal_x86_state;
  while (firstMessage != endMessage) {
    uint32_t message = messages[firstMessage++ % target::BufferCount];
    --state.queuedCount;
    // Queueing has counted the crossing.
    state.onXScale = karakal_x86_channel_on_xscale[message >> 24];
    karakal_x86_deliver(message);
    state.onXScale = 0;
  }
}

[[noreturn]] void karakal_x86_fault(x86::PacketFault fault, uint32_t a,
                                    uint32_t b) {
  if (karakal_x86_on_fault)
    karakal_x86_on_fault(fault, a, b);
  std::fprintf(stderr,
               "the packet program did something illegal: %s (%u, %u)\n",
               x86::faultName(fault), a, b);
  std::abort();
}

uint32_t baker_timestamp() {
  return x86::timestampAt(timeOf(karakal_x86_state.current),
                          karakal_x86_engine_hz);
}

uint32_t baker_random() { return randomState = x86::nextRandom(randomState); }

void baker_trace_text(uint32_t) {}
void baker_trace_value(uint64_t) {}

} // extern "C"
