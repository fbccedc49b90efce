// DPDK's environment (EAL), which starts once in a process.
//
// Packet buffers lie in huge pages if enough of them are free, else in common
// pages; then it says what huge pages would bring. Nothing is left in the file
// system, and root is not needed, unless a device needs it. Devices on a bus
// are touched only if a port names them.

#ifndef KARAKAL_SWITCH_ETHDEV_EAL_H
#define KARAKAL_SWITCH_ETHDEV_EAL_H

#include "switch/Ports.h"

namespace karakal::sw {

/// What a port needs, for a core: the frames that wait in a queue of the way
/// in, in one of the way out, and those that a burst and the caches hold.
constexpr uint32_t EthdevDescriptors = 1024;
constexpr uint32_t EthdevCacheBuffers = 256;
constexpr uint32_t EthdevBuffersPerCore =
    2 * EthdevDescriptors + 4 * EthdevCacheBuffers;

/// Starts DPDK for these devices; later calls do nothing. E-switch-015.
Status startEal(const std::vector<std::string> &devices,
                const PortOptions &options);

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_ETHDEV_EAL_H
