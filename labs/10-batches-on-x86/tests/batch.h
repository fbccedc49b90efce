// The machine on which a batch of packets is processed. Its clock counts
// cycles, so a program takes the same time whenever and wherever it runs.
//
// A cache line comes from memory after 200 cycles, and ten of them can be on
// their way at once. The cache keeps the last 64 lines.
#pragma once

#include <stdint.h>

// The bucket of a key. Takes 12 cycles.
uint32_t bucket_of(uint32_t key);

// Asks for the cache line of a bucket and does not wait. Takes 2 cycles, and
// more while ten lines are on their way.
void prefetch(uint32_t bucket);

// The value of a key in its bucket. Takes 8 cycles, and waits for the bucket's
// line if it is not there.
uint32_t value_of(uint32_t bucket, uint32_t key);

// What you write: looks up `count` keys, in sub-batches of at most `size` keys.
// `size` is at least 1 and at most 64.
void process(const uint32_t *keys, uint32_t *values, int count, int size);
