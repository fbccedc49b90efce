// Checks that no two live frames overlap.
//
// The check is independent of FramePlan: along each path down the call graph,
// all words must differ.

#ifndef KARAKAL_CODEGEN_ME_MACHINE_FRAMECHECK_H
#define KARAKAL_CODEGEN_ME_MACHINE_FRAMECHECK_H

#include <string>
#include <utility>
#include <vector>

namespace karakal::codegen {

/// The stack objects of one function, and its callees.
struct Frame {
  std::vector<std::pair<unsigned, unsigned>> objects; ///< first word, words
  std::vector<unsigned> callees;                      ///< numbers of frames
};

/// Describes the first overlap of two objects that are live together, or
/// returns an empty string. Callers come before callees.
std::string findOverlap(const std::vector<Frame> &frames);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_MACHINE_FRAMECHECK_H
