//===- ThroughputModel.cpp - packets a second of a mapping ----------------===//

#include "aggregation/ThroughputModel.h"
#include "support/Error.h"
#include "target-ixp/MemoryMap.h"
#include <algorithm>
#include <limits>

namespace karakal::agg {

namespace {

/// What was fitted to simulations (`./dev bench model`).
struct Fit {
  /// Share of a queue's length that an arriving context sees: 1 for random
  /// service times, less for those of code, which vary little.
  static constexpr double cpuQueue = 0.5, unitQueue = 1;
  /// Part of a unit's time that is lost between commands under full load.
  static constexpr double unitLoss = 0.04;
  /// Part of an engine's time in which all its contexts wait by chance.
  static constexpr double engineLoss = 0.04;
  /// Receive and transmit engines, cycles of their own a packet of one
  /// mpacket; each further mpacket costs `perMpacket`.
  static constexpr double rxCycles = 77, txCycles = 77, perMpacket = 20;
};

constexpr unsigned dramQuadWords = 2;

/// The part of unit u's time that everyone but stage `self` takes.
double othersShare(const std::vector<Stage> &stages, size_t self, size_t u,
                   double rate, double runtime) {
  double busy = runtime;
  for (size_t i = 0; i < stages.size(); ++i)
    if (i != self)
      busy += stages[i].messages * stages[i].cost.busy[u];
  return std::min(busy * rate, 0.999);
}

/// Cycles of the shared units that runtime/rx.uc and tx.uc take for a packet of
/// one mpacket: a descriptor written and read, a buffer from and to the free
/// list, the frame moved twice, two messages, two counters.
std::array<double, unitCount> runtimeBusy(const target::ChipParameters &chip) {
  auto busy = [&](Unit unit, Access access, unsigned words) {
    return commandCost(chip, unit, access, words).busy;
  };
  std::array<double, unitCount> sum{};
  sum[size_t(Unit::Scratch)] = 2 * busy(Unit::Scratch, Access::Memory, 1) +
                               2 * busy(Unit::Scratch, Access::Atomic, 1);
  double queue = busy(Unit::Sram0, Access::Queue, 1);
  sum[size_t(Unit::Sram0)] = queue + busy(Unit::Sram0, Access::Memory, 2);
  sum[size_t(Unit::Sram0Write)] = queue + busy(Unit::Sram0, Access::Memory, 4);
  sum[size_t(Unit::Dram)] =
      2 * busy(Unit::Dram, Access::Memory, target::MpacketBytes / 4);
  return sum;
}

/// Messages a cycle that stage `self` can handle while packets arrive at
/// `rate` a cycle for all others.
double stageRate(const std::vector<Stage> &stages, size_t self, double rate,
                 const target::ChipParameters &chip) {
  const Stage &stage = stages[self];
  const StageCost &cost = stage.cost;
  double contexts = double(chip.meContexts), engines = stage.engines;
  double customers = contexts * engines;
  auto runtime = runtimeBusy(chip);
  std::array<double, unitCount> service{}, queue{};
  double delay = cost.latency,
         bound = (1 - Fit::engineLoss) * engines / std::max(cost.issue, 1e-9);
  for (size_t u = 0; u < unitCount; ++u) {
    double share = othersShare(stages, self, u, rate, runtime[u]);
    service[u] = cost.busy[u] / (1 - share);
    delay = std::max(delay - cost.busy[u], 0.0);
    if (service[u] > 0)
      bound = std::min(bound, (1 - Fit::unitLoss) / service[u]);
  }
  double cpuQueue = contexts / 2, result = 0;
  for (unsigned round = 0; round < 60; ++round) {
    double cpu =
        cost.issue * (1 + Fit::cpuQueue * cpuQueue * (contexts - 1) / contexts);
    double total = cpu + delay;
    std::array<double, unitCount> wait{};
    for (size_t u = 0; u < unitCount; ++u) {
      wait[u] = service[u] *
                (1 + Fit::unitQueue * queue[u] * (customers - 1) / customers);
      total += wait[u];
    }
    result = std::min(bound, customers / std::max(total, 1e-9));
    cpuQueue = std::min(contexts, result / engines * cpu);
    for (size_t u = 0; u < unitCount; ++u)
      queue[u] = std::min(customers, result * wait[u]);
  }
  return result;
}

/// A limit on packets a cycle, and its name.
struct Limit {
  double rate;
  std::string name;
};

/// The limits that do not come from queueing.
std::vector<Limit> hardLimits(const std::vector<Stage> &stages,
                              const target::ChipParameters &chip,
                              unsigned frameBytes) {
  std::vector<Limit> limits;
  double clock = double(chip.meClockHz);
  double wire = double(chip.portsCount) * double(chip.portsRateBps) /
                (8.0 * (frameBytes + double(chip.portsGapBytes)));
  limits.push_back({wire / clock, "ports"});
  unsigned mpackets =
      (frameBytes + target::MpacketBytes - 1) / target::MpacketBytes;
  double more = (mpackets - 1) * Fit::perMpacket;
  limits.push_back({1 / (Fit::rxCycles + more), "rx"});
  limits.push_back({1 / (Fit::txCycles + more), "tx"});
  auto runtime = runtimeBusy(chip);
  for (size_t u = 0; u < unitCount; ++u) {
    double busy = runtime[u];
    for (const Stage &stage : stages)
      busy += stage.messages * stage.cost.busy[u];
    if (busy > 0)
      limits.push_back({(1 - Fit::unitLoss) / busy, unitNames[u]});
  }
  double locked = 0;
  for (const Stage &stage : stages)
    locked += stage.messages * stage.cost.locked;
  if (locked > 0)
    limits.push_back({1 / locked, "locks"});
  for (const Stage &stage : stages) {
    double perEngine = stage.engines / std::max(stage.messages, 1e-9);
    limits.push_back(
        {(1 - Fit::engineLoss) * perEngine / std::max(stage.cost.issue, 1e-9),
         "engines of " + stage.name});
    limits.push_back({perEngine * double(chip.meContexts) /
                          std::max(stage.cost.issue + stage.cost.latency, 1e-9),
                      "contexts of " + stage.name});
  }
  return limits;
}

/// Whether every stage keeps up with `rate` packets a cycle.
bool isFeasible(const std::vector<Stage> &stages, double rate,
                const target::ChipParameters &chip) {
  for (size_t i = 0; i < stages.size(); ++i)
    if (stageRate(stages, i, rate, chip) < rate * stages[i].messages)
      return false;
  return true;
}

} // namespace

StageCost &StageCost::operator+=(const StageCost &other) {
  issue += other.issue;
  latency += other.latency;
  locked += other.locked;
  for (size_t u = 0; u < unitCount; ++u)
    busy[u] += other.busy[u];
  return *this;
}

StageCost operator*(StageCost cost, double times) {
  cost.issue *= times;
  cost.latency *= times;
  cost.locked *= times;
  for (double &busy : cost.busy)
    busy *= times;
  return cost;
}

CommandCost commandCost(const target::ChipParameters &chip, Unit unit,
                        Access access, unsigned words) {
  double more = double(std::max(words, 1u) - 1);
  double push = more * double(chip.busPushWordCycles);
  switch (unit) {
  case Unit::Scratch:
    return {double(chip.scratchLatency) + push,
            access == Access::Atomic
                ? double(chip.scratchAtomicCycles)
                : chip.scratchOpCycles + more * chip.scratchWordCycles};
  case Unit::Sram0:
  case Unit::Sram1:
  case Unit::Sram0Write:
  case Unit::Sram1Write:
    return {double(chip.sramLatency) +
                more * double(std::max(chip.sramWordCycles,
                                       chip.busPushWordCycles)),
            access == Access::Atomic ? double(chip.sramAtomicCycles)
            : access == Access::Queue
                ? double(chip.sramQueueCycles)
                : chip.sramOpCycles + more * chip.sramWordCycles};
  case Unit::Dram: {
    double quads = std::max(1u, (words + 1) / dramQuadWords);
    double bank =
        double(chip.dramBankCycles) + (quads - 1) * double(chip.dramQuadCycles);
    double bus = std::max(quads, double(chip.dramBurstQuads)) *
                 double(chip.dramQuadCycles);
    return {double(chip.dramLatency) +
                (quads * dramQuadWords - 1) * double(chip.busDramWordCycles),
            std::max(bus, bank / double(chip.dramBanks))};
  }
  case Unit::Hash:
    return {double(chip.hashLatency), double(chip.hashKeyCycles)};
  }
  KARAKAL_UNREACHABLE("no such unit");
}

double engineRate(const StageCost &cost, const target::ChipParameters &chip) {
  double contexts = double(chip.meContexts);
  return std::min(1 / std::max(cost.issue, 1e-9),
                  contexts / std::max(cost.issue + cost.latency, 1e-9));
}

Prediction predict(const std::vector<Stage> &stages,
                   const target::ChipParameters &chip, unsigned frameBytes) {
  std::vector<Limit> limits = hardLimits(stages, chip, frameBytes);
  auto least = std::min_element(
      limits.begin(), limits.end(),
      [](const Limit &a, const Limit &b) { return a.rate < b.rate; });
  double low = 0, high = least->rate;
  if (isFeasible(stages, high, chip))
    low = high;
  for (unsigned step = 0; step < 40 && high - low > 1e-9 * high; ++step) {
    double middle = (low + high) / 2;
    (isFeasible(stages, middle, chip) ? low : high) = middle;
  }
  Prediction prediction;
  prediction.packetsPerSecond = low * double(chip.meClockHz);
  prediction.bottleneck = least->name;
  auto runtime = runtimeBusy(chip);
  for (const Stage &stage : stages)
    prediction.stageUtilization.push_back(
        std::min(1.0, low * stage.messages * stage.cost.issue / stage.engines));
  for (size_t u = 0; u < unitCount; ++u) {
    double busy = runtime[u];
    for (const Stage &stage : stages)
      busy += stage.messages * stage.cost.busy[u];
    prediction.unitUtilization[u] = std::min(1.0, low * busy);
  }
  return prediction;
}

} // namespace karakal::agg
