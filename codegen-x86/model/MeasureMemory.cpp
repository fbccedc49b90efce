// Random accesses to memory of this computer, for the model of rates.

#include "codegen-x86/model/MeasureMemory.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <numeric>
#include <random>

namespace karakal::x86 {

namespace {

/// A line that tells the next one.
struct alignas(LineBytes) Line {
  uint32_t next;
};

/// Chains that are followed at a time: more than a core's misses under way.
constexpr uint32_t chainCount = 24;

double threadNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e9 + double(now.tv_nsec);
}

/// Makes one cycle of all lines in a random order (Sattolo). Returns lines that
/// lie equally far apart on it.
std::array<uint32_t, chainCount> makeCycle(std::vector<Line> &lines) {
  std::vector<uint32_t> order(lines.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(1);
  for (size_t i = order.size() - 1; i > 0; --i)
    std::swap(order[i], order[random() % i]);
  std::array<uint32_t, chainCount> starts{};
  for (size_t i = 0; i < order.size(); ++i)
    lines[order[i]].next = order[(i + 1) % order.size()];
  for (size_t i = 0; i < chainCount; ++i)
    starts[i] = order[i * order.size() / chainCount];
  return starts;
}

/// Follows `Chains` chains at a time; nanoseconds for each access.
template <uint32_t Chains>
double follow(const std::vector<Line> &lines,
              std::array<uint32_t, chainCount> at, uint32_t accesses) {
  double start = threadNs();
  for (uint32_t i = 0; i < accesses / Chains; ++i)
    for (uint32_t chain = 0; chain < Chains; ++chain)
      at[chain] = lines[at[chain]].next;
  double ns = threadNs() - start;
  // What is followed is used, so that it is not left out.
  volatile uint32_t used = std::accumulate(at.begin(), at.end(), 0u);
  (void)used;
  return ns / double(accesses / Chains * Chains);
}

/// The least of three runs after one that fills the caches: other programs can
/// only take time.
template <uint32_t Chains>
double leastNs(const std::vector<Line> &lines,
               const std::array<uint32_t, chainCount> &starts) {
  constexpr uint32_t accesses = 240'000;
  double least = follow<Chains>(lines, starts, accesses);
  for (int run = 0; run < 3; ++run)
    least = std::min(least, follow<Chains>(lines, starts, accesses));
  return least;
}

} // namespace

std::vector<MemoryFigure> measureMemory(uint64_t bytesMax) {
  std::vector<MemoryFigure> figures;
  for (uint64_t bytes = 16 << 10; bytes <= bytesMax; bytes *= 2) {
    std::vector<Line> lines(bytes / sizeof(Line));
    auto starts = makeCycle(lines);
    figures.push_back(
        {bytes, leastNs<1>(lines, starts), leastNs<chainCount>(lines, starts)});
    // Noise must not make a larger set faster.
    if (figures.size() > 1) {
      const MemoryFigure &smaller = figures[figures.size() - 2];
      MemoryFigure &last = figures.back();
      last.latencyNs = std::max(last.latencyNs, smaller.latencyNs);
      last.parallelNs = std::max(last.parallelNs, smaller.parallelNs);
    }
  }
  return figures;
}

} // namespace karakal::x86
