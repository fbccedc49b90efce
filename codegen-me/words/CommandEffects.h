// Effects of a command in flight.
//
// Between its issue and its signal, a command fills in-registers, reads
// out-registers and accesses memory. These effects determine which words may
// execute before the wait. WaitPlacement.cpp uses them.

#ifndef KARAKAL_CODEGEN_ME_WORDS_COMMANDEFFECTS_H
#define KARAKAL_CODEGEN_ME_WORDS_COMMANDEFFECTS_H

#include "codegen-me/words/WordProgram.h"

namespace karakal::codegen {

/// Transfer registers of one direction: bits 0..15 $n, 16..31 $$n.
using XferSet = uint32_t;

/// How a command is ordered among others.
enum class Order : uint8_t {
  Free,    ///< touches no memory: hash
  Read,    ///< reads memory
  Write,   ///< writes memory
  Update,  ///< updates a word in place, without result
  Atomic,  ///< updates a word and returns it; may be a lock
  Take,    ///< gets from a ring or queue: an acquire, later commands stay later
  Publish, ///< puts to a ring or queue: a release, after earlier commands
  Strict,  ///< anything else: a full barrier
};

struct CommandEffect {
  Order order = Order::Strict;
  char unit = 0;      ///< 's' SRAM, 'c' scratch, 'd' DRAM, 0 other
  XferSet fills = 0;  ///< in-registers
  XferSet pulls = 0;  ///< out-registers
  unsigned bytes = 0; ///< bytes of memory accessed
};

CommandEffect effectOf(const target::Instruction &command);

/// Whether the word is a command that fills the in-register `reg`, or pulls the
/// out-register if `out`.
bool commandTouches(const target::Instruction &i, const target::Operand &reg,
                    bool out);

/// In-registers that a word other than a command reads; all if unknown.
XferSet xfersRead(const target::Instruction &instruction);
/// Out-registers that it writes.
XferSet xfersWritten(const target::Instruction &instruction);

/// Whether the word uses state that all contexts of an engine share: CAM, CRC
/// remainder, local memory (except the stack of the context), local CSRs. The
/// program may rely on no other context running around such a word, so no swap
/// may be inserted there.
bool usesSharedState(const Item &item);

/// Whether `earlier` must be complete before `later` is issued. `sameBase`:
/// both compute their addresses from the same unchanged register.
bool mustPrecede(const target::Instruction &earlier,
                 const target::Instruction &later, bool sameBase);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_WORDS_COMMANDEFFECTS_H
