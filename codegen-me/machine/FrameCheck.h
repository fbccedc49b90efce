// No two live frames overlap.
//
// A second look at where frames lie, which knows nothing of how their places
// were found: along each way down the call graph, all words must differ.

#ifndef KARAKAL_CODEGEN_ME_MACHINE_FRAMECHECK_H
#define KARAKAL_CODEGEN_ME_MACHINE_FRAMECHECK_H

#include <string>
#include <utility>
#include <vector>

namespace karakal::codegen {

/// What one function has on the stack, and whom it calls.
struct Frame {
  std::vector<std::pair<unsigned, unsigned>> objects; ///< first word, words
  std::vector<unsigned> callees;                      ///< numbers of frames
};

/// The first overlap of two objects that are live together, as a sentence; or
/// nothing. Callers stand before callees.
std::string findOverlap(const std::vector<Frame> &frames);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_MACHINE_FRAMECHECK_H
