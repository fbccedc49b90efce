// The queue array of an SRAM channel.
//
// Each SRAM channel holds 64 descriptors in its controller ("IXP2400 chip
// notes", SRAM). The commands that use a descriptor determine its kind:
//
//   linked list   enqueue writes the link word of the tail buffer, dequeue
//                 reads that of the head buffer; an empty queue gives 0.
//                 enqueue_tail names the last buffer of a chain whose first was
//                 enqueued just before.
//   ring          put appends words and returns the previous number of words.
//                 If they do not fit it does nothing. get takes words and
//                 returns 0 for those that are missing.
//   journal       appends words and may overwrite older ones.
//
// Rings and journals have 512 << code words, with the code in bits 31:29 of the
// head word, and begin at a multiple of their size. A descriptor in memory
// consists of the words head, tail and count. The order of these words, and
// put's status word, are this project's choice: no available document gives
// them.

#ifndef KARAKAL_SIM_IXP_MEMORY_QUEUEARRAY_H
#define KARAKAL_SIM_IXP_MEMORY_QUEUEARRAY_H

#include "sim-ixp/memory/Memory.h"

#include <array>
#include <cstdint>

namespace karakal::sim {

/// The descriptors of one channel. Addresses are longwords of the channel.
class QueueArray {
public:
  static constexpr uint32_t entryCount = 64;
  static constexpr uint32_t addressMask = 0xffffff;
  /// Status word of put: the words were appended; bits 23:0 hold the previous
  /// number of words.
  static constexpr uint32_t putDone = 1u << 31;

  explicit QueueArray(Memory &memory) : memory(memory) {}

  uint32_t countOf(uint32_t entry) const { return entries[entry].count; }

  // ---- linked lists --------------------------------------------------------
  uint32_t dequeue(uint32_t entry);
  void enqueue(uint32_t entry, uint32_t buffer);
  void enqueueTail(uint32_t entry, uint32_t buffer) {
    entries[entry].tail = buffer;
  }

  // ---- rings and journals --------------------------------------------------
  /// Appends `words` words of `data`, all or none; returns the status word.
  uint32_t put(uint32_t entry, const uint32_t *data, uint32_t words);
  void get(uint32_t entry, uint32_t *data, uint32_t words);
  void journal(uint32_t entry, const uint32_t *data, uint32_t words);

  /// Makes an entry an empty ring of 512 << `sizeCode` words at longword
  /// `base`, as the loader does.
  void makeRing(uint32_t entry, uint32_t base, uint32_t sizeCode) {
    entries[entry] = {sizeCode << 29 | base, base, 0, Part::Head};
  }

  // ---- descriptors in memory -----------------------------------------------
  enum class Part { Head, Tail };
  /// Loads head or tail, and the count, from the descriptor at address
  /// `descriptor`; returns them in two words of `data`.
  void load(uint32_t entry, uint32_t descriptor, Part part, uint32_t *data);
  /// Loads the part that load() left out.
  void loadOtherPart(uint32_t entry, uint32_t descriptor);
  void store(uint32_t entry, uint32_t descriptor, bool withCount) const;

private:
  struct Entry {
    uint32_t head = 0; ///< a ring's includes its size code
    uint32_t tail = 0;
    uint32_t count = 0;
    Part loaded = Part::Head;
  };

  uint32_t read(uint32_t longword) const {
    return memory.readWord((longword & addressMask) * 4);
  }
  void write(uint32_t longword, uint32_t value) {
    memory.writeWord((longword & addressMask) * 4, value);
  }
  static uint32_t ringWords(const Entry &entry) {
    return 512u << (entry.head >> 29);
  }
  static uint32_t following(const Entry &entry, uint32_t pointer);

  Memory &memory;
  std::array<Entry, entryCount> entries{};
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_MEMORY_QUEUEARRAY_H
