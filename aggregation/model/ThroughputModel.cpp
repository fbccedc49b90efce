// The rate of a mapping.

#include "aggregation/model/ThroughputModel.h"
#include "aggregation/model/Queueing.h"
#include "support/Error.h"
#include "target-ixp/chip/LineRate.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/microcode/InstructionCost.h"
#include "target-ixp/microcode/RuntimeCost.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace karakal::agg {

using target::commandCost;
using target::CommandKind;

namespace {

/// Stages that withRuntime appends.
constexpr size_t runtimeStages = 2;
/// The name of a unit as a limit: an SRAM channel is one.
std::string limitName(SharedUnit unit) {
  if (std::optional<uint32_t> channel = target::channelOf(unit))
    return target::memoryName(target::sramMemory(*channel));
  return target::sharedUnitName(unit);
}

double contextsOf(const Stage &stage, const target::ChipParameters &chip) {
  return stage.contexts != 0 ? double(stage.contexts) : double(chip.meContexts);
}

/// Returns the messages to Tx per packet received; one if the cost has none.
double sentOf(const std::vector<Stage> &stages) {
  double sent = 0;
  for (const Stage &stage : stages)
    sent += stage.messages * stage.cost.sent;
  return sent > 0 ? sent : 1;
}

/// Appends the stages of Rx and Tx. If a message has no head and length, Tx
/// reads the descriptor.
std::vector<Stage> withRuntime(std::vector<Stage> stages, const Frames &frames,
                               const target::ChipParameters &chip) {
  Stage rx, tx;
  rx.name = "rx";
  rx.cost = target::receiveCost(
      {target::mpacketsOf(frames.bytes - target::FrameCrcBytes),
       frames.keepsOrder},
      chip);
  tx.name = "tx";
  tx.cost =
      target::transmitCost({frames.mpacketsSent(), frames.keepsOrder}, chip);
  tx.messages = sentOf(stages);
  double bare = 0;
  for (const Stage &stage : stages)
    bare += stage.messages * stage.cost.sentWithoutHead;
  double reads = std::min(bare / tx.messages, 1.0);
  target::CommandCost read =
      commandCost(chip, SharedUnit::Sram0, CommandKind::Memory, 2);
  tx.cost.addCommands(SharedUnit::Sram0, reads, read.busy);
  tx.cost.latency += reads * read.latency;
  stages.push_back(rx);
  stages.push_back(tx);
  return stages;
}

/// Cycles of a unit that all stages take per packet received.
double busyOf(const std::vector<Stage> &stages, SharedUnit unit) {
  double busy = 0;
  for (const Stage &stage : stages)
    busy += stage.messages * stage.cost.busy[size_t(unit)];
  return busy;
}

/// Makes one unit of the ports of an SRAM channel, in place of its read port.
void joinPorts(std::vector<Stage> &stages, SharedUnit read, SharedUnit write) {
  double reads = busyOf(stages, read), writes = busyOf(stages, write);
  if (reads + writes <= 0)
    return;
  double share =
      std::max(sramChannelCycles(stages, read, write) / (reads + writes),
               std::max(reads, writes) / (reads + writes));
  size_t into = size_t(read), from = size_t(write);
  for (Stage &stage : stages) {
    MessageCost &cost = stage.cost;
    cost.busy[into] = share * (cost.busy[into] + cost.busy[from]);
    cost.commands[into] += cost.commands[from];
    // A command finds the channel busy for its share of the time, but then for
    // as long as the other command takes.
    cost.squares[into] = share * (cost.squares[into] + cost.squares[from]);
    cost.busy[from] = cost.commands[from] = cost.squares[from] = 0;
  }
}

/// Adds the time for which banks of DRAM wait for their data bus.
void joinBanks(std::vector<Stage> &stages, const target::ChipParameters &chip) {
  double busy = busyOf(stages, SharedUnit::Dram);
  if (busy <= 0)
    return;
  double share = dramCycles(stages, chip) / busy;
  for (Stage &stage : stages) {
    stage.cost.busy[size_t(SharedUnit::Dram)] *= share;
    stage.cost.squares[size_t(SharedUnit::Dram)] *= share * share;
  }
}

/// Messages per cycle that stage `self` can handle while all others handle
/// packets at `rate` per cycle.
double stageRate(const std::vector<Stage> &stages, size_t self, double rate,
                 const target::ChipParameters &chip, const Fit &fit) {
  const Stage &stage = stages[self];
  const MessageCost &cost = stage.cost;
  double contexts = contextsOf(stage, chip), engines = stage.engines;
  double customers = contexts * engines;
  std::array<UnitLoad, sharedUnitCount> others;
  std::array<double, sharedUnitCount> queue{};
  double delay = cost.latency, bound = engines / std::max(cost.issue, 1e-9);
  for (size_t u = 0; u < sharedUnitCount; ++u) {
    others[u] = loadOfOthers(stages, self, SharedUnit(u), rate);
    delay = std::max(delay - cost.busy[u], 0.0);
    if (cost.busy[u] > 0)
      bound = std::min(bound, (1 - fit.unitLoss) * (1 - others[u].share) /
                                  cost.busy[u]);
  }
  double result = 0;
  for (unsigned iteration = 0; iteration < 60; ++iteration) {
    double total = delay;
    std::array<double, sharedUnitCount> wait{};
    for (size_t u = 0; u < sharedUnitCount; ++u) {
      double queued = cost.busy[u] * queue[u] * (customers - 1) / customers;
      wait[u] =
          cost.busy[u] + (queued + cost.commands[u] * others[u].residual) /
                             (1 - others[u].share);
      total += wait[u];
    }
    result = std::min(bound, engines * engineMessages(cost, contexts, total));
    for (size_t u = 0; u < sharedUnitCount; ++u)
      queue[u] = std::min(customers, result * wait[u]);
  }
  return result;
}

/// Cycles for which locks are held per packet received, at `rate` packets per
/// cycle. A context that returns from a swap with a lock may find its engine
/// busy. It waits at most for the instructions of one message, since one
/// message is executed on one of the engines for each time that the lock is
/// held.
double lockedCycles(const std::vector<Stage> &stages, double rate,
                    const target::ChipParameters &chip) {
  double cycles = 0;
  for (const Stage &stage : stages) {
    const MessageCost &cost = stage.cost;
    double contexts = contextsOf(stage, chip), engines = stage.engines;
    double others = (contexts - 1) / contexts;
    double busy = std::min(1.0, rate * stage.messages * cost.issue / engines);
    double wait =
        std::min(cost.lockedSwaps * busy * others * residualSegment(cost),
                 cost.issue / engines);
    cycles += stage.messages * (cost.locked + wait);
  }
  return cycles;
}

/// A limit on packets a cycle, and its name.
struct Limit {
  LimitKind kind;
  double rate;
  std::string name;
};

/// The limits that do not come from queueing.
std::vector<Limit> hardLimits(const std::vector<Stage> &stages,
                              const target::ChipParameters &chip,
                              const Frames &frames, const Fit &fit) {
  std::vector<Limit> limits;
  double clock = double(chip.meClockHz);
  double sent = stages.back().messages;
  auto busiest = [&](double in, double out) { // of both directions
    return std::min(in, out / sent);
  };
  unsigned sentBytes = frames.bytes + frames.bytesAdded;
  limits.push_back({LimitKind::Ports,
                    busiest(target::portPacketsPerSecond(chip, frames.bytes),
                            target::portPacketsPerSecond(chip, sentBytes)) /
                        clock,
                    "ports"});
  limits.push_back({LimitKind::MediaBus,
                    busiest(1 / target::mediaBusCycles(chip, frames.bytes),
                            1 / target::mediaBusCycles(chip, sentBytes)),
                    "media bus"});
  for (size_t u = 0; u < sharedUnitCount; ++u)
    if (double busy = busyOf(stages, SharedUnit(u)); busy > 0)
      limits.push_back({LimitKind::Unit, (1 - fit.unitLoss) / busy,
                        limitName(SharedUnit(u))});
  limits.push_back({LimitKind::Locks, lockRate(stages, chip), "locks"});
  for (size_t i = 0; i + runtimeStages < stages.size(); ++i) {
    const Stage &stage = stages[i];
    double perEngine = stage.engines / std::max(stage.messages, 1e-9);
    limits.push_back({LimitKind::Engines,
                      perEngine / std::max(stage.cost.issue, 1e-9),
                      "engines of " + stage.name});
    limits.push_back({LimitKind::Contexts,
                      perEngine * contextsOf(stage, chip) /
                          std::max(stage.cost.issue + stage.cost.latency, 1e-9),
                      "contexts of " + stage.name});
  }
  return limits;
}

/// The last stage that does not keep up with `rate` packets a cycle, or null.
const Stage *findSlow(const std::vector<Stage> &stages, double rate,
                      const target::ChipParameters &chip, const Fit &fit) {
  for (size_t i = stages.size(); i-- > 0;)
    if (stageRate(stages, i, rate, chip, fit) < rate * stages[i].messages)
      return &stages[i];
  return nullptr;
}

} // namespace

unsigned Frames::mpacketsSent() const {
  // A frame is sent in whole quadwords from the one in which it begins, and
  // bytes that are added move its begin.
  constexpr unsigned quadwordBytes = 8;
  unsigned added = (bytesAdded + quadwordBytes - 1) & ~(quadwordBytes - 1);
  return target::mpacketsOf(bytes - target::FrameCrcBytes + added);
}

double engineRate(const MessageCost &cost, const target::ChipParameters &chip) {
  double contexts = double(chip.meContexts);
  return std::min(1 / std::max(cost.issue, 1e-9),
                  contexts / std::max(cost.issue + cost.latency, 1e-9));
}

double lockRate(const std::vector<Stage> &stages,
                const target::ChipParameters &chip) {
  double free = lockedCycles(stages, 0, chip);
  if (free <= 0)
    return std::numeric_limits<double>::infinity();
  double low = 0, high = 1 / free;
  for (unsigned step = 0; step < 40; ++step) {
    double middle = (low + high) / 2;
    (middle * lockedCycles(stages, middle, chip) < 1 ? low : high) = middle;
  }
  return high;
}

Prediction predict(const std::vector<Stage> &program,
                   const target::ChipParameters &chip, const Frames &frames,
                   const Fit &fit) {
  for (const Stage &stage : program)
    KARAKAL_ASSERT(stage.engines > 0 && stage.messages > 0,
                   "a stage has an engine and takes messages");
  std::vector<Stage> stages = withRuntime(program, frames, chip);
  KARAKAL_ASSERT(stages.size() == program.size() + runtimeStages,
                 "Rx and Tx are the last stages");
  Prediction prediction;
  for (size_t u = 0; u < sharedUnitCount; ++u)
    prediction.unitUtilization[u] = busyOf(stages, SharedUnit(u));
  for (uint32_t channel = 0; channel < chip.sramChannels; ++channel)
    joinPorts(stages, target::readPort(channel), target::writePort(channel));
  joinBanks(stages, chip);
  std::vector<Limit> limits = hardLimits(stages, chip, frames, fit);
  auto least = std::min_element(
      limits.begin(), limits.end(),
      [](const Limit &a, const Limit &b) { return a.rate < b.rate; });
  double low = 0, high = least->rate;
  prediction.limitedBy = least->kind;
  prediction.bottleneck = least->name;
  if (!findSlow(stages, high, chip, fit))
    low = high;
  for (unsigned step = 0; step < 40 && high - low > 1e-9 * high; ++step) {
    double middle = (low + high) / 2;
    const Stage *slow = findSlow(stages, middle, chip, fit);
    (slow ? high : low) = middle;
    if (slow && slow >= &stages[program.size()]) { // before any limit
      prediction.limitedBy = LimitKind::Runtime;
      prediction.bottleneck = slow->name;
    }
  }
  KARAKAL_ASSERT(low >= 0 && low <= least->rate,
                 "no rate exceeds the least limit");
  prediction.packetsPerSecond = low * double(chip.meClockHz);
  for (const Stage &stage : program)
    prediction.stageUtilization.push_back(
        std::min(1.0, low * stage.messages * stage.cost.issue / stage.engines));
  for (double &busy : prediction.unitUtilization)
    busy = std::min(1.0, low * busy);
  return prediction;
}

} // namespace karakal::agg
