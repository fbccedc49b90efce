#include "swcache/CheckInterval.h"

#include <algorithm>
#include <cmath>

namespace karakal::swcache {

double leastCheckRate(const AccessRates &rates) {
  double stale = rates.store * rates.load;
  if (stale <= 0)
    return 0;
  return rates.errorMax > 0 ? stale / rates.errorMax : INFINITY;
}

uint64_t checkInterval(const AccessRates &rates) {
  double rate = leastCheckRate(rates);
  if (rate > 1)
    return 0;
  if (rate * double(packetIntervalMax) <= 1)
    return packetIntervalMax;
  return uint64_t(1 / rate);
}

uint64_t intervalOfContext(uint64_t packets, unsigned engines,
                           unsigned contexts) {
  return std::max<uint64_t>(1, packets / (uint64_t(engines) * contexts));
}

} // namespace karakal::swcache
