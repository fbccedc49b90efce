// The life of every packet buffer.
//
// See PacketAccounting.h for the idea.

#include "sim-ixp/observe/PacketAccounting.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/CommandCodes.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace karakal::sim {
namespace {

/// The same ranges in order, those that touch each other as one.
void join(std::vector<AccountingPlan::Range> &ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const auto &a, const auto &b) { return a.begin < b.begin; });
  size_t count = 0;
  for (const AccountingPlan::Range &range : ranges)
    if (count > 0 && range.begin <= ranges[count - 1].end)
      ranges[count - 1].end = std::max(ranges[count - 1].end, range.end);
    else
      ranges[count++] = range;
  ranges.resize(count);
}

/// Whether a command reads or writes a word in one of the ranges; queues and
/// rings have addresses of their own.
bool isGlobal(const std::vector<AccountingPlan::Range> &ranges,
              const Command &command) {
  for (const AccountingPlan::Range &range : ranges)
    if (command.address >= range.begin && command.address < range.end)
      return target::wordAccess(command.op) != target::WordAccess::None;
  return false;
}

std::string hexadecimal(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", value);
  return text;
}

} // namespace

PacketCounters PacketCounters::operator-(const PacketCounters &other) const {
  PacketCounters result;
  constexpr uint64_t PacketCounters::*members[] = {
      &PacketCounters::received,        &PacketCounters::forwarded,
      &PacketCounters::dropped,         &PacketCounters::consumed,
      &PacketCounters::toXScale,        &PacketCounters::copied,
      &PacketCounters::copiesEnded,     &PacketCounters::transmitted,
      &PacketCounters::transmittedBits, &PacketCounters::lost,
      &PacketCounters::taken,           &PacketCounters::emptyPolls,
      &PacketCounters::packetScratch,   &PacketCounters::packetSram,
      &PacketCounters::packetDram,      &PacketCounters::appScratch,
      &PacketCounters::appSram};
  for (auto member : members)
    result.*member = this->*member - other.*member;
  return result;
}

PacketAccounting::PacketAccounting(AccountingPlan thePlan)
    : plan(std::move(thePlan)), buffers(plan.bufferCount, Buffer::Free) {
  join(plan.scratchGlobals);
  join(plan.sramGlobals);
}

void PacketAccounting::moved() {
  ++progress;
  lastProgress = clock ? clock->now() : 0;
}

PacketAccounting::Buffer *PacketAccounting::bufferOf(uint32_t handle,
                                                     uint32_t actor) {
  uint32_t offset = handle - plan.firstHandle;
  uint32_t index = offset / plan.handleStep;
  if (handle >= plan.firstHandle && offset % plan.handleStep == 0 &&
      index < buffers.size())
    return &buffers[index];
  onFault(actor, hexadecimal(handle) + " is not the handle of a buffer");
  return nullptr;
}

void PacketAccounting::onHazard(const Hazard &hazard) {
  seenHazards.push_back(hazard);
  if (isStrict)
    onFault(hazard.engine,
            "cycle " + std::to_string(hazard.cycle) + ", " + hazard.text);
}

void PacketAccounting::onBreak(uint32_t, const std::string &state) {
  if (!broken)
    broken = state;
}

void PacketAccounting::onCommand(const Command &command) {
  if (packetLog)
    packetLog->onCommand(command);
  if (plan.roles[command.engine] != EngineRole::App)
    return;
  if (engineListener)
    engineListener->onCommand(command);
  switch (target::unitOf(command.op)) {
  case target::FunctionalUnit::Sram:
    if (isGlobal(plan.sramGlobals, command))
      ++totals.appSram;
    else
      ++totals.packetSram;
    return;
  case target::FunctionalUnit::Scratch:
    if (command.op == target::Op::ScratchGet)
      return; // counted when it is known whether the ring was empty
    if (isGlobal(plan.scratchGlobals, command))
      ++totals.appScratch;
    else
      ++totals.packetScratch;
    return;
  case target::FunctionalUnit::Dram:
    ++totals.packetDram;
    return;
  case target::FunctionalUnit::None:
  case target::FunctionalUnit::Cap:
  case target::FunctionalUnit::Pci:
  case target::FunctionalUnit::Hash:
  case target::FunctionalUnit::Msf:
    return;
  }
}

void PacketAccounting::onDequeue(uint32_t channel, uint32_t entry,
                                 uint32_t handle, uint32_t actor) {
  if (!isFreeList(channel, entry))
    return;
  Buffer *buffer = bufferOf(handle, actor);
  if (!buffer)
    return;
  if (roleOf(actor) == EngineRole::Rx) {
    *buffer = Buffer::Stock;
    return;
  }
  *buffer = Buffer::Copy;
  ++totals.copied;
  ++outstanding;
  moved();
}

void PacketAccounting::onEnqueue(uint32_t channel, uint32_t entry,
                                 uint32_t handle, uint32_t actor) {
  if (!isFreeList(channel, entry))
    return;
  Buffer *buffer = bufferOf(handle, actor);
  if (!buffer)
    return;
  Buffer was = std::exchange(*buffer, Buffer::Free);
  if (packetLog)
    packetLog->onFreed(handle, actor);
  if (packets)
    packets(PacketStep::Freed, handle, 0);
  if (freed)
    freed(handle);
  if (was == Buffer::Free)
    onFault(actor, "gives back buffer " + hexadecimal(handle) +
                       ", which is free already");
  if (was == Buffer::Free || was == Buffer::Stock)
    return;
  --outstanding;
  moved();
  if (was == Buffer::Copy) {
    ++totals.copiesEnded;
    return;
  }
  if (actor == xscaleActor)
    ++totals.consumed;
  else if (roleOf(actor) == EngineRole::Tx)
    ++totals.forwarded;
  else
    ++totals.dropped;
}

void PacketAccounting::onEmptyGet(const Command &command) {
  if (plan.roles[command.engine] == EngineRole::App)
    ++totals.emptyPolls;
}

void PacketAccounting::onFilledGet(const Command &command) {
  if (plan.roles[command.engine] != EngineRole::App)
    return;
  ++totals.packetScratch;
  if (engineListener)
    engineListener->onNewPacket(command.engine, command.context);
}

void PacketAccounting::onRingPut(uint32_t ring, uint32_t value,
                                 uint32_t actor) {
  moved();
  if (packetLog)
    packetLog->onRing(true, ring, value, actor);
  if (packets)
    packets(PacketStep::Put, value & target::HandleMask, ring);
  if (ring == plan.toXScaleRing && actor != xscaleActor)
    ++totals.toXScale;
  if (ring != plan.rxRing || roleOf(actor) != EngineRole::Rx)
    return;
  Buffer *buffer = bufferOf(value & target::HandleMask, actor);
  if (!buffer || *buffer == Buffer::Original)
    return;
  *buffer = Buffer::Original;
  if (packetLog)
    packetLog->onReceived(value & target::HandleMask, ring);
  ++totals.received;
  ++outstanding;
}

void PacketAccounting::onRingGet(uint32_t ring, uint32_t value,
                                 uint32_t actor) {
  moved();
  if (packetLog)
    packetLog->onRing(false, ring, value, actor);
  if (packets)
    packets(PacketStep::Get, value & target::HandleMask, ring);
  if (ring == plan.rxRing && roleOf(actor) == EngineRole::App)
    ++totals.taken;
}

void PacketAccounting::onFrameReceived(uint64_t, uint32_t, uint32_t) {
  moved();
}

void PacketAccounting::onFrameLost(uint64_t, uint32_t, uint32_t) {
  ++totals.lost;
}

void PacketAccounting::onFrameSent(uint64_t, uint32_t, uint32_t bytes) {
  moved();
  ++totals.transmitted;
  totals.transmittedBits += uint64_t{bytes + target::FrameCrcBytes} * 8;
}

void PacketAccounting::onFault(uint32_t engine, const std::string &what) {
  if (firstFault)
    return;
  firstFault =
      (engine == xscaleActor ? std::string("the XScale: ")
                             : "engine " + std::to_string(engine) + ": ") +
      what;
}

} // namespace karakal::sim
