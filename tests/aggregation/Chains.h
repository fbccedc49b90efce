// PPF graphs for tests and benchmarks.

#ifndef KARAKAL_TESTS_AGGREGATION_CHAINS_H
#define KARAKAL_TESTS_AGGREGATION_CHAINS_H

#include "aggregation/formation/Formation.h"

#include <string>

namespace karakal::tests {

inline target::MessageCost cycles(double issue, double latency = 0) {
  target::MessageCost cost;
  cost.issue = issue;
  cost.latency = latency;
  return cost;
}

/// A chain of `count` PPFs of equal cost and size.
inline agg::FormationInput makeChain(size_t count, double issue, double words) {
  agg::FormationInput input;
  input.engines = 6;
  input.wordsMax = 4096;
  input.ring = cycles(30, 240);
  for (size_t i = 0; i < count; ++i)
    input.ppfs.push_back(
        {"p" + std::to_string(i), cycles(issue), 1, words, -1});
  for (size_t i = 0; i + 1 < count; ++i)
    input.channels.push_back({i, i + 1, 1});
  return input;
}

/// A chain of `count` small PPFs with short cuts.
inline agg::FormationInput makeLadder(size_t count) {
  agg::FormationInput input = makeChain(count, 20, 15);
  for (size_t i = 0; i + 7 < count; i += 3)
    input.channels.push_back({i, i + 7, 0.3});
  return input;
}

} // namespace karakal::tests

#endif // KARAKAL_TESTS_AGGREGATION_CHAINS_H
