// The placement of structures in memories: the exact search against all
// assignments, and the greedy method against the exact search.

#include "passes/memory/Placement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace karakal::passes {
namespace {

/// Memories like the chip's; `scale` shrinks them so that they fill.
std::vector<PlacementMemory> memories(double scale) {
  std::vector<PlacementMemory> list(4);
  list[0] = {"scratch", uint64_t(5888 * scale), 60, 2, 1, 62};
  list[1] = {"sram0", uint64_t(3.8e6 * scale), 90, 3, 3, 66};
  list[2] = {"sram1", uint64_t(4.1e6 * scale), 90, 3, 3, 0};
  list[3] = {"dram", uint64_t(23e6 * scale), 120, 8, 0, 64};
  return list;
}

PlacementProblem randomProblem(std::mt19937 &random, unsigned items,
                               double scale) {
  PlacementProblem problem;
  problem.memories = memories(scale);
  problem.packetsPerCycle = 1 / 123.0;
  std::uniform_real_distribution<double> unit(0, 1);
  for (unsigned i = 0; i < items; ++i) {
    PlacementItem item;
    item.bytes = uint64_t(8 * std::pow(10, 5 * unit(random)));
    bool isHot = unit(random) < 0.6;
    item.accesses = isHot ? 3 * unit(random) : 1e-5;
    item.words = item.accesses * (1 + unsigned(3 * unit(random)));
    if (unit(random) < 0.2 && item.bytes < 100000)
      item.allowed = 0b0111;
    problem.items.push_back(item);
  }
  return problem;
}

bool keepsConstraints(const PlacementProblem &problem,
                      const std::vector<unsigned> &memoryOf) {
  std::vector<uint64_t> bytes(problem.memories.size());
  for (size_t i = 0; i < memoryOf.size(); ++i) {
    if (!(problem.items[i].allowed >> memoryOf[i] & 1))
      return false;
    bytes[memoryOf[i]] += problem.items[i].bytes;
  }
  for (size_t m = 0; m < bytes.size(); ++m)
    if (bytes[m] > problem.memories[m].bytes)
      return false;
  return true;
}

/// The least objective over all assignments; infinite if none is allowed.
double bruteForce(const PlacementProblem &problem) {
  size_t count = 1;
  for (size_t i = 0; i < problem.items.size(); ++i)
    count *= problem.memories.size();
  double least = INFINITY;
  std::vector<unsigned> memoryOf(problem.items.size());
  for (size_t code = 0; code < count; ++code) {
    size_t rest = code;
    for (unsigned &memory : memoryOf) {
      memory = unsigned(rest % problem.memories.size());
      rest /= problem.memories.size();
    }
    if (keepsConstraints(problem, memoryOf))
      least = std::min(least, waitCycles(problem, memoryOf));
  }
  return least;
}

TEST(Placement, TheSearchFindsTheBestOfAllAssignments) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 150; ++round) {
    double scale = round % 3 == 0 ? 0.01 : round % 3 == 1 ? 0.1 : 1;
    PlacementProblem problem = randomProblem(random, 1 + round % 7, scale);
    PlacementResult found = placeExactly(problem);
    double least = bruteForce(problem);
    EXPECT_TRUE(found.isExact);
    ASSERT_EQ(found.memoryOf.empty(), std::isinf(least)) << "round " << round;
    if (found.memoryOf.empty())
      continue;
    EXPECT_TRUE(keepsConstraints(problem, found.memoryOf));
    EXPECT_NEAR(waitCycles(problem, found.memoryOf), found.waitCycles, 1e-6);
    EXPECT_LE(found.waitCycles, least * (1 + 1e-5)) << "round " << round;
  }
}

TEST(Placement, TheSearchOfThirtyStructuresIsExact) {
  std::mt19937 random(2);
  for (unsigned round = 0; round < 8; ++round) {
    PlacementProblem problem =
        randomProblem(random, exactPlacementMax, round % 2 ? 1 : 0.5);
    PlacementResult found = place(problem);
    EXPECT_TRUE(found.isExact) << "round " << round;
    EXPECT_FALSE(found.memoryOf.empty()) << "round " << round;
  }
}

TEST(Placement, TheGreedyMethodIsWithinTwoPercent) {
  std::mt19937 random(3);
  double worst = 1;
  for (unsigned round = 0; round < 60; ++round) {
    PlacementProblem problem =
        randomProblem(random, 5 + round % 26, round % 2 ? 1 : 0.3);
    PlacementResult exact = placeExactly(problem);
    PlacementResult quick = placeQuickly(problem);
    ASSERT_EQ(exact.memoryOf.empty(), quick.memoryOf.empty());
    if (exact.memoryOf.empty())
      continue;
    EXPECT_TRUE(keepsConstraints(problem, quick.memoryOf));
    worst = std::max(worst, quick.waitCycles / exact.waitCycles);
  }
  EXPECT_LE(worst, 1.02);
  EXPECT_GT(worst, 1.00001) << "the search improves nothing";
  RecordProperty("worst", std::to_string(worst));
}

TEST(Placement, NoMoveAndNoSwapImprovesTheGreedyMethod) {
  std::mt19937 random(5);
  unsigned tried = 0;
  for (unsigned round = 0; round < 40; ++round) {
    PlacementProblem problem =
        randomProblem(random, 10 + round % 20, round % 2 ? 0.1 : 0.02);
    PlacementResult quick = placeQuickly(problem);
    if (quick.memoryOf.empty())
      continue;
    ++tried;
    double least = quick.waitCycles - 1e-6;
    auto expectNoBetter = [&](const std::vector<unsigned> &memoryOf) {
      if (keepsConstraints(problem, memoryOf))
        EXPECT_GE(waitCycles(problem, memoryOf), least) << "round " << round;
    };
    std::vector<unsigned> other = quick.memoryOf;
    for (size_t a = 0; a < other.size(); ++a) {
      for (unsigned m = 0; m < problem.memories.size(); ++m) {
        other[a] = m;
        expectNoBetter(other);
      }
      other[a] = quick.memoryOf[a];
      for (size_t b = a + 1; b < other.size(); ++b) {
        std::swap(other[a], other[b]);
        expectNoBetter(other);
        std::swap(other[a], other[b]);
      }
    }
  }
  EXPECT_GT(tried, 10u);
}

TEST(Placement, ManyStructuresArePlacedQuickly) {
  std::mt19937 random(4);
  PlacementProblem problem = randomProblem(random, 300, 10);
  PlacementResult found = place(problem);
  EXPECT_FALSE(found.isExact);
  EXPECT_TRUE(keepsConstraints(problem, found.memoryOf));
}

TEST(Placement, AStructureMayFillAMemory) {
  for (uint64_t bytes : {99u, 100u, 101u}) {
    PlacementProblem problem;
    problem.memories = {{"small", 100, 60, 2, 2, 0},
                        {"large", 1000, 90, 3, 3, 0}};
    problem.packetsPerCycle = 1 / 123.0;
    problem.items.push_back({bytes, 1, 1, ~0u});
    ASSERT_EQ(place(problem).memoryOf.size(), 1u);
    EXPECT_EQ(place(problem).memoryOf[0], bytes <= 100 ? 0u : 1u) << bytes;
    problem.memories.pop_back();
    EXPECT_EQ(place(problem).memoryOf.empty(), bytes > 100) << bytes;
  }
}

TEST(Placement, ABusyMemoryIsFartherThanItsLatency) {
  // An access adds 3 cycles to a load of `busy`: 3 * busy / 123 cycles of
  // waiting, against 30 more of latency.
  for (double busy : {1000.0, 1500.0}) {
    PlacementProblem problem;
    problem.memories = {{"near", 100, 60, 2, 1, busy},
                        {"far", 1000, 90, 2, 1, 0}};
    problem.packetsPerCycle = 1 / 123.0;
    problem.items.push_back({10, 1, 1, ~0u});
    ASSERT_EQ(place(problem).memoryOf.size(), 1u);
    EXPECT_EQ(place(problem).memoryOf[0], busy > 1230 ? 1u : 0u) << busy;
  }
}

TEST(Placement, StructuresLeaveRoomForThoseThatHaveNoOtherMemory) {
  // Each free structure is nearest in the memory that the last one needs.
  PlacementProblem problem;
  problem.memories = {{"near", 300, 60, 2, 1, 0}, {"far", 1000, 90, 2, 1, 0}};
  problem.packetsPerCycle = 1 / 123.0;
  problem.items = {
      {100, 2, 2, ~0u}, {100, 2, 2, ~0u}, {100, 2, 2, ~0u}, {100, 1, 1, 0b01}};
  for (const PlacementResult &result :
       {placeQuickly(problem), placeExactly(problem)}) {
    ASSERT_EQ(result.memoryOf.size(), 4u);
    EXPECT_EQ(result.memoryOf[3], 0u);
  }
}

TEST(Placement, ThereIsNoResultIfTheStructuresDoNotFit) {
  PlacementProblem problem;
  problem.memories = memories(1);
  problem.packetsPerCycle = 1 / 123.0;
  problem.items.push_back({uint64_t(1) << 30, 1, 1, ~0u});
  EXPECT_TRUE(place(problem).memoryOf.empty());
}

} // namespace
} // namespace karakal::passes
