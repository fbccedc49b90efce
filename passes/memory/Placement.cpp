// The placement of structures in memories.
//
// Branch and bound places the structures with the most load first, each in the
// cheapest memory first. The bound of the rest is the sum of the least latency
// of each structure and the least queueing delay if the remaining load could be
// spread over the memories continuously, into each at the extra latency of its
// cheapest structure.

#include "passes/memory/Placement.h"
#include "support/Assert.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <limits>
#include <numeric>

namespace karakal::passes {

namespace {

constexpr double tolerance = 1e-5;
constexpr uint64_t nodesMax = 3'000'000;
constexpr double infinite = std::numeric_limits<double>::infinity();

/// The load of the memories by a partial assignment.
struct Partial {
  std::vector<double> busy;
  std::vector<uint64_t> bytes;
};

/// The terms of the objective and the constraints.
class Costs {
public:
  explicit Costs(const PlacementProblem &problem) : problem(problem) {}

  size_t itemCount() const { return problem.items.size(); }
  size_t memoryCount() const { return problem.memories.size(); }

  double latency(size_t item, size_t memory) const {
    return problem.items[item].accesses *
           problem.memories[memory].latencyCycles;
  }
  double load(size_t item, size_t memory) const {
    const PlacementMemory &m = problem.memories[memory];
    const PlacementItem &i = problem.items[item];
    return i.accesses * m.opCycles + i.words * m.wordCycles;
  }
  double queue(double busy) const {
    return busy * busy * problem.packetsPerCycle / 2;
  }

  Partial start() const {
    Partial partial;
    for (const PlacementMemory &memory : problem.memories) {
      partial.busy.push_back(memory.busyCycles);
      partial.bytes.push_back(0);
    }
    return partial;
  }
  bool fits(const Partial &partial, size_t item, size_t memory) const {
    const PlacementMemory &m = problem.memories[memory];
    const PlacementItem &i = problem.items[item];
    return (i.allowed >> memory & 1) &&
           partial.bytes[memory] + i.bytes <= m.bytes;
  }
  void add(Partial &partial, size_t item, size_t memory, int sign = 1) const {
    KARAKAL_ASSERT(sign > 0 ||
                       partial.bytes[memory] >= problem.items[item].bytes,
                   "an item is removed from the memory that holds it");
    partial.busy[memory] += sign * load(item, memory);
    partial.bytes[memory] += sign * problem.items[item].bytes;
  }
  /// Returns what `item` in `memory` adds to the objective.
  double added(const Partial &partial, size_t item, size_t memory) const {
    double before = partial.busy[memory];
    return latency(item, memory) + queue(before + load(item, memory)) -
           queue(before);
  }

private:
  const PlacementProblem &problem;
};

/// Returns the items by descending load, then by descending size.
std::vector<size_t> orderOf(const PlacementProblem &problem) {
  std::vector<size_t> order(problem.items.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const PlacementItem &x = problem.items[a], &y = problem.items[b];
    double loadX = x.accesses + x.words, loadY = y.accesses + y.words;
    return loadX != loadY ? loadX > loadY : x.bytes > y.bytes;
  });
  return order;
}

/// Returns the least cost of spreading `volume` continuously over memories with
/// the load `busy`, each at the cost `price` per unit of volume plus queueing.
double pour(double volume, const std::vector<double> &busy,
            const std::vector<double> &price, double rate) {
  // The marginal cost of memory m at load b is price + b * rate. Raise the
  // common marginal cost until the volume is placed.
  std::vector<size_t> open;
  for (size_t m = 0; m < busy.size(); ++m)
    if (price[m] < infinite)
      open.push_back(m);
  auto startOf = [&](size_t m) { return price[m] + busy[m] * rate; };
  std::sort(open.begin(), open.end(),
            [&](size_t a, size_t b) { return startOf(a) < startOf(b); });
  if (open.empty() || volume <= 0)
    return 0;
  double sum = 0, marginal = 0;
  size_t used = 0;
  while (used < open.size()) {
    sum += startOf(open[used++]);
    marginal = (volume * rate + sum) / double(used);
    if (used == open.size() || marginal <= startOf(open[used]))
      break;
  }
  double cost = 0;
  for (size_t k = 0; k < used; ++k) {
    size_t m = open[k];
    double share = (marginal - startOf(m)) / rate;
    cost +=
        price[m] * share +
        ((busy[m] + share) * (busy[m] + share) - busy[m] * busy[m]) * rate / 2;
  }
  return cost;
}

class Search {
public:
  Search(const PlacementProblem &problem, PlacementResult incumbent)
      : problem(problem), costs(problem), best(std::move(incumbent)),
        order(orderOf(problem)), choice(problem.items.size()),
        bestCost(best.memoryOf.empty() ? infinite : best.waitCycles) {}

  PlacementResult run() {
    Partial partial = costs.start();
    double cost = 0;
    for (double busy : partial.busy)
      cost += costs.queue(busy);
    visit(0, partial, cost);
    best.isExact = nodes < nodesMax;
    return best;
  }

private:
  double boundOfRest(size_t depth, const Partial &partial) const;
  void visit(size_t depth, Partial &partial, double cost);

  const PlacementProblem &problem;
  Costs costs;
  PlacementResult best;
  std::vector<size_t> order;
  std::vector<unsigned> choice;
  double bestCost;
  uint64_t nodes = 0;
};

double Search::boundOfRest(size_t depth, const Partial &partial) const {
  double latency = 0, volume = 0;
  std::vector<double> price(costs.memoryCount(), infinite);
  for (size_t k = depth; k < order.size(); ++k) {
    size_t item = order[k];
    double least = infinite, leastLoad = infinite;
    for (size_t m = 0; m < costs.memoryCount(); ++m)
      if (costs.fits(partial, item, m)) {
        least = std::min(least, costs.latency(item, m));
        leastLoad = std::min(leastLoad, costs.load(item, m));
      }
    if (least == infinite)
      return infinite;
    latency += least;
    volume += leastLoad;
    for (size_t m = 0; m < costs.memoryCount(); ++m)
      if (costs.fits(partial, item, m)) {
        double load = costs.load(item, m);
        double extra = costs.latency(item, m) - least;
        price[m] = std::min(price[m], load > 0 ? extra / load : 0);
      }
  }
  return latency + pour(volume, partial.busy, price, problem.packetsPerCycle);
}

void Search::visit(size_t depth, Partial &partial, double cost) {
  if (++nodes >= nodesMax)
    return;
  if (depth == order.size()) {
    if (cost < bestCost) {
      bestCost = cost;
      best.memoryOf = choice;
      best.waitCycles = cost;
    }
    return;
  }
  if (cost + boundOfRest(depth, partial) >= bestCost * (1 - tolerance))
    return;
  size_t item = order[depth];
  std::vector<std::pair<double, size_t>> ways;
  for (size_t m = 0; m < costs.memoryCount(); ++m)
    if (costs.fits(partial, item, m))
      ways.push_back({costs.added(partial, item, m), m});
  std::sort(ways.begin(), ways.end());
  for (auto [added, memory] : ways) {
    costs.add(partial, item, memory);
    choice[item] = unsigned(memory);
    visit(depth + 1, partial, cost + added);
    costs.add(partial, item, memory, -1);
  }
}

/// Improves an assignment by moves and swaps while they help.
class Improver {
public:
  Improver(const PlacementProblem &problem, std::vector<unsigned> &memoryOf)
      : costs(problem), memoryOf(memoryOf), partial(costs.start()) {
    for (size_t item = 0; item < memoryOf.size(); ++item)
      costs.add(partial, item, memoryOf[item]);
  }

  void run() {
    constexpr unsigned iterationsMax = 100;
    for (unsigned i = 0; i < iterationsMax; ++i)
      if (!moveOne() && !swapTwo())
        return;
  }

private:
  double removal(size_t item) {
    costs.add(partial, item, memoryOf[item], -1);
    return costs.added(partial, item, memoryOf[item]);
  }
  bool moveOne() {
    bool helped = false;
    for (size_t item = 0; item < memoryOf.size(); ++item) {
      double least = removal(item) - 1e-9;
      unsigned target = memoryOf[item];
      for (unsigned m = 0; m < costs.memoryCount(); ++m)
        if (costs.fits(partial, item, m) &&
            costs.added(partial, item, m) < least) {
          least = costs.added(partial, item, m);
          target = m;
          helped = true;
        }
      memoryOf[item] = target;
      costs.add(partial, item, target);
    }
    return helped;
  }
  bool swapTwo() {
    for (size_t a = 0; a < memoryOf.size(); ++a)
      for (size_t b = a + 1; b < memoryOf.size(); ++b)
        if (memoryOf[a] != memoryOf[b] && trySwap(a, b))
          return true;
    return false;
  }
  bool trySwap(size_t a, size_t b) {
    double before = removal(a);
    before += removal(b);
    unsigned toA = memoryOf[b], toB = memoryOf[a];
    bool fits = costs.fits(partial, a, toA) && costs.fits(partial, b, toB);
    bool helps =
        fits && costs.added(partial, a, toA) + costs.added(partial, b, toB) <
                    before - 1e-9;
    if (helps)
      std::swap(memoryOf[a], memoryOf[b]);
    costs.add(partial, a, memoryOf[a]);
    costs.add(partial, b, memoryOf[b]);
    return helps;
  }

  Costs costs;
  std::vector<unsigned> &memoryOf;
  Partial partial;
};

/// Places the items greedily in the given order. Returns false if one does not
/// fit.
bool greedy(const Costs &costs, const std::vector<size_t> &order,
            std::vector<unsigned> &memoryOf) {
  Partial partial = costs.start();
  for (size_t item : order) {
    double least = infinite;
    for (unsigned m = 0; m < costs.memoryCount(); ++m)
      if (costs.fits(partial, item, m) &&
          costs.added(partial, item, m) < least) {
        least = costs.added(partial, item, m);
        memoryOf[item] = m;
      }
    if (least == infinite)
      return false;
    costs.add(partial, item, memoryOf[item]);
  }
  return true;
}

} // namespace

double waitCycles(const PlacementProblem &problem,
                  const std::vector<unsigned> &memoryOf) {
  KARAKAL_ASSERT(memoryOf.size() == problem.items.size(),
                 "a memory for each item");
  Costs costs(problem);
  Partial partial = costs.start();
  double cycles = 0;
  for (size_t item = 0; item < memoryOf.size(); ++item) {
    cycles += costs.latency(item, memoryOf[item]);
    costs.add(partial, item, memoryOf[item]);
  }
  for (double busy : partial.busy)
    cycles += costs.queue(busy);
  return cycles;
}

PlacementResult placeQuickly(const PlacementProblem &problem) {
  Costs costs(problem);
  std::vector<size_t> byLoad = orderOf(problem), bySize = byLoad;
  std::stable_sort(bySize.begin(), bySize.end(), [&](size_t a, size_t b) {
    return problem.items[a].bytes > problem.items[b].bytes;
  });
  // What has the fewest memories to lie in comes first, so that others leave it
  // room there.
  std::vector<size_t> byFreedom = bySize;
  auto freedom = [&](size_t item) {
    return std::bitset<32>(problem.items[item].allowed).count();
  };
  std::stable_sort(byFreedom.begin(), byFreedom.end(),
                   [&](size_t a, size_t b) { return freedom(a) < freedom(b); });
  PlacementResult best;
  for (const std::vector<size_t> &order : {byLoad, bySize, byFreedom}) {
    std::vector<unsigned> memoryOf(problem.items.size());
    if (!greedy(costs, order, memoryOf))
      continue;
    Improver(problem, memoryOf).run();
    double cycles = waitCycles(problem, memoryOf);
    if (best.memoryOf.empty() || cycles < best.waitCycles) {
      best.memoryOf = memoryOf;
      best.waitCycles = cycles;
    }
  }
  return best;
}

PlacementResult placeExactly(const PlacementProblem &problem) {
  return Search(problem, placeQuickly(problem)).run();
}

PlacementResult place(const PlacementProblem &problem) {
  PlacementResult result = problem.items.size() <= exactPlacementMax
                               ? placeExactly(problem)
                               : placeQuickly(problem);
  Costs costs(problem);
  Partial partial = costs.start();
  for (size_t item = 0; item < result.memoryOf.size(); ++item) {
    KARAKAL_ASSERT(costs.fits(partial, item, result.memoryOf[item]),
                   "every item fits its memory");
    costs.add(partial, item, result.memoryOf[item]);
  }
  return result;
}

} // namespace karakal::passes
