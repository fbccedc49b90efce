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

// Sizes of the device windows.
constexpr uint32_t ringWindowBytes = 0x1000;
constexpr uint32_t queueWindowBytes = 0x40000;
constexpr uint32_t sramAddShift = 23;

// The chip's own addresses [R].
constexpr uint32_t capBase = 0xc0000000;
constexpr uint32_t capWindowBytes = 0x8000;
constexpr uint32_t msfBase = 0xc8000000;
constexpr uint32_t msfWindowBytes = 0x4000;
constexpr uint32_t csrBytes = 0x400; ///< of one engine's local CSRs
constexpr uint32_t csrWindowBytes = 0x8000;

enum EventCode : uint32_t { Wake, Interrupt };

bool isWithin(uint32_t address, uint32_t base, uint32_t bytes) {
  return address - base < bytes;
}

} // namespace

XScale::XScale(XScaleConnections chip, const XScaleProgram &program)
    : chip(std::move(chip)), program(program) {}

Result<std::unique_ptr<XScale>> XScale::create(XScaleConnections chip,
                                               const XScaleProgram &program) {
  std::unique_ptr<XScale> made(new XScale(std::move(chip), program));
  XScaleConnections &around = made->chip;
  Memory &scratch = around.scratch->memory();
  std::vector<XScaleMemory> memories = {
      {XScaleDram, around.dram->memory().data(), around.dram->memory().size()},
      {XScaleScratch, scratch.data(), scratch.size()}};
  for (uint32_t i = 0; i < around.sram.size(); ++i)
    memories.push_back({XScaleSram0 | i << XScaleSramChannelShift,
                        around.sram[i]->memory().data(),
                        around.sram[i]->memory().size()});
  std::vector<XScaleWindow> windows = {
      {XScaleRingData, ringWindowBytes},
      {XScaleQueueArray, queueWindowBytes},
      {XScaleScratchAdd, scratch.size()},
      {XScaleScratchTestSet, scratch.size()},
      {XScaleSramAdd, SramChannelsMax << sramAddShift},
      {capBase, capWindowBytes},
      {msfBase, msfWindowBytes},
      {XScaleLocalCsrs, csrWindowBytes}};
  XScaleParameters parameters;
  parameters.cyclesPerClock =
      static_cast<double>(around.parameters->meClockHz) /
      static_cast<double>(around.parameters->xscaleClockHz);
  parameters.accessCycles =
      static_cast<double>(around.parameters->xscaleAccessCycles);
  parameters.cached = {XScaleBase, XScaleEnd - XScaleBase};
  auto core = XScaleEmulator::create(memories, windows, *made, program.stackTop,
                                     parameters);
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
  settle();
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

/// The core's accesses queue after the commands that the units have accepted.
void XScale::settle() {
  chip.dram->settle();
  for (Sram *channel : chip.sram)
    channel->settle();
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

void XScale::onInterrupt(uint32_t) {
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
  settle();
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
  if (isWithin(address, XScaleScratch, scratchBytes) ||
      isWithin(address, XScaleRingData, ringWindowBytes))
    return scratch.reserve(now, params.scratchOpCycles);
  if (isWithin(address, XScaleScratchAdd, scratchBytes) ||
      isWithin(address, XScaleScratchTestSet, scratchBytes))
    return scratch.reserve(now, params.scratchAtomicCycles);
  if (chip.cap && isWithin(address, capBase, capWindowBytes))
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
  if (address >= XScaleSram0 && address < capBase) {
    channel = (address - XScaleSram0) >> XScaleSramChannelShift;
  } else if (isWithin(address, XScaleQueueArray, queueWindowBytes)) {
    channel = (address - XScaleQueueArray) >> 16;
    kind = Sram::CoreAccess::Queue;
  } else if (isWithin(address, XScaleSramAdd,
                      SramChannelsMax << sramAddShift)) {
    channel = (address - XScaleSramAdd) >> sramAddShift;
    kind = Sram::CoreAccess::Atomic;
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

/// The engine whose local CSRs are at `address`, or null.
Microengine *XScale::engineAt(uint32_t address) const {
  if (!isWithin(address, XScaleLocalCsrs, csrWindowBytes) ||
      chip.engines.empty())
    return nullptr;
  uint32_t index = engineIndex((address - XScaleLocalCsrs) / csrBytes,
                               static_cast<uint32_t>(chip.engines.size()) / 2);
  return index < chip.engines.size() ? chip.engines[index] : nullptr;
}

std::optional<uint32_t> XScale::readWord(uint32_t address) {
  if (Microengine *engine = engineAt(address))
    return engine->coreReadCsr(address % csrBytes);
  if (chip.cap && isWithin(address, capBase, capWindowBytes))
    return chip.cap->readRegister(address - capBase);
  if (chip.media && isWithin(address, msfBase, msfWindowBytes))
    return chip.media->readRegister(address - msfBase);
  if (isWithin(address, XScaleRingData, 4 * RingCount))
    return chip.scratch->coreGet((address - XScaleRingData) / 4);
  if (isWithin(address, XScaleRingStatus, 4 * RingCount))
    return chip.scratch->coreRingState((address - XScaleRingStatus) / 4);
  if (address == XScaleLocalCsrs + Csr_TIMESTAMP_LOW)
    return uint32_t(chip.scheduler->now() / TimestampTickCycles);
  if (isWithin(address, XScaleScratchTestSet, chip.scratch->memory().size()))
    return chip.scratch->coreTestSet(address - XScaleScratchTestSet);
  if (isWithin(address, XScaleQueueArray, queueWindowBytes)) {
    uint32_t channel = (address - XScaleQueueArray) >> 16;
    uint32_t entry = (address & 0xffff) / 4;
    if (channel < chip.sram.size() && entry < QueueArrayEntries)
      return chip.sram[channel]->coreDequeue(entry);
  }
  return std::nullopt;
}

bool XScale::writeRing(uint32_t ring, uint32_t value) {
  std::optional<uint32_t> second = std::exchange(secondWord, std::nullopt);
  bool isPut = second ? chip.scratch->corePut(ring, value, *second)
                      : chip.scratch->corePut(ring, value);
  if (!isPut)
    chip.observer->onFault(xscaleActor, "puts into ring " +
                                            std::to_string(ring) +
                                            ", which is full");
  return true;
}

bool XScale::writeWord(uint32_t address, uint32_t value) {
  if (Microengine *engine = engineAt(address)) {
    engine->coreWriteCsr(address % csrBytes, value);
    return true;
  }
  if (chip.cap && isWithin(address, capBase, capWindowBytes)) {
    chip.cap->writeRegister(address - capBase, value, chip.scheduler->now());
    return true;
  }
  if (chip.media && isWithin(address, msfBase, msfWindowBytes)) {
    chip.media->writeRegister(address - msfBase, value, xscaleActor);
    return true;
  }
  if (isWithin(address, XScaleRingData, 4 * RingCount))
    return writeRing((address - XScaleRingData) / 4, value);
  if (address == XScaleRingSecond) {
    secondWord = value;
    return true;
  }
  if (isWithin(address, XScaleQueueArray, queueWindowBytes)) {
    uint32_t channel = (address - XScaleQueueArray) >> 16;
    uint32_t entry = (address & 0xffff) / 4;
    if (channel >= chip.sram.size() || entry >= QueueArrayEntries)
      return false;
    chip.sram[channel]->coreEnqueue(entry, value);
    return true;
  }
  if (isWithin(address, XScaleScratchAdd, chip.scratch->memory().size())) {
    chip.scratch->coreAdd(address - XScaleScratchAdd, value);
    return true;
  }
  if (isWithin(address, XScaleSramAdd, SramChannelsMax << sramAddShift)) {
    uint32_t channel = (address - XScaleSramAdd) >> sramAddShift;
    uint32_t byte = address & ((1u << sramAddShift) - 1);
    if (channel >= chip.sram.size() ||
        byte >= chip.sram[channel]->memory().size())
      return false;
    chip.sram[channel]->coreAdd(byte, value);
    return true;
  }
  return false;
}

} // namespace karakal::sim
