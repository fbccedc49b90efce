// DPDK's environment (EAL), which starts once in a process.

#include "switch/ethdev/Eal.h"
#include "switch/ethdev/Log.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_log.h>
#include <sched.h>
#include <sstream>

namespace karakal::sw {

namespace {

/// Of memory for each port besides its buffers, and of DPDK itself.
constexpr uint64_t portMib = 8, otherMib = 32;
/// A buffer with what stands before its bytes.
constexpr uint64_t bufferBytes = RTE_MBUF_DEFAULT_BUF_SIZE + 256;

bool started = false;

/// Whether a device is on the PCI bus: 0000:01:00.0 or 01:00.0.
bool isPci(const std::string &device) {
  std::string name = device.substr(0, device.find(','));
  return name.find(':') != std::string::npos &&
         name.find_first_not_of("0123456789abcdefABCDEF:.") ==
             std::string::npos;
}

std::vector<std::string> wordsOf(const std::string &text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

uint64_t memoryMib(size_t ports, const PortOptions &options) {
  uint64_t buffers = options.ethdevBuffers
                         ? options.ethdevBuffers
                         : uint64_t(EthdevBuffersPerCore) * options.cores;
  return otherMib + ports * (portMib + (buffers * bufferBytes >> 20));
}

/// The free huge pages of all sizes.
uint64_t hugeFreeMib() {
  namespace fs = std::filesystem;
  std::error_code error;
  uint64_t kib = 0;
  for (const auto &size :
       fs::directory_iterator("/sys/kernel/mm/hugepages", error)) {
    std::string name = size.path().filename();
    uint64_t pages = 0, sizeKib = 0;
    std::ifstream(size.path() / "free_hugepages") >> pages;
    if (std::sscanf(name.c_str(), "hugepages-%lukB", &sizeKib) == 1)
      kib += pages * sizeKib;
  }
  return kib >> 10;
}

/// Whether the user says where memory comes from.
bool saysMemory(const std::vector<std::string> &words) {
  return std::any_of(words.begin(), words.end(), [](const std::string &word) {
    return word == "-m" || word == "--no-huge" || word == "--legacy-mem" ||
           word.compare(0, 6, "--huge") == 0 ||
           word.compare(0, 8, "--socket") == 0;
  });
}

std::vector<std::string> argumentsOf(const std::vector<std::string> &devices,
                                     const PortOptions &options,
                                     const cpu_set_t &own) {
  int processor = 0;
  while (processor < CPU_SETSIZE - 1 && !CPU_ISSET(processor, &own))
    ++processor;
  std::vector<std::string> arguments = {
      "bakersw", "--no-telemetry", "--lcores=0@" + std::to_string(processor)};
  bool anyPci = false;
  for (const std::string &device : devices) {
    if (!isPci(device))
      continue;
    anyPci = true;
    arguments.insert(arguments.end(), {"-a", device});
  }
  if (!anyPci)
    arguments.push_back("--no-pci");
  std::vector<std::string> given = wordsOf(options.ealArguments);
  uint64_t needed = memoryMib(devices.size(), options);
  bool isHuge =
      std::find(given.begin(), given.end(), "--no-huge") == given.end();
  if (!saysMemory(given) && hugeFreeMib() < needed) {
    isHuge = false;
    arguments.insert(arguments.end(),
                     {"--no-huge", "-m", std::to_string(needed)});
    if (!options.quiet)
      std::fprintf(stderr,
                   "bakersw: DPDK's packet buffers lie in pages of 4 KiB; a "
                   "port takes bursts of 32 up to four times as fast with huge "
                   "pages: sysctl vm.nr_hugepages=%llu\n",
                   static_cast<unsigned long long>((needed + 1) / 2));
  }
  // Both leave no file behind; common pages do not go with the first.
  arguments.push_back(isHuge ? "--in-memory" : "--no-shconf");
  arguments.insert(arguments.end(), given.begin(), given.end());
  return arguments;
}

} // namespace

Status startEal(const std::vector<std::string> &devices,
                const PortOptions &options) {
  KARAKAL_ASSERT(!devices.empty(), "DPDK starts for a device");
  if (started)
    return success();
  // DPDK binds the calling thread to one processor.
  cpu_set_t own;
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof own, &own);
  // The EAL keeps pointers to its arguments.
  static std::vector<std::string> arguments;
  arguments = argumentsOf(devices, options, own);
  static std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  LogCapture log;
  if (options.ealArguments.find("--log-level") == std::string::npos)
    rte_log_set_global_level(RTE_LOG_WARNING);
  int done = rte_eal_init(int(arguments.size()), pointers.data());
  sched_setaffinity(0, sizeof own, &own);
  if (done < 0)
    return makeError("E-switch-015", "DPDK does not start: " +
                                         std::string(rte_strerror(rte_errno)) +
                                         ": " + log.text() +
                                         "; --dpdk takes other arguments for "
                                         "its EAL, such as --dpdk=--no-huge");
  started = true;
  return success();
}

} // namespace karakal::sw
