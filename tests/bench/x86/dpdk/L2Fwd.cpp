// The forwarder of l2fwd.baker by two tables of rte_hash.
//
//   rte_hash         rte_hash_lookup_data, frame after frame
//   rte_hash bulk    rte_hash_lookup_bulk_data, once for each table

#include "tests/bench/x86/dpdk/Ethernet.h"
#include "tests/bench/x86/dpdk/HashTable.h"
#include "tests/bench/x86/dpdk/Packets.h"
#include "tests/bench/x86/dpdk/Tables.h"

namespace karakal::bench {

namespace {

/// An address in a word, in the order of memory.
uint64_t addressAt(const uint8_t *at) {
  uint64_t address = 0;
  std::memcpy(&address, at, sizeof(Mac));
  return address;
}

/// Whether two keys of eight bytes differ.
int compareWords(const void *one, const void *other, size_t) {
  uint64_t first, second;
  std::memcpy(&first, one, sizeof first);
  std::memcpy(&second, other, sizeof second);
  return first != second;
}

struct Work {
  struct Key {
    uint64_t source, destination;
  };
  struct Found {
    uint32_t source, destination;
  };

  bool check(const uint8_t *frame, uint32_t, uint32_t, Key &key) const {
    key = {addressAt(frame + 6), addressAt(frame)};
    return true;
  }

  bool rewrite(uint8_t *, Found found, uint32_t &port) const {
    port = found.destination;
    return found.source != NoPort && port != NoPort && port != found.source;
  }
};

struct OneByOne {
  static constexpr uint32_t Together = 1;
  const rte_hash *sources, *destinations;

  void find(const Work::Key *keys, uint32_t count, Work::Found *found) const {
    for (uint32_t i = 0; i < count; ++i)
      found[i] = {findOne(sources, &keys[i].source),
                  findOne(destinations, &keys[i].destination)};
  }
};

struct Bulk {
  static constexpr uint32_t Together = TogetherMax;
  const rte_hash *sources, *destinations;

  void find(const Work::Key *keys, uint32_t count, Work::Found *found) const {
    const void *pointers[Together];
    uint32_t ports[Together];
    for (uint32_t i = 0; i < count; ++i)
      pointers[i] = &keys[i].source;
    findBulk(sources, pointers, count, ports);
    for (uint32_t i = 0; i < count; ++i) {
      found[i].source = ports[i];
      pointers[i] = &keys[i].destination;
    }
    findBulk(destinations, pointers, count, ports);
    for (uint32_t i = 0; i < count; ++i)
      found[i].destination = ports[i];
  }
};

class L2Fwd final : public Job {
public:
  explicit L2Fwd(const Calls &calls) {
    for (const traces::ControlCall &call : calls)
      if (isCall(call, "learn_many"))
        stations = uint32_t(call.args[0] + call.args[1]);
  }

  uint64_t memoryMib() const override {
    return 64 + 2 * HashTable::memoryMib(stations, sizeof(uint64_t));
  }

  Status fill() override {
    if (Status made =
            sources.make("sources", stations, sizeof(uint64_t), compareWords);
        !made)
      return made;
    if (Status made = destinations.make("destinations", stations,
                                        sizeof(uint64_t), compareWords);
        !made)
      return made;
    for (uint32_t station = 0; station < stations; ++station) {
      // As learn_many has it.
      Mac mac = macOf(int64_t(0x020000000000 | station * 0x9e3779b1u));
      uint64_t key = addressAt(mac.data());
      for (HashTable *table : {&sources, &destinations})
        if (Status added = table->add(&key, station & 3); !added)
          return added;
    }
    return success();
  }

  std::vector<Variant> variants() override {
    std::vector<Variant> all;
    addVariants(all, "rte_hash", work,
                OneByOne{sources.get(), destinations.get()});
    addVariants(all, "rte_hash bulk", work,
                Bulk{sources.get(), destinations.get()});
    return all;
  }

private:
  Work work;
  uint32_t stations = 0;
  HashTable sources, destinations;
};

} // namespace

std::unique_ptr<Job> makeL2Fwd(const Calls &calls) {
  return std::make_unique<L2Fwd>(calls);
}

} // namespace karakal::bench
