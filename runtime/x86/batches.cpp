// Stages of a batch of packets on x86.
//
// The packets that wait for a stage are bits, so a stage takes them in their
// order, whatever the order in which they came. All of it is inlined into the
// function that codegen-x86/batch/ makes for each program.

#include "codegen-x86/BatchMemory.h"
#include "codegen-x86/PacketMemory.h"

using namespace karakal;

extern "C" {
extern x86::PacketState karakal_x86_state;
/// Calls the consumers of queued messages until none is left.
void karakal_x86_drain();
}

namespace {
constexpr uint32_t wordBits = 64;
constexpr uint32_t wordCount = x86::BatchMemory::SlotCount / wordBits;

/// Runs `stage`, then `after`, for each packet that waits, in order. Nothing
/// waits any more, except what these calls make wait.
template <typename After>
[[gnu::always_inline]] inline void runWaiting(uint64_t *waiting,
                                              void (*stage)(uint32_t slot),
                                              uint32_t first, After after) {
  for (uint32_t word = 0; word < wordCount; ++word) {
    uint64_t left = waiting[word];
    waiting[word] = 0;
    for (; left != 0; left &= left - 1) {
      uint32_t slot =
          word * wordBits + static_cast<uint32_t>(__builtin_ctzll(left));
      karakal_x86_state.current = first + slot;
      stage(slot);
      after();
    }
  }
}
} // namespace

extern "C" {

/// Makes the packet of `slot` wait.
[[gnu::always_inline]] void karakal_x86_wait(uint64_t *waiting, uint32_t slot) {
  waiting[slot / wordBits] |= uint64_t(1) << slot % wordBits;
}

/// Runs `entry` for each packet of a batch.
[[gnu::always_inline]] void
karakal_x86_start_batch(const uint32_t *handles, uint32_t first, uint32_t count,
                        void (*entry)(uint32_t slot, uint32_t handle)) {
  for (uint32_t slot = 0; slot < count; ++slot) {
    karakal_x86_state.current = first + slot;
    if (handles[slot] != 0)
      entry(slot, handles[slot]);
  }
}

/// Runs `stage` for each packet that waits for it now.
[[gnu::always_inline]] void karakal_x86_run_stage(uint64_t *waiting,
                                                  void (*stage)(uint32_t slot),
                                                  uint32_t first) {
  runWaiting(waiting, stage, first, []() __attribute__((always_inline)) {});
}

/// As above for the last stage, where a packet may leave messages.
[[gnu::always_inline]] void karakal_x86_run_last(uint64_t *waiting,
                                                 void (*stage)(uint32_t slot),
                                                 uint32_t first) {
  runWaiting(waiting, stage, first, []() __attribute__((always_inline)) {
    if (__builtin_expect(karakal_x86_state.queuedCount != 0, 0))
      karakal_x86_drain();
  });
}

[[gnu::always_inline]] uint32_t karakal_x86_any_waits(const uint64_t *waiting) {
  uint64_t any = 0;
  for (uint32_t word = 0; word < wordCount; ++word)
    any |= waiting[word];
  return any != 0;
}

} // extern "C"
