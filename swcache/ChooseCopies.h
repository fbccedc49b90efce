// Which globals get a copy.

#ifndef KARAKAL_SWCACHE_CHOOSECOPIES_H
#define KARAKAL_SWCACHE_CHOOSECOPIES_H

#include "swcache/GlobalUses.h"

#include <vector>

namespace karakal::swcache {

/// A global that could have a copy.
struct Candidate {
  ir::GlobalOp global;
  mlir::Type type; ///< of the copy: the global's, or a shorter array
  uint64_t words = 0;
  AccessRates rates;
  uint64_t interval = 0; ///< packets, equation 2
  double latency = 0;    ///< cycles that loads wait less, a packet
  double gain = 0;       ///< cycles of an engine, a packet
};

/// The candidates that local memory takes, and what they save.
struct Choice {
  std::vector<size_t> chosen;
  /// Elements of the last one, if it is an array of which only they fit; or 0.
  uint64_t lastElements = 0;
  uint64_t interval = packetIntervalMax;
  double gain = 0; ///< cycles of an engine, a packet
};

/// Why `global` cannot have a copy in `words` words that `contexts` contexts
/// look after; empty if it can, with `candidate` filled.
std::string refusalToCopy(ir::GlobalOp global, const GlobalUses &uses,
                          uint64_t words, unsigned contexts,
                          Candidate &candidate);

/// The candidates that save most in so many words, looks of `engines` engines
/// paid.
Choice chooseCopies(const std::vector<Candidate> &candidates, uint64_t words,
                    unsigned engines);

/// Makes the last of the chosen as short as the choice has it.
void shortenLast(const Choice &choice, std::vector<Candidate> &candidates);

} // namespace karakal::swcache

#endif // KARAKAL_SWCACHE_CHOOSECOPIES_H
