// Counts what packets take of a processor while they run.
//
// Code with observers (codegen-x86/ObserveWork.h) tells each block, branch and
// access. Packets run in turn one by one and in stages, so both kinds of code
// meet the same tables in the same state.
//
// A line's first use has no reuse distance. If the traffic goes on like the
// trace, its distance is that of all lines that the trace uses, which is what
// `finish` takes for it.

#ifndef KARAKAL_CODEGEN_X86_MODEL_WORKCOUNTS_H
#define KARAKAL_CODEGEN_X86_MODEL_WORKCOUNTS_H

#include "codegen-x86/model/BranchPredictor.h"
#include "codegen-x86/model/ReuseDistances.h"
#include "codegen-x86/model/Work.h"
#include <map>
#include <vector>

namespace karakal::x86 {

/// How an access depends on others.
enum class AccessKind : uint32_t {
  Free,      ///< its address comes from the packet
  Dependent, ///< a load of the program's data gave its address
  Prefetch,  ///< at a cut
};

/// How packets run.
enum class Schedule : uint32_t { OneByOne, Staged };
inline constexpr uint32_t ScheduleCount = 2;

class WorkCounts {
public:
  /// Packets that run from here on count for `schedule`.
  void begin(Schedule schedule);
  /// Nothing counts until `begin`, but lines and branches are remembered.
  void warmUp();
  /// Nothing is observed until `begin` or `warmUp`: init and control calls.
  void pause() { isActive = false; }
  /// So many packets have run to their end.
  void endPackets(uint32_t count);

  void block(uint32_t instructions);
  void branch(uint32_t site, bool taken);
  /// An access to data; `object` numbers what it is a part of.
  void access(AccessKind kind, uint64_t address, uint32_t object);

  /// The work of a packet. Needs at least one that ended.
  Work work(Schedule schedule) const;
  uint64_t packets(Schedule schedule) const;
  /// The accesses of a packet that ran one by one, by object.
  std::map<uint32_t, DistanceHistogram> byObject() const;
  uint64_t lineCount() const { return distances.lineCount(); }

private:
  /// Accesses by distance, first uses apart.
  struct Accesses {
    DistanceHistogram again;
    double first = 0;

    void add(const ReuseDistances::Access &access);
    DistanceHistogram perPacket(uint64_t packets, uint64_t lines) const;
  };
  struct Counts {
    uint64_t packets = 0, instructions = 0, mispredictions = 0, cuts = 0;
    Accesses lines, chain, prefetched;
  };

  Counts *counts() { return isCounted ? &bySchedule[current] : nullptr; }
  void endChain();

  bool isActive = false, isCounted = false;
  uint32_t current = 0;
  Counts bySchedule[ScheduleCount];
  std::map<uint32_t, Accesses> objects;
  ReuseDistances distances;
  BranchPredictor predictor;
  /// The farthest access of this packet whose address no load gave.
  std::optional<ReuseDistances::Access> farthest;
};

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_MODEL_WORKCOUNTS_H
