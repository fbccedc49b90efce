// What packets do with the tables and conditions of a running program.
//
// One burst in many runs the program's own code with observers:
//
//   in T.find      return %slot    →  note_found(traffic, T, %slot)
//   at a branch    br %c, A, B     →  edges[2 i + %c] += 1
//
// so the code of all other bursts is as it was. Each core has what its bursts
// did for itself (CoreTraffic); a build takes the sum (Traffic).
//
// Branches are numbered in the order in which they stand in the code of packets
// before anything is made of it, so counts fit whatever is made of it later.

#ifndef KARAKAL_CODEGEN_X86_SPECIALIZE_TRAFFIC_H
#define KARAKAL_CODEGEN_X86_SPECIALIZE_TRAFFIC_H

#include "codegen-x86/specialize/Prepare.h"
#include "codegen-x86/specialize/SpaceSaving.h"
#include "llvm/IR/Module.h"
#include <cstdint>
#include <vector>

namespace karakal::x86 {

/// Symbols of code with observers.
struct TrafficSymbols {
  static constexpr const char *NoteFound = "karakal_x86_note_found";
  static constexpr const char *Traffic = "karakal_x86_traffic";
  static constexpr const char *Edges = "karakal_x86_edges";
};

/// What the observed bursts of one core did. One thread at a time uses it.
struct CoreTraffic {
  /// Look-ups after which the counts of a table are halved.
  static constexpr uint32_t LookupsMax = 1 << 14;

  explicit CoreTraffic(size_t tableCount)
      : found(tableCount, SpaceSaving(LookupsMax)) {}
  /// Slots that look-ups found, by the position of the table in
  /// Specializable::tables.
  std::vector<SpaceSaving> found;
  /// How often each way out of a branch was taken: one branch after the other.
  std::vector<uint64_t> edges;

  void halveEdges() {
    for (uint64_t &count : edges)
      count /= 2;
  }
};

/// What the observed bursts of all cores did.
struct Traffic {
  struct Found {
    uint32_t slot;
    /// Of the table's look-ups, at least.
    double share;
  };
  struct OfTable {
    /// The most frequent first.
    std::vector<Found> slots;
    uint64_t lookups = 0;
    double shareOf(uint32_t slot) const;
  };
  /// By position in Specializable::tables; empty: nothing was observed.
  std::vector<OfTable> tables;
  /// By branch: how often each of its ways out was taken.
  std::vector<std::vector<uint64_t>> branches;
};

/// The sum; `ways` has the number of ways out of each branch. Tables with fewer
/// than `lookupsMin` look-ups have no slots.
Traffic trafficOf(const std::vector<const CoreTraffic *> &cores,
                  const std::vector<unsigned> &ways, uint64_t lookupsMin);

/// Whether code made for `before` should be made again for `now`: a fifth of a
/// table's look-ups find something else, or a branch goes another way for a
/// quarter of its packets.
bool isFar(const Traffic &before, const Traffic &now);

/// Adds observers to the code of packets. Returns the number of ways out of
/// each branch.
std::vector<unsigned> observeTraffic(llvm::Module &module,
                                     const Specializable &program);

/// Tells LLVM how often each way out of a branch is taken. `module` is the code
/// of packets as it was observed. Returns the number of branches that have
/// weights.
unsigned weighBranches(llvm::Module &module,
                       const std::vector<std::vector<uint64_t>> &branches);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_SPECIALIZE_TRAFFIC_H
