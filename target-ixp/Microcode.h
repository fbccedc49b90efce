//===- Microcode.h - an assembled program ---------------------*- C++ -*-===//
//
// What the assembler and the code generator hand to the image writer: words,
// where each came from, and which function it belongs to.
//
//===----------------------------------------------------------------------===//

#ifndef KARAKAL_TARGET_IXP_MICROCODE_H
#define KARAKAL_TARGET_IXP_MICROCODE_H

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

/// Words [begin, end) belong to one function.
struct FunctionRange {
  std::string name;
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// A program for one microengine.
struct Microcode {
  std::vector<uint64_t> words;   ///< 40 bits each; word 0 is the entry
  std::vector<SourceLine> lines; ///< one a word, or empty
  std::vector<FunctionRange> functions;
  /// Estimated executions of each word, in relation to each other; or empty.
  std::vector<float> frequencies;
  /// What a reader may ask about each word (codegen-me/Annotation.h), or empty.
  std::vector<std::string> notes;
  /// Named figures of how the program was made: "spills", "bank_copies".
  std::map<std::string, uint64_t> statistics;
};

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_MICROCODE_H
