#include "sim-ixp/bus/ThreadInterrupts.h"
#include "support/Assert.h"

#include <utility>

namespace karakal::sim {

void ThreadInterrupts::raise(uint32_t which, uint32_t thread) {
  KARAKAL_ASSERT(which < 2 && thread < 32 * wordCount,
                 "no such interrupt or thread");
  words[which][thread / 32].raw |= 1u << (thread % 32);
}

std::optional<ThreadInterrupts::Place>
ThreadInterrupts::placeOf(uint32_t offset) {
  constexpr std::pair<uint32_t, Register> groups[] = {
      {0xe0, Register::Status},
      {0x60, Register::Raw},
      {0x160, Register::EnableSet},
      {0x1e0, Register::Disable}};
  for (const auto &[base, kind] : groups)
    for (uint32_t which = 0; which < 2; ++which) {
      uint32_t byte = offset - (base + which * 0x20);
      if (byte < 4 * wordCount)
        return Place{kind, which, byte / 4};
    }
  return std::nullopt;
}

std::optional<uint32_t> ThreadInterrupts::read(uint32_t offset) const {
  std::optional<Place> place = placeOf(offset);
  if (!place)
    return std::nullopt;
  const Word &word = words[place->which][place->word];
  switch (place->kind) {
  case Register::Status:
    return word.raw & word.enabled;
  case Register::Raw:
    return word.raw;
  case Register::EnableSet:
  case Register::Disable:
    return word.enabled;
  }
  KARAKAL_UNREACHABLE("no such register");
}

bool ThreadInterrupts::write(uint32_t offset, uint32_t value) {
  std::optional<Place> place = placeOf(offset);
  if (!place || place->kind == Register::Status)
    return false;
  Word &word = words[place->which][place->word];
  if (place->kind == Register::Raw)
    word.raw &= ~value;
  else if (place->kind == Register::EnableSet)
    word.enabled |= value;
  else
    word.enabled &= ~value;
  return true;
}

} // namespace karakal::sim
