// What the tables and settings of a running program hold.
//
// Taken while no control function runs. Packets may run meanwhile, but what
// they write is not read, so it is one state. Entries are listed; of other
// globals only small ones are copied and large ones that are all zero are
// noted.

#ifndef KARAKAL_CODEGEN_X86_SPECIALIZE_SNAPSHOT_H
#define KARAKAL_CODEGEN_X86_SPECIALIZE_SNAPSHOT_H

#include "codegen-x86/specialize/Prepare.h"
#include "codegen-x86/specialize/Traffic.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace karakal::x86 {

/// Bounds of what is looked at and of what is made of it.
struct SpecializeLimits {
  /// Entries of a table that are compared one by one.
  unsigned comparedMax = 8;
  /// Entries of a table that is searched by other data than its own.
  unsigned indexedMax = 65536;
  /// Different sets of masks of such a table.
  unsigned maskSetsMax = 8;
  /// Words of a global that becomes constants.
  uint64_t foldedWordsMax = 64;
  /// Words of a table's slots, or of a global, that are read for a snapshot.
  uint64_t readWordsMax = uint64_t(1) << 20;
  /// Instructions of the program that is compiled; a larger one is left alone.
  unsigned instructionsMax = 200'000;
  /// Entries of a table that are compared before its search, and the part of
  /// the search that they must save.
  unsigned hotMax = 8;
  double hotGainMin = 0.1;
  /// Of the look-ups, that such an entry must have.
  double hotShareMin = 0.02;
  /// Faults, for tests: hot entries are compared although the table has
  /// changed, and before better ones.
  bool skipsHotGuard = false, ignoresOverlaps = false;
};

/// An entry of a table: the number of its slot, and the words of the slot, 0
/// for those that packets write.
struct TableEntry {
  uint32_t slot;
  std::vector<uint32_t> words;
};

/// The entries of a table, the first that matches before others. Slot 0 has the
/// default values.
struct TableContent {
  std::vector<TableEntry> entries;
  std::vector<uint32_t> defaults;
};

struct Snapshot {
  /// The versions that the state has.
  std::vector<uint64_t> versions;
  /// By the position of the table in Specializable; none: too large to read.
  std::vector<std::optional<TableContent>> tables;
  /// Words of globals by name.
  std::map<std::string, std::vector<uint32_t>> words;
  /// Larger globals whose words are all zero.
  std::vector<std::string> zeros;
  /// What packets have done lately; not read from memory.
  Traffic traffic;
};

/// The memory of a running program.
struct ProgramMemory {
  /// Addresses of the shared globals, by name.
  std::map<std::string, const uint32_t *> globals;
  const uint64_t *versions = nullptr;
};

/// Reads the state of a program. Costs time that grows with the entries and is
/// bounded by `limits`.
Snapshot takeSnapshot(const Specializable &program, const ProgramMemory &memory,
                      const SpecializeLimits &limits);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_SPECIALIZE_SNAPSHOT_H
