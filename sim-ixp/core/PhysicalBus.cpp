#include "sim-ixp/core/PhysicalBus.h"

#include "sim-ixp/bus/Cap.h"
#include "sim-ixp/engine/Microengine.h"
#include "sim-ixp/media/MediaInterface.h"
#include "sim-ixp/memory/Atomics.h"
#include "sim-ixp/memory/Dram.h"
#include "sim-ixp/memory/Scratch.h"
#include "sim-ixp/memory/Sram.h"
#include "sim-ixp/observe/ChipObserver.h"
#include "target-ixp/chip/Memories.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/InstructionTable.h"

#include <string>
#include <utility>

namespace karakal::sim {

using namespace karakal::target;

PhysicalBus::PhysicalBus(XScaleConnections around) : chip(std::move(around)) {
  KARAKAL_ASSERT(chip.dram && chip.scratch, "a chip has DRAM and scratch");
}

std::vector<XScaleMemory> PhysicalBus::memories() const {
  Memory &scratch = chip.scratch->memory();
  Memory &dram = chip.dram->memory();
  std::vector<XScaleMemory> memories = {
      {XScaleDram, dram.data(), dram.size()},
      {XScaleScratch, scratch.data(), scratch.size()}};
  for (uint32_t i = 0; i < chip.sram.size(); ++i) {
    Memory &sram = chip.sram[i]->memory();
    memories.push_back({XScaleSram0 + (i << XScaleSramChannelShift),
                        sram.data(), sram.size()});
  }
  return memories;
}

std::vector<XScaleWindow> PhysicalBus::windows() const {
  uint32_t scratchBytes = chip.scratch->memory().size();
  std::vector<XScaleWindow> windows = {{XScaleRingData, ringWindowBytes},
                                       {XScaleQueueArray, queueWindowBytes},
                                       {XScaleScratchAdd, scratchBytes},
                                       {XScaleScratchTestSet, scratchBytes},
                                       {capBase, capWindowBytes},
                                       {msfBase, msfWindowBytes},
                                       {interruptBase, interruptWindowBytes},
                                       {XScaleLocalCsrs, csrWindowBytes}};
  for (uint32_t i = 0; i < chip.sram.size(); ++i) {
    uint32_t bytes = chip.sram[i]->memory().size();
    KARAKAL_ASSERT(bytes <= (1u << XScaleSramChannelShift) - sramAddOffset,
                   "a channel's additions reach into the next channel's part");
    windows.push_back({XScaleSramAdd + (i << XScaleSramChannelShift), bytes});
  }
  return windows;
}

/// The core's accesses queue after the commands that the units have accepted.
void PhysicalBus::settle() {
  chip.dram->settle();
  for (Sram *channel : chip.sram)
    channel->settle();
}

//===----------------------------------------------------------------------===//
// Memories
//===----------------------------------------------------------------------===//

std::optional<PhysicalBus::Place>
PhysicalBus::memoryAt(uint32_t address) const {
  if (isWithin(address, XScaleDram, chip.dram->memory().size()))
    return Place{&chip.dram->memory(), address - XScaleDram};
  if (isWithin(address, XScaleScratch, chip.scratch->memory().size()))
    return Place{&chip.scratch->memory(), address - XScaleScratch};
  for (uint32_t i = 0; i < chip.sram.size(); ++i) {
    uint32_t base = XScaleSram0 + (i << XScaleSramChannelShift);
    if (isWithin(address, base, chip.sram[i]->memory().size()))
      return Place{&chip.sram[i]->memory(), address - base};
  }
  return std::nullopt;
}

std::optional<uint32_t> PhysicalBus::read(uint32_t address) {
  KARAKAL_ASSERT(address % 4 == 0, "a word's address is a multiple of 4");
  settle();
  if (std::optional<Place> place = memoryAt(address))
    return place->memory->readWord(place->offset);
  return readDevice(address);
}

bool PhysicalBus::write(uint32_t address, uint32_t value) {
  KARAKAL_ASSERT(address % 4 == 0, "a word's address is a multiple of 4");
  settle();
  if (std::optional<Place> place = memoryAt(address)) {
    place->memory->writeWord(place->offset, value);
    return true;
  }
  return writeDevice(address, value);
}

//===----------------------------------------------------------------------===//
// Device words
//===----------------------------------------------------------------------===//

/// The engine whose local CSRs are at `address`, or null.
Microengine *PhysicalBus::engineAt(uint32_t address) const {
  if (!isWithin(address, XScaleLocalCsrs, csrWindowBytes) ||
      chip.engines.empty())
    return nullptr;
  uint32_t index = engineIndex((address - XScaleLocalCsrs) / csrBytes,
                               static_cast<uint32_t>(chip.engines.size()) / 2);
  return index < chip.engines.size() ? chip.engines[index] : nullptr;
}

std::optional<uint32_t> PhysicalBus::readDevice(uint32_t address) {
  if (Microengine *engine = engineAt(address))
    return engine->coreReadCsr(address % csrBytes);
  if (chip.cap && isWithin(address, capBase, capWindowBytes))
    return chip.cap->readRegister(address - capBase);
  if (chip.media && isWithin(address, msfBase, msfWindowBytes))
    return chip.media->readRegister(address - msfBase);
  if (chip.cap && isWithin(address, interruptBase, interruptWindowBytes))
    return chip.cap->threadInterrupts().read(address - interruptBase);
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
  return readAtomic(address);
}

/// Returns a word of scratch or SRAM and applies the operand to it.
std::optional<uint32_t> PhysicalBus::readAtomic(uint32_t address) {
  std::optional<Place> place;
  uint32_t scratchBytes = chip.scratch->memory().size();
  if (isWithin(address, XScaleScratchAdd, scratchBytes))
    place = memoryAt(address - XScaleScratchAdd + XScaleScratch);
  for (uint32_t i = 0; i < chip.sram.size(); ++i)
    if (isWithin(address, XScaleSramAdd + (i << XScaleSramChannelShift),
                 chip.sram[i]->memory().size()))
      place = memoryAt(address - sramAddOffset);
  std::optional<AtomicOperand> by = std::exchange(atomicOperand, std::nullopt);
  if (!place || !by)
    return std::nullopt;
  uint32_t old = place->memory->readWord(place->offset);
  if (by->access == target::WordAccess::Add)
    writeAtomic(address, by->value);
  else
    place->memory->writeWord(place->offset,
                             applyAtomic(by->access, old, by->value));
  return old;
}

bool PhysicalBus::writeRing(uint32_t ring, uint32_t value) {
  std::optional<uint32_t> second = std::exchange(secondWord, std::nullopt);
  bool isPut = second ? chip.scratch->corePut(ring, value, *second)
                      : chip.scratch->corePut(ring, value);
  if (!isPut)
    chip.observer->onFault(xscaleActor, "puts into ring " +
                                            std::to_string(ring) +
                                            ", which is full");
  return true;
}

/// Adds to a word of scratch or SRAM.
bool PhysicalBus::writeAtomic(uint32_t address, uint32_t value) {
  if (isWithin(address, XScaleScratchAdd, chip.scratch->memory().size())) {
    chip.scratch->coreAdd(address - XScaleScratchAdd, value);
    return true;
  }
  for (uint32_t i = 0; i < chip.sram.size(); ++i) {
    uint32_t base = XScaleSramAdd + (i << XScaleSramChannelShift);
    if (!isWithin(address, base, chip.sram[i]->memory().size()))
      continue;
    chip.sram[i]->coreAdd(address - base, value);
    return true;
  }
  return false;
}

bool PhysicalBus::writeDevice(uint32_t address, uint32_t value) {
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
  if (chip.cap && isWithin(address, interruptBase, interruptWindowBytes))
    return chip.cap->threadInterrupts().write(address - interruptBase, value);
  if (isWithin(address, XScaleRingData, 4 * RingCount))
    return writeRing((address - XScaleRingData) / 4, value);
  if (address == XScaleRingSecond) {
    secondWord = value;
    return true;
  }
  if (isWithin(address, XScaleAtomicOperand, atomicOperandBytes)) {
    atomicOperand = {atomicAccesses[(address - XScaleAtomicOperand) / 4],
                     value};
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
  return writeAtomic(address, value);
}

} // namespace karakal::sim
