// The router of ipv6_router.baker by rte_lpm6 and rte_fib6.
//
//   rte_lpm6          rte_lpm6_lookup, frame after frame
//   rte_lpm6 bulk     rte_lpm6_lookup_bulk_func
//   rte_fib6          rte_fib6_lookup_bulk without vectors
//   rte_fib6 avx512   the same by AVX-512

#include "tests/bench/x86/dpdk/Ethernet.h"
#include "tests/bench/x86/dpdk/FibCalls.h"
#include "tests/bench/x86/dpdk/Packets.h"
#include "tests/bench/x86/dpdk/Tables.h"
#include <map>
#include <rte_fib6.h>
#include <rte_lpm6.h>
#include <rte_memory.h>

namespace karakal::bench {

namespace {

constexpr uint32_t AddressBytes = 16;
/// rte_fib6's entries of two bytes hold 15 bits: a hop, or a group's number.
constexpr uint32_t NoHop = 0x7fff;
/// The groups of 256 entries that a table of DPDK's can have.
constexpr uint32_t GroupsMax = 1u << 21;

/// The checks and rewrites of a frame, as the Baker program has them.
struct Work {
  struct Key {
    uint8_t address[AddressBytes];
  };
  using Found = uint32_t;

  bool check(const uint8_t *frame, uint32_t bytes, uint32_t, Key &key) const {
    const uint8_t *header = frame + EthernetBytes;
    std::memcpy(key.address, header + 24, AddressBytes);
    return half(frame + 12) == 0x86dd && header[0] >> 4 == 6 &&
           half(header + 4) + 40u <= bytes - EthernetBytes && header[7] > 1 &&
           header[24] != 0xff;
  }

  bool rewrite(uint8_t *frame, Found found, uint32_t &port) const {
    if (found >= hops.size())
      return false;
    const Hop &hop = hops[found];
    --frame[EthernetBytes + 7];
    std::memcpy(frame, hop.mac.data(), hop.mac.size());
    std::memcpy(frame + 6, own.data(), own.size());
    port = hop.port;
    return true;
  }

  Mac own{};
  std::vector<Hop> hops;
};

using Key = Work::Key;

/// Addresses as the functions of DPDK take them: bytes up to 23.11, then a
/// struct of the same bytes (rte_ipv6_addr).
struct Addresses {
  Key *keys;
  template <typename Argument> operator Argument *() const {
    return static_cast<Argument *>(static_cast<void *>(keys));
  }
};

struct OneByOne {
  static constexpr uint32_t Together = 1;
  rte_lpm6 *lpm;

  void find(Key *keys, uint32_t count, uint32_t *found) const {
    if (count != 0 && rte_lpm6_lookup(lpm, Addresses{keys}, found) != 0)
      found[0] = NoHop;
  }
};

struct Bulk {
  static constexpr uint32_t Together = TogetherMax;
  rte_lpm6 *lpm;

  void find(Key *keys, uint32_t count, uint32_t *found) const {
    // It gives -1, which is no hop either.
    rte_lpm6_lookup_bulk_func(lpm, Addresses{keys},
                              reinterpret_cast<int32_t *>(found), count);
  }
};

/// At most so many groups of 256 entries have a trie of 24 bits and then bytes:
/// rte_fib6 sets aside those of each prefix, whatever prefixes share.
uint32_t groupsOf(const std::vector<Route> &routes) {
  uint32_t groups = 0;
  for (const Route &route : routes)
    groups += route.length > 24 ? (route.length - 17) / 8 : 0;
  return std::min(groups, GroupsMax - 1);
}

Key keyOf(const Route &route) {
  Key key;
  uint64_t words[] = {__builtin_bswap64(route.high),
                      __builtin_bswap64(route.low)};
  std::memcpy(key.address, words, AddressBytes);
  return key;
}

class Ipv6 final : public Job {
public:
  explicit Ipv6(const Calls &calls) {
    std::map<std::pair<Mac, uint8_t>, uint32_t> numbers;
    for (const traces::ControlCall &call : calls) {
      if (isCall(call, "router_mac"))
        work.own = macOf(call.args[0]);
      if (!isCall(call, "routes.add"))
        continue;
      Mac mac = macOf(call.args[1]);
      auto port = uint8_t(call.args[2]);
      auto [at, isNew] =
          numbers.try_emplace({mac, port}, uint32_t(numbers.size()));
      if (isNew)
        addHop(work.hops, at->second, mac, port);
      Route route = routeOf(call);
      route.hop = at->second;
      routes.push_back(route);
    }
    groups = groupsOf(routes);
  }

  uint64_t memoryMib() const override {
    // Entries have four bytes at most, and there is what says which groups are
    // free. rte_lpm6 and rte_fib6.
    constexpr uint64_t tables = 256, bytesPerRoute = 768,
                       groupBytes = 2 * (256 * 4 + 32);
    return tables +
           ((routes.size() * bytesPerRoute + groups * groupBytes) >> 20);
  }

  Status fill() override;

  std::vector<Variant> variants() override {
    std::vector<Variant> all;
    addVariants(all, "rte_lpm6", work, OneByOne{lpm});
    addVariants(all, "rte_lpm6 bulk", work, Bulk{lpm});
    auto lookUp = [](rte_fib6 *table, Key *keys, uint64_t *hops, int count) {
      rte_fib6_lookup_bulk(table, Addresses{keys}, hops, count);
    };
    addFibVariants(all, "rte_fib6", work, FibBulk{fib, lookUp},
                   rte_fib6_select_lookup, RTE_FIB6_LOOKUP_TRIE_SCALAR,
                   RTE_FIB6_LOOKUP_TRIE_VECTOR_AVX512);
    return all;
  }

private:
  Status fillFib();

  Work work;
  std::vector<Route> routes;
  uint32_t groups;
  rte_lpm6 *lpm = nullptr;
  rte_fib6 *fib = nullptr;
};

} // namespace

Status Ipv6::fillFib() {
  rte_fib6_conf config{};
  config.type = RTE_FIB6_TRIE;
  config.default_nh = NoHop;
  config.max_routes = int(routes.size() + 1);
  config.trie.nh_sz = groups < NoHop ? RTE_FIB6_TRIE_2B : RTE_FIB6_TRIE_4B;
  config.trie.num_tbl8 = groups + 1;
  fib = rte_fib6_create("fib", SOCKET_ID_ANY, &config);
  if (!fib)
    return dpdkError("rte_fib6_create");
  return addRoutes(routes, "rte_fib6_add", [this](const Route &route) {
    Key key = keyOf(route);
    return rte_fib6_add(fib, Addresses{&key}, route.length, route.hop);
  });
}

Status Ipv6::fill() {
  rte_lpm6_config config{};
  config.max_rules = uint32_t(routes.size() + 1);
  config.number_tbl8s = groups + 1;
  lpm = rte_lpm6_create("lpm6", SOCKET_ID_ANY, &config);
  if (!lpm)
    return dpdkError("rte_lpm6_create");
  Status added = addRoutes(routes, "rte_lpm6_add", [this](const Route &route) {
    Key key = keyOf(route);
    return rte_lpm6_add(lpm, Addresses{&key}, route.length, route.hop);
  });
  return added ? fillFib() : added;
}

std::unique_ptr<Job> makeIpv6(const Calls &calls) {
  return std::make_unique<Ipv6>(calls);
}

} // namespace karakal::bench
