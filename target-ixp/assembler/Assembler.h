// Assembles Intel microcode.
//
// Used by ixp-as and for the hand-written Rx and Tx code of the runtime.
// docs/assembler.md describes the language. Stages, each a file: AsmLexer
// (tokens), AsmPreprocessor (defines, conditions, macros), AsmParser
// (statements with symbolic operands), AsmAllocator (registers, signals),
// AsmBuilder (instructions), Assembler (words).

#ifndef KARAKAL_TARGET_IXP_ASSEMBLER_ASSEMBLER_H
#define KARAKAL_TARGET_IXP_ASSEMBLER_ASSEMBLER_H

#include "support/Error.h"
#include "target-ixp/assembler/AssemblerOptions.h"
#include "target-ixp/assembler/Diagnostic.h"
#include "target-ixp/image/Microcode.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace karakal::target {

/// The result of the assembler.
struct AssembledProgram : Microcode {
  /// Word address of each label; "name#2" for a second one of that name.
  std::map<std::string, uint32_t> labels;
  /// Physical register of each symbol for listings, "name at file:line" ->
  /// "a3".
  std::map<std::string, std::string> registers;
  /// Violations of the rules of ProgramRules.h between words that are legal
  /// individually.
  std::vector<Diagnostic> warnings;
};

/// Assembles a text. On errors, returns nothing and fills `diagnostics` with
/// all errors in source order.
std::optional<AssembledProgram>
assembleText(const std::string &text, const std::string &name,
             const AssemblerOptions &options,
             std::vector<Diagnostic> &diagnostics);

/// Assembles a file. The error is the first diagnostic and the number of
/// further ones, or E-target-ixp-110 if the file cannot be read.
Result<AssembledProgram>
assembleFile(const std::string &path,
             const std::map<std::string, std::string> &defines = {});

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_ASSEMBLER_ASSEMBLER_H
