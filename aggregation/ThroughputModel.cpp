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
  static constexpr double cpuQueue = 0.9, unitQueue = 1;
  /// Part of a unit's time that is lost between commands under full load.
  static constexpr double unitLoss = 0.02;
  /// Part of an engine's time in which all its contexts wait by chance.
  static constexpr double engineLoss = 0.06;
  /// Receive and transmit engines: cycles a packet of one mpacket in what their
  /// contexts do one after the other; each further mpacket costs `perMpacket`.
  static constexpr double rxCycles = 77, txCycles = 77, perMpacket = 20;
  /// Their instructions a packet, and a context's waits.
  static constexpr double rxIssue = 30, rxLatency = 720;
  static constexpr double txIssue = 50, txLatency = 300;
};

constexpr unsigned dramQuadWords = 2;
/// Stages that withRuntime appends.
constexpr size_t runtimeStages = 2;
/// Units as limits: an SRAM channel is one.
constexpr std::array<const char *, unitCount> limitNames = {
    "scratch", "sram0", "sram1", "sram0", "sram1", "dram", "hash"};

double contextsOf(const Stage &stage, const target::ChipParameters &chip) {
  return stage.contexts != 0 ? double(stage.contexts) : double(chip.meContexts);
}

/// The part of unit u's time that everyone but stage `self` takes.
double othersShare(const std::vector<Stage> &stages, size_t self, size_t u,
                   double rate) {
  double busy = 0;
  for (size_t i = 0; i < stages.size(); ++i)
    if (i != self)
      busy += stages[i].messages * stages[i].cost.busy[u];
  return std::min(busy * rate, 0.999);
}

/// runtime/rx.uc and tx.uc are stages too: for a packet of one mpacket a
/// message and a counter each; Rx takes a buffer, writes a whole descriptor and
/// moves the frame in, Tx reads the descriptor, moves the frame out and gives
/// the buffer back.
std::vector<Stage> withRuntime(std::vector<Stage> stages,
                               const target::ChipParameters &chip) {
  auto busy = [&](Unit unit, Access access, unsigned words) {
    return commandCost(chip, unit, access, words).busy;
  };
  constexpr unsigned descriptorWords = target::DescriptorBytes / 4 - 1;
  double queue = busy(Unit::Sram0, Access::Queue, 1);
  Stage rx, tx;
  rx.name = "rx";
  rx.cost.issue = Fit::rxIssue;
  rx.cost.latency = Fit::rxLatency;
  rx.cost.busyOf(Unit::Scratch) =
      busy(Unit::Scratch, Access::Memory, target::RingMessageWords) +
      busy(Unit::Scratch, Access::Atomic, 1);
  rx.cost.busyOf(Unit::Dram) =
      busy(Unit::Dram, Access::Memory, target::MpacketBytes / 4);
  tx = rx;
  rx.cost.busyOf(Unit::Sram0) = queue;
  rx.cost.busyOf(Unit::Sram0Write) =
      busy(Unit::Sram0, Access::Memory, descriptorWords);
  tx.name = "tx";
  tx.cost.issue = Fit::txIssue;
  tx.cost.latency = Fit::txLatency;
  tx.cost.busyOf(Unit::Sram0) = busy(Unit::Sram0, Access::Memory, 2);
  tx.cost.busyOf(Unit::Sram0Write) = queue;
  stages.push_back(rx);
  stages.push_back(tx);
  return stages;
}

/// Cycles of a unit that all stages take for a packet received.
double busyOf(const std::vector<Stage> &stages, Unit unit) {
  double busy = 0;
  for (const Stage &stage : stages)
    busy += stage.messages * stage.cost.busy[size_t(unit)];
  return busy;
}

/// An SRAM channel starts its commands in the order of their arrival, so that a
/// read behind a write that waits for its port waits too. Of the time that its
/// two ports take only that may overlap in which one follows the other. The
/// channel becomes one unit, in place of its port for reads.
void joinPorts(std::vector<Stage> &stages, Unit read, Unit write) {
  double reads = busyOf(stages, read), writes = busyOf(stages, write);
  double all = reads + writes;
  if (all <= 0)
    return;
  double overlap = 2 * reads * writes / (all * all);
  double share = std::max(1 / (1 + overlap), std::max(reads, writes) / all);
  for (Stage &stage : stages) {
    stage.cost.busyOf(read) =
        share * (stage.cost.busyOf(read) + stage.cost.busyOf(write));
    stage.cost.busyOf(write) = 0;
  }
}

/// Messages a cycle that stage `self` can handle while packets arrive at
/// `rate` a cycle for all others.
double stageRate(const std::vector<Stage> &stages, size_t self, double rate,
                 const target::ChipParameters &chip) {
  const Stage &stage = stages[self];
  const StageCost &cost = stage.cost;
  double contexts = contextsOf(stage, chip), engines = stage.engines;
  double customers = contexts * engines;
  std::array<double, unitCount> service{}, queue{};
  double delay = cost.latency,
         bound = (1 - Fit::engineLoss) * engines / std::max(cost.issue, 1e-9);
  for (size_t u = 0; u < unitCount; ++u) {
    double share = othersShare(stages, self, u, rate);
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
  for (size_t u = 0; u < unitCount; ++u)
    if (double busy = busyOf(stages, Unit(u)); busy > 0)
      limits.push_back({(1 - Fit::unitLoss) / busy, limitNames[u]});
  double locked = 0;
  for (const Stage &stage : stages)
    locked += stage.messages * stage.cost.locked;
  if (locked > 0)
    limits.push_back({1 / locked, locksLimit});
  for (size_t i = 0; i + runtimeStages < stages.size(); ++i) {
    const Stage &stage = stages[i];
    double perEngine = stage.engines / std::max(stage.messages, 1e-9);
    limits.push_back(
        {(1 - Fit::engineLoss) * perEngine / std::max(stage.cost.issue, 1e-9),
         "engines of " + stage.name});
    limits.push_back({perEngine * contextsOf(stage, chip) /
                          std::max(stage.cost.issue + stage.cost.latency, 1e-9),
                      "contexts of " + stage.name});
  }
  return limits;
}

/// The last stage that does not keep up with `rate` packets a cycle, or null.
const Stage *findSlow(const std::vector<Stage> &stages, double rate,
                      const target::ChipParameters &chip) {
  for (size_t i = stages.size(); i-- > 0;)
    if (stageRate(stages, i, rate, chip) < rate * stages[i].messages)
      return &stages[i];
  return nullptr;
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

Prediction predict(const std::vector<Stage> &program,
                   const target::ChipParameters &chip, unsigned frameBytes) {
  std::vector<Stage> stages = withRuntime(program, chip);
  Prediction prediction;
  for (size_t u = 0; u < unitCount; ++u)
    prediction.unitUtilization[u] = busyOf(stages, Unit(u));
  joinPorts(stages, Unit::Sram0, Unit::Sram0Write);
  joinPorts(stages, Unit::Sram1, Unit::Sram1Write);
  std::vector<Limit> limits = hardLimits(stages, chip, frameBytes);
  auto least = std::min_element(
      limits.begin(), limits.end(),
      [](const Limit &a, const Limit &b) { return a.rate < b.rate; });
  double low = 0, high = least->rate;
  prediction.bottleneck = least->name;
  if (!findSlow(stages, high, chip))
    low = high;
  for (unsigned step = 0; step < 40 && high - low > 1e-9 * high; ++step) {
    double middle = (low + high) / 2;
    const Stage *slow = findSlow(stages, middle, chip);
    (slow ? high : low) = middle;
    if (slow && slow >= &stages[program.size()])
      prediction.bottleneck = slow->name; // Rx or Tx, before any limit
  }
  prediction.packetsPerSecond = low * double(chip.meClockHz);
  for (const Stage &stage : program)
    prediction.stageUtilization.push_back(
        std::min(1.0, low * stage.messages * stage.cost.issue / stage.engines));
  for (double &busy : prediction.unitUtilization)
    busy = std::min(1.0, low * busy);
  return prediction;
}

} // namespace karakal::agg
