// The life of every packet buffer.

#include "sim-ixp/observe/PacketAccounting.h"
#include "support/Error.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/CommandCodes.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

namespace karakal::sim {
namespace {

/// Sorts ranges and joins adjacent ones.
void sortAndJoin(std::vector<AccountingPlan::Range> &ranges) {
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

/// Whether a command accesses a word in one of the ranges. Addresses of queues
/// and rings mean something else.
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

const char *roleName(EngineRole role) {
  switch (role) {
  case EngineRole::Idle:
    return "idle";
  case EngineRole::Rx:
    return "rx";
  case EngineRole::Tx:
    return "tx";
  case EngineRole::App:
    return "app";
  }
  KARAKAL_UNREACHABLE("an engine without a role");
}

PacketCounters PacketCounters::operator-(const PacketCounters &other) const {
  PacketCounters result;
  constexpr uint64_t PacketCounters::*members[] = {
      &PacketCounters::received,
      &PacketCounters::forwarded,
      &PacketCounters::dropped,
      &PacketCounters::consumed,
      &PacketCounters::toXScale,
      &PacketCounters::copied,
      &PacketCounters::copiesEnded,
      &PacketCounters::transmitted,
      &PacketCounters::transmittedBits,
      &PacketCounters::lost,
      &PacketCounters::taken,
      &PacketCounters::emptyPolls,
      &PacketCounters::packetScratch,
      &PacketCounters::packetSram,
      &PacketCounters::packetDram,
      &PacketCounters::appScratch,
      &PacketCounters::appSram,
      &PacketCounters::hash,
      &PacketCounters::cap,
      &PacketCounters::msf};
  static_assert(sizeof(PacketCounters) == std::size(members) * sizeof(uint64_t),
                "the difference covers every counter");
  for (auto member : members)
    result.*member = this->*member - other.*member;
  return result;
}

PacketAccounting::PacketAccounting(AccountingPlan thePlan)
    : plan(std::move(thePlan)), buffers(plan.bufferCount, Buffer::Free) {
  sortAndJoin(plan.scratchGlobals);
  sortAndJoin(plan.sramGlobals);
  KARAKAL_ASSERT(plan.handleStep > 0, "all buffers have the same handle");
}

uint64_t PacketAccounting::movingCount() {
  // Longer than a context works for a packet.
  constexpr uint64_t calmCycles = 20'000;
  uint64_t count = waiting ? waiting() : 0;
  uint64_t now = clock ? clock->now() : 0;
  if (count != seenWaiting) {
    seenWaiting = count;
    seenWaitingAt = now;
  }
  bool isCalm = now >= seenWaitingAt + calmCycles;
  // A program with a fault may have written anything where it counts.
  return outstanding - (isCalm ? std::min(count, outstanding) : 0);
}

void PacketAccounting::noteProgress() {
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

void PacketAccounting::onBreak(uint32_t engine, const std::string &state) {
  if (!reachedBreak)
    reachedBreak = BreakState{engine, state};
}

void PacketAccounting::onCommand(const Command &command) {
  if (packetLog)
    packetLog->onCommand(command);
  if (plan.roles[command.engine] == EngineRole::Tx)
    return onTxCommand(command);
  if (plan.roles[command.engine] != EngineRole::App)
    return;
  if (programObserver)
    programObserver->onCommand(command);
  switch (target::unitOf(command.op)) {
  case target::FunctionalUnit::Sram:
    if (isGlobal(plan.sramGlobals, command))
      ++totals.appSram;
    else
      ++totals.packetSram;
    return;
  case target::FunctionalUnit::Scratch:
    if (command.op == target::Op::ScratchGet)
      return; // counted by onEmptyGet or onFilledGet
    if (isGlobal(plan.scratchGlobals, command))
      ++totals.appScratch;
    else
      ++totals.packetScratch;
    return;
  case target::FunctionalUnit::Dram:
    ++totals.packetDram;
    return;
  case target::FunctionalUnit::Hash:
    ++totals.hash;
    return;
  case target::FunctionalUnit::Cap:
    ++totals.cap;
    return;
  case target::FunctionalUnit::Msf:
    ++totals.msf;
    return;
  case target::FunctionalUnit::None:
  case target::FunctionalUnit::Pci:
    return;
  }
}

/// Notes which packets Tx drops: its context counts the drop, then frees.
void PacketAccounting::onTxCommand(const Command &command) {
  uint8_t context = uint8_t(1u << command.context);
  uint8_t &of = refusing[command.engine];
  if (command.op == target::Op::ScratchIncr &&
      command.address - plan.dropCounters < target::DropCounterCount * 4) {
    of |= context;
  } else if (command.op == target::Op::SramEnqueue && (of & context) != 0) {
    of &= ~context;
    refused.push_back(command.address & target::HandleMask);
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
  noteProgress();
}

void PacketAccounting::onEnqueue(uint32_t channel, uint32_t entry,
                                 uint32_t handle, uint32_t actor) {
  if (!isFreeList(channel, entry))
    return;
  Buffer *buffer = bufferOf(handle, actor);
  if (!buffer)
    return;
  Buffer was = std::exchange(*buffer, Buffer::Free);
  if (actor != xscaleActor)
    release(actor, handle);
  auto found = std::find(refused.begin(), refused.end(), handle);
  bool isRefused = found != refused.end();
  if (isRefused) {
    refused.erase(found);
    if (packetLog)
      packetLog->onRefused(handle);
    if (packetObserver)
      packetObserver(PacketStep::Refused, handle, actor);
  }
  if (packetLog)
    packetLog->onFreed(handle, actor, served);
  if (packetObserver)
    packetObserver(PacketStep::Freed, handle, actor);
  if (freed)
    freed(handle);
  if (was == Buffer::Free)
    onFault(actor,
            "frees buffer " + hexadecimal(handle) + ", which is already free");
  else if (was != Buffer::Stock)
    countEnd(was, actor, isRefused);
}

/// The contexts of `engine` no longer hold the packet.
void PacketAccounting::release(uint32_t engine, uint32_t handle) {
  for (uint32_t &each : held[engine])
    if (each == handle)
      each = 0;
}

/// A packet has ended: `actor` returned the buffer that held it.
void PacketAccounting::countEnd(Buffer content, uint32_t actor,
                                bool isRefused) {
  KARAKAL_ASSERT(outstanding > 0, "more packets ended than began");
  --outstanding;
  noteProgress();
  if (content == Buffer::Copy)
    ++totals.copiesEnded;
  else if (actor == xscaleActor)
    ++totals.consumed;
  else if (roleOf(actor) == EngineRole::Tx && !isRefused)
    ++totals.forwarded;
  else
    ++totals.dropped;
}

void PacketAccounting::onCoreAdd(uint32_t address) {
  if (packetLog)
    packetLog->onCoreAdd(address);
}

void PacketAccounting::onEmptyGet(const Command &command) {
  if (plan.roles[command.engine] == EngineRole::App)
    ++totals.emptyPolls;
}

void PacketAccounting::onFilledGet(const Command &command) {
  if (plan.roles[command.engine] != EngineRole::App)
    return;
  ++totals.packetScratch;
  if (programObserver)
    programObserver->onNewPacket(command.engine, command.context);
}

void PacketAccounting::onRingPut(uint32_t ring, uint32_t value,
                                 uint32_t actor) {
  noteProgress();
  if (actor != xscaleActor)
    release(actor, value & target::HandleMask);
  if (packetLog)
    packetLog->onRing(true, ring, value, actor, served);
  if (packetObserver)
    packetObserver(PacketStep::Put, value & target::HandleMask, ring);
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
  noteProgress();
  if (served)
    held[served->engine][served->context] = value & target::HandleMask;
  if (packetLog)
    packetLog->onRing(false, ring, value, actor, served);
  if (packetObserver)
    packetObserver(PacketStep::Get, value & target::HandleMask, ring);
  if (ring == plan.rxRing && roleOf(actor) == EngineRole::App)
    ++totals.taken;
}

void PacketAccounting::onFrameReceived(uint64_t, uint32_t, uint32_t) {
  noteProgress();
}

void PacketAccounting::onFrameLost(uint64_t, uint32_t, uint32_t) {
  ++totals.lost;
}

void PacketAccounting::onFrameSent(uint64_t, uint32_t, uint32_t bytes) {
  noteProgress();
  ++totals.transmitted;
  totals.transmittedBits += uint64_t{bytes + target::FrameCrcBytes} * 8;
}

void PacketAccounting::onFault(uint32_t actor, const std::string &what) {
  if (firstFault)
    return;
  firstFault =
      (actor == xscaleActor ? std::string("the XScale: ")
                            : "engine " + std::to_string(actor) + ": ") +
      what;
}

} // namespace karakal::sim
