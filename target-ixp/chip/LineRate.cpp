// The most packets that the ports of a chip carry.

#include "target-ixp/chip/LineRate.h"
#include "support/Assert.h"
#include "target-ixp/chip/MemoryMap.h"
#include <algorithm>
#include <cmath>

namespace karakal::target {

unsigned mpacketsOf(unsigned bytes) {
  return (bytes + MpacketBytes - 1) / MpacketBytes;
}

double portPacketsPerSecond(const ChipParameters &chip, unsigned frameBytes) {
  constexpr double bitsPerByte = 8;
  return double(chip.portsCount) * double(chip.portsRateBps) /
         (bitsPerByte * (frameBytes + double(chip.portsGapBytes)));
}

double mediaBusCycles(const ChipParameters &chip, unsigned frameBytes) {
  KARAKAL_ASSERT(frameBytes > FrameCrcBytes,
                 "a frame has bytes before its CRC");
  double cycles = 0;
  for (unsigned left = frameBytes - FrameCrcBytes; left > 0;) {
    unsigned bytes = std::min(left, MpacketBytes);
    double transfers = (bytes + 3) / 4 + double(chip.msfBusOverhead);
    cycles +=
        std::ceil(transfers * double(chip.meClockHz) / double(chip.msfClockHz));
    left -= bytes;
  }
  return cycles;
}

double lineRate(const ChipParameters &chip) {
  constexpr unsigned smallest = FrameBytesMin + FrameCrcBytes;
  return std::min(portPacketsPerSecond(chip, smallest),
                  double(chip.meClockHz) / mediaBusCycles(chip, smallest));
}

} // namespace karakal::target
