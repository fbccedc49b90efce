#include "sim-ixp/media/FrameCheck.h"

namespace karakal::sim {

void storeFrameCheckSequence(const uint8_t *bytes, size_t size, uint8_t to[4]) {
  constexpr uint32_t polynomial = 0xedb88320; // bits reversed
  uint32_t remainder = ~0u;
  for (size_t i = 0; i < size; ++i) {
    remainder ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit)
      remainder = remainder >> 1 ^ (remainder & 1 ? polynomial : 0);
  }
  for (int byte = 0; byte < 4; ++byte)
    to[byte] = static_cast<uint8_t>(~remainder >> 8 * byte);
}

} // namespace karakal::sim
