// The machine of batch.h, and a run of process() on it for several sizes of sub-batches.
// Prints JSON: the keys that are right, and the cycles of a key by the size.
#include "batch.h"
#include <stdio.h>
#include <stdlib.h>

enum {
  BUCKETS = 1 << 20,
  LINES = 64,
  FLYING_MAX = 10,
  LATENCY = 200,
  HASH_CYCLES = 12,
  PREFETCH_CYCLES = 2,
  READ_CYCLES = 8,
};

// A line is there when the clock has reached `ready`.
struct line {
  uint32_t bucket;
  uint64_t ready;
  int is_used;
};

static struct line lines[LINES];
static int next_line;
static uint64_t now;

static struct line *find(uint32_t bucket) {
  for (int i = 0; i < LINES; i++)
    if (lines[i].is_used && lines[i].bucket == bucket)
      return &lines[i];
  return NULL;
}

// The number of lines on their way, and when the first of them arrives.
static int flying(uint64_t *first) {
  int count = 0;
  for (int i = 0; i < LINES; i++) {
    if (!lines[i].is_used || lines[i].ready <= now)
      continue;
    if (count == 0 || lines[i].ready < *first)
      *first = lines[i].ready;
    count++;
  }
  return count;
}

static struct line *fetch(uint32_t bucket) {
  uint64_t first = 0;
  while (flying(&first) >= FLYING_MAX)
    now = first;
  struct line *line = &lines[next_line];
  next_line = (next_line + 1) % LINES;
  *line = (struct line){bucket, now + LATENCY, 1};
  return line;
}

static uint32_t right_value(uint32_t key) { return key * 2654435761u ^ key >> 7; }

uint32_t bucket_of(uint32_t key) {
  now += HASH_CYCLES;
  return (key ^ key >> 11) * 2246822519u % BUCKETS;
}

void prefetch(uint32_t bucket) {
  now += PREFETCH_CYCLES;
  if (find(bucket) == NULL)
    fetch(bucket);
}

uint32_t value_of(uint32_t bucket, uint32_t key) {
  struct line *line = find(bucket);
  if (line == NULL)
    line = fetch(bucket);
  if (line->ready > now)
    now = line->ready;
  now += READ_CYCLES;
  return right_value(key);
}

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 0;
  uint32_t *keys = calloc(count + 1, sizeof *keys);
  uint32_t *values = calloc(count + 1, sizeof *values);
  if (count < 1 || !keys || !values)
    return 2;
  printf("{\"keys\": %d", count);
  int wrong = 0;
  for (int size = 1; size <= LINES; size *= 2) {
    uint32_t state = 12345 + size;
    for (int i = 0; i < count; i++) {
      state = state * 1664525 + 1013904223;
      keys[i] = state;
      values[i] = 0;
    }
    values[count] = 0xdead;
    for (int i = 0; i < LINES; i++)
      lines[i].is_used = 0;
    now = 0;
    process(keys, values, count, size);
    for (int i = 0; i < count; i++)
      wrong += values[i] != right_value(keys[i]);
    wrong += values[count] != 0xdead;
    printf(", \"cycles_%d\": %.3f", size, (double)now / count);
  }
  printf(", \"wrong\": %d}\n", wrong);
  return 0;
}
