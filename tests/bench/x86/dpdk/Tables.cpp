// Table contents from control files, for DPDK's tables.

#include "tests/bench/x86/dpdk/Tables.h"
#include "support/Assert.h"
#include <rte_cpuflags.h>
#include <rte_errno.h>
#include <set>

namespace karakal::bench {

bool isCall(const traces::ControlCall &call, const std::string &name) {
  if (call.name == name)
    return true;
  size_t at = call.name.size() - std::min(call.name.size(), name.size() + 1);
  return call.name.substr(at) == "." + name;
}

void addHop(std::vector<Hop> &hops, size_t number, Mac mac, uint8_t port) {
  if (hops.size() <= number)
    hops.resize(number + 1);
  hops[number] = {mac, port, true};
}

Route routeOf(const traces::ControlCall &call) {
  const traces::ControlCall::Detail &prefix = call.details[0];
  KARAKAL_ASSERT(prefix.suffix == traces::ControlCall::Prefix,
                 "a route has a prefix: " + call.text);
  return {prefix.high, uint64_t(call.args[0]), uint8_t(prefix.suffixLow),
          uint32_t(call.args[1])};
}

uint32_t longerThan24(const std::vector<Route> &routes) {
  std::set<uint64_t> groups;
  for (const Route &route : routes)
    if (route.length > 24)
      groups.insert(route.low >> 8);
  return uint32_t(groups.size());
}

bool hasAvx512() {
  for (rte_cpu_flag_t flag : {RTE_CPUFLAG_AVX512F, RTE_CPUFLAG_AVX512DQ,
                              RTE_CPUFLAG_AVX512BW, RTE_CPUFLAG_AVX512VL})
    if (rte_cpu_get_flag_enabled(flag) <= 0)
      return false;
  return true;
}

Error dpdkError(const std::string &call, int code) {
  return makeError("E-bench-001",
                   call + " fails: " + rte_strerror(code ? code : rte_errno));
}

} // namespace karakal::bench
