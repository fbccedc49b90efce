// Hands frames from the core that receives them to the core of their flow.

#include "switch/Handoff.h"
#include <algorithm>
#include <cstring>

namespace karakal::sw {

void Handoff::give(const x86::Frame &frame, bool bytesStay) {
  KARAKAL_ASSERT(room() != 0, "the giver has looked for room");
  uint32_t at = head.load(std::memory_order_relaxed);
  Slot &slot = slots[at % SlotCount];
  slot.frame = frame;
  if (!bytesStay) {
    slot.frame.bytes = std::min(frame.bytes, FrameBytesMax);
    std::memcpy(slot.bytes.data(), frame.data, slot.frame.bytes);
    slot.frame.data = slot.bytes.data();
  }
  head.store(at + 1);
}

uint32_t Handoff::take(x86::Frame *frames, uint32_t max) {
  uint32_t from = tail.load(std::memory_order_relaxed);
  uint32_t count = std::min(max, head.load(std::memory_order_acquire) - from);
  for (uint32_t i = 0; i < count; ++i)
    frames[i] = slots[(from + i) % SlotCount].frame;
  return count;
}

} // namespace karakal::sw
