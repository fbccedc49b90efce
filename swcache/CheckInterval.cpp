#include "swcache/CheckInterval.h"

#include "support/Assert.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

namespace karakal::swcache {

double checkRateMin(const AccessRates &rates) {
  double stale = rates.store * rates.load;
  if (stale <= 0)
    return 0;
  return rates.errorMax > 0 ? stale / rates.errorMax : INFINITY;
}

uint64_t checkInterval(const AccessRates &rates) {
  double rate = checkRateMin(rates);
  if (rate > 1)
    return 0;
  if (rate * double(packetIntervalMax) <= 1)
    return packetIntervalMax;
  auto interval = uint64_t(1 / rate);
  KARAKAL_ASSERT(interval >= 1 && interval <= packetIntervalMax,
                 "a check interval of one packet to packetIntervalMax");
  return interval;
}

std::string refusalByRates(const AccessRates &rates, unsigned contexts,
                           const char *reads) {
  uint64_t interval = checkInterval(rates);
  if (rates.store <= 0 || interval >= contexts)
    return "";
  std::string need =
      llvm::formatv("{0:e2} stores and {1:f2} {2} per packet with at most "
                    "{3:e2} stale packets need ",
                    rates.store, rates.load, reads, rates.errorMax);
  if (interval == 0)
    return need + llvm::formatv("{0:f2} version checks per packet",
                                checkRateMin(rates))
                      .str();
  return need +
         llvm::formatv("a version check every {0}th packet, but {1} contexts "
                       "have {1} packets at a time",
                       interval, contexts)
             .str();
}

uint64_t intervalOfContext(uint64_t packets, unsigned engines,
                           unsigned contexts) {
  KARAKAL_ASSERT(engines != 0 && contexts != 0, "contexts share the packets");
  return std::max<uint64_t>(1, packets / (uint64_t(engines) * contexts));
}

} // namespace karakal::swcache
