// The control processor in the chip.

#include "sim-ixp/core/XScale.h"

#include "sim-ixp/bus/Cap.h"
#include "sim-ixp/engine/Microengine.h"
#include "sim-ixp/media/MediaInterface.h"
#include "sim-ixp/memory/Dram.h"
#include "sim-ixp/memory/Scratch.h"
#include "sim-ixp/memory/Sram.h"
#include "sim-ixp/observe/ChipObserver.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/Memories.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/InstructionTable.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace karakal::sim {

using namespace karakal::target;

namespace {

enum EventCode : uint32_t { Wake, Interrupt };

} // namespace

XScale::XScale(XScaleConnections around, const XScaleProgram &program)
    : bus(std::move(around)), chip(bus.units()), program(program) {}

Result<std::unique_ptr<XScale>> XScale::create(XScaleConnections chip,
                                               const XScaleProgram &program) {
  std::unique_ptr<XScale> made(new XScale(std::move(chip), program));
  const XScaleConnections &around = made->chip;
  XScaleParameters parameters;
  parameters.cyclesPerClock =
      static_cast<double>(around.parameters->meClockHz) /
      static_cast<double>(around.parameters->xscaleClockHz);
  parameters.accessCycles =
      static_cast<double>(around.parameters->xscaleAccessCycles);
  parameters.cached = {XScaleBase, XScaleEnd - XScaleBase};
  auto core = XScaleEmulator::create(made->bus.memories(), made->bus.windows(),
                                     *made, program.stackTop, parameters);
  if (!core)
    return core.error();
  made->core = std::move(*core);
  return made;
}

//===----------------------------------------------------------------------===//
// Jobs
//===----------------------------------------------------------------------===//

void XScale::passArguments(const std::vector<int64_t> &arguments) {
  KARAKAL_ASSERT(arguments.size() <= XScaleArgumentCount,
                 "the argument block has 16 entries");
  uint32_t address = program.arguments;
  for (int64_t argument : arguments) {
    chip.dram->memory().writeWord(address,
                                  static_cast<uint32_t>(argument >> 32));
    chip.dram->memory().writeWord(address + 4, static_cast<uint32_t>(argument));
    address += 8;
  }
}

Result<uint32_t> XScale::call(uint32_t entry,
                              const std::vector<int64_t> &arguments) {
  KARAKAL_ASSERT(!isBusy(), "a call waits until the core is free");
  bus.settle();
  passArguments(arguments);
  return core->call(entry, {program.arguments});
}

uint64_t XScale::callCycles() const {
  return static_cast<uint64_t>(std::ceil(core->statistics().callCycles));
}

void XScale::start(uint32_t entry, const std::vector<int64_t> &arguments,
                   std::function<void(const Result<uint32_t> &)> onReturn) {
  KARAKAL_ASSERT(!timedCall, "one call waits for the core at a time");
  timedCall = Call{entry, arguments, std::move(onReturn)};
  wake();
}

bool XScale::hasMessage() const {
  return program.handler != 0 && chip.scratch->ringLevel(RingToXScale) > 0;
}

bool XScale::isBusy() const {
  return !firstFault &&
         (core->busy() || timedCall || isInterrupted || hasMessage());
}

std::string XScale::describe() const {
  const char *what = isCalled()     ? "runs a call"
                     : core->busy() ? "handles a message"
                                    : "is idle";
  return std::string("  XScale core: ") + what + "; " +
         std::to_string(chip.scratch->ringLevel(RingToXScale)) +
         " messages wait for it";
}

void XScale::onRingNotEmpty(uint32_t ring) {
  if (ring == RingToXScale)
    wake();
}

void XScale::onInterrupt() {
  chip.scheduler->schedule(chip.scheduler->now() +
                               chip.parameters->xscaleInterruptCycles,
                           this, Interrupt, 0);
}

/// Schedules an event if there is something to do.
void XScale::wake() {
  if (isWakeScheduled || !isBusy())
    return;
  isWakeScheduled = true;
  auto cycle = static_cast<uint64_t>(std::ceil(core->clock()));
  chip.scheduler->schedule(std::max(cycle, chip.scheduler->now()), this, Wake,
                           0);
}

/// Begins what goes first. Returns false if there is nothing to do.
bool XScale::beginJob(uint64_t cycle) {
  if (timedCall) {
    timedCall->hasBegun = true;
    passArguments(timedCall->arguments);
    core->start(timedCall->entry, {program.arguments}, cycle);
    return true;
  }
  if (!isInterrupted && !hasMessage())
    return false;
  isInterrupted = false;
  core->start(program.handler, {}, cycle);
  return true;
}

void XScale::onEvent(uint64_t cycle, uint32_t code, uint64_t) {
  if (code == Interrupt) {
    isInterrupted = program.handler != 0;
    return wake();
  }
  isWakeScheduled = false;
  if (!core->busy() && timedCall && timedCall->hasBegun)
    endCall();
  if (!core->busy() && !beginJob(cycle))
    return;
  bus.settle();
  if (Status ran = core->advance(cycle); !ran) {
    firstFault = ran.error();
    chip.observer->onFault(xscaleActor, firstFault->message);
    if (timedCall && timedCall->hasBegun)
      endCall();
  }
  wake();
}

/// The call that has begun is over.
void XScale::endCall() {
  Call returned = *std::exchange(timedCall, std::nullopt);
  returned.onReturn(firstFault ? Result<uint32_t>(*firstFault)
                               : Result<uint32_t>(core->result()));
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

double XScale::transfer(uint32_t address, uint32_t bytes, bool isWrite,
                        double cycle) {
  uint64_t now = chip.scheduler->now();
  uint64_t start = serviceStart(address, bytes, isWrite);
  uint64_t further = (bytes + 7) / 8 - 1; // quadwords of a line
  return cycle + static_cast<double>(chip.parameters->xscaleAccessCycles +
                                     (start - now) +
                                     further * chip.parameters->dramQuadCycles);
}

/// Occupies the unit of an access; returns the first cycle of its service.
uint64_t XScale::serviceStart(uint32_t address, uint32_t bytes, bool isWrite) {
  uint64_t now = chip.scheduler->now();
  const ChipParameters &params = *chip.parameters;
  Server &scratch = chip.scratch->server();
  uint32_t scratchBytes = chip.scratch->memory().size();
  if (address < chip.dram->memory().size())
    return chip.dram->coreAccess(address, bytes, isWrite, now);
  if (PhysicalBus::isWithin(address, XScaleScratch, scratchBytes) ||
      PhysicalBus::isWithin(address, XScaleRingData,
                            PhysicalBus::ringWindowBytes))
    return scratch.reserve(now, params.scratchOpCycles);
  if (PhysicalBus::isWithin(address, XScaleScratchAdd, scratchBytes) ||
      PhysicalBus::isWithin(address, XScaleScratchTestSet, scratchBytes))
    return scratch.reserve(now, params.scratchAtomicCycles);
  if (chip.cap && PhysicalBus::isWithin(address, PhysicalBus::capBase,
                                        PhysicalBus::capWindowBytes))
    return chip.cap->coreAccess(now);
  return sramStart(address, bytes, isWrite);
}

/// The same for the SRAM channels and their queue arrays. Other devices serve
/// at once.
uint64_t XScale::sramStart(uint32_t address, uint32_t bytes, bool isWrite) {
  uint64_t now = chip.scheduler->now();
  uint32_t channel;
  Sram::CoreAccess kind =
      isWrite ? Sram::CoreAccess::Write : Sram::CoreAccess::Read;
  if (address >= XScaleSram0 && address < PhysicalBus::capBase) {
    uint32_t offset = address - XScaleSram0;
    channel = offset >> XScaleSramChannelShift;
    if (offset % (1u << XScaleSramChannelShift) >= PhysicalBus::sramAddOffset)
      kind = Sram::CoreAccess::Atomic;
  } else if (PhysicalBus::isWithin(address, XScaleQueueArray,
                                   PhysicalBus::queueWindowBytes)) {
    channel = (address - XScaleQueueArray) >> 16;
    kind = Sram::CoreAccess::Queue;
  } else {
    return now;
  }
  return channel < chip.sram.size()
             ? chip.sram[channel]->coreAccess(kind, bytes, now)
             : now; // a fault
}

//===----------------------------------------------------------------------===//
// Device words
//===----------------------------------------------------------------------===//

std::optional<uint32_t> XScale::readWord(uint32_t address) {
  return bus.readDevice(address);
}

bool XScale::writeWord(uint32_t address, uint32_t value) {
  return bus.writeDevice(address, value);
}

} // namespace karakal::sim
