// The look-ups of rte_fib and rte_fib6, for the routers.

#ifndef KARAKAL_TESTS_BENCH_X86_DPDK_FIBCALLS_H
#define KARAKAL_TESTS_BENCH_X86_DPDK_FIBCALLS_H

#include "support/Assert.h"
#include "tests/bench/x86/dpdk/Packets.h"
#include "tests/bench/x86/dpdk/Tables.h"

namespace karakal::bench {

/// A table and its look-up of many keys: (table, keys, hops of 64 bits, count).
template <typename Fib, typename LookUp> struct FibBulk {
  static constexpr uint32_t Together = TogetherMax;
  Fib *fib;
  LookUp lookUp;

  template <typename Key>
  void find(Key *keys, uint32_t count, uint32_t *found) const {
    uint64_t hops[Together];
    lookUp(fib, keys, hops, int(count));
    for (uint32_t i = 0; i < count; ++i)
      found[i] = uint32_t(hops[i]);
  }
};
template <typename Fib, typename LookUp>
FibBulk(Fib *, LookUp) -> FibBulk<Fib, LookUp>;

/// Adds the look-up without vectors and, where the processor has it, by
/// AVX-512. `select` is DPDK's function that chooses one of them.
template <typename Work, typename Fib, typename LookUp, typename Type>
void addFibVariants(std::vector<Variant> &all, const std::string &name,
                    const Work &work, const FibBulk<Fib, LookUp> &bulk,
                    int (*select)(Fib *, Type), Type scalar, Type avx512) {
  auto add = [&](const std::string &call, Type type) {
    addVariants(all, call, work, bulk, [fib = bulk.fib, select, type] {
      int done = select(fib, type);
      KARAKAL_ASSERT(done == 0, "DPDK has this look-up");
    });
  };
  add(name, scalar);
  if (hasAvx512())
    add(name + " avx512", avx512);
}

} // namespace karakal::bench

#endif // KARAKAL_TESTS_BENCH_X86_DPDK_FIBCALLS_H
