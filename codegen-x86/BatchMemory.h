// What the stages of a batch and the runtime on x86 share.

#ifndef KARAKAL_CODEGEN_X86_BATCHMEMORY_H
#define KARAKAL_CODEGEN_X86_BATCHMEMORY_H

#include <cstdint>

namespace karakal::x86 {

struct BatchMemory {
  /// The most packets of a sub-batch. Packets that wait for a stage are bits of
  /// `SlotCount / 64` words.
  static constexpr uint32_t SlotCount = 256;
  /// `void run(const uint32_t *handles, uint32_t first, uint32_t count)` runs a
  /// sub-batch: `handles` are its packets, of which 0 is none, and `first` is
  /// the number of the first one in its burst.
  static constexpr const char *RunFunction = "karakal_x86_run_batch";
  /// How the names of the data of a sub-batch begin. Each core has its own.
  static constexpr const char *DataPrefix = "karakal.batch.";
};

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_BATCHMEMORY_H
