// Loads the module with DPDK's ports.

#include "switch/EthdevModule.h"
#include <dlfcn.h>
#include <filesystem>

namespace karakal::sw {

namespace {

namespace fs = std::filesystem;

const EthdevModule *loaded = nullptr;

/// Beside the executable's folder, in a build tree and where it is installed.
fs::path modulePath() {
  std::error_code error;
  fs::path own = fs::read_symlink("/proc/self/exe", error);
  return own.parent_path().parent_path() / "lib/karakal/bakersw-ethdev.so";
}

Status load() {
  if (loaded)
    return success();
  fs::path path = modulePath();
  std::error_code error;
  if (!fs::exists(path, error))
    return makeError("E-switch-014",
                     "this bakersw has no DPDK ports: " + path.string() +
                         " is not there; in a checkout, ./dev dpdk installs "
                         "DPDK's packages and builds it");
  void *module = dlopen(path.c_str(), RTLD_NOW | RTLD_NODELETE);
  auto entry = module ? reinterpret_cast<EthdevModuleFunction>(
                            dlsym(module, EthdevModuleEntry))
                      : nullptr;
  if (!entry) {
    const char *why = dlerror();
    return makeError("E-switch-014",
                     std::string("the module with DPDK's ports cannot be "
                                 "loaded: ") +
                         (why ? why : "it is of another version") +
                         "; ./dev dpdk installs DPDK's packages and builds it");
  }
  loaded = entry();
  return success();
}

} // namespace

Status startEthdevs(const std::vector<std::string> &ports,
                    const PortOptions &options) {
  std::vector<std::string> devices;
  for (const std::string &text : ports)
    if (auto port = parsePort(text); port && port->driver == "dpdk")
      devices.push_back(port->values.at("device"));
  if (devices.empty())
    return success();
  if (Status done = load(); !done)
    return done;
  return loaded->start(devices, options);
}

Result<std::unique_ptr<Port>> openEthdev(const PortDescription &port,
                                         const PortOptions &options) {
  if (Status started = startEthdevs({port.text}, options); !started)
    return started.error();
  KARAKAL_ASSERT(loaded, "what has started is loaded");
  return loaded->open(port, options);
}

} // namespace karakal::sw
