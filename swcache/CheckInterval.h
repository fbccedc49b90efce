// Equation 2 of the paper.
//
// How often an engine must look for updates:
//
//   r_load_check >= r_store * r_load / r_error
//
// all per packet. A store makes the packets stale that load the value before
// the next look; with a look on every i-th packet these are i * r_load at most,
// so r_store * i * r_load <= r_error with i = 1 / r_load_check.

#ifndef KARAKAL_SWCACHE_CHECKINTERVAL_H
#define KARAKAL_SWCACHE_CHECKINTERVAL_H

#include <cstdint>
#include <string>

namespace karakal::swcache {

/// Rates of one structure, per packet.
struct AccessRates {
  double store = 0, load = 0;
  double errorMax = 0; ///< stale packets tolerated
};

/// Longest interval that is used, so that a context's count stays small and an
/// engine notices what the profile did not foresee.
constexpr uint64_t packetIntervalMax = uint64_t(1) << 20;

/// The least rate of looks, per packet, by equation 2.
double leastCheckRate(const AccessRates &rates);

/// Packets from one look to the next; 0 if one look a packet is too few.
uint64_t checkInterval(const AccessRates &rates);

/// Why what has these rates must not be kept by `contexts` contexts, each of
/// which looks at its own packets only; empty if it may. `reads`: what loads
/// are called.
std::string refusalByRates(const AccessRates &rates, unsigned contexts,
                           const char *reads);

/// The interval in packets of one context, if `contexts` contexts of each of
/// `engines` engines share the packets. Each context looks by itself, so that
/// an engine looks at least once in the packets of one context.
uint64_t intervalOfContext(uint64_t packets, unsigned engines,
                           unsigned contexts);

} // namespace karakal::swcache

#endif // KARAKAL_SWCACHE_CHECKINTERVAL_H
