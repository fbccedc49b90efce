// Hands frames from the core that receives them to the core of their flow.
//
// A ring with one thread at each end. A frame whose bytes do not stay where
// they are is copied. The giver looks first how much room there is and takes
// no more from its ports, so no frame is lost here: a full ring makes the
// port's own queue fill.

#ifndef KARAKAL_SWITCH_HANDOFF_H
#define KARAKAL_SWITCH_HANDOFF_H

#include "codegen-x86/LiveProgram.h"
#include <array>
#include <atomic>
#include <memory>

namespace karakal::sw {

class Handoff {
public:
  static constexpr uint32_t SlotCount = 2048;
  static constexpr uint32_t FrameBytesMax = 2048;

  // For the giver.
  uint32_t room() const {
    return SlotCount - (head.load(std::memory_order_relaxed) -
                        tail.load(std::memory_order_acquire));
  }
  /// Gives a frame; there is room. What is longer than a slot is cut: it is too
  /// long for a program, too.
  void give(const x86::Frame &frame, bool bytesStay);

  // For the taker.
  /// Lists up to `max` frames, which stay until `done`.
  uint32_t take(x86::Frame *frames, uint32_t max);
  /// Frees the oldest `count` frames.
  void done(uint32_t count) {
    tail.store(tail.load(std::memory_order_relaxed) + count,
               std::memory_order_release);
  }
  bool isEmpty() const { return head.load() == tail.load(); }

private:
  struct Slot {
    x86::Frame frame;
    std::array<uint8_t, FrameBytesMax> bytes;
  };
  std::unique_ptr<Slot[]> slots{new Slot[SlotCount]};
  alignas(64) std::atomic<uint32_t> head{0};
  alignas(64) std::atomic<uint32_t> tail{0};
};

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_HANDOFF_H
