// What programs on x86 do with frames, whether they run in process or as a
// library: the functions that host/ and runtime/x86/interface.cpp share. They
// use no library, for the latter is compiled without one.

#ifndef KARAKAL_CODEGEN_X86_PACKETFUNCTIONS_H
#define KARAKAL_CODEGEN_X86_PACKETFUNCTIONS_H

#include "codegen-x86/PacketMemory.h"
#include <cstdint>

namespace karakal::x86 {

/// The memory of a program's packets: PacketSymbols names its parts.
struct PacketMemory {
  uint8_t *buffers;
  uint32_t *descriptors;
  PacketState &state;

  uint32_t *descriptor(uint32_t handle) const {
    return descriptors + (handle - target::HandleFirst);
  }
  uint8_t *bufferOf(uint32_t handle) const {
    return buffers + (uint64_t(handle - target::HandleFirst)
                      << target::HandleToDramShift);
  }
};

inline void freeBuffer(PacketState &state, uint32_t handle) {
  state.freeHandles[state.freeCount++] = handle;
}

/// Makes `handles`, which has room for `target::BufferCount`, the list of free
/// buffers: all of them.
inline void freeAllBuffers(uint32_t *handles, PacketState &state) {
  state.freeHandles = handles;
  state.freeCount = 0;
  for (uint32_t i = target::BufferCount; i-- > 0;)
    freeBuffer(state, target::handleOfBuffer(i));
}

/// Frees all buffers but those of packets that wait in queues. Returns the
/// number of received packets among these.
inline uint32_t freeAllButWaiting(const PacketMemory &memory) {
  memory.state.freeCount = 0;
  uint32_t received = 0;
  for (uint32_t i = 0; i < target::BufferCount; ++i) {
    uint32_t handle = target::handleOfBuffer(i);
    uint32_t link = memory.descriptor(handle)[target::DescriptorLink];
    if (link & LinkWaits)
      received += link & LinkReceived;
    else
      freeBuffer(memory.state, handle);
  }
  return received;
}

/// Copies a frame into a free buffer as Rx does and returns its handle; 0 if no
/// buffer is free. A frame below the least length is padded with zeros.
inline uint32_t receiveFrame(const PacketMemory &memory, const uint8_t *data,
                             uint32_t bytes, uint32_t port, uint32_t sequence) {
  PacketState &state = memory.state;
  if (state.freeCount == 0)
    return 0;
  uint32_t handle = state.freeHandles[--state.freeCount];
  uint8_t *at = memory.bufferOf(handle) + target::BufferHeadroom;
  __builtin_memcpy(at, data, bytes);
  if (bytes < target::FrameBytesMin) {
    __builtin_memset(at + bytes, 0, target::FrameBytesMin - bytes);
    bytes = target::FrameBytesMin;
  }
  uint32_t *words = memory.descriptor(handle);
  __builtin_memset(words, 0, target::DescriptorWords * 4);
  words[target::DescriptorLink] = LinkReceived;
  words[target::DescriptorHeadLength] = target::BufferHeadroom << 16 | bytes;
  words[target::DescriptorPorts] = port << 24;
  words[target::DescriptorSequence] = sequence;
  return handle;
}

/// What the program did, with the meaning of the fault's two numbers.
constexpr const char *faultName(PacketFault fault) {
  switch (fault) {
  case PacketFault::Read:
    return "a read outside the packet's buffer; bit offset, bits";
  case PacketFault::Write:
    return "a write outside the packet's buffer; bit offset, bits";
  case PacketFault::Decap:
    return "packet_decap beyond the end; bytes, length";
  case PacketFault::Encap:
    return "packet_encap beyond the headroom; bytes, headroom";
  case PacketFault::AddTail:
    return "packet_add_tail beyond the buffer; bytes, tailroom";
  case PacketFault::RemoveTail:
    return "packet_remove_tail beyond the start; bytes, length";
  case PacketFault::Create:
    return "packet_create beyond a buffer; bytes";
  case PacketFault::NoBuffer:
    return "no free buffer; 1 for packet_create, 0 for packet_copy";
  }
  return "an unknown fault";
}

/// The pseudo-random number after `last`, which is not 0 (Marsaglia, "Xorshift
/// RNGs", 2003).
inline uint32_t nextRandom(uint32_t last) {
  last ^= last << 13;
  last ^= last >> 17;
  return last ^ last << 5;
}

/// The time `nowNs` in the units of `timestamp()` of engines of `engineHz`.
inline uint32_t timestampAt(uint64_t nowNs, uint64_t engineHz) {
  constexpr uint64_t nanoseconds = 1000000000;
  uint64_t ticks = engineHz / target::TimestampTickCycles;
  return static_cast<uint32_t>(nowNs / nanoseconds * ticks +
                               nowNs % nanoseconds * ticks / nanoseconds);
}

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_PACKETFUNCTIONS_H
