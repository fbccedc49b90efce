// Looks up a batch of keys: first asks for the buckets of a sub-batch, then reads them.
#include "batch.h"

enum { SIZE_MAX_KEYS = 64 };

void process(const uint32_t *keys, uint32_t *values, int count, int size) {
  uint32_t buckets[SIZE_MAX_KEYS];
  for (int start = 0; start < count; start += size) {
    int left = count - start < size ? count - start : size;
    for (int i = 0; i < left; i++) {
      buckets[i] = bucket_of(keys[start + i]);
      prefetch(buckets[i]);
    }
    for (int i = 0; i < left; i++)
      values[start + i] = value_of(buckets[i], keys[start + i]);
  }
}
