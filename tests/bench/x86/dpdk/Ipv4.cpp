// The router of ipv4_router.baker by rte_lpm and rte_fib.
//
//   rte_lpm           rte_lpm_lookup, frame after frame
//   rte_lpm bulk      rte_lpm_lookup_bulk
//   rte_lpm x4        rte_lpm_lookupx4
//   rte_fib           rte_fib_lookup_bulk without vectors
//   rte_fib avx512    the same by AVX-512

#include "tests/bench/x86/dpdk/Ethernet.h"
#include "tests/bench/x86/dpdk/FibCalls.h"
#include "tests/bench/x86/dpdk/LpmCalls.h"
#include "tests/bench/x86/dpdk/Tables.h"
#include <rte_fib.h>

namespace karakal::bench {

namespace {

/// The checks and rewrites of a frame, as the Baker program has them.
struct Work {
  using Key = uint32_t;
  using Found = uint32_t;

  bool check(const uint8_t *frame, uint32_t bytes, uint32_t, Key &key) const {
    const uint8_t *header = frame + EthernetBytes;
    uint32_t length = half(header + 2);
    key = word(header + 16);
    return half(frame + 12) == 0x0800 && header[0] == 0x45 && length >= 20 &&
           length <= bytes - EthernetBytes && sumOfHeader(header) == 0xffff &&
           header[8] > 1;
  }

  bool rewrite(uint8_t *frame, Found found, uint32_t &port) const {
    if (found >= hops.size() || !hops[found].isKnown)
      return false;
    const Hop &hop = hops[found];
    decrementTtl(frame + EthernetBytes);
    std::memcpy(frame, hop.mac.data(), hop.mac.size());
    std::memcpy(frame + 6, own.data(), own.size());
    port = hop.port;
    return true;
  }

  Mac own{};
  std::vector<Hop> hops;
};

class Ipv4 final : public Job {
public:
  explicit Ipv4(const Calls &calls) {
    for (const traces::ControlCall &call : calls) {
      if (isCall(call, "router_mac"))
        work.own = macOf(call.args[0]);
      else if (isCall(call, "hops.add"))
        addHop(work.hops, size_t(call.args[0]), macOf(call.args[1]),
               uint8_t(call.args[2]));
      else if (isCall(call, "routes.add"))
        routes.push_back(routeOf(call));
    }
    groups = longerThan24(routes);
  }

  uint64_t memoryMib() const override {
    // The tables of rte_fib, and the routes as it keeps them.
    constexpr uint64_t tables = 64, bytesPerRoute = 640,
                       groupBytes = 256 * sizeof(uint32_t);
    return lpmMemoryMib(routes) + tables +
           ((routes.size() * bytesPerRoute + groups * groupBytes) >> 20);
  }

  Status fill() override;

  std::vector<Variant> variants() override {
    std::vector<Variant> all = lpmVariants(work, lpm);
    auto lookUp = [](rte_fib *table, uint32_t *keys, uint64_t *hops,
                     int count) {
      rte_fib_lookup_bulk(table, keys, hops, count);
    };
    addFibVariants(all, "rte_fib", work, FibBulk{fib, lookUp},
                   rte_fib_select_lookup, RTE_FIB_LOOKUP_DIR24_8_SCALAR_INLINE,
                   RTE_FIB_LOOKUP_DIR24_8_VECTOR_AVX512);
    return all;
  }

private:
  Status fillFib();

  Work work;
  std::vector<Route> routes;
  uint32_t groups;
  rte_lpm *lpm = nullptr;
  rte_fib *fib = nullptr;
};

} // namespace

Status Ipv4::fillFib() {
  rte_fib_conf config{};
  config.type = RTE_FIB_DIR24_8;
  config.default_nh = NoHop;
  config.max_routes = int(routes.size() + 1);
  config.dir24_8.nh_sz =
      groups < NoHop ? RTE_FIB_DIR24_8_2B : RTE_FIB_DIR24_8_4B;
  config.dir24_8.num_tbl8 = groups + 1;
  fib = rte_fib_create("fib", SOCKET_ID_ANY, &config);
  if (!fib)
    return dpdkError("rte_fib_create");
  return addRoutes(routes, "rte_fib_add", [this](const Route &route) {
    return rte_fib_add(fib, uint32_t(route.low), route.length, route.hop);
  });
}

Status Ipv4::fill() {
  auto made = makeLpm("lpm", routes);
  if (!made)
    return made.error();
  lpm = *made;
  return fillFib();
}

std::unique_ptr<Job> makeIpv4(const Calls &calls) {
  return std::make_unique<Ipv4>(calls);
}

} // namespace karakal::bench
