// A table of rte_hash with ports as values.

#include "tests/bench/x86/dpdk/HashTable.h"
#include "support/Assert.h"
#include "tests/bench/x86/dpdk/Tables.h"
#include <rte_hash_crc.h>

namespace karakal::bench {

/// The slots for so many keys: twice as many places as keys, or a key may find
/// none in its two buckets.
static uint64_t slotsOf(uint64_t entries) {
  uint64_t slots = 64;
  while (slots < entries + entries / 8)
    slots *= 2;
  return slots;
}

Status HashTable::make(const char *name, uint64_t entries, uint32_t keyBytes,
                       rte_hash_cmp_eq_t compare) {
  KARAKAL_ASSERT(!table, "a table is made once");
  rte_hash_parameters parameters{};
  parameters.name = name;
  parameters.entries = uint32_t(slotsOf(entries));
  parameters.key_len = keyBytes;
  parameters.hash_func = rte_hash_crc;
  parameters.socket_id = SOCKET_ID_ANY;
  table = rte_hash_create(&parameters);
  if (!table)
    return dpdkError("rte_hash_create");
  if (compare)
    rte_hash_set_cmp_func(table, compare);
  return success();
}

Status HashTable::add(const void *key, uint32_t port) {
  void *data = reinterpret_cast<void *>(uintptr_t(port));
  if (int done = rte_hash_add_key_data(table, key, data); done != 0)
    return dpdkError("rte_hash_add_key_data", -done);
  return success();
}

uint64_t HashTable::memoryMib(uint64_t entries, uint32_t keyBytes) {
  // A bucket of 64 bytes for eight keys, a slot with value and key, the ring of
  // free slots; rings and buckets come in powers of two.
  uint64_t slot = (8 + keyBytes + 15) / 16 * 16, others = 64 / 8 + 2 * 4;
  return 64 + (slotsOf(entries) * (slot + others) >> 20) * 5 / 4;
}

} // namespace karakal::bench
