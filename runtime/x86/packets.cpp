// Packet primitives of programs on x86.
//
// The counterpart of packet.ll. It is compiled to LLVM bitcode, linked into
// each program and inlined, so a field at a known place becomes a load and a
// swap of its bytes. What no correct program does branches to the fault, which
// does not return. The language proves that a handle holds a packet, so nothing
// checks it here; host/PacketRuntime.h has the primitives that do.
//
// Descriptors and buffers are arrays of their own, so the compiler knows that a
// write to packet data changes no descriptor.
//
// A processor that reads bytes of which a part has just been written waits for
// the write. So a field of whole bytes is written without a read, and fields
// are read and written as the narrowest numbers that have them.

#include "codegen-x86/PacketMemory.h"
#include "target-ixp/chip/Rings.h"

using namespace karakal;
using target::BufferBytes;
using x86::PacketFault;

extern "C" {
extern uint8_t karakal_x86_buffers[];
extern uint32_t karakal_x86_descriptors[];
extern x86::PacketState karakal_x86_state;

[[noreturn, gnu::cold]] void karakal_x86_fault(PacketFault fault, uint32_t a,
                                               uint32_t b);
/// Frees what buffers it can: those of packets that wait to be sent.
void karakal_x86_reclaim();
/// Queues a message for the consumer of a channel that is not a direct call.
void karakal_x86_queue(uint32_t message);
}

namespace {

/// A number in packet data, at any address and over numbers of other sizes.
template <typename T> struct [[gnu::packed, gnu::may_alias]] AnyPlace {
  T value;
};

[[gnu::always_inline]] inline uint32_t *descriptor(uint32_t handle) {
  return karakal_x86_descriptors + (handle - target::HandleFirst);
}

[[gnu::always_inline]] inline uint8_t *buffer(uint32_t handle) {
  return karakal_x86_buffers +
         (uint64_t(handle - target::HandleFirst) << target::HandleToDramShift);
}

[[gnu::always_inline]] inline uint32_t headOf(uint32_t word) {
  return word >> 16;
}

[[gnu::always_inline]] inline uint32_t lengthOf(uint32_t word) {
  return word & 0xffff;
}

[[gnu::always_inline]] inline uint32_t headLength(uint32_t handle) {
  return descriptor(handle)[target::DescriptorHeadLength];
}

[[gnu::always_inline]] inline void setHeadLength(uint32_t handle, uint32_t head,
                                                 uint32_t length) {
  descriptor(handle)[target::DescriptorHeadLength] = head << 16 | length;
}

template <typename T>
[[gnu::always_inline]] inline T withBytesSwapped(T value) {
  if constexpr (sizeof(T) == 8)
    return __builtin_bswap64(value);
  else if constexpr (sizeof(T) == 4)
    return __builtin_bswap32(value);
  else if constexpr (sizeof(T) == 2)
    return __builtin_bswap16(value);
  else
    return value;
}

template <typename T = uint64_t>
[[gnu::always_inline]] inline T loadBig(const uint8_t *at) {
  return withBytesSwapped(reinterpret_cast<const AnyPlace<T> *>(at)->value);
}

template <typename T = uint64_t>
[[gnu::always_inline]] inline void storeBig(uint8_t *at, T value) {
  reinterpret_cast<AnyPlace<T> *>(at)->value = withBytesSwapped(value);
}

/// Writes the last `bytes` bytes of `value`, 1 to 8.
[[gnu::always_inline]] inline void storeBytes(uint8_t *at, uint64_t value,
                                              uint32_t bytes) {
  if (bytes == 8)
    return storeBig<uint64_t>(at, value);
  if (bytes & 4) {
    storeBig<uint32_t>(at, static_cast<uint32_t>(value >> 8 * (bytes - 4)));
    at += 4;
  }
  if (bytes & 2) {
    storeBig<uint16_t>(at, static_cast<uint16_t>(value >> 8 * (bytes & 1)));
    at += 2;
  }
  if (bytes & 1)
    storeBig<uint8_t>(at, static_cast<uint8_t>(value));
}

/// Returns the byte that holds bit `bitOffset` after the head.
[[gnu::always_inline]] inline uint8_t *fieldBytes(uint32_t handle,
                                                  uint32_t bitOffset,
                                                  uint32_t bits,
                                                  PacketFault fault) {
  uint32_t head = headOf(headLength(handle));
  uint64_t end = uint64_t(head) * 8 + bitOffset + bits;
  if (__builtin_expect(end > uint64_t(BufferBytes) * 8, 0))
    karakal_x86_fault(fault, bitOffset, bits);
  return buffer(handle) + head + bitOffset / 8;
}

uint32_t take(uint32_t isCreate) {
  x86::PacketState &state = karakal_x86_state;
  if (__builtin_expect(state.freeCount == 0, 0)) {
    karakal_x86_reclaim();
    if (state.freeCount == 0)
      karakal_x86_fault(PacketFault::NoBuffer, isCreate, 0);
  }
  return state.freeHandles[--state.freeCount];
}

[[gnu::always_inline]] inline void release(uint32_t handle) {
  x86::PacketState &state = karakal_x86_state;
  state.freeHandles[state.freeCount++] = handle;
}

} // namespace

extern "C" {

[[gnu::always_inline]] uint64_t
baker_packet_read(uint32_t handle, uint32_t bitOffset, uint32_t bits) {
  const uint8_t *at = fieldBytes(handle, bitOffset, bits, PacketFault::Read);
  uint32_t shift = bitOffset % 8;
  if (shift + bits <= 8)
    return loadBig<uint8_t>(at) >> (8 - shift - bits) & ((1u << bits) - 1);
  if (shift == 0 && bits == 16)
    return loadBig<uint16_t>(at);
  if (shift == 0 && bits == 32)
    return loadBig<uint32_t>(at);
  uint64_t value = loadBig(at) << shift;
  if (shift + bits > 64)
    value |= at[8] >> (8 - shift);
  return value >> (64 - bits);
}

[[gnu::always_inline]] void baker_packet_write(uint32_t handle,
                                               uint32_t bitOffset,
                                               uint32_t bits, uint64_t value) {
  uint8_t *at = fieldBytes(handle, bitOffset, bits, PacketFault::Write);
  uint32_t shift = bitOffset % 8;
  if (shift == 0 && bits % 8 == 0)
    return storeBytes(at, value, bits / 8);
  if (shift + bits <= 8) {
    uint32_t low = 8 - shift - bits;
    auto mask = static_cast<uint8_t>(((1u << bits) - 1) << low);
    auto set = static_cast<uint8_t>(value << low);
    uint8_t kept = loadBig<uint8_t>(at) & static_cast<uint8_t>(~mask);
    return storeBig<uint8_t>(at, kept | (set & mask));
  }
  uint64_t mask = ~uint64_t(0) << (64 - bits);
  value <<= 64 - bits;
  storeBig(at, (loadBig(at) & ~(mask >> shift)) | value >> shift);
  if (shift + bits > 64) {
    uint8_t lowMask = static_cast<uint8_t>(mask << (8 - shift));
    uint8_t low = static_cast<uint8_t>(value << (8 - shift));
    at[8] = static_cast<uint8_t>((at[8] & ~lowMask) | (low & lowMask));
  }
}

[[gnu::always_inline]] uint32_t baker_meta_read(uint32_t handle,
                                                uint32_t word) {
  return descriptor(handle)[word];
}

[[gnu::always_inline]] void baker_meta_write(uint32_t handle, uint32_t word,
                                             uint32_t value) {
  descriptor(handle)[word] = value;
}

[[gnu::always_inline]] uint32_t baker_rx_port(uint32_t handle) {
  return descriptor(handle)[target::DescriptorPorts] >> 24;
}

[[gnu::always_inline]] uint32_t baker_tx_port(uint32_t handle) {
  return descriptor(handle)[target::DescriptorPorts] >> 16 & 0xff;
}

[[gnu::always_inline]] void baker_set_tx_port(uint32_t handle, uint32_t port) {
  uint32_t &ports = descriptor(handle)[target::DescriptorPorts];
  ports = (ports & 0xff00ffff) | (port & 0xff) << 16;
}

[[gnu::always_inline]] uint32_t baker_packet_length(uint32_t handle) {
  return lengthOf(headLength(handle));
}

[[gnu::always_inline]] uint32_t baker_packet_headroom(uint32_t handle) {
  return headOf(headLength(handle));
}

[[gnu::always_inline]] uint32_t baker_packet_decap(uint32_t handle,
                                                   uint32_t bytes) {
  uint32_t word = headLength(handle);
  if (__builtin_expect(bytes > lengthOf(word), 0))
    karakal_x86_fault(PacketFault::Decap, bytes, lengthOf(word));
  setHeadLength(handle, headOf(word) + bytes, lengthOf(word) - bytes);
  return handle;
}

[[gnu::always_inline]] uint32_t baker_packet_encap(uint32_t handle,
                                                   uint32_t bytes) {
  uint32_t word = headLength(handle);
  if (__builtin_expect(bytes > headOf(word), 0))
    karakal_x86_fault(PacketFault::Encap, bytes, headOf(word));
  setHeadLength(handle, headOf(word) - bytes, lengthOf(word) + bytes);
  return handle;
}

uint32_t baker_packet_add_tail(uint32_t handle, uint32_t bytes) {
  uint32_t word = headLength(handle);
  uint32_t end = headOf(word) + lengthOf(word);
  if (__builtin_expect(bytes > BufferBytes - end, 0))
    karakal_x86_fault(PacketFault::AddTail, bytes, BufferBytes - end);
  __builtin_memset(buffer(handle) + end, 0, bytes);
  setHeadLength(handle, headOf(word), lengthOf(word) + bytes);
  return handle;
}

[[gnu::always_inline]] uint32_t baker_packet_remove_tail(uint32_t handle,
                                                         uint32_t bytes) {
  uint32_t word = headLength(handle);
  if (__builtin_expect(bytes > lengthOf(word), 0))
    karakal_x86_fault(PacketFault::RemoveTail, bytes, lengthOf(word));
  setHeadLength(handle, headOf(word), lengthOf(word) - bytes);
  return handle;
}

uint32_t baker_packet_create(uint32_t bytes) {
  if (__builtin_expect(bytes > BufferBytes - target::BufferHeadroom, 0))
    karakal_x86_fault(PacketFault::Create, bytes, 0);
  uint32_t made = take(1);
  __builtin_memset(descriptor(made), 0, target::DescriptorWords * 4);
  setHeadLength(made, target::BufferHeadroom, bytes);
  __builtin_memset(buffer(made) + target::BufferHeadroom, 0, bytes);
  ++karakal_x86_state.copied;
  return made;
}

uint32_t baker_packet_copy(uint32_t handle) {
  uint32_t made = take(0);
  __builtin_memcpy(descriptor(made), descriptor(handle),
                   target::DescriptorWords * 4);
  descriptor(made)[target::DescriptorLink] = 0;
  __builtin_memcpy(buffer(made), buffer(handle), BufferBytes);
  ++karakal_x86_state.copied;
  return made;
}

void baker_packet_drop(uint32_t handle, uint32_t reason) {
  x86::PacketState &state = karakal_x86_state;
  ++state.drops[reason];
  uint64_t isOriginal = descriptor(handle)[target::DescriptorLink];
  (state.onXScale ? state.consumed : state.dropped) += isOriginal;
  release(handle);
}

[[gnu::always_inline]] void baker_packet_keep(uint32_t handle) {
  descriptor(handle)[target::DescriptorLink] |= x86::LinkWaits;
  ++karakal_x86_state.waiting;
}

[[gnu::always_inline]] uint32_t baker_packet_fetch(uint32_t handle) {
  if (handle != 0) {
    descriptor(handle)[target::DescriptorLink] &= ~x86::LinkWaits;
    --karakal_x86_state.waiting;
  }
  return handle;
}

[[gnu::always_inline]] void baker_channel_put(uint32_t ring, uint32_t message) {
  if (ring != target::RingTx)
    return karakal_x86_queue(message);
  x86::PacketState &state = karakal_x86_state;
  state.sentBy[state.sentCount] = state.current;
  state.sent[state.sentCount++] = message & target::HandleMask;
}

uint32_t baker_drop_count(uint32_t reason) {
  return static_cast<uint32_t>(karakal_x86_state.drops[reason]);
}

} // extern "C"
