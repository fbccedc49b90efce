// Checks on every path that words respect the commands in flight, without the
// flow graph of target-ixp/microcode.
//
// The checker is independent of that graph and of the code generator, so that
// it can find their faults. The engine does not stop an instruction from
// reading a transfer register before a command fills it, or from overwriting
// one before a command reads it. checkCommands follows every path through the
// finished words, tracks the commands in flight, and reports such errors.

#ifndef KARAKAL_TARGET_IXP_TABLE_COMMANDRULES_H
#define KARAKAL_TARGET_IXP_TABLE_COMMANDRULES_H

#include "target-ixp/table/ProgramRules.h"

namespace karakal::target {

/// Returns all violations, sorted by address. Rules:
///   140  no in-register is read before the signal of its command has been
///        waited for
///   141  no out-register is written before the signal of its command
///   142  no command uses a signal that another command in flight uses, and no
///        two commands in flight fill one register
///   143  every command that moves registers has a signal, and no path ends
///        with a command in flight
///   144  each command's signal is waited for exactly once
///   145  a signal is in flight on all paths to a word or on none
///   146  no path uses a state before its last change takes effect:
///        local memory after LM_ADDR, a transfer register after T_INDEX, the
///        neighbour ring after NN_PUT or NN_GET, byte_align after BYTE_INDEX,
///        the remainder after a crc or a write of CRC_REMAINDER, another local
///        CSR after its write
/// Signals that no command of the program raises come from other engines or
/// contexts and are not checked. A return (a jump through a register) may lead
/// to the word after any branch near which an immed loads that word's address.
std::vector<RuleBreach> checkCommands(const std::vector<uint64_t> &words);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_TABLE_COMMANDRULES_H
