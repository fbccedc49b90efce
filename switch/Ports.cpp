// Ports by their description on the command line.

#include "switch/Ports.h"
#include <algorithm>

namespace karakal::sw {

namespace {

struct Driver {
  const char *name;
  std::vector<std::string> keys;
  Result<std::unique_ptr<Port>> (*open)(const PortDescription &,
                                        const PortOptions &);
};

/// Nothing comes in, and what leaves is counted and lost.
class NullPort : public Port {
public:
  using Port::Port;
  uint32_t receive(uint32_t, Frame *, uint32_t) override { return 0; }
  void send(uint32_t queue, const Frame *frames, uint32_t count) override {
    PortCounts &counts = countsOf(queue);
    counts.sent += count;
    for (uint32_t i = 0; i < count; ++i)
      counts.sentBytes += frames[i].bytes;
  }
  bool isEnded() const override { return true; }
};

Result<std::unique_ptr<Port>> openNull(const PortDescription &port,
                                       const PortOptions &options) {
  return std::unique_ptr<Port>(
      std::make_unique<NullPort>(port.text, options.cores));
}

const std::vector<Driver> &drivers() {
  static const std::vector<Driver> all = {
      {"af_packet", {"iface"}, openPacketSocket},
      {"dpdk", {"device"}, openEthdev},
      {"null", {}, openNull},
      {"pcap", {"interface", "rate", "repeat", "rx", "tx"}, openTraceFile},
  };
  return all;
}

const Driver *driverOf(const std::string &name) {
  for (const Driver &driver : drivers())
    if (driver.name == name)
      return &driver;
  return nullptr;
}

Error wrongPort(const std::string &text, const std::string &why) {
  return makeError("E-switch-001", "port '" + text + "': " + why);
}

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

Error unknownDriver(const PortDescription &port) {
  std::vector<std::string> names;
  for (const Driver &driver : drivers())
    names.push_back(driver.name);
  return wrongPort(port.text, "there is no driver '" + port.driver +
                                  "'; the drivers are " + joined(names));
}

Status checkKeys(const PortDescription &port, const Driver &driver) {
  for (const auto &[key, value] : port.values) {
    if (std::find(driver.keys.begin(), driver.keys.end(), key) ==
        driver.keys.end())
      return wrongPort(port.text, "the driver " + port.driver +
                                      " has no key '" + key +
                                      "'; its keys are " + joined(driver.keys));
    if (value.empty())
      return wrongPort(port.text, "'" + key + "' has no value");
  }
  return success();
}

} // namespace

Result<PortDescription> parsePort(const std::string &text) {
  PortDescription port;
  port.text = text;
  // What follows is DPDK's to read.
  constexpr std::string_view dpdk = "dpdk:";
  if (text.compare(0, dpdk.size(), dpdk) == 0) {
    if (text.size() == dpdk.size() || text[dpdk.size()] == ',')
      return wrongPort(text, "it names no device: dpdk:net_tap0");
    port.driver = "dpdk";
    port.values["device"] = text.substr(dpdk.size());
    return port;
  }
  size_t at = std::min(text.find(','), text.size());
  port.driver = text.substr(0, at);
  if (port.driver.empty())
    return wrongPort(text, "it names neither an interface nor a driver");
  while (at < text.size()) {
    size_t end = std::min(text.find(',', at + 1), text.size());
    std::string word = text.substr(at + 1, end - at - 1);
    size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      return wrongPort(text, "'" + word + "' is not of the form key=value");
    if (!port.values.emplace(word.substr(0, equals), word.substr(equals + 1))
             .second)
      return wrongPort(text, "'" + word.substr(0, equals) + "' is given twice");
    at = end;
  }
  // A word alone that is no driver is the name of an interface.
  if (port.values.empty() && text.find(',') == std::string::npos &&
      !driverOf(port.driver)) {
    port.values["iface"] = port.driver;
    port.driver = "af_packet";
  }
  return port;
}

Result<std::unique_ptr<Port>> openPort(const std::string &text,
                                       const PortOptions &options) {
  KARAKAL_ASSERT(options.cores != 0, "a port has a queue");
  auto port = parsePort(text);
  if (!port)
    return port.error();
  const Driver *driver = driverOf(port->driver);
  if (!driver)
    return unknownDriver(*port);
  if (Status keys = checkKeys(*port, *driver); !keys)
    return keys.error();
  return driver->open(*port, options);
}

} // namespace karakal::sw
