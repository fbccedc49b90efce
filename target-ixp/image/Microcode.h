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

/// A local variable of the program, or a scalar of one, such as "a[2]".
struct Variable {
  std::string name;
  std::string type; ///< in Baker, such as "u16"
  SourceLine declared;
  uint32_t lastLine = 0; ///< of the function that declares it
};

/// Where 32 bits of a value are.
struct ValuePart {
  enum class Kind : uint8_t {
    None,
    GprA,     ///< GPR aN of the context
    GprB,     ///< GPR bN
    SXfer,    ///< transfer-in register $N
    DXfer,    ///< transfer-in register $$N
    Stack,    ///< word N of the context's stack in local memory
    Constant, ///< N itself
  };
  Kind kind = Kind::None;
  uint32_t value = 0; ///< N
  /// The words of the stack of each context, at the end of local memory.
  uint32_t stackWords = 0;
  bool operator==(const ValuePart &o) const {
    return kind == o.kind && value == o.value && stackWords == o.stackWords;
  }
};

/// Where a variable lies before each of the words [begin, end).
struct VariableRange {
  uint32_t variable = 0; ///< index into Locals::variables
  uint32_t begin = 0, end = 0;
  std::vector<ValuePart> parts; ///< the most significant first
};

/// The local variables of a program, for a debugger.
struct Locals {
  std::vector<Variable> variables;
  std::vector<VariableRange> ranges; ///< by variable and word
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
  Locals locals; ///< empty without `bakerc -g`
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
