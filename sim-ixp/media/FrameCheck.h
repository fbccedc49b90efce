// The frame check sequence of Ethernet.

#ifndef KARAKAL_SIM_IXP_MEDIA_FRAMECHECK_H
#define KARAKAL_SIM_IXP_MEDIA_FRAMECHECK_H

#include <cstddef>
#include <cstdint>

namespace karakal::sim {

/// Writes the check sequence of `size` bytes in the order of the wire (IEEE
/// 802.3, 3.2.9: CRC-32, least significant byte first).
void storeFrameCheckSequence(const uint8_t *bytes, size_t size, uint8_t to[4]);

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_MEDIA_FRAMECHECK_H
