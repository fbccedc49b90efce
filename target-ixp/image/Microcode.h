// An assembled program.
//
// What the assembler and the code generator hand to the image writer: words,
// where each came from, and which function it belongs to.

#ifndef KARAKAL_TARGET_IXP_IMAGE_MICROCODE_H
#define KARAKAL_TARGET_IXP_IMAGE_MICROCODE_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace karakal::target {

/// Place in a source file; line 0 = unknown.
struct SourceLine {
  std::string file;
  uint32_t line = 0;
};

/// A function of the source, which may have been inlined into others.
struct SourceFunction {
  std::string file, name;
  uint32_t line; ///< where it begins
};

/// Words [begin, end) belong to one function.
struct FunctionRange {
  std::string name;
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// The first word of the part of a loop that each of its rounds begins with.
struct LoopHead {
  uint32_t word = 0;
  /// Depth among the loops of its function, 1 = outermost.
  uint32_t depth = 0;
  /// Rounds at most, each time the loop is entered; 0 = not known.
  uint32_t roundsMax = 0;
};

/// A branch that comes back to the word behind its delay slots.
struct CallSite {
  uint32_t branch = 0;
  uint32_t callee = 0; ///< first word of the function
};

/// A program for one microengine.
struct Microcode {
  std::vector<uint64_t> words;   ///< 40 bits each; word 0 is the entry
  std::vector<SourceLine> lines; ///< one a word, or empty
  std::vector<FunctionRange> functions;
  /// Estimated executions of each word, in relation to each other; or empty.
  std::vector<float> frequencies;
  /// Of these, executions in which a branch is taken; or empty.
  std::vector<float> taken;
  /// Heads of loops, by word; copies of one head stand for themselves.
  std::vector<LoopHead> loops;
  std::vector<CallSite> calls;
  /// What a reader may ask about each word (codegen-me/words/Annotation.h), or
  /// empty.
  std::vector<std::string> notes;
  /// Named figures of how the program was made: "spills", "bank_copies".
  std::map<std::string, uint64_t> statistics;
};

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_IMAGE_MICROCODE_H
