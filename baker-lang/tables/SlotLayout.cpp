#include "baker-lang/tables/SlotLayout.h"

namespace karakal::lang {

using ir::MatchKind;

KeyLayout::KeyLayout(const std::vector<ir::TableKey> &keys) {
  hasMasks = ir::hasPriority(keys);
  auto pack = [&](bool wantsExact) {
    for (unsigned i = 0; i < keys.size(); ++i) {
      if (keys[i].kind == MatchKind::Range ||
          (keys[i].kind == MatchKind::Exact) != wantsExact)
        continue;
      packed.push_back({i, keys[i].bits, packedBits});
      packedBits += keys[i].bits;
    }
  };
  pack(/*wantsExact=*/true);
  bitsBeforePrefix = packedBits;
  pack(/*wantsExact=*/false);
  packedWords = (packedBits + 31) / 32;
  unsigned end = 32 * packedWords;
  for (unsigned i = 0; i < keys.size(); ++i) {
    hasLength |= keys[i].kind == MatchKind::Lpm && !hasMasks;
    if (keys[i].kind != MatchKind::Range)
      continue;
    ranges.push_back(i);
    hashedRanges.push_back({i, keys[i].bits, end});
    end += keys[i].bits;
  }
  hashedWords = (end + 31) / 32;
}

std::string slotField(unsigned field) { return "v" + std::to_string(field); }

} // namespace karakal::lang
