// The chip by physical address.
//
// What the XScale core reads and writes outside its caches: the memories and
// the device words at the addresses of target-ixp/chip/MemoryMap.h. The core's
// model uses it, and so does a program that embeds the chip and plays the core
// (docs/embedding.md).
//
//   0x00000000  DRAM                       0xc8000000  MSF
//   0x80000000  SRAM, 256 MB a channel     0xca000000  scratch
//   0xc0000000  CAP                        0xcb400000  scratch rings
//   0xc0018000  local CSRs of the engines  0xcc000000  queue array, atomics
//   0xd6000000  interrupts by threads
//
// An access takes effect at once. It sees the effect of every engine command
// that a unit has accepted, served or not. Its time is its caller's affair.

#ifndef KARAKAL_SIM_IXP_CORE_PHYSICALBUS_H
#define KARAKAL_SIM_IXP_CORE_PHYSICALBUS_H

#include "sim-ixp/core/XScaleEmulator.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/CommandCodes.h"

#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

namespace karakal::target {
struct ChipParameters;
}

namespace karakal::sim {

class Cap;
class ChipObserver;
class Dram;
class MediaInterface;
class Memory;
class Microengine;
class Scheduler;
class Scratch;
class Sram;

/// The parts of the chip that the core is connected to.
struct XScaleConnections {
  Scheduler *scheduler;
  const target::ChipParameters *parameters;
  ChipObserver *observer;
  Dram *dram;
  Scratch *scratch;
  std::vector<Sram *> sram; ///< by channel
  Cap *cap = nullptr;
  std::vector<Microengine *> engines = {};
  MediaInterface *media = nullptr;
};

/// The units of a chip by physical address.
class PhysicalBus {
public:
  // Sizes of the device windows, and the chip's own addresses [R].
  static constexpr uint32_t ringWindowBytes = 0x1000;
  static constexpr uint32_t queueWindowBytes = 0x40000;
  /// What the words from XScaleAtomicOperand on select.
  static constexpr target::WordAccess atomicAccesses[] = {
      target::WordAccess::Add, target::WordAccess::Set,
      target::WordAccess::Clear, target::WordAccess::Swap};
  static constexpr uint32_t atomicOperandBytes = 4 * std::size(atomicAccesses);
  /// Where a channel's atomic additions begin in its part of the map.
  static constexpr uint32_t sramAddOffset =
      target::XScaleSramAdd - target::XScaleSram0;
  static constexpr uint32_t capBase = target::XScaleCap;
  static constexpr uint32_t capWindowBytes = 0x8000;
  static constexpr uint32_t msfBase = 0xc8000000;
  static constexpr uint32_t msfWindowBytes = 0x4000;
  static constexpr uint32_t csrBytes = 0x400; ///< of one engine's local CSRs
  static constexpr uint32_t csrWindowBytes = 0x8000;
  static constexpr uint32_t interruptBase = 0xd6000000;
  static constexpr uint32_t interruptWindowBytes = 0x1000;

  static constexpr bool isWithin(uint32_t address, uint32_t base,
                                 uint32_t bytes) {
    return address - base < bytes;
  }

  explicit PhysicalBus(XScaleConnections chip);

  const XScaleConnections &units() const { return chip; }

  /// The memories and the device windows, for the core's emulator.
  std::vector<XScaleMemory> memories() const;
  std::vector<XScaleWindow> windows() const;

  /// The word at a byte address, which is a multiple of 4; nothing if neither
  /// memory nor device is there.
  std::optional<uint32_t> read(uint32_t address);
  /// Writes it; returns false if neither memory nor device is there.
  bool write(uint32_t address, uint32_t value);

  /// The same for device words only.
  std::optional<uint32_t> readDevice(uint32_t address);
  bool writeDevice(uint32_t address, uint32_t value);

  /// Applies the effects of the commands that the units have accepted.
  void settle();

private:
  struct Place {
    Memory *memory;
    uint32_t offset;
  };
  std::optional<Place> memoryAt(uint32_t address) const;
  Microengine *engineAt(uint32_t address) const;
  bool writeRing(uint32_t ring, uint32_t value);
  bool writeAtomic(uint32_t address, uint32_t value);
  std::optional<uint32_t> readAtomic(uint32_t address);

  XScaleConnections chip;
  /// The word last written to XScaleRingSecond, for the next put.
  std::optional<uint32_t> secondWord;
  /// The word last written to XScaleAtomicOperand, for the next read there.
  struct AtomicOperand {
    target::WordAccess access;
    uint32_t value;
  };
  std::optional<AtomicOperand> atomicOperand;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_CORE_PHYSICALBUS_H
