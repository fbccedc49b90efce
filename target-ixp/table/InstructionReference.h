// Prints the tables of instructions as a document.

#ifndef KARAKAL_TARGET_IXP_TABLE_INSTRUCTIONREFERENCE_H
#define KARAKAL_TARGET_IXP_TABLE_INSTRUCTIONREFERENCE_H

#include <string>

namespace karakal::target {

/// InstructionTable.def and related tables as the Markdown of
/// docs/reference/mev2.md: every format with its text and word, every
/// instruction with its timing, meaning and source, delays, local CSRs and
/// input states.
std::string instructionReference();

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_TABLE_INSTRUCTIONREFERENCE_H
