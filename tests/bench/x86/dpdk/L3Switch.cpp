// The IPv4 path of the L3-Switch by rte_lpm: frames to the router's own
// address, the checks of RFC 1812, the look-up, the rewrites. What the program
// gives to its bridge, its IPv6 path or its slow path, this forwarder drops.
//
//   rte_lpm           rte_lpm_lookup, frame after frame
//   rte_lpm bulk      rte_lpm_lookup_bulk
//   rte_lpm x4        rte_lpm_lookupx4

#include "target-ixp/chip/MemoryMap.h"
#include "tests/bench/x86/dpdk/Ethernet.h"
#include "tests/bench/x86/dpdk/LpmCalls.h"
#include "tests/bench/x86/dpdk/Tables.h"

namespace karakal::bench {

namespace {

constexpr uint32_t HopMartian = 509, MtuDefault = 1500;

/// Whether no host has an address whose first byte this is.
bool isMartian(uint32_t first) {
  return first == 0 || first == 127 || first >= 224;
}

struct Work {
  using Key = uint32_t;
  using Found = uint32_t;

  bool check(const uint8_t *frame, uint32_t bytes, uint32_t port,
             Key &key) const {
    const uint8_t *header = frame + EthernetBytes;
    uint32_t length = half(header + 2);
    key = word(header + 16);
    return std::memcmp(frame, own[port].data(), sizeof(Mac)) == 0 &&
           half(frame + 12) == 0x0800 && header[0] == 0x45 && length >= 20 &&
           length <= bytes - EthernetBytes && sumOfHeader(header) == 0xffff &&
           !isMartian(header[12]) && header[8] > 1;
  }

  bool rewrite(uint8_t *frame, Found found, uint32_t &port) const {
    if (found >= hops.size() || !hops[found].isKnown)
      return false;
    const Hop &hop = hops[found];
    if (half(frame + EthernetBytes + 2) > MtuDefault)
      return false;
    decrementTtl(frame + EthernetBytes);
    port = hop.port;
    std::memcpy(frame, hop.mac.data(), hop.mac.size());
    std::memcpy(frame + 6, own[port].data(), sizeof(Mac));
    return true;
  }

  Mac own[target::PortCount] = {};
  std::vector<Hop> hops;
};

class L3Switch final : public Job {
public:
  explicit L3Switch(const Calls &calls) {
    for (const traces::ControlCall &call : calls) {
      if (isCall(call, "port_mac"))
        work.own[size_t(call.args[0]) % target::PortCount] =
            macOf(call.args[1]);
      else if (isCall(call, "next_hop_add"))
        addHop(work.hops, size_t(call.args[0]), macOf(call.args[2]),
               uint8_t(call.args[1]));
      else if (isCall(call, "route_add"))
        routes.push_back({0, uint64_t(call.args[0]), uint8_t(call.args[1]),
                          uint32_t(call.args[2])});
    }
    for (auto [first, length] : {std::pair(0u, 8), {127u, 8}, {224u, 3}})
      routes.push_back({0, first << 24, uint8_t(length), HopMartian});
  }

  uint64_t memoryMib() const override { return lpmMemoryMib(routes); }

  Status fill() override {
    auto made = makeLpm("lpm", routes);
    if (!made)
      return made.error();
    lpm = *made;
    return success();
  }

  std::vector<Variant> variants() override { return lpmVariants(work, lpm); }

private:
  Work work;
  std::vector<Route> routes;
  rte_lpm *lpm = nullptr;
};

} // namespace

std::unique_ptr<Job> makeL3Switch(const Calls &calls) {
  return std::make_unique<L3Switch>(calls);
}

} // namespace karakal::bench
