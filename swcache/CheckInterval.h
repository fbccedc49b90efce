// How often an engine must check for updates: equation 2 of the paper.
//
//   r_load_check >= r_store * r_load / r_error
//
// All rates are per packet. A store makes those packets stale that load the
// value before the next version check. With a check on every i-th packet these
// are at most i * r_load, so r_store * i * r_load <= r_error with
// i = 1 / r_load_check.

#ifndef KARAKAL_SWCACHE_CHECKINTERVAL_H
#define KARAKAL_SWCACHE_CHECKINTERVAL_H

#include <cstdint>
#include <string>

namespace karakal::swcache {

/// How often packets store and load a global, per packet.
struct AccessRates {
  double store = 0, load = 0;
  double errorMax = 0; ///< tolerated rate of stale packets
};

/// The longest check interval. It keeps the count of a context small, and lets
/// an engine notice updates that the profile did not predict.
constexpr uint64_t packetIntervalMax = uint64_t(1) << 20;

/// Returns the lowest rate of version checks, per packet, that equation 2
/// allows; infinity if it allows none.
double checkRateMin(const AccessRates &rates);

/// Returns the packets from one version check to the next, or 0 if one check
/// per packet is not enough.
uint64_t checkInterval(const AccessRates &rates);

/// Returns the reason why a global with these rates cannot be cached by
/// `contexts` contexts, each of which counts only its own packets, or an empty
/// string. `reads` is the word for loads in the reason.
std::string refusalByRates(const AccessRates &rates, unsigned contexts,
                           const char *reads);

/// Returns the check interval in packets of one context if `contexts` contexts
/// of each of `engines` engines share the packets. Every context checks on its
/// own, so an engine checks at least once in the packets of one context.
uint64_t intervalOfContext(uint64_t packets, unsigned engines,
                           unsigned contexts);

} // namespace karakal::swcache

#endif // KARAKAL_SWCACHE_CHECKINTERVAL_H
