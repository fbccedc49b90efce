// Decides which bursts are observed, and keeps what they did, by core.

#include "codegen-x86/specialize/TrafficSampler.h"
#include "support/Assert.h"
#include <algorithm>

namespace karakal::x86 {

TrafficSampler::TrafficSampler(size_t tableCount, uint32_t count,
                               const SampleOptions &options)
    : options(options) {
  KARAKAL_ASSERT(options.period >= 1 && options.firstPeriod >= 1,
                 "bursts between two observed ones");
  for (uint32_t i = 0; i < count; ++i) {
    cores.push_back(std::make_unique<Core>(tableCount));
    cores.back()->burstsLeft = options.firstPeriod;
  }
}

bool TrafficSampler::beginTurn(Core &core) {
  core.burstsLeft = core.observed < options.firstBursts ? options.firstPeriod
                                                        : options.period;
  if (isOver)
    return false;
  if (!isReady.load(std::memory_order_acquire)) {
    isWanted = core.asks = true;
    return false;
  }
  core.isObserving = core.mutex.try_lock();
  return core.isObserving;
}

bool TrafficSampler::endTurn(Core &core) {
  ++core.observed;
  // As look-ups fade, so do branches.
  constexpr uint64_t burstsUntilHalved = 512;
  if (core.observed % burstsUntilHalved == 0)
    core.traffic.halveEdges();
  core.isObserving = false;
  core.mutex.unlock();
  if (core.observed % options.burstsPerNews != 0)
    return false;
  isNews = true;
  return true;
}

void TrafficSampler::prepare(std::vector<unsigned> counts) {
  KARAKAL_ASSERT(!isReady, "nothing is observed yet");
  ways = std::move(counts);
  size_t edges = 0;
  for (unsigned count : ways)
    edges += count;
  for (auto &core : cores)
    core->traffic.edges.resize(edges + 1); // an address, though there is none
}

/// What observed code calls.
static void noteFound(CoreTraffic *traffic, uint32_t table, uint32_t slot) {
  traffic->found[table].note(slot);
}

std::vector<std::pair<const char *, void *>>
TrafficSampler::symbols(uint32_t core) {
  CoreTraffic &traffic = cores[core]->traffic;
  return {{TrafficSymbols::NoteFound, reinterpret_cast<void *>(noteFound)},
          {TrafficSymbols::Traffic, &traffic},
          {TrafficSymbols::Edges, traffic.edges.data()}};
}

Traffic TrafficSampler::take() {
  isNews = false;
  std::vector<std::unique_lock<std::mutex>> locks;
  std::vector<const CoreTraffic *> all;
  for (auto &core : cores) {
    locks.emplace_back(core->mutex);
    all.push_back(&core->traffic);
  }
  return trafficOf(all, ways, options.lookupsMin);
}

} // namespace karakal::x86
