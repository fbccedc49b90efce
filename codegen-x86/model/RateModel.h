// What a packet costs in bursts of B and sub-batches of b.
//
// The times of a core are added; misses that are under way together share
// their latency (docs/rationale/x86-model.md). With L the latency and g the
// time beside others of each access, by its reuse distance:
//
//   one by one  burst(B) + i·instruction + m·misprediction + Σg + Σ L(chain)/ω
//   in stages   the same with the counts of stages, and
//               cuts·cut(b) + Σ L(prefetched) / max(b, ω)
//   ω           1 + window / instructions
//
// Requires: a machine with figures. The functions are pure.

#ifndef KARAKAL_CODEGEN_X86_MODEL_RATEMODEL_H
#define KARAKAL_CODEGEN_X86_MODEL_RATEMODEL_H

#include "codegen-x86/model/Machine.h"
#include "codegen-x86/model/Work.h"
#include <optional>
#include <string>
#include <vector>

namespace karakal::x86 {

/// The packets that enter together, and those of them that run in stages
/// together; 1: one by one.
struct Batching {
  uint32_t burst = 32, subBatch = 1;

  bool operator==(const Batching &other) const {
    return burst == other.burst && subBatch == other.subBatch;
  }
};

/// The work of a program's packets, one by one and in stages.
struct ProgramWork {
  Work oneByOne;
  /// Nothing: the program has no cuts.
  std::optional<Work> staged;
};

/// The parts of the time of a packet in nanoseconds.
struct PacketTime {
  double burst = 0, instructions = 0, mispredictions = 0, cuts = 0;
  /// Misses beside others, and what they make the code wait.
  double lines = 0, waits = 0;

  double total() const {
    return burst + instructions + mispredictions + cuts + lines + waits;
  }
};

/// The misses that the window overlaps by itself.
double overlapOf(const Machine &machine, const Work &work);

PacketTime timeOf(const Machine &machine, const ProgramWork &work,
                  Batching batching);

/// The sizes of the grid: powers of two up to 256.
std::vector<uint32_t> gridSizes();

/// What a choice may not change; nothing: the model chooses.
struct Asked {
  std::optional<uint32_t> burst, subBatch;
};

/// The fastest of the grid. Of those that are within 1 %, the one with the
/// smallest burst, then sub-batch, since a packet waits for its burst. An asked
/// sub-batch above 1 needs bursts of as many packets.
Batching chooseBatching(const Machine &machine, const ProgramWork &work,
                        Asked asked = {});

/// What an object's misses cost a packet that does not wait at it, and what
/// they would cost with a cut in sub-batches of `subBatch`.
struct CutGain {
  double without, with;
};
CutGain gainOfCut(const Machine &machine, const Work &oneByOne,
                  const DistanceHistogram &accesses, uint32_t subBatch);

/// A table of the grid in millions of packets a second: a row for each burst.
std::string gridText(const Machine &machine, const ProgramWork &work);

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_MODEL_RATEMODEL_H
