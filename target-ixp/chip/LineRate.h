// The most packets that the ports of a chip carry.
//
// Decisions that depend on the rate of packets, such as the queueing delay of a
// memory, assume the line rate: the highest load that a program can meet.

#ifndef KARAKAL_TARGET_IXP_CHIP_LINERATE_H
#define KARAKAL_TARGET_IXP_CHIP_LINERATE_H

#include "target-ixp/chip/ChipParameters.h"

namespace karakal::target {

/// The mpackets of so many bytes.
unsigned mpacketsOf(unsigned bytes);

/// Packets a second of `frameBytes`, with CRC, on all ports together.
double portPacketsPerSecond(const ChipParameters &chip, unsigned frameBytes);

/// Engine cycles in which a frame of `frameBytes`, with CRC, is on the bus
/// between the MSF and the ports in one direction: an element at a time,
/// without CRC.
double mediaBusCycles(const ChipParameters &chip, unsigned frameBytes);

/// Packets a second that the ports and their bus carry if all frames are as
/// small as Ethernet allows.
double lineRate(const ChipParameters &chip);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_LINERATE_H
