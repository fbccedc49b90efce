// Pieces of the template of tuples.

#include "baker-lang/tables/text/TupleText.h"
#include "baker-lang/tables/text/PackedWords.h"
#include "llvm/ADT/STLFunctionalExtras.h"
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

/// Word `word` of the hashed words, of numbers of the ranges.
std::string wordOfRanges(
    const KeyLayout &layout, unsigned word,
    llvm::function_ref<std::string(unsigned range, unsigned bits)> number) {
  std::vector<Part> parts;
  for (unsigned range = 0; range < layout.hashedRanges.size(); ++range) {
    const KeyLayout::Field &field = layout.hashedRanges[range];
    parts.push_back({number(range, field.bits), field.bits, field.offset});
  }
  return packedWord(parts, word);
}

std::string onesText(unsigned bits) {
  return std::to_string(llvm::maskTrailingOnes<uint32_t>(bits));
}

/// An end of a range of the entry `n`; `end`: 0 for the first, 1 for the last.
std::string endOfRange(const KeyLayout &layout, unsigned range, unsigned end) {
  return "entries[n].key[" +
         std::to_string(2 * layout.packedWords + 2 * range + end) + "]";
}

/// Leaves in `wanted` what `masks` gives for the ranges.
std::string
wantRanges(const KeyLayout &layout,
           llvm::function_ref<std::string(unsigned, unsigned)> mask) {
  std::string text;
  for (unsigned i = layout.packedWords; i < layout.hashedWords; ++i)
    text += "wanted[" + std::to_string(i) +
            "] = " + wordOfRanges(layout, i, mask) + ";\n";
  return text;
}

/// A number that is hashed, of the entry `n`.
std::string hashedOfEntry(const KeyLayout &layout, unsigned word) {
  if (word < layout.packedWords)
    return "entries[n].key[" + std::to_string(word) + "]";
  return "(" +
         wordOfRanges(layout, word,
                      [&](unsigned range, unsigned) {
                        return endOfRange(layout, range, 0);
                      }) +
         ")";
}

/// Pieces about the words of ranges.
std::optional<std::string> rangeText(llvm::StringRef placeholder,
                                     const KeyLayout &layout) {
  if (placeholder == "RANGE_WORDS") {
    std::string text;
    for (unsigned i = layout.packedWords; i < layout.hashedWords; ++i)
      text += "u32 " + numbered("k", i) + " = " +
              wordOfRanges(layout, i,
                           [&](unsigned range, unsigned) {
                             return numbered("p", layout.ranges[range]);
                           }) +
              ";\n";
    return text;
  }
  if (placeholder == "WANT_SINGLE_VALUES")
    return wantRanges(layout, [&](unsigned range, unsigned bits) {
      return "(" + endOfRange(layout, range, 0) +
             " == " + endOfRange(layout, range, 1) + " ? (u32)" +
             onesText(bits) + " : 0)";
    });
  if (placeholder == "WANT_COMMON_BITS")
    return wantRanges(layout, [&](unsigned range, unsigned bits) {
      return "(common_bits(" + endOfRange(layout, range, 0) + ", " +
             endOfRange(layout, range, 1) + ") & " + onesText(bits) + ")";
    });
  return std::nullopt;
}

} // namespace

std::optional<std::string> tupleText(llvm::StringRef placeholder,
                                     const KeyLayout &layout) {
  auto forEachWord = [&](const char *separator, auto textOf) {
    std::vector<std::string> all;
    for (unsigned i = 0; i < layout.hashedWords; ++i)
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
  if (placeholder == "WANTED_WORD_LIST") {
    std::vector<std::string> all;
    for (unsigned i = 0; i < layout.hashedWords; ++i)
      all.push_back(hashedOfEntry(layout, i) + " & wanted[" +
                    std::to_string(i) + "]");
    return llvm::join(all, ", ");
  }
  if (placeholder == "WANT_HALVES")
    return wantHalves(layout);
  return rangeText(placeholder, layout);
}

} // namespace karakal::lang
