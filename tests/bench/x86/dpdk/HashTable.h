// A table of rte_hash with ports as values.

#ifndef KARAKAL_TESTS_BENCH_X86_DPDK_HASHTABLE_H
#define KARAKAL_TESTS_BENCH_X86_DPDK_HASHTABLE_H

#include "support/Error.h"
#include <cstdint>
#include <rte_hash.h>

namespace karakal::bench {

class HashTable {
public:
  /// Room for so many keys, which all must find a place; `compare` replaces the
  /// comparison of rte_hash.
  Status make(const char *name, uint64_t entries, uint32_t keyBytes,
              rte_hash_cmp_eq_t compare = nullptr);
  Status add(const void *key, uint32_t port);

  /// What a table with so many keys takes, at most.
  static uint64_t memoryMib(uint64_t entries, uint32_t keyBytes);

  rte_hash *get() const { return table; }

private:
  rte_hash *table = nullptr;
};

/// The value of rte_hash that says that a key is not there.
constexpr uint32_t NoPort = ~0u;

inline uint32_t findOne(const rte_hash *table, const void *key) {
  void *data = nullptr;
  return rte_hash_lookup_data(table, key, &data) < 0
             ? NoPort
             : uint32_t(reinterpret_cast<uintptr_t>(data));
}

/// Up to 64 keys at once.
inline void findBulk(const rte_hash *table, const void **keys, uint32_t count,
                     uint32_t *ports) {
  uint64_t hits = 0;
  void *data[RTE_HASH_LOOKUP_BULK_MAX];
  if (count == 0)
    return;
  rte_hash_lookup_bulk_data(table, keys, count, &hits, data);
  for (uint32_t i = 0; i < count; ++i)
    ports[i] =
        hits >> i & 1 ? uint32_t(reinterpret_cast<uintptr_t>(data[i])) : NoPort;
}

} // namespace karakal::bench

#endif // KARAKAL_TESTS_BENCH_X86_DPDK_HASHTABLE_H
