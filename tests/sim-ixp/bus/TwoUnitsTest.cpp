// Do two units that share buses meet the closed formula?
//
// Engines 0 and 1 of a cluster load one unit, engines 2 and 3 another. Each
// context has one access at a time, so each unit is a closed loop of n
// contexts. Alone, it completes
//
//   own = min(n / iteration, engines / instructions, 1 / service, 1 / transfer)
//
// accesses per cycle, as in ThroughputTest. Iteration, service and the transfer
// (the cycles of an access on each bus) follow from the chip parameters.
//
// One context each: an access meets at most one transfer of the other unit on
// each bus that they share. It does so with a probability that is the bus's
// utilization, and then waits for half of the transfer on average (the residual
// service time). So an iteration takes
//
//   iteration + sum over shared buses of utilization * transfer / 2
//
// on average over all pairs. The two loops of a pair keep step with each other,
// so that a single pair can lie anywhere between no wait and the whole
// transfer.
//
// Many contexts: if both units' own rates fit on the shared buses, they reach
// them. Otherwise the busiest bus is always busy. It serves in the order of
// readiness, so every access waits equally long for it, whatever its unit. The
// wait follows from the rates, which must fill the bus:
//
//   rate = min(own, n / (iteration + wait)),  sum of rate * transfer = 1

#include "../OneEngine.h"
#include "sim-ixp/media/Msf.h"

#include <array>

using namespace karakal;
using namespace karakal::sim;
using namespace karakal::sim::testing;

namespace {

enum Bus { Commands, SPush, SPull, DPush, DPull, BusCount };

/// One kind of access to one unit.
struct Load {
  std::string name;
  Instruction access;
  uint32_t mask;  ///< signals
  double latency; ///< unloaded, from issue to signal
  double service; ///< cycles of the unit per access
  FunctionalUnit unit;
  std::array<double, BusCount> transfer{}; ///< cycles on each bus
  uint32_t address = 0;
};

/// Cycles around an access: the branch back, after the signal.
constexpr double branchCycles = 3;
/// Cycles of the engine per iteration: the command, the swap and the branch;
/// the last two have two slots each.
constexpr double instructions = 1 + 3 + 3;

} // namespace

class TwoUnits : public OneEngine {
protected:
  TwoUnits() { parameters.dramRefreshCycles = 0; }

  Load load(std::string name, Op op, uint32_t count, double latency,
            double service, double pushed, double pulled) {
    Load made;
    bool isDram = unitOf(op) == FunctionalUnit::Dram;
    bool isHash = unitOf(op) == FunctionalUnit::Hash;
    Operand xfer = isDram ? dXfer(0) : sXfer(0);
    made.name = std::move(name);
    made.access =
        withSignal(isHash ? target::command(op, xfer, none(), none(), count)
                          : target::command(op, xfer, gprA(1), gprB(15), count),
                   2);
    made.mask = isDram ? 12 : 4;
    made.latency = latency;
    made.service = service;
    made.unit = unitOf(op);
    made.transfer[Commands] = static_cast<double>(parameters.busCommandCycles);
    made.transfer[isDram ? DPush : SPush] = pushed * wordCycles(isDram);
    made.transfer[isDram ? DPull : SPull] = pulled * wordCycles(isDram);
    return made;
  }
  double wordCycles(bool isDram) const {
    return static_cast<double>(isDram ? parameters.busDramWordCycles
                                      : parameters.busPushWordCycles);
  }

  /// Accesses that return `words` words (the hash unit: `words` / 2 keys of two
  /// words, at most 3).
  std::vector<Load> reads(uint32_t words) {
    const ChipParameters &p = parameters;
    const double further = words - 1;
    const double word = wordCycles(false);
    const uint32_t quads = (words + 1) / 2;
    const uint32_t keys = std::clamp(words / 2, 1u, 3u);
    const double hashWords = 2 * keys;
    std::vector<Load> made;
    made.push_back(load(
        "scratch", Op::ScratchRead, words, p.scratchLatency + further * word,
        p.scratchOpCycles + further * p.scratchWordCycles, words, 0));
    for (uint32_t channel : {0u, 1u}) {
      made.push_back(load("sram" + std::to_string(channel), Op::SramRead, words,
                          p.sramLatency + further * p.sramWordCycles,
                          p.sramOpCycles + further * p.sramWordCycles, words,
                          0));
      made.back().address = channel << 30;
    }
    made.push_back(load("dram", Op::DramRead, quads,
                        p.dramLatency + (quads - 1) * 2 * wordCycles(true),
                        p.dramBankCycles + (quads - 1) * p.dramQuadCycles,
                        quads * 2, 0));
    made.push_back(load("hash", Op::Hash48, keys,
                        p.hashLatency + (keys - 1) * p.hashKeyCycles +
                            2 * (hashWords - 2) * word,
                        keys * p.hashKeyCycles, hashWords, hashWords));
    made.push_back(load("cap", Op::CapReadSum, words,
                        p.capLatency + further * word, words * p.busCycles,
                        words, 0));
    made.back().address = 0x5000;
    made.push_back(load("msf", Op::MsfRead, words,
                        p.msfLatency + further * word, 0, words, 0));
    made.back().address = MsfTxSequence;
    return made;
  }

  /// Accesses that take `words` words. Their signal comes with the last of
  /// them, whatever the unit has still to do, but when its inlet is full, a
  /// write waits for the bank.
  std::vector<Load> writes(uint32_t words) {
    const ChipParameters &p = parameters;
    const double latency =
        p.busRequestCycles + p.busReturnCycles + words * wordCycles(false);
    const uint32_t quads = (words + 1) / 2;
    std::vector<Load> made;
    made.push_back(
        load("scratch write", Op::ScratchWrite, words, latency, 0, 0, words));
    made.push_back(
        load("sram write", Op::SramWrite, words, latency, 0, 0, words));
    made.push_back(load(
        "dram write", Op::DramWrite, quads,
        p.busRequestCycles + p.busReturnCycles + quads * 2 * wordCycles(true),
        p.dramBankCycles + (quads - 1) * p.dramQuadCycles, 0, quads * 2));
    made.push_back(
        load("cap write", Op::CapWriteSum, words, latency, 0, 0, words));
    made.back().address = 0x6000;
    made.push_back(
        load("msf write", Op::MsfWrite, words, latency, 0, 0, words));
    made.back().address = 0x200; // registers that only store
    return made;
  }

  static double iteration(const Load &load) {
    return std::max(load.latency + branchCycles, load.service);
  }

  /// Starts `contexts` contexts of `load` on an engine.
  void start(const Load &load, uint32_t engine, uint32_t contexts) {
    Program program;
    loadConstant(program, gprA(1), load.address);
    auto loop = static_cast<unsigned>(program.size());
    program.insert(program.end(),
                   {load.access, ctxArb(load.mask), branch(Op::Br, loop)});
    OneEngine::load(program, engine, (1u << contexts) - 1);
  }

  /// The accesses per cycle of two units, each with `contexts` contexts on each
  /// of `engines` engines of cluster 0.
  std::array<double, 2> measure(const Load &first, const Load &second,
                                uint32_t engines, uint32_t contexts) {
    TrafficSource source({{0, 0, std::vector<uint8_t>(60)}}, {});
    chip = std::make_unique<Chip>(parameters, observer);
    Msf msf(chip->chassis(), observer, source);
    chip->connectMedia(&msf);
    for (uint32_t engine = 0; engine < engines; ++engine) {
      start(first, engine, contexts);
      start(second, 2 + engine, contexts);
    }
    constexpr uint64_t begin = 5000, cycles = 100000;
    std::array<double, 2> rates{};
    for (uint64_t cycle : {begin, begin + cycles}) {
      chip->runTo(cycle);
      for (uint32_t engine = 0; engine < 4; ++engine) {
        double commands = static_cast<double>(
            chip->engine(engine).countersAt(cycle).commands);
        rates[engine / 2] += cycle == begin ? -commands : commands;
      }
    }
    EXPECT_EQ(observer.fault, "") << first.name << " and " << second.name;
    chip.reset();
    return {rates[0] / cycles, rates[1] / cycles};
  }

  /// The mean iteration of one context of `load` beside one of `other`.
  static double lightlyLoaded(const Load &load, const Load &other) {
    double cycles = iteration(load);
    for (uint32_t bus = 0; bus < BusCount; ++bus)
      if (load.transfer[bus] > 0)
        cycles +=
            other.transfer[bus] * other.transfer[bus] / 2 / iteration(other);
    return cycles;
  }

  static double ownLimit(const Load &load, uint32_t engines,
                         uint32_t contexts) {
    double limit =
        std::min(engines * contexts / iteration(load), engines / instructions);
    if (load.service > 0)
      limit = std::min(limit, 1 / load.service);
    for (double cycles : load.transfer)
      if (cycles > 0)
        limit = std::min(limit, 1 / cycles);
    return limit;
  }

  /// Cycles that one context of `other` can add to an iteration of `load`.
  static double longestWait(const Load &load, const Load &other) {
    double cycles = 0;
    for (uint32_t bus = 0; bus < BusCount; ++bus)
      if (load.transfer[bus] > 0)
        cycles += other.transfer[bus];
    return cycles;
  }

  /// Rates of two units, with `contexts` on each of 2 engines, if each access
  /// waits for `wait` cycles.
  static std::array<double, 2> ratesAt(const Load &first, const Load &second,
                                       uint32_t contexts, double wait) {
    auto rate = [&](const Load &load) {
      return std::min(ownLimit(load, 2, contexts),
                      2 * contexts / (iteration(load) + wait));
    };
    return {rate(first), rate(second)};
  }

  /// The utilization of the busiest bus.
  static double busiest(const Load &first, const Load &second,
                        const std::array<double, 2> &rates) {
    double share = 0;
    for (uint32_t bus = 0; bus < BusCount; ++bus)
      share = std::max(share, rates[0] * first.transfer[bus] +
                                  rates[1] * second.transfer[bus]);
    return share;
  }

  /// The rates of the formula for many contexts.
  static std::array<double, 2>
  heavilyLoaded(const Load &first, const Load &second, uint32_t contexts) {
    double wait = 0;
    for (double step = 1024; step > 0.01; step /= 2)
      if (busiest(first, second,
                  ratesAt(first, second, contexts, wait + step)) > 1)
        wait += step;
    return ratesAt(first, second, contexts, wait);
  }

  /// Pairs of loads of different units; a channel of SRAM is a unit.
  static std::vector<std::pair<Load, Load>>
  pairs(const std::vector<Load> &loads) {
    std::vector<std::pair<Load, Load>> made;
    for (size_t i = 0; i < loads.size(); ++i)
      for (size_t k = 0; k < i; ++k)
        if (loads[i].unit != loads[k].unit ||
            loads[i].address >> 30 != loads[k].address >> 30)
          made.push_back({loads[k], loads[i]});
    return made;
  }
};

TEST_F(TwoUnits, AScratchReadIsNotDelayedByAnIdleBus) {
  // One context reads scratch, another one SRAM: its word takes 2 cycles of
  // the bus out of 93.
  std::vector<Load> loads = reads(1);
  std::array<double, 2> rates = measure(loads[0], loads[1], 1, 1);
  EXPECT_NEAR(1 / rates[0], 63, 0.2);
  EXPECT_NEAR(1 / rates[1], 93, 0.2);
}

TEST_F(TwoUnits, AFewAccessesWaitForTheResidualTransferOnly) {
  double excess = 0;
  uint32_t count = 0;
  for (uint32_t words : {1u, 2u, 4u, 8u}) {
    std::vector<Load> loads = reads(words);
    std::vector<Load> others = writes(words);
    loads.insert(loads.end(), others.begin(), others.end());
    for (const auto &[first, second] : pairs(loads)) {
      std::array<double, 2> rates = measure(first, second, 1, 1);
      auto expect = [&](const Load &load, const Load &other, double rate) {
        SCOPED_TRACE(load.name + " beside " + other.name + ", " +
                     std::to_string(words) + " words");
        EXPECT_GE(1 / rate, iteration(load) - 0.3);
        EXPECT_LE(1 / rate, iteration(load) + longestWait(load, other) + 0.3);
        excess += 1 / rate - lightlyLoaded(load, other);
        ++count;
      };
      expect(first, second, rates[0]);
      expect(second, first, rates[1]);
    }
  }
  EXPECT_GT(count, 400u);
  EXPECT_NEAR(excess / count, 0, 0.5);
}

TEST_F(TwoUnits, ManyAccessesReachTheirLimitsOrFillABus) {
  uint32_t filled = 0;
  for (uint32_t words : {1u, 2u, 4u, 8u})
    for (const auto &[first, second] : pairs(reads(words))) {
      std::array<double, 2> rates = measure(first, second, 2, 8);
      std::array<double, 2> formula = heavilyLoaded(first, second, 8);
      SCOPED_TRACE(first.name + " beside " + second.name + ", " +
                   std::to_string(words) + " words");
      EXPECT_NEAR(rates[0] / formula[0], 1, 0.03);
      EXPECT_NEAR(rates[1] / formula[1], 1, 0.03);
      filled += busiest(first, second, formula) > 0.99;
    }
  // The pairs test both cases.
  EXPECT_GT(filled, 20u);
}

TEST_F(TwoUnits, RunsAreEqual) {
  std::vector<Load> loads = reads(4);
  for (const auto &[first, second] : pairs(loads))
    EXPECT_EQ(measure(first, second, 2, 8), measure(first, second, 2, 8));
}
