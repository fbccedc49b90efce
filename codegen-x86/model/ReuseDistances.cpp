// Reuse distances of memory accesses, up to millions of lines.

#include "codegen-x86/model/ReuseDistances.h"
#include "support/Assert.h"
#include <algorithm>
#include <utility>

namespace karakal::x86 {

ReuseDistances::ReuseDistances(uint32_t sampledMax)
    : sampledMax(sampledMax), tree(size_t(sampledMax) * 4 + 1) {
  KARAKAL_ASSERT(sampledMax >= 2, "a sample has lines");
}

/// Mixes all bits of a line's number (the finalizer of SplitMix64).
static uint64_t mixed(uint64_t line) {
  line = (line ^ (line >> 30)) * 0xbf58476d1ce4e5b9u;
  line = (line ^ (line >> 27)) * 0x94d049bb133111ebu;
  return line ^ (line >> 31);
}

bool ReuseDistances::isSampled(uint64_t line) const {
  return (mixed(line) & (spacing() - 1)) == 0;
}

void ReuseDistances::mark(uint32_t time, int32_t change) {
  for (uint32_t at = time; at < tree.size(); at += at & -at)
    tree[at] += change;
}

uint32_t ReuseDistances::marksUpTo(uint32_t time) const {
  int32_t sum = 0;
  for (uint32_t at = time; at != 0; at &= at - 1)
    sum += tree[at];
  return uint32_t(sum);
}

/// Gives the lines the times 1, 2, … in the order of their last uses.
void ReuseDistances::renumber() {
  std::vector<std::pair<uint32_t, uint64_t>> byTime;
  for (auto [line, time] : lastUse)
    byTime.emplace_back(time, line);
  std::sort(byTime.begin(), byTime.end());
  std::fill(tree.begin(), tree.end(), 0);
  now = 0;
  for (auto [time, line] : byTime) {
    lastUse[line] = ++now;
    mark(now, 1);
  }
}

void ReuseDistances::halveSample() {
  ++halvings;
  for (auto at = lastUse.begin(); at != lastUse.end();)
    at = isSampled(at->first) ? std::next(at) : lastUse.erase(at);
  renumber();
}

std::optional<ReuseDistances::Access> ReuseDistances::access(uint64_t line) {
  if (!isSampled(line))
    return std::nullopt;
  if (now + 1 == tree.size())
    renumber();
  Access found{Never, double(spacing())};
  auto [at, isNew] = lastUse.try_emplace(line, 0);
  if (!isNew) {
    found.distance = (lastUse.size() - marksUpTo(at->second)) * spacing();
    mark(at->second, -1);
  }
  at->second = ++now;
  mark(now, 1);
  while (lastUse.size() > sampledMax)
    halveSample();
  return found;
}

} // namespace karakal::x86
