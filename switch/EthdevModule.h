// What bakersw asks of the module with DPDK's ports.
//
// The module (switch/ethdev) is loaded when a port asks for it, so that neither
// the build nor a switch without such ports needs DPDK. It uses the functions
// of the executable that loads it.

#ifndef KARAKAL_SWITCH_ETHDEVMODULE_H
#define KARAKAL_SWITCH_ETHDEVMODULE_H

#include "switch/Ports.h"

namespace karakal::sw {

struct EthdevModule {
  /// Starts DPDK for these devices, once. E-switch-015.
  Status (*start)(const std::vector<std::string> &devices,
                  const PortOptions &options);
  /// Opens a device after the start. E-switch-002.
  Result<std::unique_ptr<Port>> (*open)(const PortDescription &port,
                                        const PortOptions &options);
};

/// The one name that the module exports: a function that gives this.
constexpr const char *EthdevModuleEntry = "karakalEthdevModule";
using EthdevModuleFunction = const EthdevModule *(*)();

/// Loads the module if that has not been done and starts DPDK for the devices
/// among these ports, if there are any. E-switch-014 without a module, -015.
Status startEthdevs(const std::vector<std::string> &ports,
                    const PortOptions &options);

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_ETHDEVMODULE_H
