// Effects of a command in flight.
//
// Between its issue and its signal, a command fills in-registers, reads
// out-registers and accesses memory. These effects determine which words may
// stand between; the pass that places waits asks here.

#ifndef KARAKAL_CODEGEN_ME_WORDS_COMMANDEFFECTS_H
#define KARAKAL_CODEGEN_ME_WORDS_COMMANDEFFECTS_H

#include "codegen-me/words/WordProgram.h"

namespace karakal::codegen {

/// Transfer registers of one direction: bits 0..15 $n, 16..31 $$n.
using XferSet = uint32_t;

/// How a command is ordered among others.
enum class Order : uint8_t {
  Free,    ///< touches no memory: hash
  Read,    ///< of memory
  Write,   ///< of memory
  Update,  ///< of a word in place, without result
  Atomic,  ///< the same with result: may be a lock
  Take,    ///< from a ring or queue: an acquire, later commands stay later
  Publish, ///< onto a ring or queue: a release, earlier commands are complete
  Strict,  ///< anything else: a full barrier
};

struct CommandEffect {
  Order order = Order::Strict;
  char unit = 0;      ///< of memory: 's', 'c' (scratch), 'd'
  XferSet fills = 0;  ///< in-registers
  XferSet pulls = 0;  ///< out-registers
  unsigned bytes = 0; ///< of memory
};

CommandEffect effectOf(const target::Instruction &command);

/// In-registers that a word other than a command reads; all if unknown.
XferSet xfersRead(const target::Instruction &instruction);
/// Out-registers that it writes.
XferSet xfersWritten(const target::Instruction &instruction);

/// Whether the word uses state that all contexts of an engine share: CAM, CRC
/// remainder, local memory (except the stack of the context), local CSRs. The
/// program may rely on having the engine for itself around such a word, so no
/// swap may be placed there.
bool usesSharedState(const Item &item);

/// Whether `earlier` must be complete before `later` is issued. `sameBase`:
/// both compute their addresses from the same unchanged register.
bool mustPrecede(const target::Instruction &earlier,
                 const target::Instruction &later, bool sameBase);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_WORDS_COMMANDEFFECTS_H
