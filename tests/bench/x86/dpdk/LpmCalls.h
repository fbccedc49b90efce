// The look-ups of rte_lpm, for the two routers of IPv4.

#ifndef KARAKAL_TESTS_BENCH_X86_DPDK_LPMCALLS_H
#define KARAKAL_TESTS_BENCH_X86_DPDK_LPMCALLS_H

#include "tests/bench/x86/dpdk/Packets.h"
#include "tests/bench/x86/dpdk/Tables.h"
#include <rte_lpm.h>
#include <rte_vect.h>

namespace karakal::bench {

/// No hop has this number; also the largest that 15 bits hold.
constexpr uint32_t NoHop = 0x7fff;

struct LpmOneByOne {
  static constexpr uint32_t Together = 1;
  rte_lpm *lpm;

  void find(const uint32_t *keys, uint32_t count, uint32_t *found) const {
    if (count != 0 && rte_lpm_lookup(lpm, keys[0], found) != 0)
      found[0] = NoHop;
  }
};

struct LpmBulk {
  static constexpr uint32_t Together = TogetherMax;
  rte_lpm *lpm;

  void find(const uint32_t *keys, uint32_t count, uint32_t *found) const {
    rte_lpm_lookup_bulk(lpm, keys, found, count);
    for (uint32_t i = 0; i < count; ++i)
      found[i] =
          found[i] & RTE_LPM_LOOKUP_SUCCESS ? found[i] & 0xffffff : NoHop;
  }
};

struct LpmFourTimes {
  static constexpr uint32_t Together = TogetherMax;
  rte_lpm *lpm;

  void find(uint32_t *keys, uint32_t count, uint32_t *found) const {
    uint32_t rounded = (count + 3) & ~3u;
    for (uint32_t i = count; i < rounded; ++i)
      keys[i] = 0;
    for (uint32_t i = 0; i < rounded; i += 4) {
      xmm_t four = _mm_loadu_si128(reinterpret_cast<const xmm_t *>(keys + i));
      rte_lpm_lookupx4(lpm, four, found + i, NoHop);
    }
  }
};

/// A table with these routes of 32 bits.
Result<rte_lpm *> makeLpm(const char *name, const std::vector<Route> &routes);
/// What it takes of memory, at most.
uint64_t lpmMemoryMib(const std::vector<Route> &routes);

template <typename Work>
std::vector<Variant> lpmVariants(const Work &work, rte_lpm *lpm) {
  std::vector<Variant> all;
  addVariants(all, "rte_lpm", work, LpmOneByOne{lpm});
  addVariants(all, "rte_lpm bulk", work, LpmBulk{lpm});
  addVariants(all, "rte_lpm x4", work, LpmFourTimes{lpm});
  return all;
}

} // namespace karakal::bench

#endif // KARAKAL_TESTS_BENCH_X86_DPDK_LPMCALLS_H
