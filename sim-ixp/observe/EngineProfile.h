// Cycles of an engine by instruction.
//
// An engine that is profiled counts what its cycles went into by the address of
// the instruction that cost them.

#ifndef KARAKAL_SIM_IXP_OBSERVE_ENGINEPROFILE_H
#define KARAKAL_SIM_IXP_OBSERVE_ENGINEPROFILE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace karakal::sim {

/// The profile of one engine; vectors are indexed by instruction address.
struct EngineProfile {
  explicit EngineProfile(size_t words)
      : blockEdges(words + 1), aborted(words), stalled(words), waited(words),
        waits(words) {}

  /// The straight-line instructions [begin, end) were issued once.
  void addBlock(size_t begin, size_t end) {
    ++blockEdges[begin];
    --blockEdges[end];
  }
  /// Called with each block: the context that issued the instructions
  /// [begin, end), and the cycle of the first.
  std::function<void(uint32_t context, uint64_t cycle, size_t begin,
                     size_t end)>
      onBlock;

  /// How often the instruction at each address was issued.
  std::vector<uint64_t> issued() const;

  /// Blocks that began at each address minus those that ended before it.
  std::vector<int64_t> blockEdges;
  std::vector<uint64_t> aborted; ///< dead slots after the instruction
  std::vector<uint64_t> stalled; ///< waits for space in the command FIFO
  /// Cycles from a swap at the instruction until the context ran again, summed
  /// over contexts (other contexts may have hidden them), and swaps.
  std::vector<uint64_t> waited, waits;

  /// Waits for locks that a word takes by a call.
  struct LockWaits {
    uint64_t waited = 0, waits = 0; ///< as above
  };
  /// By the address of the call.
  std::map<uint32_t, LockWaits> lockWaits;
  /// Where each context called the function that waits for a lock.
  std::array<uint32_t, 8> lockCall{};
  /// The address after each context's last block.
  std::array<uint32_t, 8> lastEnd{};
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_OBSERVE_ENGINEPROFILE_H
