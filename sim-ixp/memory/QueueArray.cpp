// The queue array of an SRAM channel.
//
// See QueueArray.h for the idea. A list is empty when its count is 0. The count
// leaves out the buffers inside a chain; a chain ends at its tail.

#include "sim-ixp/memory/QueueArray.h"
#include "support/Error.h"

namespace karakal::sim {

uint32_t QueueArray::dequeue(uint32_t index) {
  KARAKAL_ASSERT(index < entryCount, "no such queue");
  Entry &entry = entries[index];
  if (entry.count == 0)
    return 0;
  uint32_t buffer = entry.head & addressMask;
  bool isLast = buffer == entry.tail;
  entry.head = read(buffer) & addressMask;
  // Buffers inside a chain keep the queue from being empty.
  if (isLast || entry.count > 1)
    --entry.count;
  return buffer;
}

void QueueArray::enqueue(uint32_t index, uint32_t buffer) {
  KARAKAL_ASSERT(index < entryCount, "no such queue");
  Entry &entry = entries[index];
  if (entry.count == 0)
    entry.head = buffer;
  else
    write(entry.tail, buffer);
  entry.tail = buffer;
  ++entry.count;
}

/// The word after `pointer` in the entry's ring.
uint32_t QueueArray::following(const Entry &entry, uint32_t pointer) {
  uint32_t mask = ringWords(entry) - 1;
  return (pointer & ~mask) | ((pointer + 1) & mask);
}

uint32_t QueueArray::put(uint32_t index, const uint32_t *data, uint32_t words) {
  Entry &entry = entries[index];
  uint32_t before = entry.count;
  if (before + words > ringWords(entry))
    return before;
  journal(index, data, words);
  KARAKAL_ASSERT(entry.count == before + words, "a put appends all its words");
  return putDone | before;
}

void QueueArray::get(uint32_t index, uint32_t *data, uint32_t words) {
  Entry &entry = entries[index];
  for (uint32_t i = 0; i < words; ++i) {
    data[i] = 0;
    if (entry.count == 0)
      continue;
    uint32_t pointer = entry.head & addressMask;
    data[i] = read(pointer);
    entry.head = (entry.head & ~addressMask) | following(entry, pointer);
    --entry.count;
  }
}

void QueueArray::journal(uint32_t index, const uint32_t *data, uint32_t words) {
  Entry &entry = entries[index];
  for (uint32_t i = 0; i < words; ++i) {
    write(entry.tail, data[i]);
    entry.tail = following(entry, entry.tail);
    entry.count = (entry.count + 1) & addressMask;
  }
}

void QueueArray::load(uint32_t index, uint32_t descriptor, Part part,
                      uint32_t *data) {
  Entry &entry = entries[index];
  entry.loaded = part;
  data[0] = read(descriptor + (part == Part::Tail ? 1 : 0));
  data[1] = read(descriptor + 2);
  if (part == Part::Head)
    entry.head = data[0];
  else
    entry.tail = data[0] & addressMask;
  entry.count = data[1] & addressMask;
}

void QueueArray::loadOtherPart(uint32_t index, uint32_t descriptor) {
  Entry &entry = entries[index];
  if (entry.loaded == Part::Head)
    entry.tail = read(descriptor + 1) & addressMask;
  else
    entry.head = read(descriptor);
}

void QueueArray::store(uint32_t index, uint32_t descriptor,
                       bool withCount) const {
  const Entry &entry = entries[index];
  memory.writeWord((descriptor & addressMask) * 4, entry.head);
  memory.writeWord(((descriptor + 1) & addressMask) * 4, entry.tail);
  if (withCount)
    memory.writeWord(((descriptor + 2) & addressMask) * 4, entry.count);
}

} // namespace karakal::sim
