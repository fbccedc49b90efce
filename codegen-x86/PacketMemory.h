// The packets of a program on x86, as its code sees them.
//
// The layout that compiled code (runtime/x86/packets.cpp) and the program that
// runs it share: buffers and descriptors as on the chip, a stack of free
// buffers, the packets to send, and counts. A handle is the number that the
// chip's programs use, so `descriptors[handle - HandleFirst]` is the first word
// of a packet's descriptor.
//
//   word 0: 1 for a received packet, 0 for a copy; 2 more while it is in a
//   queue word 1: head << 16 | length     word 2: rx port << 24 | tx port << 16
//   word 3: sequence number         words 4..15: the program's metadata

#ifndef KARAKAL_CODEGEN_X86_PACKETMEMORY_H
#define KARAKAL_CODEGEN_X86_PACKETMEMORY_H

#include "target-ixp/chip/MemoryMap.h"
#include <cstdint>

namespace karakal::x86 {

/// A field may start inside a byte, so nine bytes are touched at once.
constexpr uint32_t SlackBytes = 16;

/// Word 0 of a descriptor: the packet was received; it waits in a queue of the
/// program.
constexpr uint32_t LinkReceived = 1, LinkWaits = 2;

/// The lists and counts. Compiled code changes them between two bursts.
struct PacketState {
  /// Handles of free buffers, with room for `target::BufferCount`. The one that
  /// was freed last is the next, since it is in the processor's caches.
  uint32_t *freeHandles;
  uint32_t freeCount;
  /// Handles of the packets to send, in order; room for `target::BufferCount`.
  uint32_t *sent;
  uint32_t sentCount;
  /// The packet that runs, as its number in its burst; that of each packet to
  /// send.
  uint32_t current;
  uint32_t *sentBy;
  /// Messages that were queued and not yet taken.
  uint32_t queuedCount;
  /// 1 while a function runs that the chip has on the XScale core.
  uint32_t onXScale;
  /// Frames by drop reason.
  uint64_t *drops;
  /// Originals that ended: sent, dropped by the engines or by the XScale core.
  uint64_t forwarded, dropped, consumed;
  /// Packets made by copy and create, and messages to the XScale core.
  uint64_t copied, toXScale;
  /// Packets that wait in queues of the program.
  uint32_t waiting;
};

/// What a primitive was asked to do that no correct program asks.
enum class PacketFault : uint32_t {
  Read,       ///< a: bit offset, b: bits
  Write,      ///< a: bit offset, b: bits
  Decap,      ///< a: bytes, b: length
  Encap,      ///< a: bytes, b: headroom
  AddTail,    ///< a: bytes, b: tailroom
  RemoveTail, ///< a: bytes, b: length
  Create,     ///< a: bytes
  NoBuffer,   ///< a: 1 for create, 0 for copy
};

/// Symbols of compiled code that the program which runs it defines, and the
/// function that it calls before all others.
struct PacketSymbols {
  static constexpr const char *FindFeatures = "karakal_x86_find_features";
  static constexpr const char *Buffers = "karakal_x86_buffers";
  static constexpr const char *Descriptors = "karakal_x86_descriptors";
  static constexpr const char *State = "karakal_x86_state";
  static constexpr const char *Fault = "karakal_x86_fault";
  static constexpr const char *Queue = "karakal_x86_queue";
  static constexpr const char *Reclaim = "karakal_x86_reclaim";
  static constexpr const char *Drain = "karakal_x86_drain";
};

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_PACKETMEMORY_H
