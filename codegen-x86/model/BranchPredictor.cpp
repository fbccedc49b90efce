// Counts the branches that a processor mispredicts.

#include "codegen-x86/model/BranchPredictor.h"

namespace karakal::x86 {

static bool tells(uint8_t counter) { return counter >= 2; }

static void learn(uint8_t &counter, bool up) {
  if (up && counter < 3)
    ++counter;
  else if (!up && counter > 0)
    --counter;
}

bool BranchPredictor::mispredicts(uint32_t branch, bool taken) {
  uint32_t own = branch * 0x9e3779b1u >> (32 - HistoryBits);
  uint8_t &byBranch = alone[own];
  uint8_t &byHistory = withHistory[(own ^ history) & (size - 1)];
  bool believesHistory = tells(choice[own]);
  bool wrong = tells(believesHistory ? byHistory : byBranch) != taken;
  if (tells(byBranch) != tells(byHistory))
    learn(choice[own], tells(byHistory) == taken);
  learn(byBranch, taken);
  learn(byHistory, taken);
  history = (history << 1 | taken) & (size - 1);
  return wrong;
}

} // namespace karakal::x86
