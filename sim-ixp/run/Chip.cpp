// The chip: engines, units and the clock.
//
// See Chip.h for the idea.

#include "sim-ixp/run/Chip.h"
#include "support/Error.h"

#include <algorithm>

namespace karakal::sim {

Chip::Chip(const target::ChipParameters &parameters, ChipObserver &observer)
    : params(parameters), buses(events, params), reports(observer),
      order(static_cast<uint32_t>(params.meCount)) {
  scratchUnit = std::make_unique<Scratch>(buses, observer);
  std::vector<Sram *> channels;
  for (uint32_t i = 0; i < params.sramChannels; ++i) {
    sramChannels.push_back(std::make_unique<Sram>(
        i, static_cast<uint32_t>(params.sramBytes), buses, observer));
    channels.push_back(sramChannels.back().get());
  }
  sramSelector = std::make_unique<SramSelector>(channels, buses, observer);
  dramUnit = std::make_unique<Dram>(static_cast<uint32_t>(params.dramBytes),
                                    buses, observer);
  hashUnit = std::make_unique<Hash>(buses, observer);
  capUnit = std::make_unique<Cap>(buses);
  for (uint32_t i = 0; i < params.meCount; ++i)
    engines.push_back(std::make_unique<Microengine>(i, buses, observer));
  for (uint32_t i = 0; i < engines.size(); ++i) {
    engines[i]->publishTime(&order);
    engines[i]->connectNeighbours(i > 0 ? engines[i - 1].get() : nullptr,
                                  i + 1 < engines.size() ? engines[i + 1].get()
                                                         : nullptr);
  }
  observer.setLocations([this](uint32_t engine, uint32_t pc) {
    const MicroProgram *program = engines[engine]->loaded();
    return program ? program->locationOf(pc) : std::string();
  });
  capUnit->connectRings(scratchUnit.get(),
                        [&observer](const std::string &what) {
                          observer.onFault(xscaleActor, what);
                        });
  capUnit->onReset([this](uint32_t value) {
    // Bits 7:0 are cluster 0, 23:16 cluster 1 [R: mask 0x000f000f].
    for (uint32_t i = 0; i < engines.size(); ++i) {
      uint32_t number = target::engineHardwareNumber(i, buses.clusterEngines());
      engines[i]->setReset(value >> ((number >> 4) * 16 + (number & 15)) & 1);
    }
  });
  buses.connectUnit(target::FunctionalUnit::Sram, sramSelector.get());
  buses.connectUnit(target::FunctionalUnit::Scratch, scratchUnit.get());
  buses.connectUnit(target::FunctionalUnit::Dram, dramUnit.get());
  buses.connectUnit(target::FunctionalUnit::Cap, capUnit.get());
  buses.connectUnit(target::FunctionalUnit::Hash, hashUnit.get());
}

Chip::~Chip() {
  for (const auto &engine : engines)
    KARAKAL_ASSERT(engine->doCyclesAddUp(), "an engine's cycles do not add up");
}

Memory *Chip::memoryOf(target::Memory memory) {
  switch (memory) {
  case target::Memory::Scratch:
    return &scratchUnit->memory();
  case target::Memory::Sram0:
  case target::Memory::Sram1:
  case target::Memory::Sram2:
  case target::Memory::Sram3: {
    uint32_t channel = *target::sramChannelOf(memory);
    return channel < sramChannelCount() ? &sram(channel).memory() : nullptr;
  }
  case target::Memory::Dram:
    return &dramUnit->memory();
  case target::Memory::Local:
    return nullptr;
  }
  KARAKAL_UNREACHABLE("no such memory");
}

void Chip::connectMedia(MediaInterface *media) {
  buses.connectUnit(target::FunctionalUnit::Msf, media);
  dramUnit->connectMedia(media);
  mediaUnit = media;
  physicalBus.reset();
}

XScaleConnections Chip::coreConnections() {
  XScaleConnections around{&events,        &params,           &reports,
                           dramUnit.get(), scratchUnit.get(), {}};
  for (const auto &channel : sramChannels)
    around.sram.push_back(channel.get());
  around.cap = capUnit.get();
  around.media = mediaUnit;
  for (const auto &engine : engines)
    around.engines.push_back(engine.get());
  return around;
}

PhysicalBus &Chip::physical() {
  if (!physicalBus)
    physicalBus = std::make_unique<PhysicalBus>(coreConnections());
  return *physicalBus;
}

/// Takes the first step that is due before `stop`; returns false if there is
/// none. A step is one event (Single), all events of a cycle (not Single), or
/// one engine's actions. Exact: no engine runs ahead of `stop`.
template <bool Exact, bool Single> inline bool Chip::stepUntil(uint64_t stop) {
  uint64_t firstCycle = order.firstCycle();
  uint64_t eventCycle = events.nextCycle();
  if (eventCycle <= firstCycle) {
    if (eventCycle >= stop)
      return false;
    // No engine acts before the event, so the cycle's other events come next.
    do
      events.runNext();
    while (!Single && events.nextCycle() == eventCycle);
    return true;
  }
  if (firstCycle >= std::min(stop, EngineOrder::asleep))
    return false;
  uint32_t first = order.first();
  uint64_t limit = std::min(order.limitOf(first), stop);
  if (Exact)
    engines[first]->runExactly(limit, stop);
  else
    engines[first]->run(limit);
  return true;
}

bool Chip::isPending() {
  return order.firstCycle() != EngineOrder::asleep ||
         events.pendingCount() != 0;
}

bool Chip::stepBefore(uint64_t stop) { return stepUntil<false, true>(stop); }

bool Chip::step() { return stepUntil<false, true>(Scheduler::never); }

void Chip::runTo(uint64_t cycle) {
  while (stepUntil<false, false>(cycle)) {
  }
  events.advanceTo(std::max(cycle, events.now()));
}

uint64_t Chip::align(uint64_t cycle) {
  for (const auto &engine : engines)
    cycle = std::max(cycle, engine->localTime());
  while (stepUntil<true, false>(cycle)) {
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
