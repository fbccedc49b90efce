// The buffers, descriptors, rings and CAM of an interpreted program.

#ifndef KARAKAL_IR_INTERP_INTERPRETERMACHINE_H
#define KARAKAL_IR_INTERP_INTERPRETERMACHINE_H

#include "ir/interp/InterpretedRun.h"
#include "target-ixp/chip/MemoryMap.h"

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace karakal::ir {

/// A buffer with its descriptor.
struct PacketCell {
  std::array<uint8_t, target::BufferBytes> data;
  std::array<uint32_t, target::DescriptorWords> descriptor;
  bool isLive = false;

  uint32_t head() const {
    return descriptor[target::DescriptorHeadLength] >> 16;
  }
  uint32_t length() const {
    return descriptor[target::DescriptorHeadLength] & 0xffff;
  }
  void setHead(uint32_t head, uint32_t length) {
    descriptor[target::DescriptorHeadLength] = head << 16 | (length & 0xffff);
  }
};

/// A microengine's content-addressable memory.
class Cam {
public:
  Cam();

  /// Returns the result word of cam_lookup, with state 0. On a miss it names
  /// the least recently used entry.
  uint32_t lookup(uint32_t tag);
  /// Gives `entry`, below target::CamEntries, a tag.
  void write(uint32_t entry, uint32_t tag);
  void clear();

private:
  struct Entry {
    uint32_t number;
    std::optional<uint32_t> tag;
  };
  std::vector<Entry> entries; ///< most recently used last
};

/// The memory that the interpreter's operations work on.
class Machine {
public:
  explicit Machine(const Stimulus &stimulus) : garbage(stimulus.garbage) {}

  /// Returns the packet of a handle, or null if no live packet has it.
  PacketCell *find(uint32_t handle);
  /// Returns the handle of a free buffer, which is filled with garbage.
  uint32_t allocate();
  void release(uint32_t handle);

  /// Makes a packet with its head at byte `head` and returns its handle.
  uint32_t receive(const PacketImage &packet, uint32_t head);
  /// Returns the handle of a copy of a live packet.
  uint32_t copy(uint32_t handle);
  PacketImage imageOf(const PacketCell &packet) const;

  /// Reads `width` bits (1 to 64) from bit `position` of the buffer. Bits
  /// outside of the buffer are zeros; writes of them have no effect.
  uint64_t readBits(const PacketCell &packet, int64_t position,
                    unsigned width) const;
  void writeBits(PacketCell &packet, int64_t position, unsigned width,
                 uint64_t value);

  /// The messages on each ring, each with all its words.
  std::map<uint32_t, std::deque<std::vector<uint32_t>>> rings;
  Cam cam;
  /// Words of metadata that the program declares.
  uint32_t metadataWords = 0;

private:
  uint8_t garbage;
  std::deque<PacketCell> cells; // addresses stay
  std::vector<uint32_t> freeCells;
};

} // namespace karakal::ir

#endif // KARAKAL_IR_INTERP_INTERPRETERMACHINE_H
