// DPDK's environment (EAL) for tables alone.

#include "tests/bench/x86/dpdk/Eal.h"
#include "tests/bench/x86/dpdk/Tables.h"
#include <fstream>
#include <rte_eal.h>
#include <sched.h>

namespace karakal::bench {

/// Whether enough of the usual huge pages are free.
static bool hasHugePages(uint64_t memoryMib) {
  constexpr uint64_t pageMib = 2;
  uint64_t pages = 0;
  std::ifstream("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages") >>
      pages;
  return pages * pageMib >= memoryMib;
}

Result<uint32_t> startEal(uint64_t memoryMib) {
  bool isHuge = hasHugePages(memoryMib);
  // The EAL keeps pointers to its arguments.
  static std::vector<std::string> arguments;
  arguments = {"dpdk-forwarders",
               "--no-pci",
               "--no-telemetry",
               "--log-level=4",
               "--force-max-simd-bitwidth=512",
               "--lcores=0@" + std::to_string(sched_getcpu()),
               "-m",
               std::to_string(memoryMib)};
  if (isHuge)
    arguments.push_back("--in-memory");
  else
    arguments.insert(arguments.end(), {"--no-huge", "--no-shconf"});
  static std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  if (rte_eal_init(int(arguments.size()), pointers.data()) < 0)
    return dpdkError("rte_eal_init");
  return isHuge ? 2048 : 4;
}

} // namespace karakal::bench
