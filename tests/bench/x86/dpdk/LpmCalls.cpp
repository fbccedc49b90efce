// Tables of rte_lpm.

#include "tests/bench/x86/dpdk/LpmCalls.h"
#include "support/Assert.h"

namespace karakal::bench {

Result<rte_lpm *> makeLpm(const char *name, const std::vector<Route> &routes) {
  KARAKAL_ASSERT(!routes.empty(), "a router has routes");
  rte_lpm_config config{};
  config.max_rules = uint32_t(routes.size() + 1);
  config.number_tbl8s = longerThan24(routes) + 1;
  rte_lpm *lpm = rte_lpm_create(name, SOCKET_ID_ANY, &config);
  if (!lpm)
    return dpdkError("rte_lpm_create");
  // Within a length, rte_lpm looks at all routes before it adds one, which
  // takes half a minute for half a million.
  Status added = addRoutes(routes, "rte_lpm_add", [lpm](const Route &route) {
    return rte_lpm_add(lpm, uint32_t(route.low), route.length, route.hop);
  });
  if (!added)
    return added.error();
  return lpm;
}

uint64_t lpmMemoryMib(const std::vector<Route> &routes) {
  constexpr uint64_t table = 64 + 32, bytesPerRoute = 16,
                     groupBytes = 256 * sizeof(uint32_t);
  return table +
         ((routes.size() * bytesPerRoute + longerThan24(routes) * groupBytes) >>
          20);
}

} // namespace karakal::bench
