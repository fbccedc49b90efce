#include "baker-lang/tables/BitVectors.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace karakal::lang {

/// The words of a vector that one command reads.
static constexpr unsigned groupWordsMax = 8;
static constexpr unsigned wordBits = 32, byteBits = 8;

BitVectors::BitVectors(ir::TableOp table) {
  std::vector<ir::TableKey> keys = ir::keysOf(table);
  KeyLayout layout(keys);
  bytes = unsigned(llvm::divideCeil(layout.packedBits, byteBits));
  ranges = unsigned(layout.ranges.size());
  for (unsigned number : layout.ranges)
    rangeBits = std::max(rangeBits, keys[number].bits);
  rangeValues =
      rangeBits > rangeBitsMax ? 0 : std::max(wordBits, 1u << rangeBits);
  // Each range begins and ends at most one class.
  classes = unsigned(std::min<uint64_t>(rangeValues, 2 * table.getLimit() + 2));
  // Some positions are free, so that few entries move to make room.
  uint64_t most = table.getLimit() + table.getLimit() / 8;
  uint64_t words = llvm::divideCeil(most, wordBits);
  groups = unsigned(llvm::divideCeil(words, groupWordsMax));
  groupWords = unsigned(llvm::divideCeil(words, groups));
  rows = (bytes << byteBits) + ranges * classes;
  vectors = bytes + ranges + 1;
}

uint64_t BitVectors::words() const {
  return rowWords() + groups * groupWords + 2 * positions() +
         uint64_t(ranges) * rangeValues / 2;
}

} // namespace karakal::lang
