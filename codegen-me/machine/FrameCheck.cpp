// Checks that no two live frames overlap.

#include "codegen-me/machine/FrameCheck.h"

#include "support/Error.h"

#include <set>

namespace karakal::codegen {

std::string findOverlap(const std::vector<Frame> &frames) {
  // The words that direct and indirect callers of a function may have in use.
  std::vector<std::set<unsigned>> above(frames.size());
  for (unsigned i = 0; i < frames.size(); ++i) {
    std::set<unsigned> live = above[i];
    for (auto [first, words] : frames[i].objects)
      for (unsigned word = first; word < first + words; ++word)
        if (!live.insert(word).second)
          return "word " + std::to_string(word) + " of the stack belongs to " +
                 "function " + std::to_string(i) + " and to another object " +
                 "that is live with it";
    for (unsigned callee : frames[i].callees) {
      KARAKAL_ASSERT(callee > i, "callers come before callees");
      above[callee].insert(live.begin(), live.end());
    }
  }
  return "";
}

} // namespace karakal::codegen
