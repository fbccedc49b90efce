// How a field of a table's key is matched.

#ifndef KARAKAL_IR_DIALECT_MATCHKIND_H
#define KARAKAL_IR_DIALECT_MATCHKIND_H

namespace karakal::ir {

enum class MatchKind {
  Exact,   ///< the field has the entry's value
  Lpm,     ///< it begins with the entry's prefix; the longest prefix wins
  Ternary, ///< it has the entry's value where the entry's mask has ones
  Range,   ///< it lies between the entry's two values
};

/// The names of the kinds in programs, in the order of MatchKind.
inline constexpr const char *matchKindNames[] = {"exact", "lpm", "ternary",
                                                 "range"};

/// The widest key, in bits: an IPv6 five-tuple with metadata.
inline constexpr unsigned tableKeyBitsMax = 640;
/// The widest field of a key, in bits.
inline constexpr unsigned tableKeyFieldBitsMax = 128;

} // namespace karakal::ir

#endif // KARAKAL_IR_DIALECT_MATCHKIND_H
