// Scratchpad memory, atomics and rings.
//
// 16 KB of words, atomic operations and 16 rings ("IXP2400 chip notes",
// scratchpad). Commands are served in the order of arrival: each takes
// the cycles that the chip parameters give. A read of an empty ring gives 0; a
// write to a full ring is the program's mistake (it must test the status line)
// and is reported as a fault, never lost in silence. Rings 0..11 drive a status
// line that follows the ring with a lag: "full" comes on while there is still
// room for the puts in flight, "empty" when there is nothing to get.
//
// The core* calls are the XScale's side; they act at once.

#ifndef KARAKAL_SIM_IXP_MEMORY_SCRATCH_H
#define KARAKAL_SIM_IXP_MEMORY_SCRATCH_H

#include "sim-ixp/bus/Chassis.h"
#include "sim-ixp/bus/Server.h"
#include "sim-ixp/memory/Memory.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>

namespace karakal::sim {

class ChipObserver;

/// The scratchpad unit.
class Scratch final : public CommandUnit, public EventTarget {
public:
  static constexpr uint32_t ringCount = 16;
  static constexpr uint32_t statusLineCount = 12;

  Scratch(Chassis &chassis, ChipObserver &observer);

  Memory &memory() { return storage; }

  /// Makes ring `number` of `words` words at byte `base`; `statusOnEmpty` says
  /// what its status line means.
  void configureRing(uint32_t number, uint32_t base, uint32_t words,
                     bool statusOnEmpty);
  uint32_t ringLevel(uint32_t number) const { return rings[number].count; }
  uint32_t ringWords(uint32_t number) const { return rings[number].words; }

  // ---- the XScale's side ---------------------------------------------------
  /// Takes a word from a ring, 0 if it is empty.
  uint32_t coreGet(uint32_t ring);
  /// Puts a word into a ring; false (and nothing done) if it is full.
  bool corePut(uint32_t ring, uint32_t value);
  /// Puts a message of two words into a ring, both or none.
  bool corePut(uint32_t ring, uint32_t first, uint32_t second);
  /// Bit 0 empty, bit 1 full (no room for another word).
  uint32_t coreRingState(uint32_t ring) const;
  /// Adds to the word at byte `address`.
  void coreAdd(uint32_t address, uint32_t value);
  /// The XScale core sets bit 0 of a word; returns what it was before.
  uint32_t coreTestSet(uint32_t address);

  /// Called when a ring goes from empty to not empty.
  void onNotEmpty(std::function<void(uint32_t ring)> callback) {
    notEmpty = std::move(callback);
  }

  void accept(Command &command) override;
  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override;

  const Server &server() const { return service; }
  Server &server() { return service; }

private:
  struct Ring {
    uint32_t base = 0;
    uint32_t words = 0; ///< 0 = not configured
    uint32_t head = 0;
    uint32_t count = 0;
    bool statusOnEmpty = false;
    bool line = false;
  };

  void serve(uint64_t cycle, Command &command);
  void serveAtomic(uint64_t cycle, Command &command);
  void serveRing(uint64_t cycle, Command &command);
  uint32_t take(uint32_t number);
  void put(uint32_t number, uint32_t value);
  void updateLine(uint32_t number);

  Chassis &chassis;
  ChipObserver &observer;
  Memory storage;
  UnitTiming timing;
  Server service;
  std::array<Ring, ringCount> rings{};
  std::function<void(uint32_t)> notEmpty;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_MEMORY_SCRATCH_H
