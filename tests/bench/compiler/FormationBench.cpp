// How long the forming of aggregates takes for 200 PPFs.

#include "tests/aggregation/Chains.h"

#include "benchmark/benchmark.h"

using namespace karakal;

namespace {

void formation(benchmark::State &state) {
  const agg::FormationInput input = tests::makeLadder(size_t(state.range(0)));
  for (auto turn : state)
    if (!agg::formAggregates(input).failure.empty())
      state.SkipWithError("no aggregates were formed");
  state.counters["ppfs"] = double(input.ppfs.size());
}

} // namespace

BENCHMARK(formation)->Arg(200)->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
