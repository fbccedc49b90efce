// What a packet costs in bursts of B and sub-batches of b.

#include "codegen-x86/model/RateModel.h"
#include <algorithm>
#include <cstdio>

namespace karakal::x86 {

/// The most packets of a burst, and its slots in stages.
static constexpr uint32_t sizeMax = 256;

double overlapOf(const Machine &machine, const Work &work) {
  return 1 + machine.windowInstructions / std::max(work.instructions, 1.0);
}

PacketTime timeOf(const Machine &machine, const ProgramWork &work,
                  Batching batching) {
  KARAKAL_ASSERT(batching.subBatch >= 1 && batching.subBatch <= batching.burst,
                 "a sub-batch is a part of its burst");
  bool isStaged = batching.subBatch > 1 && work.staged;
  const Work &of = isStaged ? *work.staged : work.oneByOne;
  double overlap = overlapOf(machine, of);
  auto latency = [&](double lines) { return machine.latencyNs(lines); };
  auto parallel = [&](double lines) { return machine.parallelNs(lines); };
  PacketTime time;
  time.burst = machine.burstNs(batching.burst);
  time.instructions = of.instructions * machine.instructionNs;
  time.mispredictions = of.mispredictions * machine.mispredictionNs;
  time.lines = of.lines.sum(parallel);
  time.waits = of.chain.sum(latency) / overlap;
  if (isStaged) {
    time.cuts = of.cuts * machine.cutNs(batching.subBatch);
    time.waits += of.prefetched.sum(latency) /
                  std::max(double(batching.subBatch), overlap);
  }
  return time;
}

std::vector<uint32_t> gridSizes() {
  std::vector<uint32_t> sizes;
  for (uint32_t size = 1; size <= sizeMax; size *= 2)
    sizes.push_back(size);
  return sizes;
}

/// The points of the grid that `asked` leaves, by burst, then sub-batch.
static std::vector<Batching> pointsFor(Asked asked, bool isStaged) {
  std::vector<uint32_t> bursts = gridSizes(), subBatches = gridSizes();
  if (asked.burst)
    bursts = {*asked.burst};
  if (asked.subBatch)
    subBatches = {*asked.subBatch};
  if (!asked.burst && asked.subBatch &&
      std::find(bursts.begin(), bursts.end(), *asked.subBatch) == bursts.end())
    bursts.push_back(*asked.subBatch);
  std::sort(bursts.begin(), bursts.end());
  std::vector<Batching> points;
  for (uint32_t burst : bursts)
    for (uint32_t subBatch : subBatches)
      if (subBatch <= burst &&
          (isStaged || subBatch == 1 || asked.subBatch.has_value()))
        points.push_back({burst, subBatch});
  return points;
}

Batching chooseBatching(const Machine &machine, const ProgramWork &work,
                        Asked asked) {
  constexpr double slack = 1.01;
  std::vector<Batching> points = pointsFor(asked, work.staged.has_value());
  KARAKAL_ASSERT(!points.empty(), "an asked sub-batch has room in its burst");
  auto total = [&](Batching point) {
    return timeOf(machine, work, point).total();
  };
  double best = total(points.front());
  for (Batching point : points)
    best = std::min(best, total(point));
  return *std::find_if(points.begin(), points.end(), [&](Batching point) {
    return total(point) <= best * slack;
  });
}

CutGain gainOfCut(const Machine &machine, const Work &oneByOne,
                  const DistanceHistogram &accesses, uint32_t subBatch) {
  double overlap = overlapOf(machine, oneByOne);
  double waits =
      accesses.sum([&](double lines) { return machine.latencyNs(lines); });
  // Most accesses of an object are to a line that the one before it brought.
  constexpr double sameElementLines = 16;
  double cuts = accesses.beyond(sameElementLines);
  return {waits / overlap, waits / std::max(double(subBatch), overlap) +
                               cuts * machine.cutNs(subBatch)};
}

std::string gridText(const Machine &machine, const ProgramWork &work) {
  char cell[32];
  std::string text = "  B \\ b";
  std::vector<uint32_t> sizes = gridSizes();
  if (!work.staged)
    sizes = {1};
  for (uint32_t subBatch : sizes) {
    std::snprintf(cell, sizeof cell, "%7u", subBatch);
    text += cell;
  }
  for (uint32_t burst : gridSizes()) {
    std::snprintf(cell, sizeof cell, "\n%7u", burst);
    text += cell;
    for (uint32_t subBatch : sizes) {
      if (subBatch > burst)
        break;
      double ns = timeOf(machine, work, {burst, subBatch}).total();
      std::snprintf(cell, sizeof cell, "%7.2f", 1000 / ns);
      text += cell;
    }
  }
  return text;
}

} // namespace karakal::x86
