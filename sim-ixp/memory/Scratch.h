// Scratchpad memory, atomics and rings.
//
// 16 KB of words, atomic operations and 16 rings ("IXP2400 chip notes",
// scratchpad). Commands are served in the order of arrival; each takes the
// cycles that the chip parameters give. A read of an empty ring returns 0. A
// write to a full ring is always reported as a fault, because the program must
// test the input state first. Rings 0..11 drive an input state that follows the
// ring with a lag: "full" is set while there is still space for the puts in
// flight, "empty" when there is nothing to get.
//
// The core* calls are for the XScale and take effect at once.

#ifndef KARAKAL_SIM_IXP_MEMORY_SCRATCH_H
#define KARAKAL_SIM_IXP_MEMORY_SCRATCH_H

#include "sim-ixp/bus/Cap.h"
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
class Scratch final : public CommandUnit,
                      public EventTarget,
                      public RingRegisters {
public:
  static constexpr uint32_t ringCount = 16;
  static constexpr uint32_t inputStateCount = 12;

  Scratch(Chassis &chassis, ChipObserver &observer);

  Memory &memory() { return storage; }

  /// Configures ring `number` with `words` words at byte `base`;
  /// `statusOnEmpty` selects the meaning of its input state.
  void configureRing(uint32_t number, uint32_t base, uint32_t words,
                     bool statusOnEmpty);
  // The registers of the CAP: an empty ring by its base; head and tail are word
  // numbers inside it [M].
  uint32_t readRing(uint32_t ring, Field field) const override;
  bool writeRing(uint32_t ring, Field field, uint32_t value) override;
  uint32_t ringLevel(uint32_t number) const { return rings[number].count; }
  uint32_t ringWords(uint32_t number) const { return rings[number].words; }

  // ---- for the XScale -------------------------------------------------------
  /// Takes a word from a ring, 0 if it is empty.
  uint32_t coreGet(uint32_t ring);
  /// Puts a word into a ring; returns false (and does nothing) if it is full.
  bool corePut(uint32_t ring, uint32_t value);
  /// Puts a message of two words into a ring, both or none.
  bool corePut(uint32_t ring, uint32_t first, uint32_t second);
  /// Bit 0: empty; bit 1: full (no space for another word).
  uint32_t coreRingState(uint32_t ring) const;
  /// Adds to the word at byte `address`.
  void coreAdd(uint32_t address, uint32_t value);
  /// Sets bit 0 of a word for the XScale core; returns the old value.
  uint32_t coreTestSet(uint32_t address);

  /// Called when a ring becomes non-empty.
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
    uint32_t words = 0;  ///< 0 = not configured
    uint32_t margin = 0; ///< free words of a ring that is nearly full
    uint32_t head = 0;
    uint32_t count = 0;
    bool statusOnEmpty = false;
    bool inputState = false;
  };

  void serve(uint64_t cycle, Command &command);
  void serveAtomic(uint64_t cycle, Command &command);
  void serveRing(uint64_t cycle, Command &command);
  uint32_t take(uint32_t number);
  void put(uint32_t number, uint32_t value);
  void updateInputState(uint32_t number);

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
