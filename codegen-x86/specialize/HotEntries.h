// Entries that are found so often that comparing them first pays.
//
// A compare costs about a cycle, and about 14 when the processor guesses wrong
// whether the entry is the one; a search costs what its structure costs. With
// the shares of the entries that observed bursts found, the expected cost of a
// look-up with k compares before it is a sum, and entries are added as long as
// it falls. An entry that a better one overlaps can be compared only after
// that one.
//
// The processor learns packets that come in trains, so they cost less than this
// says.

#ifndef KARAKAL_CODEGEN_X86_SPECIALIZE_HOTENTRIES_H
#define KARAKAL_CODEGEN_X86_SPECIALIZE_HOTENTRIES_H

#include "codegen-x86/specialize/FindCode.h"
#include "codegen-x86/specialize/Rules.h"
#include "codegen-x86/specialize/Traffic.h"
#include <string>
#include <vector>

namespace karakal::x86 {

struct HotEntry {
  uint32_t rank; ///< position among the rules
  double share;  ///< of the look-ups
};

struct HotChoice {
  /// In the order in which they are compared; none: it does not pay.
  std::vector<HotEntry> entries;
  /// Cycles of a look-up without and with them, expected.
  double cyclesBefore = 0, cycles = 0;
};

/// Chooses what is compared before a look-up of `form`.
HotChoice chooseHot(const TableShape &table, const std::vector<Rule> &rules,
                    FindForm form, const Traffic::OfTable &traffic,
                    const SpecializeLimits &limits);

/// "10.0.0.0/8"-like words for the key of an entry, and what they save.
std::string describe(const HotChoice &hot, const TableShape &table,
                     const std::vector<Rule> &rules);

/// Puts rules that are found more often before others where the order of the
/// two does not matter. Returns whether any moved.
bool orderByTraffic(std::vector<Rule> &rules, const Traffic::OfTable &traffic);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_SPECIALIZE_HOTENTRIES_H
