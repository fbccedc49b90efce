// The content-addressable memory of an engine.
//
// 16 entries of a 32-bit tag and a 4-bit state, with the order of their use. A
// lookup result holds the state in bits 11:8, hit in bit 7 and the entry in
// bits 6:3; a miss names the least recently used entry and has state 0. A hit
// and a write make an entry the most recently used; a miss and a write of the
// state alone do not ("MEv2 reference", CAM).

#ifndef KARAKAL_SIM_IXP_ENGINE_CAM_H
#define KARAKAL_SIM_IXP_ENGINE_CAM_H

#include <array>
#include <cstdint>

namespace karakal::sim {

/// One engine's CAM.
class Cam {
public:
  static constexpr uint32_t entryCount = 16;

  Cam() { clear(); }

  /// Tags and states 0; entry 0 least, entry 15 most recently used.
  void clear();
  /// The result word of cam_lookup.
  uint32_t lookup(uint32_t tag);
  void write(uint32_t entry, uint32_t tag, uint32_t state);
  void writeState(uint32_t entry, uint32_t state) {
    states[entry & 15] = static_cast<uint8_t>(state & 15);
  }
  uint32_t tag(uint32_t entry) const { return tags[entry & 15]; }
  /// The state where a lookup would put it: bits 11:8.
  uint32_t stateWord(uint32_t entry) const {
    return uint32_t{states[entry & 15]} << 8;
  }

private:
  void touch(uint32_t entry);

  std::array<uint32_t, entryCount> tags;
  std::array<uint8_t, entryCount> states;
  /// Entries from least to most recently used.
  std::array<uint8_t, entryCount> order;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_ENGINE_CAM_H
