// Packet buffers on x86.
//
// The packet primitives of the chip on ordinary memory: buffers with headroom,
// one descriptor of 16 words for each buffer, a free list, and counts of where
// every packet ended. A handle is the longword address that the descriptor has
// on the chip, so a program sees the same numbers.
//
//   word 1: head << 16 | length    word 2: rx port << 24 | tx port << 16
//   word 3: sequence number        words 4..15: the program's metadata
//
// Bits are numbered as in protocol headers: bit 0 is the most significant bit
// of the byte at the head pointer.
//
// A fault is something that no correct program does, such as using a stale
// handle or moving the head pointer out of the buffer. `fault()` returns the
// first one. The primitive then does nothing, and the caller decides when to
// stop.

#ifndef KARAKAL_HOST_PACKETRUNTIME_H
#define KARAKAL_HOST_PACKETRUNTIME_H

#include "host/Services.h"
#include "host/standalone/RunStatistics.h"
#include "traces/Packet.h"
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace karakal::host {

/// The layout of packet memory. The defaults are the chip's.
struct BufferLayout {
  uint32_t count = 4096;
  uint32_t bytes = 2048;
  /// Offset in the buffer at which a received frame starts.
  uint32_t headroomBytes = 128;
  /// Longword address of the first descriptor; each takes 16 longwords.
  uint32_t firstHandle = 0x4000;
};

class PacketRuntime {
public:
  static constexpr uint32_t WordHead = 1, WordPorts = 2, WordSequence = 3;
  static constexpr uint32_t DescriptorWords = 16;
  /// Ring number that `channelPut` transmits on.
  static constexpr uint32_t RingTx = 1;

  /// `dropReasonCount` is the number of drop reasons that the program declares.
  PacketRuntime(const BufferLayout &layout, uint32_t portCount,
                uint32_t dropReasonCount);

  /// Puts a frame into a buffer as Rx does and returns its handle; 0 if it is
  /// oversize. A frame below the minimum is padded with zeros.
  uint32_t receive(const traces::Packet &frame);

  // The packet primitives. Handles are never 0.
  uint64_t read(uint32_t handle, uint32_t bitOffset, uint32_t bits);
  void write(uint32_t handle, uint32_t bitOffset, uint32_t bits,
             uint64_t value);
  uint32_t metaRead(uint32_t handle, uint32_t word);
  void metaWrite(uint32_t handle, uint32_t word, uint32_t value);
  uint32_t rxPort(uint32_t handle);
  uint32_t txPort(uint32_t handle);
  void setTxPort(uint32_t handle, uint32_t port);
  uint32_t length(uint32_t handle);
  uint32_t decap(uint32_t handle, uint32_t bytes);
  uint32_t encap(uint32_t handle, uint32_t bytes);
  uint32_t addTail(uint32_t handle, uint32_t bytes);
  uint32_t removeTail(uint32_t handle, uint32_t bytes);
  uint32_t headroom(uint32_t handle);
  /// Creates a packet of `bytes` zeros. Faults as `copy` does.
  uint32_t create(uint32_t bytes);
  /// Copies a packet into a buffer of its own, with the same head, length and
  /// metadata. Faults if no buffer is free: nothing else runs that could free
  /// one.
  uint32_t copy(uint32_t handle);
  void drop(uint32_t handle, uint32_t reason);
  /// The packet waits in a queue of the program from now on.
  void keep(uint32_t handle);
  /// Takes the packet of a word out of a queue; 0 gives none.
  uint32_t fetch(uint32_t word);
  /// Ring 1 transmits; any other ring queues the message.
  void channelPut(uint32_t ring, uint32_t message);

  /// Takes the oldest queued message. Returns 0 if there is none.
  uint32_t nextMessage();

  /// Time and random numbers; the time is that of the frame being processed.
  ServiceState &services() { return serviceState; }

  /// Sets whether drops count as made by the XScale core.
  void setOnXScale(bool on) { onXScale = on; }

  const PacketCounts &counts() const { return packets; }
  PacketCounts &counts() { return packets; }
  /// Frames dropped by reason number.
  const std::vector<uint64_t> &drops() const { return dropsByReason; }
  /// Frames sent, in order; the time is that of the frame being processed.
  std::vector<traces::Packet> &transmitted() { return sent; }
  /// Buffers that are not on the free list.
  uint32_t buffersInUse() const { return layout.count - freeList.size(); }
  /// Packets that wait in queues.
  uint32_t waiting() const { return waitingCount; }
  /// The first fault, empty if none.
  const std::string &fault() const { return firstFault; }
  void setFault(const std::string &what);

private:
  struct Descriptor {
    std::array<uint32_t, DescriptorWords> words{};
    bool live = false;
    bool original = false;
  };

  Descriptor *find(uint32_t handle, const char *primitive);
  uint8_t *bytesOf(const Descriptor &descriptor);
  uint32_t allocate();
  void release(uint32_t handle);
  void transmit(uint32_t handle);
  bool inBuffer(const Descriptor &d, uint32_t bitOffset, uint32_t bits,
                const char *primitive);

  BufferLayout layout;
  uint32_t portCount;
  std::vector<uint8_t> memory;
  std::vector<Descriptor> descriptors;
  std::vector<uint32_t> freeList;
  std::deque<uint32_t> queue;
  std::vector<traces::Packet> sent;
  std::vector<uint64_t> dropsByReason;
  PacketCounts packets;
  std::string firstFault;
  ServiceState serviceState;
  uint32_t sequence = 0, waitingCount = 0;
  bool onXScale = false;
};

} // namespace karakal::host

#endif // KARAKAL_HOST_PACKETRUNTIME_H
