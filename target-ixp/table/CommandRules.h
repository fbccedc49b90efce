// Commands under way, on every path.
//
// Nothing in the engine holds an instruction back from a transfer register
// that a command has not filled yet, or is still to pull. checkCommands
// follows every path through finished words, with what is under way at each,
// and reports what the engine would get wrong. It knows nothing of how the
// words were made.

#ifndef KARAKAL_TARGET_IXP_TABLE_COMMANDRULES_H
#define KARAKAL_TARGET_IXP_TABLE_COMMANDRULES_H

#include "target-ixp/table/ProgramRules.h"

namespace karakal::target {

/// All breaches, by address. Rules:
///   140  no in-register is read before its command's signal has been waited
///        for
///   141  no out-register is written before its command's signal
///   142  no signal is given to a command while an earlier one has it, and no
///        two commands under way fill one register
///   143  every command that moves registers has a signal, and no path ends
///        with one under way
///   144  a signal that commands raise is waited for once a command
///   145  a signal is under way on all paths to a word or on none
///   146  on no path is anything used before what was changed is in force:
///        local memory behind LM_ADDR, a transfer register behind T_INDEX, the
///        neighbour's ring behind NN_PUT or NN_GET, byte_align behind
///        BYTE_INDEX, the remainder behind a crc or a write of CRC_REMAINDER,
///        another local CSR read behind its write
/// Signals that no command of the program has are other engines' or contexts'
/// business. A return (jump through a register) may lead behind any branch
/// beside which an immed loads the address behind it.
std::vector<RuleBreach> checkCommands(const std::vector<uint64_t> &words);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_TABLE_COMMANDRULES_H
