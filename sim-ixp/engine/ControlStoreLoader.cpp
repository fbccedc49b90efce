// The registers through which the core loads a control store.

#include "sim-ixp/engine/ControlStoreLoader.h"
#include "support/Error.h"
#include "target-ixp/chip/EngineTable.h"

#include <utility>

namespace karakal::sim {
namespace {

constexpr uint32_t enableBit = 1u << 31;
constexpr uint32_t addressMask = 0x1fff;
constexpr uint64_t wordMask = (uint64_t{1} << 40) - 1;

bool hasParity(uint64_t word) {
  return target::withParity(word & wordMask) == word;
}

} // namespace

uint64_t ControlStoreLoader::word() const {
  uint32_t index = address & addressMask;
  return index < stored.size() ? stored[index] : 0;
}

void ControlStoreLoader::store(uint32_t upper, uint64_t capacity) {
  uint32_t index = address & addressMask;
  uint64_t word = uint64_t{upper} << 32 | lower;
  if (!(address & enableBit))
    return;
  if (!hasParity(word) || index >= capacity) {
    error = enableBit | index;
    return;
  }
  if (index >= stored.size())
    stored.resize(index + 1);
  stored[index] = word & wordMask;
  isNew = true;
  ++address;
  KARAKAL_ASSERT(stored.size() <= capacity, "more words than the store holds");
}

bool ControlStoreLoader::takeNew() { return std::exchange(isNew, false); }

} // namespace karakal::sim
