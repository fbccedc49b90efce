// A program that is compiled ahead of time, as its executable sees it.
//
// An object for an executable defines `karakal_x86_program`, which names its
// functions, its control functions and their signatures. host/standalone/ runs
// what it names over a trace. Each member takes eight bytes, so that the table
// is the same for the C++ compiler and for the one that writes it
// (ProgramTableWriter.h).

#ifndef KARAKAL_CODEGEN_X86_PROGRAMTABLE_H
#define KARAKAL_CODEGEN_X86_PROGRAMTABLE_H

#include "codegen-x86/PacketMemory.h"
#include <cstdint>

namespace karakal::x86 {

/// A frame as the C header declares it: without CRC, in memory of the caller if
/// it comes in, of the program if it leaves.
struct LibraryFrame {
  const uint8_t *data;
  uint32_t bytes, port;
  uint64_t timeNs;
};

/// Counts as the C header declares them.
struct LibraryCounts {
  uint64_t received, forwarded, dropped, consumed, copied, transmitted,
      oversize, noBuffer;
};

/// Texts and their number.
struct TextList {
  const char *const *texts;
  uint64_t count;
};

/// A control function: what traces::ControlSignature has, and its wrapper.
struct ControlEntry {
  const char *name, *returns;
  /// Name and type of each parameter in turn.
  TextList parameters;
  uint64_t tableLimit, isExclusive;
  /// Of a timer; 0: it is none.
  uint64_t intervalUs;
  uint32_t (*call)(const uint64_t *arguments);
};

struct ProgramTable {
  static constexpr const char *Symbol = "karakal_x86_program";

  /// sizeof(ProgramTable) where the object was made.
  uint64_t size;
  const char *name;
  void (*init)();
  uint32_t (*batch)(const LibraryFrame *in, uint32_t count, LibraryFrame *out);
  uint32_t (*useSubBatch)(uint32_t most);
  void (*statistics)(LibraryCounts *counts);
  /// Delivers what a control function queued.
  void (*drain)();
  /// Sets the time of what runs between batches, in ns; returns the one before.
  uint64_t (*setTime)(uint64_t ns);
  /// Chooses the multiplier of hashes by a secret; comes before `init`.
  void (*setHashKey)(uint64_t high, uint64_t low);
  PacketState *state;
  /// Called in place of ending the process.
  void (**onFault)(PacketFault fault, uint32_t a, uint32_t b);
  /// What `--burst` and `--sub-batch` asked for.
  uint64_t burst, subBatch;
  uint64_t hasStages;
  TextList dropReasons;
  const uint64_t *dropCounts;
  TextList refusals;
  const ControlEntry *controls;
  uint64_t controlCount;
};

static_assert(sizeof(ControlEntry) == 8 * 8 && sizeof(ProgramTable) == 21 * 8,
              "each member takes eight bytes");

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_PROGRAMTABLE_H
