// The CSR access proxy.
//
// Holds the registers that belong to no other unit ("IXP2400 chip notes", CAP).
// No available document gives their offsets, except those that are tagged [R],
// from Linux; the others are this project's choice [M].
//
//   ring n, 0x4800 + 16n [R]
//                       base (+0), head (+4) and tail (+8) of a scratch ring; a
//                       write of the base makes the ring: 31:30 size (128 << n
//                       words), 26 its input state means "empty", 13:0 its
//                       first byte
//   productId [R]       20:16 family, 15:8 product (2: IXP2400), 7:0 revision
//   reset1 [R]          bits of its clusters' engines hold them in reset
//   interThreadSignal   a write raises a signal: bits 3:0 signal, 6:4 context,
//                       11:7 the engine's hardware number
//   threadMessage + 4n  a word for thread n of all engines; a read clears it
//   selfDestruct + 4n   a write sets bit (value & 31); a read returns and
//                       clears the register
//   interruptA, B       a write interrupts the core, which can read the thread
//                       that wrote (ThreadInterrupts.h); a read clears the word
//   reflector           a write of 1 to 16 words copies them from the writer's
//                       transfer-out registers to transfer-in registers of
//                       another engine and raises a signal there. The address
//                       is reflector plus bits 3:0 signal, 6:4 context, 11:7
//                       the engine's hardware number, 15:12 the first register
//
// Any other register returns the value last written.

#ifndef KARAKAL_SIM_IXP_BUS_CAP_H
#define KARAKAL_SIM_IXP_BUS_CAP_H

#include "sim-ixp/bus/Chassis.h"
#include "sim-ixp/bus/Server.h"
#include "sim-ixp/bus/ThreadInterrupts.h"
#include "target-ixp/chip/MemoryMap.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace karakal::sim {

/// The scratch rings behind the CAP's registers.
class RingRegisters {
public:
  virtual ~RingRegisters() = default;
  enum class Field { Base, Head, Tail };
  virtual uint32_t readRing(uint32_t ring, Field field) const = 0;
  /// Returns false, and does nothing, if no ring can be so.
  virtual bool writeRing(uint32_t ring, Field field, uint32_t value) = 0;
};

/// The CAP unit.
class Cap final : public CommandUnit, public EventTarget {
public:
  static constexpr uint32_t ringRegisters = target::CapRings;
  static constexpr uint32_t ringRegisterBytes = 16 * 16;
  static constexpr uint32_t productId = 0x4a00; ///< [R]
  static constexpr uint32_t reset1 = 0x4a10;    ///< [R]
  static constexpr uint32_t interThreadSignal = 0x4900;
  static constexpr uint32_t threadMessage = 0x4000; ///< 128 words
  static constexpr uint32_t selfDestruct = 0x4910;  ///< 2 words
  static constexpr uint32_t interruptA = 0x4b20;    ///< [R] XSCALE_INT_A
  static constexpr uint32_t interruptB = 0x4b24;    ///< [R] XSCALE_INT_B
  /// First address of the reflector; above the 16-bit register addresses.
  static constexpr uint32_t reflector = 0x10000;

  explicit Cap(Chassis &chassis);

  /// The register at a byte offset, with the side effects of a read.
  uint32_t readRegister(uint32_t offset);
  /// Writes a register; a signal that it raises comes at `cycle`. `thread` is
  /// the number of the thread that writes (threadNumber).
  void writeRegister(uint32_t offset, uint32_t value, uint64_t cycle,
                     uint32_t thread = noThread);

  /// Calls `callback` when a thread, or the core (noThread), writes interrupt 0
  /// (A) or 1 (B).
  void
  onInterrupt(std::function<void(uint32_t which, uint32_t thread)> callback) {
    interrupt = std::move(callback);
  }
  ThreadInterrupts &threadInterrupts() { return threads; }
  /// Connects the scratch rings; a faulty write of a register is reported to
  /// `onWrong`.
  void connectRings(RingRegisters *newRings,
                    std::function<void(const std::string &)> onWrong) {
    rings = newRings;
    wrong = std::move(onWrong);
  }
  /// Calls `callback` with the value of each write of RESET1.
  void onReset(std::function<void(uint32_t value)> callback) {
    reset = std::move(callback);
  }

  void accept(Command &command) override;
  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override;

  const Server &server() const { return service; }
  /// Occupies the CAP for an access of the XScale core from `now` on; returns
  /// the first cycle of its service.
  uint64_t coreAccess(uint64_t now);

private:
  void reflect(uint64_t cycle, Command &command);
  void write(uint64_t cycle, Command &command);
  uint32_t threadOf(const Command &command) const;
  void writeRing(uint32_t offset, uint32_t value);

  Chassis &chassis;
  UnitTiming timing;
  Server service;
  std::vector<uint32_t> registers;
  ThreadInterrupts threads;
  RingRegisters *rings = nullptr;
  std::function<void(const std::string &)> wrong;
  std::function<void(uint32_t)> reset;
  std::function<void(uint32_t, uint32_t)> interrupt;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_BUS_CAP_H
