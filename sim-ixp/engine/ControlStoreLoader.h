// The registers through which the core loads a control store.
//
// "MEv2 reference", loading code: USTORE_ADDRESS with bit 31, then for each
// word USTORE_DATA_LOWER (bits 31:0) and USTORE_DATA_UPPER (bits 41:32), which
// stores the word and increments the address. Bit 41 is the parity of bits
// 39:20, bit 40 that of 19:0.

#ifndef KARAKAL_SIM_IXP_ENGINE_CONTROLSTORELOADER_H
#define KARAKAL_SIM_IXP_ENGINE_CONTROLSTORELOADER_H

#include <cstdint>
#include <vector>

namespace karakal::sim {

/// The control store of one engine as the core writes it.
class ControlStoreLoader {
public:
  /// USTORE_ADDRESS.
  uint32_t address = 0;
  /// USTORE_DATA_LOWER of the next word.
  uint32_t lower = 0;

  /// USTORE_ERROR_STATUS.
  uint32_t errorStatus() const { return error; }
  /// The word at the address, 0 if none was stored.
  uint64_t word() const;
  /// Stores a word with its upper bits if the address enables it. A word with
  /// wrong parity, or beyond `capacity` words, is dropped and sets the error
  /// status.
  void store(uint32_t upper, uint64_t capacity);
  /// The words, without parity.
  const std::vector<uint64_t> &words() const { return stored; }
  /// Whether words were stored since the last call.
  bool takeNew();

private:
  std::vector<uint64_t> stored;
  bool isNew = false;
  uint32_t error = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_ENGINE_CONTROLSTORELOADER_H
