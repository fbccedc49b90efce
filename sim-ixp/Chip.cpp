//===- Chip.cpp - engines, units and the clock
//-----------------------------===//
//
// See Chip.h for the idea.
//
//===----------------------------------------------------------------------===//

#include "sim-ixp/Chip.h"

#include <algorithm>

namespace karakal::sim {

Chip::Chip(const target::ChipParameters &parameters, Recorder &recorder)
    : params(parameters), buses(events, params) {
  scratchUnit = std::make_unique<Scratch>(buses, recorder);
  std::vector<Sram *> channels;
  for (uint32_t i = 0; i < params.sramChannels; ++i) {
    sramChannels.push_back(std::make_unique<Sram>(
        i, static_cast<uint32_t>(params.sramBytes), buses, recorder));
    channels.push_back(sramChannels.back().get());
  }
  sramSelector = std::make_unique<SramSelector>(channels, buses, recorder);
  dramUnit = std::make_unique<Dram>(static_cast<uint32_t>(params.dramBytes),
                                    buses, recorder);
  hashUnit = std::make_unique<Hash>(buses, recorder);
  capUnit = std::make_unique<Cap>(buses);
  for (uint32_t i = 0; i < engineCount; ++i)
    engines[i] = std::make_unique<Microengine>(i, buses, recorder);
  nextCycles.fill(Scheduler::never);
  for (uint32_t i = 0; i < engineCount; ++i)
    engines[i]->publishTime(&nextCycles[i], &isOrderStale);
  for (uint32_t i = 0; i < engineCount; ++i)
    engines[i]->connectNeighbours(i > 0 ? engines[i - 1].get() : nullptr,
                                  i + 1 < engineCount ? engines[i + 1].get()
                                                      : nullptr);
  // Command targets: bits 37:32 of the instruction ("MEv2 reference").
  buses.connectUnit(0x00, 0x0f, sramSelector.get());
  buses.connectUnit(0x10, 0x1f, scratchUnit.get());
  buses.connectUnit(0x28, 0x2b, dramUnit.get());
  buses.connectUnit(0x30, 0x33, capUnit.get());
  buses.connectUnit(0x36, 0x37, hashUnit.get());
  buses.connectUnit(0x3e, 0x3f, capUnit.get());
}

void Chip::connectMedia(Media *media) {
  buses.connectUnit(0x3c, 0x3d, media);
  dramUnit->connectMedia(media);
}

/// Finds the engine whose action is due first, and the cycle before which it
/// may act: that of the engine due next, or the one behind it if that engine
/// has the higher number.
void Chip::findFirst() {
  isOrderStale = false;
  // Cycle and number in one word: the smallest two of eight.
  uint64_t smallest = Scheduler::never, second = Scheduler::never;
  for (uint64_t i = 0; i < engineCount; ++i) {
    uint64_t key = nextCycles[i] == Scheduler::never ? Scheduler::never
                                                     : nextCycles[i] << 3 | i;
    second = std::min(second, std::max(smallest, key));
    smallest = std::min(smallest, key);
  }
  first = smallest & 7;
  firstCycle = smallest == Scheduler::never ? Scheduler::never : smallest >> 3;
  firstLimit =
      second == Scheduler::never ? Scheduler::never : (second - first + 7) >> 3;
}

/// Does the earliest thing before `stop`; false if there is none.
bool Chip::stepUntil(uint64_t stop, bool isExact) {
  if (isOrderStale)
    findFirst();
  uint64_t eventCycle = events.nextCycle();
  if (eventCycle <= firstCycle) {
    if (eventCycle >= stop)
      return false;
    events.runNext();
    return true;
  }
  if (firstCycle >= stop)
    return false;
  if (isExact)
    engines[first]->runExactly(firstLimit, stop);
  else
    engines[first]->run(firstLimit);
  return true;
}

bool Chip::isPending() {
  findFirst();
  return firstCycle != Scheduler::never || events.pendingCount() != 0;
}

bool Chip::step() { return stepUntil(Scheduler::never, false); }

void Chip::runTo(uint64_t cycle) {
  while (stepUntil(cycle, false)) {
  }
}

uint64_t Chip::align(uint64_t cycle) {
  for (const auto &engine : engines)
    if (engine->nextCycle() != Scheduler::never)
      cycle = std::max(cycle, engine->localTime());
  while (stepUntil(cycle, true)) {
  }
  return cycle;
}

std::string Chip::describeContexts() const {
  std::string text;
  for (const auto &engine : engines)
    text += engine->describeContexts();
  return text;
}

} // namespace karakal::sim
