// Statements to a program.
//
// Reads labels, directives and instructions. Directives:
//
//   .begin  .end                        a scope
//   .reg [read|write|global|volatile] names     registers; $x and $$x are
//                                       transfer registers, $x[4] an array
//   .sig [volatile|visible] names       signals
//   .xfer_order $a $b ...               consecutive transfer registers
//   .addr NAME number                   fixes a transfer register or signal
//   .areg NAME number  .breg ...        declares a GPR at a fixed place
//   .word value                         a word as it is
//   .set .set_sig .use .num_contexts 8  accepted; nothing to do

#ifndef KARAKAL_TARGET_IXP_ASSEMBLER_ASMPARSER_H
#define KARAKAL_TARGET_IXP_ASSEMBLER_ASMPARSER_H

#include "target-ixp/assembler/AsmPreprocessor.h"
#include "target-ixp/assembler/AsmProgram.h"

namespace karakal::target::as {

/// Errors: E-target-ixp-111 (syntax), 112 (a directive that is wrong), 113 (a
/// name declared twice or reserved), 114 (no such instruction), 115 (an
/// unknown name).
AsmProgram parse(const std::vector<Statement> &statements, Reporter &reporter);

/// Number of a register written by number: "a3" -> 3 with bank 0, "b7" -> 7
/// with bank 1; -1 if the text is no such name. `most` is the largest number.
int physicalGpr(const std::string &text, int &bank, int most);
/// Number of a signal written by number, "s4" -> 4; or -1.
int physicalSignal(const std::string &text);

} // namespace karakal::target::as

#endif // KARAKAL_TARGET_IXP_ASSEMBLER_ASMPARSER_H
