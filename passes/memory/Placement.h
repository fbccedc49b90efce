// The placement of structures in memories, as an optimization problem without
// any IR. baker-assign-memory solves it for the globals.
//
// Objective: the cycles per packet that a context waits for global data at line
// rate, by latency and queueing delay:
//
//     sum over structures  accesses * latency(memory)
//   + sum over memories    busy(memory)^2 * rate / 2
//
// busy is the unit's service time per packet, including the other commands of
// the program (rings, descriptors). rate is the packets per cycle. The second
// sum is the mean queueing delay with constant service time (M/D/1) at low
// load. Constraints: the bytes of each memory; the memories that a structure
// may be in.

#ifndef KARAKAL_PASSES_MEMORY_PLACEMENT_H
#define KARAKAL_PASSES_MEMORY_PLACEMENT_H

#include <cstdint>
#include <string>
#include <vector>

namespace karakal::passes {

/// A memory for structures. Cycles are those of a microengine.
struct PlacementMemory {
  std::string name;
  uint64_t bytes = 0;
  double latencyCycles = 0; ///< of a read, unloaded
  double opCycles = 0;      ///< unit busy per command
  double wordCycles = 0;    ///< unit busy per word moved
  double busyCycles = 0;    ///< per packet, of other commands
};

/// A structure to be placed.
struct PlacementItem {
  uint64_t bytes = 0;
  double accesses = 0; ///< commands per packet
  double words = 0;    ///< words moved per packet
  /// Bit m: whether it may be in memory m.
  uint32_t allowed = ~0u;
};

struct PlacementProblem {
  std::vector<PlacementMemory> memories;
  std::vector<PlacementItem> items;
  double packetsPerCycle = 0;
};

struct PlacementResult {
  /// Memory of each item; empty if the problem has no solution.
  std::vector<unsigned> memoryOf;
  double waitCycles = 0; ///< the objective
  /// Whether no better solution exists (to one part in a hundred thousand).
  bool isExact = false;
};

/// The most structures for which the optimum is searched.
constexpr unsigned exactPlacementMax = 30;

/// Returns the objective of an assignment that satisfies the constraints.
double waitCycles(const PlacementProblem &problem,
                  const std::vector<unsigned> &memoryOf);

/// Solves the problem by branch and bound. Cost: exponential in the worst case.
/// A bound that spreads the remaining load continuously keeps it small. After
/// three million nodes (some seconds) the search ends with the best solution so
/// far.
PlacementResult placeExactly(const PlacementProblem &problem);

/// Solves the problem greedily, then by moves and swaps while they help. Cost:
/// cubic in the worst case.
PlacementResult placeQuickly(const PlacementProblem &problem);

/// Solves the problem exactly for up to exactPlacementMax items, else quickly.
PlacementResult place(const PlacementProblem &problem);

} // namespace karakal::passes

#endif // KARAKAL_PASSES_MEMORY_PLACEMENT_H
