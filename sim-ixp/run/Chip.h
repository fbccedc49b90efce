// Engines, units and the clock.
//
// The chip puts the units together and advances time. Its step takes what is
// earliest: an event of the queue, or the engine whose next action is due first
// (events go before engines, engines by number). An engine runs until it would
// touch what others see at or after the time of anything else; nothing else is
// ticked, so sleeping engines and idle units cost nothing.

#ifndef KARAKAL_SIM_IXP_RUN_CHIP_H
#define KARAKAL_SIM_IXP_RUN_CHIP_H

#include "sim-ixp/bus/Cap.h"
#include "sim-ixp/bus/Chassis.h"
#include "sim-ixp/bus/Scheduler.h"
#include "sim-ixp/core/ControlProcessor.h"
#include "sim-ixp/engine/Microengine.h"
#include "sim-ixp/media/MediaInterface.h"
#include "sim-ixp/memory/Dram.h"
#include "sim-ixp/memory/Hash.h"
#include "sim-ixp/memory/Scratch.h"
#include "sim-ixp/memory/Sram.h"
#include "sim-ixp/observe/ChipObserver.h"
#include "target-ixp/chip/ChipParameters.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace karakal::sim {

/// The whole chip but for its media interface and core, which are connected.
class Chip {
public:
  Chip(const target::ChipParameters &parameters, ChipObserver &observer);
  /// Every run ends with a look at every engine's books (doCyclesAddUp).
  ~Chip();

  /// Takes the msf commands and the DRAM's buffer moves.
  void connectMedia(MediaInterface *media);

  const target::ChipParameters &parameters() const { return params; }
  Scheduler &scheduler() { return events; }
  Chassis &chassis() { return buses; }
  Scratch &scratch() { return *scratchUnit; }
  Sram &sram(uint32_t channel) { return *sramChannels[channel]; }
  uint32_t sramChannelCount() const {
    return static_cast<uint32_t>(sramChannels.size());
  }
  Dram &dram() { return *dramUnit; }
  Hash &hash() { return *hashUnit; }
  Cap &cap() { return *capUnit; }
  uint32_t engineCount() const { return static_cast<uint32_t>(engines.size()); }
  Microengine &engine(uint32_t index) { return *engines[index]; }

  /// Does the earliest thing; false if there is none (nothing pending, all
  /// contexts asleep).
  bool step();
  /// As step, but only what lies before `stop`.
  bool stepBefore(uint64_t stop);
  /// Whether anything is still to come: an event, or an engine that runs.
  bool isPending();
  /// Steps until the next thing that others can see lies at or after `cycle`.
  void runTo(uint64_t cycle);
  /// Brings every engine to one cycle, so that the counters add up; gives that
  /// cycle: `cycle`, or a later one if an engine has run ahead of it already
  /// (Microengine::runAheadCycles).
  uint64_t align(uint64_t cycle);

  /// State of every context, one a line.
  std::string describeContexts() const;

private:
  template <bool Exact, bool Single> bool stepUntil(uint64_t stop);

  target::ChipParameters params;
  Scheduler events;
  Chassis buses;
  std::unique_ptr<Scratch> scratchUnit;
  std::vector<std::unique_ptr<Sram>> sramChannels;
  std::unique_ptr<SramSelector> sramSelector;
  std::unique_ptr<Dram> dramUnit;
  std::unique_ptr<Hash> hashUnit;
  std::unique_ptr<Cap> capUnit;
  std::vector<std::unique_ptr<Microengine>> engines;

  EngineOrder order;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_RUN_CHIP_H
