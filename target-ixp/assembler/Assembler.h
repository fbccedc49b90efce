// Intel microcode text to words.
//
// The assembler behind ixp-as and the runtime's hand-written Rx and Tx code.
// The language is described in docs/image.md's companion, docs/assembler.md.
// Stages, each a file: AsmLexer (tokens), AsmPreprocessor (defines,
// conditions, macros), AsmParser (statements with symbolic operands),
// AsmAllocator (registers, signals), Assembler (words).

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

/// What the assembler made.
struct AssembledProgram : Microcode {
  /// Word address of each label; "name#2" for a second one of that name.
  std::map<std::string, uint32_t> labels;
  /// Physical place of each symbol, "name at file:line" -> "a3": for listings.
  std::map<std::string, std::string> registers;
  /// What breaks a rule of ProgramRules.h: words that are legal one by one.
  std::vector<Diagnostic> warnings;
};

/// Assembles a text; on errors, fills `diagnostics` (all of them, in source
/// order) and returns nothing.
std::optional<AssembledProgram>
assembleText(const std::string &text, const std::string &name,
             const AssemblerOptions &options,
             std::vector<Diagnostic> &diagnostics);

/// Assembles a file. The error's message holds the first diagnostic, and how
/// many follow it; E-target-ixp-110: the file cannot be read.
Result<AssembledProgram>
assembleFile(const std::string &path,
             const std::map<std::string, std::string> &defines = {});

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_ASSEMBLER_ASSEMBLER_H
