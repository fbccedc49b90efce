// Ports by their description on the command line.
//
//   veth0                              a Linux interface (AF_PACKET)
//   af_packet,iface=veth0              the same
//   pcap,rx=in.pcap,tx=out.pcap        frames of a file, frames to a file
//   null                               nothing comes in, all that leaves is
//   lost
//   dpdk:net_tap0,iface=tap0           a device of DPDK, as its EAL names it
//
// The form is that of DPDK's virtual devices: a driver, then `key=value` after
// commas.
//
// | id | what is wrong |
// |---|---|
// | E-switch-001 | a port's description: unknown driver or key, bad value |
// | E-switch-002 | an interface that cannot be opened |
// | E-switch-003 | more ports than a program can have, or none |
// | E-switch-004 | a file of a port that cannot be written |
// | E-switch-014 | a DPDK port, but the module with such ports is missing |
// | E-switch-015 | DPDK does not start |

#ifndef KARAKAL_SWITCH_PORTS_H
#define KARAKAL_SWITCH_PORTS_H

#include "switch/Port.h"
#include <map>
#include <memory>

namespace karakal::sw {

/// A description in its parts.
struct PortDescription {
  std::string text, driver;
  std::map<std::string, std::string> values;
};

struct PortOptions {
  uint32_t cores = 1; ///< a port has a queue for each
  bool quiet = false;
  /// Arguments for DPDK's EAL, and the buffers of each of its ports; 0: as many
  /// as the port's queues hold.
  std::string ealArguments;
  uint32_t ethdevBuffers = 0;
};

/// E-switch-001.
Result<PortDescription> parsePort(const std::string &text);

/// Opens a port. E-switch-001, -002, -014 and -015, those of traces/ for files.
Result<std::unique_ptr<Port>> openPort(const std::string &text,
                                       const PortOptions &options);

// The drivers. Each takes a description whose keys have been checked.
Result<std::unique_ptr<Port>> openPacketSocket(const PortDescription &port,
                                               const PortOptions &options);
Result<std::unique_ptr<Port>> openTraceFile(const PortDescription &port,
                                            const PortOptions &options);
Result<std::unique_ptr<Port>> openEthdev(const PortDescription &port,
                                         const PortOptions &options);

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_PORTS_H
