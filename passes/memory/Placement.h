// Which memory for which structure.
//
// The optimization problem behind baker-place-globals, free of any IR.
//
// Objective: the cycles that a packet's context waits for global data at line
// rate, latency and queueing,
//
//     sum over structures  accesses * latency(memory)
//   + sum over memories    busy(memory)^2 * rate / 2
//
// where busy is the unit's service time a packet, what the program does
// besides included (rings, descriptors), and rate the packets a cycle. The
// second sum is the mean wait of a queue with constant service (M/D/1) at low
// load. Constraints: bytes of each memory; commands a packet of a memory;
// memories that a structure may not go to.

#ifndef KARAKAL_PASSES_MEMORY_PLACEMENT_H
#define KARAKAL_PASSES_MEMORY_PLACEMENT_H

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace karakal::passes {

/// A memory that structures may lie in. Cycles are those of a microengine.
struct PlacementMemory {
  std::string name;
  uint64_t bytes = 0;
  double latencyCycles = 0; ///< of a read, unloaded
  double opCycles = 0;      ///< unit busy per command
  double wordCycles = 0;    ///< unit busy per word moved
  double busyCycles = 0;    ///< a packet, by what is no global data
  /// Commands a packet that global data may add to this unit.
  double accessesMax = std::numeric_limits<double>::infinity();
};

/// A structure to be placed.
struct PlacementItem {
  uint64_t bytes = 0;
  double accesses = 0; ///< commands a packet
  double words = 0;    ///< words moved a packet
  /// Bit m: may lie in memory m.
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
  /// No better solution exists (to one part in a hundred thousand).
  bool isExact = false;
  uint64_t nodeCount = 0; ///< of the search
};

/// Most structures for which the optimum is searched.
constexpr unsigned exactPlacementMax = 30;

/// The objective of an assignment that keeps the constraints.
double waitCycles(const PlacementProblem &problem,
                  const std::vector<unsigned> &memoryOf);

/// Branch and bound. Cost: exponential at worst; a bound by continuous
/// spreading of the remaining load keeps it small, and a limit of three million
/// nodes (some seconds) ends it with the best found so far.
PlacementResult placeExactly(const PlacementProblem &problem);

/// Greedy, then moves and swaps while they help. Cost: cubic at worst.
PlacementResult placeQuickly(const PlacementProblem &problem);

/// The exact one for up to exactPlacementMax items, else the quick one.
PlacementResult place(const PlacementProblem &problem);

} // namespace karakal::passes

#endif // KARAKAL_PASSES_MEMORY_PLACEMENT_H
