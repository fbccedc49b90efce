// Big-endian storage of one memory.
//
// Every memory of the chip is an array of bytes in big-endian order: the word
// at address a is bytes a..a+3, most significant first. The storage is
// page-aligned, so that the XScale emulator maps the same bytes and both sides
// see one memory.

#ifndef KARAKAL_SIM_IXP_MEMORY_MEMORY_H
#define KARAKAL_SIM_IXP_MEMORY_MEMORY_H

#include <cstdint>
#include <cstring>

namespace karakal::sim {

/// The bytes of one memory. Addresses wrap modulo the size, a power of two.
class Memory {
public:
  explicit Memory(uint32_t bytes);
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  uint32_t size() const { return byteCount; }
  uint8_t *data() { return bytes; }
  const uint8_t *data() const { return bytes; }

  /// The aligned 32-bit word that holds byte `address`.
  uint32_t readWord(uint32_t address) const {
    uint32_t word;
    std::memcpy(&word, bytes + (address & mask & ~3u), 4);
    return __builtin_bswap32(word);
  }
  void writeWord(uint32_t address, uint32_t value) {
    value = __builtin_bswap32(value);
    std::memcpy(bytes + (address & mask & ~3u), &value, 4);
  }

  /// Prefetches `address` on the host: there is time to do so between a
  /// command's arrival and its service.
  void prefetch(uint32_t address) const {
    __builtin_prefetch(bytes + (address & mask));
  }

private:
  uint32_t byteCount;
  uint32_t mask;
  uint8_t *bytes;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_MEMORY_MEMORY_H
