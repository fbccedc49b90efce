// A program for one microengine.
//
// The assembler and the code generator pass it to the image writer: words, the
// source line of each word, and the function that contains it.

#ifndef KARAKAL_TARGET_IXP_IMAGE_MICROCODE_H
#define KARAKAL_TARGET_IXP_IMAGE_MICROCODE_H

#include "target-ixp/chip/PathMarks.h"
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace karakal::target {

/// A location in a source file; line 0 is unknown.
struct SourceLine {
  std::string file;
  uint32_t line = 0;
};

/// A source function, which may have been inlined into others.
struct SourceFunction {
  std::string file, name;
  uint32_t line; ///< first line
};

/// Words [begin, end) belong to one function.
struct FunctionRange {
  std::string name;
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// The first word of a loop, where each iteration begins.
struct LoopHead {
  uint32_t word = 0;
  /// Depth among the loops of its function, 1 = outermost.
  uint32_t depth = 0;
  /// Upper bound of the iterations each time the loop is entered; 0 is unknown.
  uint32_t iterationsMax = 0;
};

/// A branch from which control returns to the word after its delay slots.
struct CallSite {
  uint32_t branch = 0;
  uint32_t callee = 0; ///< first word of the function
};

/// A program for one microengine.
struct Microcode {
  std::vector<uint64_t> words;   ///< 40 bits each; word 0 is the entry
  std::vector<SourceLine> lines; ///< one per word, or empty
  std::vector<FunctionRange> functions;
  /// Estimated relative executions of each word, or empty.
  std::vector<float> frequencies;
  /// The executions that take the branch, or empty.
  std::vector<float> taken;
  /// The heads of loops, by word; each copy of a head has its own entry.
  std::vector<LoopHead> loops;
  std::vector<CallSite> calls;
  /// The words that run only on paths with a mark.
  std::map<PathMark, std::set<uint32_t>> marks;
  /// A comment for each word (codegen-me/words/Annotation.h), or empty.
  std::vector<std::string> notes;
  /// Statistics of the code generator: "spills", "bank_copies".
  std::map<std::string, uint64_t> statistics;
};

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_IMAGE_MICROCODE_H
