// The choice of globals that get a copy in local memory.

#ifndef KARAKAL_SWCACHE_CHOOSECOPIES_H
#define KARAKAL_SWCACHE_CHOOSECOPIES_H

#include "swcache/GlobalUses.h"
#include "target-ixp/chip/ChipParameters.h"

#include <vector>

namespace karakal::swcache {

/// A global that can have a copy.
struct CopyCandidate {
  ir::GlobalOp global;
  mlir::Type type; ///< of the copy: the global's type, or a shorter array
  uint64_t words = 0;
  AccessRates rates;
  uint64_t interval = 0; ///< packets between version checks, equation 2
  double latency = 0;    ///< cycles of load latency saved per packet
  double gain = 0;       ///< engine cycles saved per packet
};

/// The candidates that fit local memory, and their gain.
struct CopyChoice {
  std::vector<size_t> chosen;
  /// If only the first elements of the last chosen array fit: how many. Else 0.
  uint64_t lastElements = 0;
  uint64_t interval = packetIntervalMax;
  double gain = 0; ///< engine cycles saved per packet
};

/// Returns the reason why `global` cannot have a copy in `words` words with
/// `contexts` contexts that check its version, or an empty string. In the
/// latter case it fills `candidate`.
std::string refusalToCopy(ir::GlobalOp global, const GlobalUses &uses,
                          uint64_t words, unsigned contexts,
                          CopyCandidate &candidate);

/// Chooses the candidates that save the most cycles in `words` words of local
/// memory, after the cost of the version checks of `engines` engines of `chip`.
CopyChoice chooseCopies(const std::vector<CopyCandidate> &candidates,
                        uint64_t words, unsigned engines,
                        const target::ChipParameters &chip);

/// Shortens the copy of the last chosen candidate to `choice.lastElements`.
void shortenLast(const CopyChoice &choice,
                 std::vector<CopyCandidate> &candidates);

} // namespace karakal::swcache

#endif // KARAKAL_SWCACHE_CHOOSECOPIES_H
