// Interrupts of the core by threads.
//
// A thread (a context of an engine) that writes XSCALE_INT_A or _B of the CAP
// sets its own bit of interrupt A or B in the interrupt controller. The core
// reads which threads interrupted it, and may mask each. The offsets are those
// of the Linux driver [R], from 0xd6000000 on, each for four words:
//
//                  A      B
//   status       0xe0  0x100   raw and enabled; read only
//   raw          0x60   0x80   a written 1 clears the bit
//   enable set  0x160  0x180   a written 1 enables the thread; reads as enabled
//   disable     0x1e0  0x200   a written 1 disables the thread
//
// Bit n % 32 of word n / 32 is thread n: eight threads an engine, the first 64
// of cluster 0, the others of cluster 1. Linux states this for the first two
// engines; the place of the second cluster is this project's choice [M].

#ifndef KARAKAL_SIM_IXP_BUS_THREADINTERRUPTS_H
#define KARAKAL_SIM_IXP_BUS_THREADINTERRUPTS_H

#include <array>
#include <cstdint>
#include <optional>

namespace karakal::sim {

/// The thread of an interrupt that the core itself raises.
constexpr uint32_t noThread = ~0u;

/// The number of a thread, 0..127; `engine` is the engine's hardware number.
constexpr uint32_t threadNumber(uint32_t engine, uint32_t context) {
  return ((engine >> 4 & 1) * 8 + (engine & 7)) * 8 + context;
}

/// The part of the interrupt controller that belongs to threads.
class ThreadInterrupts {
public:
  static constexpr uint32_t windowBytes = 0x300;

  /// Thread `thread` raises interrupt 0 (A) or 1 (B).
  void raise(uint32_t which, uint32_t thread);

  /// The register at a byte offset; nothing if there is none.
  std::optional<uint32_t> read(uint32_t offset) const;
  /// Writes a register; returns false if there is none.
  bool write(uint32_t offset, uint32_t value);

private:
  static constexpr uint32_t wordCount = 4;
  struct Word {
    uint32_t raw = 0;
    uint32_t enabled = 0;
  };
  enum class Register { Status, Raw, EnableSet, Disable };
  struct Place {
    Register kind;
    uint32_t which, word;
  };
  static std::optional<Place> placeOf(uint32_t offset);

  std::array<std::array<Word, wordCount>, 2> words{};
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_BUS_THREADINTERRUPTS_H
