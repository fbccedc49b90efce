// Expands defines, conditions and macros.
//
// Turns the lines of a file into statements: lists of tokens in which names are
// replaced and macros expanded. A statement ends with its line, unless a
// bracket is open or the line ends with a comma.
//
//   #define NAME tokens      #undef NAME          #define_eval NAME expression
//   #ifdef #ifndef #if #elif #else #endif         #error "text"
//   #include "file"          #repeat expression ... #endloop
//   #macro name(a, b) ... #endm     used as name(x, y) or name[x, y]

#ifndef KARAKAL_TARGET_IXP_ASSEMBLER_ASMPREPROCESSOR_H
#define KARAKAL_TARGET_IXP_ASSEMBLER_ASMPREPROCESSOR_H

#include "target-ixp/assembler/AsmLexer.h"
#include "target-ixp/assembler/AssemblerOptions.h"

#include <map>
#include <vector>

namespace karakal::target::as {

/// A statement of microcode, or the start or end of a macro expansion.
struct Statement {
  enum class Kind : uint8_t { Code, MacroBegin, MacroEnd };
  Kind kind = Kind::Code;
  std::vector<Token> tokens;
  std::string within; ///< "in macro 'x' used at file:line", or empty
};

/// Errors: E-target-ixp-106 (a malformed directive), 107 (a macro used
/// wrongly), 108 (#error), 109 (expansion too deep or too long), 110 (no such
/// file).
std::vector<Statement> preprocess(const std::shared_ptr<const SourceFile> &file,
                                  const AssemblerOptions &options,
                                  Reporter &reporter);

/// Reads a file into lines; null if it cannot be read.
std::shared_ptr<const SourceFile> readSource(const std::string &path);
/// Splits a text into lines.
std::shared_ptr<const SourceFile> makeSource(const std::string &name,
                                             const std::string &text);

} // namespace karakal::target::as

#endif // KARAKAL_TARGET_IXP_ASSEMBLER_ASMPREPROCESSOR_H
