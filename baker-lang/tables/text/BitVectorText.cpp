// Pieces of the template of bit vectors.
//
// For a byte of the key, as `matchesOfByte` makes it:
//
//   u32 b0 = (k0 >> 24) * GROUPS + group;
//   m0 = m0 & even_bytes[b0].w[0];

#include "baker-lang/tables/text/BitVectorText.h"
#include "baker-lang/tables/text/PackedWords.h"

#include <algorithm>

namespace karakal::lang {

namespace {

/// Lets `m0`, `m1`, … have the bits that a vector has, too.
std::string narrowed(const BitVectors &vectors, const std::string &vector) {
  std::string text;
  for (unsigned i = 0; i < vectors.groupWords; ++i) {
    std::string m = numbered("m", i);
    text += m + " = " + m + " & " + vector + ".w[" + std::to_string(i) + "];\n";
  }
  return text;
}

/// The vector of byte `byte` of the packed words.
std::string matchesOfByte(const BitVectors &vectors, unsigned byte) {
  unsigned shift = 24 - byte % 4 * 8;
  std::string b = numbered("b", byte);
  return "u32 " + b + " = (" + std::to_string(byte / 2 * 256) + " + (" +
         numbered("k", byte / 4) + " >> " + std::to_string(shift) +
         " & 255)) * GROUPS + group;\n" +
         narrowed(vectors,
                  (byte % 2 == 0 ? "even_bytes[" : "odd_bytes[") + b + "]");
}

std::string matches(const BitVectors &vectors) {
  std::string text;
  for (unsigned i = 0; i < vectors.groupWords; ++i)
    text += "u32 " + numbered("m", i) + " = live[group].w[" +
            std::to_string(i) + "];\n";
  for (unsigned byte = 0; byte < vectors.bytes; ++byte)
    text += matchesOfByte(vectors, byte);
  for (unsigned range = 0; range < vectors.ranges; ++range)
    text +=
        narrowed(vectors, "class_rows[" + numbered("c", range) + " + group]");
  return text;
}

/// Leaves in `bits` the first word that is not 0, and its number of bits before
/// it in `at`.
std::string firstWord(const BitVectors &vectors) {
  std::string text;
  for (unsigned i = vectors.groupWords; i-- > 0;)
    text += "if (" + numbered("m", i) + " != 0) {\nbits = " + numbered("m", i) +
            ";\nat = " + std::to_string(32 * i) + ";\n}\n";
  return text;
}

/// The vectors of the classes of the values, `c0`, `c1`, ….
std::string classesOf(const BitVectors &vectors, const KeyLayout &layout) {
  std::string text;
  for (unsigned range = 0; range < vectors.ranges; ++range)
    text += "u32 " + numbered("c", range) + " = (" +
            std::to_string(range * vectors.classes) + " + class_of(" +
            std::to_string(range) + ", (u32)" +
            numbered("p", layout.ranges[range]) + ")) * GROUPS;\n";
  return text;
}

} // namespace

std::optional<std::string> bitVectorText(llvm::StringRef placeholder,
                                         const BitVectors &vectors,
                                         const KeyLayout &layout) {
  auto number = [](unsigned value) { return std::to_string(value); };
  auto forRanges = [&](const char *text) {
    return vectors.ranges == 0 ? "" : text;
  };
  if (placeholder == "KEY_BYTES")
    return number(vectors.bytes);
  if (placeholder == "EVEN_BYTES")
    return number(std::max(1u, (vectors.bytes + 1) / 2));
  if (placeholder == "ODD_BYTES")
    return number(std::max(1u, vectors.bytes / 2));
  if (placeholder == "GROUPS")
    return number(vectors.groups);
  if (placeholder == "GROUP_WORDS")
    return number(vectors.groupWords);
  if (placeholder == "RANGES")
    return number(vectors.ranges);
  if (placeholder == "RANGE_VALUES")
    return number(vectors.rangeValues);
  if (placeholder == "RANGE_CLASSES")
    return number(vectors.classes);
  if (placeholder == "MATCHES")
    return matches(vectors);
  if (placeholder == "FIRST_WORD")
    return firstWord(vectors);
  if (placeholder == "CLASSES_OF_PARAMETERS")
    return classesOf(vectors, layout);
  if (placeholder == "MARK_RANGES")
    return forRanges("mark_ranges(n, at, is_set);");
  if (placeholder == "PART_RANGES")
    return forRanges("part_ranges(n);");
  if (placeholder == "JOIN_RANGES")
    return forRanges("join_ranges(n);");
  return std::nullopt;
}

} // namespace karakal::lang
