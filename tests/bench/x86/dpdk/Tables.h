// Table contents from control files, for DPDK's tables.

#ifndef KARAKAL_TESTS_BENCH_X86_DPDK_TABLES_H
#define KARAKAL_TESTS_BENCH_X86_DPDK_TABLES_H

#include "tests/bench/x86/dpdk/Ethernet.h"
#include "tests/bench/x86/dpdk/Forwarder.h"

namespace karakal::bench {

/// Where a route leads.
struct Hop {
  Mac mac{};
  uint8_t port = 0;
  bool isKnown = false;
};

/// A prefix of 32 or 128 bits and the number of its hop.
struct Route {
  uint64_t high, low;
  uint8_t length;
  uint32_t hop;
};

/// Whether a call is of this function, with or without its module.
bool isCall(const traces::ControlCall &call, const std::string &name);

void addHop(std::vector<Hop> &hops, size_t number, Mac mac, uint8_t port);

/// The route of `routes.add(PREFIX/LENGTH, HOP)`.
Route routeOf(const traces::ControlCall &call);

/// How many groups of 256 addresses have prefixes longer than 24 bits.
uint32_t longerThan24(const std::vector<Route> &routes);

/// Whether DPDK's vector functions run here.
bool hasAvx512();

/// The error of a call of DPDK's, with its reason: `code`, or rte_errno.
Error dpdkError(const std::string &call, int code = 0);

/// Adds each route by `add`, which returns what `call` of DPDK's did: 0, or the
/// error as a negative number.
template <typename Add>
Status addRoutes(const std::vector<Route> &routes, const char *call, Add add) {
  for (const Route &route : routes)
    if (int done = add(route); done != 0)
      return dpdkError(call, -done);
  return success();
}

} // namespace karakal::bench

#endif // KARAKAL_TESTS_BENCH_X86_DPDK_TABLES_H
