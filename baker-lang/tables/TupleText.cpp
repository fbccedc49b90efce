// Pieces of the template of tuples.

#include "baker-lang/tables/TupleText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <vector>

namespace karakal::lang {

namespace {

constexpr unsigned wordBits = 32;
/// Bits of a field that a tuple's masks have together or not at all, if entries
/// with several masks share it.
constexpr unsigned halfBits = 16;

/// Leaves in `wanted` the halves of each field that are whole; one that lies in
/// two words is two.
std::string wantHalves(const KeyLayout &layout) {
  std::vector<std::string> whole(layout.packedWords);
  for (const KeyLayout::Field &field : layout.packed) {
    unsigned end = field.offset + field.bits;
    for (unsigned from = field.offset, to; from < end; from = to) {
      unsigned word = from / wordBits, wordEnd = wordBits * (word + 1);
      unsigned halves = (from - field.offset) / halfBits + 1;
      to = std::min({field.offset + halves * halfBits, end, wordEnd});
      uint32_t bits = llvm::maskTrailingOnes<uint32_t>(to - from)
                      << (wordEnd - to);
      whole[word] += (whole[word].empty() ? "" : " | ") +
                     ("half(wanted[" + std::to_string(word) + "], ") +
                     std::to_string(bits) + ")";
    }
  }
  std::string text;
  for (unsigned i = 0; i < layout.packedWords; ++i)
    text += "wanted[" + std::to_string(i) + "] = " + whole[i] + ";\n";
  return text;
}

} // namespace

std::optional<std::string> tupleText(llvm::StringRef placeholder,
                                     const KeyLayout &layout) {
  auto forEachWord = [&](const char *separator, auto textOf) {
    std::vector<std::string> all;
    for (unsigned i = 0; i < layout.packedWords; ++i)
      all.push_back(textOf(std::to_string(i)));
    return llvm::join(all, separator);
  };
  if (placeholder == "MASK_WORDS")
    return forEachWord("\n", [](const std::string &i) {
      return "u32 m" + i + " = tuples[at].mask[" + i + "];";
    });
  if (placeholder == "MASKED_WORDS")
    return forEachWord(
        ", ", [](const std::string &i) { return "k" + i + " & m" + i; });
  if (placeholder == "WANTED_WORD_LIST")
    return forEachWord(", ", [](const std::string &i) {
      return "entries[n].key[" + i + "] & wanted[" + i + "]";
    });
  if (placeholder == "WANT_HALVES")
    return wantHalves(layout);
  return std::nullopt;
}

} // namespace karakal::lang
