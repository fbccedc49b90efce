// The chip: engines, units and the clock.
//
// The chip connects the units and advances time. A step takes what is due
// first: an event of the queue, or the engine with the earliest next action. In
// a tie, events come before engines, and engines act in the order of their
// numbers. An engine runs until it would touch shared state at or after the
// time of something else that is due. Nothing is ticked, so sleeping engines
// and idle units cost nothing.

#ifndef KARAKAL_SIM_IXP_RUN_CHIP_H
#define KARAKAL_SIM_IXP_RUN_CHIP_H

#include "sim-ixp/bus/Cap.h"
#include "sim-ixp/bus/Chassis.h"
#include "sim-ixp/bus/Scheduler.h"
#include "sim-ixp/core/PhysicalBus.h"
#include "sim-ixp/engine/Microengine.h"
#include "sim-ixp/media/MediaInterface.h"
#include "sim-ixp/memory/Dram.h"
#include "sim-ixp/memory/Hash.h"
#include "sim-ixp/memory/Scratch.h"
#include "sim-ixp/memory/Sram.h"
#include "sim-ixp/observe/ChipObserver.h"
#include "target-ixp/chip/ChipParameters.h"

#include "target-ixp/chip/Memories.h"
#include <array>
#include <cstdint>

#include <memory>
#include <string>
#include <vector>

namespace karakal::sim {

/// The chip without its media interface and core, which are connected to it.
class Chip {
public:
  Chip(const target::ChipParameters &parameters, ChipObserver &observer);
  /// Asserts that each engine's cycles add up (doCyclesAddUp).
  ~Chip();

  /// Connects the unit that serves msf commands and the DRAM's buffer moves.
  void connectMedia(MediaInterface *media);
  /// What the XScale core is connected to.
  XScaleConnections coreConnections();
  /// The chip by physical address, for a host that plays the core. A read or
  /// write takes effect at once and no chip time.
  PhysicalBus &physical();

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
  /// The memory of the chip, or null: it has no such SRAM channel, or each
  /// engine has its own.
  Memory *memoryOf(target::Memory memory);
  uint32_t engineCount() const { return static_cast<uint32_t>(engines.size()); }
  Microengine &engine(uint32_t index) { return *engines[index]; }

  /// Takes one step. Returns false if there is none: nothing is pending and all
  /// contexts sleep.
  bool step();
  /// As step, but only takes a step that is due before `stop`.
  bool stepBefore(uint64_t stop);
  /// Whether an event is pending or an engine is awake.
  bool isPending();
  /// Steps until the next action that others can see is due at or after
  /// `cycle`, and moves the clock there.
  void runTo(uint64_t cycle);
  /// Brings every engine to the same cycle, so that the counters add up.
  /// Returns that cycle: `cycle`, or a later one if an engine has already run
  /// ahead of it (Microengine::runAheadCycles).
  uint64_t align(uint64_t cycle);

  /// The state of every context, one per line.
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
  MediaInterface *mediaUnit = nullptr;
  ChipObserver &reports;
  std::unique_ptr<PhysicalBus> physicalBus;

  EngineOrder order;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_RUN_CHIP_H
