// The content-addressable memory of an engine.

#include "sim-ixp/engine/Cam.h"
#include "support/Error.h"

#include <algorithm>

namespace karakal::sim {

void Cam::clear() {
  tags.fill(0);
  states.fill(0);
  for (uint32_t i = 0; i < entryCount; ++i)
    order[i] = static_cast<uint8_t>(i);
}

void Cam::touch(uint32_t entry) {
  auto position = std::find(order.begin(), order.end(), entry);
  KARAKAL_ASSERT(position != order.end(), "the order names every entry once");
  std::rotate(position, position + 1, order.end());
}

uint32_t Cam::lookup(uint32_t tag) {
  for (uint32_t i = 0; i < entryCount; ++i) {
    if (tags[i] != tag)
      continue;
    touch(i);
    return uint32_t{states[i]} << 8 | 1u << 7 | i << 3;
  }
  return uint32_t{order[0]} << 3;
}

void Cam::write(uint32_t entry, uint32_t tag, uint32_t state) {
  entry &= 15;
  tags[entry] = tag;
  states[entry] = static_cast<uint8_t>(state & 15);
  touch(entry);
}

} // namespace karakal::sim
