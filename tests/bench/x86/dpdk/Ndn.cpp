// The forwarder of ndn_forwarder.baker by a table of rte_hash with names of 32
// bytes as keys, which are looked up where they are in the frame.
//
//   rte_hash         rte_hash_lookup_data, frame after frame
//   rte_hash bulk    rte_hash_lookup_bulk_data

#include "tests/bench/x86/dpdk/Ethernet.h"
#include "tests/bench/x86/dpdk/HashTable.h"
#include "tests/bench/x86/dpdk/Packets.h"
#include "tests/bench/x86/dpdk/Tables.h"

namespace karakal::bench {

namespace {

constexpr uint32_t NameAt = 20, NameBytes = 32;

struct Work {
  using Key = const void *;
  using Found = uint32_t;

  bool check(const uint8_t *frame, uint32_t, uint32_t, Key &key) const {
    key = frame + NameAt;
    return half(frame + 12) == 0x8624 && frame[14] == 5 && frame[15] > 1;
  }

  bool rewrite(uint8_t *frame, Found found, uint32_t &port) const {
    if (found == NoPort)
      return false;
    --frame[15];
    port = found;
    return true;
  }
};

struct OneByOne {
  static constexpr uint32_t Together = 1;
  const rte_hash *names;

  void find(const void **keys, uint32_t count, uint32_t *found) const {
    for (uint32_t i = 0; i < count; ++i)
      found[i] = findOne(names, keys[i]);
  }
};

struct Bulk {
  static constexpr uint32_t Together = TogetherMax;
  const rte_hash *names;

  void find(const void **keys, uint32_t count, uint32_t *found) const {
    findBulk(names, keys, count, found);
  }
};

/// A word of a name, as the Baker program makes it.
uint64_t mixed(uint64_t number) {
  uint64_t word = number * 0x9e3779b97f4a7c15;
  word = (word ^ word >> 29) * 0xbf58476d1ce4e5b9;
  return word ^ word >> 32;
}

class Ndn final : public Job {
public:
  explicit Ndn(const Calls &calls) {
    for (const traces::ControlCall &call : calls)
      if (isCall(call, "name_many"))
        count = uint32_t(call.args[0] + call.args[1]);
  }

  uint64_t memoryMib() const override {
    return 64 + HashTable::memoryMib(count, NameBytes);
  }

  Status fill() override {
    if (Status made = names.make("names", count, NameBytes); !made)
      return made;
    for (uint32_t number = 0; number < count; ++number) {
      // In the order of the wire, as a Baker program sees its words.
      uint64_t words[NameBytes / 8];
      for (uint64_t i = 0; i < NameBytes / 8; ++i)
        words[i] = __builtin_bswap64(mixed(uint64_t(number) * 4 + i));
      if (Status added = names.add(words, number & 3); !added)
        return added;
    }
    return success();
  }

  std::vector<Variant> variants() override {
    std::vector<Variant> all;
    addVariants(all, "rte_hash", work, OneByOne{names.get()});
    addVariants(all, "rte_hash bulk", work, Bulk{names.get()});
    return all;
  }

private:
  Work work;
  uint32_t count = 0;
  HashTable names;
};

} // namespace

std::unique_ptr<Job> makeNdn(const Calls &calls) {
  return std::make_unique<Ndn>(calls);
}

} // namespace karakal::bench
