// One SRAM channel with its queue array.
//
// A QDR channel has a read port and a write port that work in parallel; each
// serves commands in the order of arrival. An atomic operation takes both
// ports. The queue array (QueueArray.h) holds queues, rings and journals.
// Controller registers store what is written.
//
// The core* calls are for the XScale and take effect at once. The core's
// accesses queue after the commands that the channel has accepted: settle()
// applies their effects before the core's access.

#ifndef KARAKAL_SIM_IXP_MEMORY_SRAM_H
#define KARAKAL_SIM_IXP_MEMORY_SRAM_H

#include "sim-ixp/bus/Chassis.h"
#include "sim-ixp/bus/Server.h"
#include "sim-ixp/memory/Memory.h"
#include "sim-ixp/memory/QueueArray.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace karakal::sim {

class ChipObserver;

/// One channel. Addresses inside a channel have no channel bits.
class Sram final : public CommandUnit, public EventTarget {
public:
  Sram(uint32_t channel, uint32_t bytes, Chassis &chassis,
       ChipObserver &observer);

  Memory &memory() { return storage; }

  // ---- set-up and the XScale's side ---------------------------------------
  /// Longword address of the buffer at the head of the queue, 0 if empty.
  /// Kinds of accesses of the XScale core.
  enum class CoreAccess { Read, Write, Atomic, Queue };
  /// Occupies the ports for an access of the core from `now` on; returns the
  /// first cycle of its service.
  uint64_t coreAccess(CoreAccess kind, uint32_t bytes, uint64_t now);
  uint32_t coreDequeue(uint32_t entry);
  void coreEnqueue(uint32_t entry, uint32_t longwordAddress);
  /// As coreEnqueue, but hidden from the accounting (for the loader).
  void fillQueue(uint32_t entry, uint32_t longwordAddress);
  /// Creates an empty ring of `words` words, 512 or a power of two times that,
  /// at byte `address` (for the loader).
  void makeRing(uint32_t entry, uint32_t address, uint32_t words);
  uint32_t queueLevel(uint32_t entry) const { return queues.countOf(entry); }
  /// Adds to the word at byte `address`.
  void coreAdd(uint32_t address, uint32_t value);

  /// Applies the effects of all accepted commands to memory and queues. Their
  /// service times, and all that an engine can see, stay the same.
  void settle();

  void accept(Command &command) override;
  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override;

  Server &reader() { return readPort; }
  Server &writer() { return writePort; }

private:
  void act(Command &command);
  void actOnMemory(Command &command);
  void actOnQueue(Command &command);
  void loadDescriptor(Command &command, uint32_t entry, uint32_t address);
  void enqueue(Command &command, uint32_t entry, uint32_t buffer);
  bool isInside(const Command &command, uint64_t first, uint64_t words);
  uint64_t portCycles(const Command &command, uint32_t words) const;
  void serve(uint64_t cycle, Command &command);
  uint64_t burstLag(uint32_t words) const;

  uint32_t channel;
  Chassis &chassis;
  ChipObserver &observer;
  Memory storage;
  UnitTiming timing;
  Server readPort, writePort;
  uint64_t lastStart = 0;
  /// When the last result was ready. Results leave in the order of service.
  uint64_t lastReady = 0;
  QueueArray queues{storage};
  std::array<uint32_t, 64> registers{};
};

/// Routes SRAM commands to the channel in bits 31:30 of their address.
class SramSelector final : public CommandUnit {
public:
  SramSelector(std::vector<Sram *> channels, Chassis &chassis,
               ChipObserver &observer)
      : channels(std::move(channels)), chassis(chassis), observer(observer) {}

  void accept(Command &command) override;

private:
  std::vector<Sram *> channels;
  Chassis &chassis;
  ChipObserver &observer;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_MEMORY_SRAM_H
