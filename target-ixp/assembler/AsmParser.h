// Parses statements into a program.
//
// Reads labels, directives and instructions. Directives:
//
//   .begin  .end                        a scope
//   .reg [read|write|global|volatile] names     registers; $x and $$x are
//                                       transfer registers, $x[4] an array
//   .sig [volatile|visible] names       signals
//   .xfer_order $a $b ...               consecutive transfer registers
//   .addr NAME number                   fixes a transfer register or signal
//   .areg NAME number  .breg ...        declares a GPR with a fixed number
//   .word value                         a literal word
//   .set .set_sig .use .num_contexts 8  accepted and ignored

#ifndef KARAKAL_TARGET_IXP_ASSEMBLER_ASMPARSER_H
#define KARAKAL_TARGET_IXP_ASSEMBLER_ASMPARSER_H

#include "target-ixp/assembler/AsmPreprocessor.h"
#include "target-ixp/assembler/AsmProgram.h"

namespace karakal::target::as {

/// Errors: E-target-ixp-111 (syntax), 112 (a malformed directive), 113 (a name
/// that is declared twice or reserved), 114 (no such instruction), 115 (an
/// unknown name).
AsmProgram parse(const std::vector<Statement> &statements, Reporter &reporter);

/// Returns the number of a register that is named by its number: "a3" is 3 in
/// bank 0, "b7" is 7 in bank 1. Returns -1 for other names. `most` is the
/// largest number.
int physicalGpr(const std::string &text, int &bank, int most);
/// Returns the number of a signal that is named by its number: "s4" is 4.
/// Returns -1 for other names.
int physicalSignal(const std::string &text);

} // namespace karakal::target::as

#endif // KARAKAL_TARGET_IXP_ASSEMBLER_ASMPARSER_H
