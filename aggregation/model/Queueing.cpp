// The single queues of a mapping.

#include "aggregation/model/Queueing.h"
#include "support/Error.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace karakal::agg {

namespace {

/// The greatest utilization by others, less than 1 so that queueing delays stay
/// finite.
constexpr double utilizationMax = 0.999;

} // namespace

UnitLoad loadOfOthers(const std::vector<Stage> &stages, size_t self,
                      SharedUnit unit, double rate) {
  KARAKAL_ASSERT(rate >= 0, "packets arrive at a rate");
  double busy = 0, squares = 0;
  for (size_t i = 0; i < stages.size(); ++i)
    if (i != self) {
      busy += stages[i].messages * stages[i].cost.busy[size_t(unit)];
      squares += stages[i].messages * stages[i].cost.squares[size_t(unit)];
    }
  return {std::min(busy * rate, utilizationMax), squares * rate / 2};
}

double engineMessages(const MessageCost &cost, double contexts, double think) {
  double issue = std::max(cost.issue, 1e-9);
  // Without code, one segment of exponential length.
  double segments = cost.segments > 0 ? cost.segments : 1;
  double variation = cost.segments > 0
                         ? segments * cost.segmentSquares / (issue * issue) - 1
                         : 1;
  double segment = issue / segments, away = std::max(think / segments, 1e-9);
  auto transform = [&](double s) { // of the gamma distribution
    return variation < 0.01
               ? std::exp(-s * segment)
               : std::pow(1 + s * segment * variation, -1 / variation);
  };
  double sum = 0, term = 1, choices = 1;
  for (double n = 0; n < contexts; ++n) {
    sum += choices * term;
    choices *= (contexts - 1 - n) / (n + 1);
    term *= 1 / transform((n + 1) / away) - 1;
  }
  double idle = 1 / (1 + contexts * segment / away * sum);
  return (1 - idle) / issue;
}

double residualSegment(const MessageCost &cost) {
  if (cost.segments > 0)
    return cost.segmentSquares / std::max(2 * cost.issue, 1e-9);
  // Each command ends a segment; none is known to be longer than another.
  double commands =
      std::accumulate(cost.commands.begin(), cost.commands.end(), 0.0);
  return cost.issue / (1 + commands);
}

double sramChannelCycles(const std::vector<Stage> &stages, SharedUnit read,
                         SharedUnit write) {
  struct Draw {
    bool isWrite;
    double cycles, upTo;
  };
  constexpr unsigned commandCount = 2048;
  std::vector<Draw> draws;
  double all = 0;
  for (const Stage &stage : stages)
    for (SharedUnit port : {read, write})
      if (double count = stage.cost.commands[size_t(port)]; count > 0) {
        all += stage.messages * count;
        draws.push_back(
            {port == write, stage.cost.busy[size_t(port)] / count, all});
      }
  if (draws.empty())
    return 0;
  std::minstd_rand random(1);
  auto share = [&] { return double(random()) / double(random.max()); };
  auto draw = [&] {
    double point = all * share();
    return std::find_if(draws.begin(), draws.end() - 1,
                        [&](const Draw &d) { return point <= d.upTo; });
  };
  double start = 0, readFree = 0, writeFree = 0;
  for (unsigned command = 0; command < commandCount; ++command) {
    auto drawn = draw();
    double &free = drawn->isWrite ? writeFree : readFree;
    start = std::max(start, free);
    free = start + drawn->cycles;
  }
  return all * std::max(readFree, writeFree) / commandCount;
}

double dramCycles(const std::vector<Stage> &stages,
                  const target::ChipParameters &chip) {
  double busy = 0, commands = 0;
  for (const Stage &stage : stages) {
    busy += stage.messages * stage.cost.busy[size_t(SharedUnit::Dram)];
    commands += stage.messages * stage.cost.commands[size_t(SharedUnit::Dram)];
  }
  if (commands <= 0)
    return busy;
  double banks = double(chip.dramBanks), channels = double(chip.dramChannels);
  double row = double(chip.dramBankCycles), quad = double(chip.dramQuadCycles);
  // The length of an average command: its cycles are those of the banks or of
  // the bus, whichever are more (target::commandCost).
  double cycles = busy / commands * channels;
  double quads =
      std::max(1.0, std::min(1 + (cycles * banks - row) / quad, cycles / quad));
  double bank = row + (quads - 1) * quad;
  double bus = std::max(quads, double(chip.dramBurstQuads)) * quad +
               double(chip.dramTurnaroundCycles) / 2;
  double elsewhere = std::max(bank - bus, 0.0);
  double queue = 0, rate = 0;
  for (double customers = 1; customers <= banks; ++customers) {
    double wait = bus * (1 + queue);
    rate = customers / (elsewhere + wait);
    queue = rate * wait;
  }
  KARAKAL_ASSERT(rate * bus <= 1 + 1e-9, "a bus has one transfer at a time");
  return std::max(busy, commands / (rate * channels));
}

} // namespace karakal::agg
