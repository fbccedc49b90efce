// The C interface of a program that is compiled ahead of time.
//
// The object holds all that the program needs, its memory included: it links to
// the C library alone. The header declares, for a program NAME:
//
//   void NAME_init(void);
//   void NAME_set_hash_key(uint64_t high, uint64_t low);
//   uint64_t NAME_set_time(uint64_t ns);
//   uint32_t NAME_batch(const NAME_frame *in, uint32_t count, NAME_frame *out);
//   uint32_t NAME_use_level(uint32_t most);
//   uint32_t NAME_use_sub_batch(uint32_t most);
//   void NAME_statistics(NAME_counts *counts);
//   uint32_t NAME_drop_reason_count(void), …     drop reasons, their counts
//   uint32_t NAME_MODULE_FUNCTION(…);              each control function
//
// All other symbols are local, so a process may hold several programs. An
// executable holds one, whose table (ProgramTable.h) is another symbol.

#ifndef KARAKAL_CODEGEN_X86_INTERFACE_H
#define KARAKAL_CODEGEN_X86_INTERFACE_H

#include "codegen-x86/Runtime.h"
#include "traces/ControlFile.h"
#include "llvm/IR/Module.h"
#include <cstdint>
#include <string>
#include <vector>

namespace karakal::x86 {

/// What the header declares for each program, after NAME_.
inline constexpr const char *InterfaceNames[] = {
    "init",          "batch",      "use_level",
    "use_sub_batch", "statistics", "drop_reason_count",
    "drop_name",     "drop_count", "set_hash_key",
    "set_time",      "frame",      "counts"};

/// A control function of the program.
struct ControlInterface {
  /// Its wrapper in the module: i32 (ptr to u64 arguments).
  std::string wrapper;
  traces::ControlSignature signature;
  /// Of a timer, for its executable; 0: it is none.
  uint64_t intervalUs = 0;
};

/// What the C interface of a program consists of.
struct ProgramInterface {
  std::string name;
  /// The PPF of rx, and the consumers of queued channels by id.
  std::string rxEntry;
  struct Consumer {
    uint32_t channel;
    std::string ppf;
    bool onXScale;
  };
  std::vector<Consumer> consumers;
  std::vector<PpfSymbol> ppfs;
  std::vector<std::string> inits;
  std::vector<ControlInterface> controls;
  std::vector<std::string> dropReasons;
  /// The texts of `refusal`, in the order of their numbers.
  std::vector<std::string> refusals;
  /// The clock that `timestamp` counts in units of 16 cycles.
  uint64_t engineHz = 0;
  /// The multiplier of its hashes until it gets a key.
  target::HashKey hashMultiplier = target::HashMultiplier;
  /// Whether the module has `BatchMemory::RunFunction`.
  bool hasStages = false;
  /// How many packets an executable gives to a batch, and how many packets run
  /// in stages together until the program is told otherwise.
  uint32_t burst = 32, subBatch = 1;
  /// Whether the object defines ProgramTable::Symbol.
  bool isExecutable = false;
};

/// Compiles `module`, a program lowered for x86, to an ELF object for
/// x86-64-v2 and returns its bytes. NAME_batch has variants for v3 and v4, of
/// which NAME_init takes the best that the processor runs.
std::string makeObject(llvm::Module &module, const ProgramInterface &program);

/// Returns the C header of the object.
std::string makeHeader(const ProgramInterface &program);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_INTERFACE_H
