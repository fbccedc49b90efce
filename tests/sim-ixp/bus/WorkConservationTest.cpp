// Is any bus idle while a transfer is ready?
//
// Units of random speed share the buses of eight engines. Every transfer is
// recorded with the cycle at which it was ready and the cycles in which it had
// the bus. On each bus
//
//   - transfers do not overlap, and none begins before it is ready;
//   - the bus is idle only while no transfer is ready;
//   - transfers begin in the order of readiness;
//   - those of one unit keep their order.
//
// The same order is then asked of the chip's own units.

#include "../UnitAlone.h"
#include "sim-ixp/bus/Cap.h"
#include "sim-ixp/memory/Dram.h"
#include "sim-ixp/memory/Hash.h"
#include "sim-ixp/memory/Scratch.h"
#include "sim-ixp/memory/Sram.h"
#include "target-ixp/chip/ChipParameters.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <random>
#include <tuple>

using namespace karakal;
using namespace karakal::sim;
using target::Op;

namespace {

using Random = std::mt19937_64;

uint64_t drawn(Random &random, uint64_t least, uint64_t most) {
  return least + random() % (most - least + 1);
}

/// A transfer on a bus, in the order of requests.
struct Transfer {
  uint32_t bus = 0; ///< cluster, or 2 for the D bus
  uint32_t unit = 0;
  uint64_t ready = 0;
  uint64_t cycles = 0;
  uint64_t begin = Scheduler::never;
};

/// The four rules, for the transfers of one bus.
void checkBus(const std::vector<Transfer> &requested) {
  std::map<uint32_t, uint64_t> lastOfUnit;
  for (const Transfer &transfer : requested) {
    ASSERT_NE(transfer.begin, Scheduler::never) << "it never ended";
    ASSERT_GE(transfer.begin, transfer.ready);
    auto [last, isFirst] = lastOfUnit.insert({transfer.unit, transfer.begin});
    if (!isFirst)
      ASSERT_LT(last->second, transfer.begin) << "unit " << transfer.unit;
    last->second = transfer.begin;
  }
  std::vector<Transfer> granted = requested;
  std::sort(
      granted.begin(), granted.end(),
      [](const Transfer &a, const Transfer &b) { return a.begin < b.begin; });
  uint64_t free = 0, lastReady = 0;
  for (const Transfer &transfer : granted) {
    ASSERT_GE(transfer.begin, free) << "two transfers overlap";
    ASSERT_GE(transfer.ready, lastReady) << "not in the order of readiness";
    // In this order the next transfer is the first one that is ready.
    ASSERT_EQ(transfer.begin, std::max(free, transfer.ready))
        << "the bus was idle";
    free = transfer.begin + transfer.cycles;
    lastReady = transfer.ready;
  }
}

/// Serves commands in order, each after a random time. The time from service to
/// data is random, too, but results do not overtake each other.
class RandomUnit final : public CommandUnit, public EventTarget {
public:
  RandomUnit(uint32_t number, Chassis &chassis, uint64_t seed,
             std::vector<Transfer> &pushes, std::vector<Transfer> &pulls)
      : number(number), chassis(chassis), random(seed),
        serviceMost(drawn(random, 0, 20)), delayLeast(drawn(random, 0, 150)),
        delayMost(delayLeast + drawn(random, 0, 60)), pushes(pushes),
        pulls(pulls) {}

  void accept(Command &command) override {
    uint64_t now = chassis.scheduler().now();
    uint64_t ready = now;
    if (drawn(random, 0, 2) == 0) {
      uint32_t words = drawn(random, 1, 16);
      bool isDram = command.kind == TransferKind::D;
      uint64_t cycles = words * wordCycles(isDram);
      ready = chassis.pull(command, words, this, false);
      pulls.push_back({busOf(command), number, now, cycles,
                       ready - chassis.parameters().busReturnCycles - cycles});
      pulledAt[&command] = ready;
    }
    free = std::max(free, ready) + drawn(random, 0, serviceMost);
    chassis.scheduler().schedule(free, this, 0, eventArgument(command));
  }

  void onPulled(Command &command) override {
    EXPECT_EQ(chassis.scheduler().now(), pulledAt[&command]);
  }

  void onEvent(uint64_t cycle, uint32_t, uint64_t argument) override {
    Command &command = commandOf(argument);
    bool isDram = command.kind == TransferKind::D;
    uint32_t words = drawn(random, 1, 16);
    lastReady =
        std::max(lastReady, cycle + drawn(random, delayLeast, delayMost));
    command.data[0] = static_cast<uint32_t>(pushes.size());
    pushes.push_back(
        {busOf(command), number, lastReady, words * wordCycles(isDram)});
    chassis.push(command, words, lastReady);
  }

  /// A push that no command asked for.
  void autopush() {
    uint32_t words = drawn(random, 1, 4);
    uint32_t engine = drawn(random, 0, 7);
    lastReady = std::max(lastReady, chassis.scheduler().now() +
                                        drawn(random, delayLeast, delayMost));
    uint32_t data[4] = {static_cast<uint32_t>(pushes.size())};
    pushes.push_back(
        {engine / 4, number, lastReady, words * wordCycles(false)});
    chassis.autopush(engine, 0, 0, data, words, 1, lastReady);
  }

private:
  static uint32_t busOf(const Command &command) {
    return command.kind == TransferKind::D ? 2 : command.engine / 4;
  }
  uint64_t wordCycles(bool isDram) const {
    return isDram ? chassis.parameters().busDramWordCycles
                  : chassis.parameters().busPushWordCycles;
  }

  uint32_t number;
  Chassis &chassis;
  Random random;
  uint64_t serviceMost, delayLeast, delayMost;
  std::vector<Transfer> &pushes, &pulls;
  std::map<Command *, uint64_t> pulledAt;
  uint64_t free = 0, lastReady = 0;
};

/// A chassis, random units and engines that send random commands.
class RandomBuses : public EventTarget, public CommandObserver {
public:
  explicit RandomBuses(uint64_t seed) : random(seed) {
    parameters.busPushWordCycles = drawn(random, 1, 4);
    parameters.busDramWordCycles = drawn(random, 1, 4);
    parameters.busCommandCycles = drawn(random, 1, 3);
    chassis = std::make_unique<Chassis>(scheduler, parameters);
    chassis->observe(this);
    for (uint32_t engine = 0; engine < 8; ++engine)
      chassis->connectEngine(engine, &engines[engine]);
    for (uint32_t unit = 0; unit < unitCount; ++unit) {
      units.push_back(std::make_unique<RandomUnit>(unit, *chassis, random(),
                                                   pushes, pulls));
      chassis->connectUnit(target::unitOf(operations[unit]), units[unit].get());
    }
    uint64_t cycle = 0;
    uint64_t gapMost = drawn(random, 1, 40);
    for (uint32_t i = 0; i < 400; ++i) {
      cycle += drawn(random, 0, gapMost);
      scheduler.schedule(cycle, this, 0, drawn(random, 0, unitCount));
    }
    while (scheduler.nextCycle() != Scheduler::never)
      scheduler.runNext();
  }

  void onEvent(uint64_t, uint32_t, uint64_t unit) override {
    if (unit == unitCount)
      return units[drawn(random, 0, unitCount - 1)]->autopush();
    Command &command = chassis->allocate();
    command = Command();
    command.op = operations[unit];
    command.engine = static_cast<uint8_t>(drawn(random, 0, 7));
    command.signal = 1;
    command.kind =
        operations[unit] == Op::DramRead ? TransferKind::D : TransferKind::S;
    ++commands[command.engine / 4];
    ASSERT_TRUE(chassis->issue(command));
  }

  void onCommand(uint64_t cycle, const Command &command, bool isEnd) override {
    if (!isEnd)
      return;
    Transfer &transfer = pushes[command.data[0]];
    uint64_t word = transfer.bus == 2 ? parameters.busDramWordCycles
                                      : parameters.busPushWordCycles;
    uint64_t path = std::max(parameters.busReturnCycles, word) - word;
    transfer.begin = cycle - path - transfer.cycles;
  }

  /// The transfers of one bus.
  static std::vector<Transfer> of(const std::vector<Transfer> &all,
                                  uint32_t bus) {
    std::vector<Transfer> chosen;
    for (const Transfer &transfer : all)
      if (transfer.bus == bus)
        chosen.push_back(transfer);
    return chosen;
  }

  std::vector<Transfer> pushes, pulls;
  /// Commands of each cluster.
  std::array<uint64_t, 2> commands{};
  const Chassis &buses() const { return *chassis; }

private:
  static constexpr uint32_t unitCount = 6;
  static constexpr Op operations[unitCount] = {Op::SramRead, Op::ScratchRead,
                                               Op::DramRead, Op::CapRead,
                                               Op::Hash48,   Op::MsfRead};
  Random random;
  target::ChipParameters parameters;
  Scheduler scheduler;
  std::unique_ptr<Chassis> chassis;
  EngineStub engines[8];
  std::vector<std::unique_ptr<RandomUnit>> units;
};

TEST(WorkConservation, NoBusIsIdleWhileATransferIsReady) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomBuses run(seed);
    ASSERT_EQ(run.buses().inFlightCount(), 0u);
    for (uint32_t bus = 0; bus < 3; ++bus) {
      SCOPED_TRACE("bus " + std::to_string(bus));
      ASSERT_NO_FATAL_FAILURE(checkBus(RandomBuses::of(run.pushes, bus)));
      ASSERT_NO_FATAL_FAILURE(checkBus(RandomBuses::of(run.pulls, bus)));
    }
  }
}

uint64_t cyclesOf(const std::vector<Transfer> &all, uint32_t bus) {
  uint64_t cycles = 0;
  for (const Transfer &transfer : RandomBuses::of(all, bus))
    cycles += transfer.cycles;
  return cycles;
}

TEST(WorkConservation, ABusIsBusyForTheCyclesOfItsTransfers) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomBuses run(seed);
    for (uint32_t cluster = 0; cluster < 2; ++cluster)
      EXPECT_EQ(run.buses().commandBus(cluster).busyCycles(),
                run.commands[cluster] *
                    run.buses().parameters().busCommandCycles);
    for (uint32_t bus = 0; bus < 3; ++bus) {
      EXPECT_EQ(run.buses().pullBus(bus).busyCycles(),
                cyclesOf(run.pulls, bus));
      EXPECT_EQ(run.buses().pushBus(bus).busyCycles(),
                cyclesOf(run.pushes, bus));
    }
  }
}

TEST(WorkConservation, TheCasesHoldBothIdleAndContendedBuses) {
  uint64_t waiting = 0, immediate = 0;
  for (uint64_t seed = 0; seed < 100; ++seed)
    for (const Transfer &transfer : RandomBuses(seed).pushes)
      ++(transfer.begin > transfer.ready ? waiting : immediate);
  EXPECT_GT(waiting, 8000u);
  EXPECT_GT(immediate, 8000u);
}

//===----------------------------------------------------------------------===//
// The chip's units
//===----------------------------------------------------------------------===//

/// Sends random commands to the chip's units, and records which of them end.
class RandomCommands : public EventTarget, public CommandObserver {
public:
  /// With wide inlets, units take every command at once; otherwise, commands of
  /// one engine may wait while a later one of another engine finds a place.
  RandomCommands(uint64_t seed, bool hasWideInlets)
      : random(seed), hasWideInlets(hasWideInlets),
        parameters(parametersWith(hasWideInlets)),
        chassis(scheduler, parameters), scratch(chassis, faults),
        sram0(0, 1u << 20, chassis, faults),
        sram1(1, 1u << 20, chassis, faults),
        sram({&sram0, &sram1}, chassis, faults), hash(chassis, faults),
        cap(chassis) {
    chassis.observe(this);
    for (uint32_t engine = 0; engine < 8; ++engine)
      chassis.connectEngine(engine, &engines[engine]);
    chassis.connectUnit(target::FunctionalUnit::Scratch, &scratch);
    chassis.connectUnit(target::FunctionalUnit::Sram, &sram);
    chassis.connectUnit(target::FunctionalUnit::Hash, &hash);
    chassis.connectUnit(target::FunctionalUnit::Cap, &cap);
    sram0.makeRing(3, 0x1000, 512);
    sram1.makeRing(3, 0x1000, 512);
    uint64_t cycle = 0;
    uint64_t gapMost = drawn(random, 1, 30);
    for (uint32_t number = 0; number < 400; ++number) {
      cycle += drawn(random, 0, gapMost);
      scheduler.schedule(cycle, this, 0, number);
    }
    while (scheduler.nextCycle() != Scheduler::never)
      scheduler.runNext();
  }

  void onEvent(uint64_t, uint32_t, uint64_t number) override {
    constexpr Op operations[] = {
        Op::ScratchRead, Op::ScratchTestAdd, Op::SramRead, Op::SramTestAdd,
        Op::SramPut,     Op::Hash48,         Op::Hash128,  Op::CapRead};
    Command &command = chassis.allocate();
    command = Command();
    command.op = operations[drawn(random, 0, std::size(operations) - 1)];
    bool isHash = target::unitOf(command.op) == target::FunctionalUnit::Hash;
    bool isAtomic = target::isAtomic(target::wordAccess(command.op));
    bool isSram = target::unitOf(command.op) == target::FunctionalUnit::Sram;
    command.count =
        isAtomic ? 1 : static_cast<uint8_t>(drawn(random, 1, isHash ? 3 : 8));
    command.engine = static_cast<uint8_t>(drawn(random, 0, 7));
    command.signal = 2;
    command.pc = static_cast<uint16_t>(number);
    command.address = isSram ? drawn(random, 0, 1) << 30 : 0;
    if (command.op == Op::SramPut)
      command.address |= 3u << 24;
    words.push_back(command.op == Op::SramPut || isAtomic ? 1
                    : isHash
                        ? command.count * (command.op == Op::Hash128 ? 4u : 2u)
                        : command.count);
    ASSERT_TRUE(chassis.issue(command));
  }

  void onCommand(uint64_t cycle, const Command &command, bool isEnd) override {
    std::tuple<uint32_t, target::FunctionalUnit, uint32_t> queue(
        hasWideInlets ? command.engine / 4 : command.engine,
        target::unitOf(command.op), command.address >> 30);
    if (!isEnd) {
      issued[queue].push_back(command.pc);
      return;
    }
    ended[queue].push_back(command.pc);
    uint64_t begin = cycle - words[command.pc] * parameters.busPushWordCycles;
    uint64_t &free = lastEnd[command.engine / 4];
    EXPECT_GE(begin, free) << "two results overlap on a push bus";
    free = cycle;
  }

  /// The commands that each unit received from each cluster, or each engine,
  /// and those that it completed.
  std::map<std::tuple<uint32_t, target::FunctionalUnit, uint32_t>,
           std::vector<uint32_t>>
      issued, ended;
  FirstFault faults;

private:
  static target::ChipParameters parametersWith(bool hasWideInlets) {
    target::ChipParameters parameters;
    if (hasWideInlets)
      parameters.busInlet = 1024;
    return parameters;
  }

  Random random;
  bool hasWideInlets;
  target::ChipParameters parameters;
  Scheduler scheduler;
  Chassis chassis;
  Scratch scratch;
  Sram sram0, sram1;
  SramSelector sram;
  Hash hash;
  Cap cap;
  EngineStub engines[8];
  std::vector<uint32_t> words; ///< of the results, by command
  std::array<uint64_t, 2> lastEnd{};
};

TEST(WorkConservation, ResultsOfAUnitReachAClusterInTheOrderOfItsCommands) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomCommands run(seed, true);
    ASSERT_EQ(run.faults.first, "");
    ASSERT_EQ(run.issued.size(), 10u); // 5 units, 2 clusters
    ASSERT_EQ(run.ended, run.issued);
  }
}

TEST(WorkConservation, ResultsOfAUnitReachAnEngineInTheOrderOfItsCommands) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomCommands run(seed, false);
    ASSERT_EQ(run.faults.first, "");
    ASSERT_GE(run.issued.size(), 35u); // of 5 units and 8 engines
    ASSERT_EQ(run.ended, run.issued);
  }
}

TEST(WorkConservation, RunsAreEqual) {
  auto begins = [](uint64_t seed) {
    std::vector<uint64_t> cycles;
    for (const Transfer &transfer : RandomBuses(seed).pushes)
      cycles.push_back(transfer.begin);
    return cycles;
  };
  for (uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_EQ(begins(seed), begins(seed));
}

} // namespace
