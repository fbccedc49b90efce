// The parts of arrays and structs, and the memory that types take.

#ifndef KARAKAL_BAKER_LANG_TREE_TYPELAYOUT_H
#define KARAKAL_BAKER_LANG_TREE_TYPELAYOUT_H

#include <cstdint>

namespace karakal::lang {

struct Type;

/// Elements of an array, or fields of a struct.
uint64_t partCountOf(const Type *aggregate);
/// The type of one element or field.
const Type *partTypeOf(const Type *aggregate, uint64_t part);

/// Scalars in a value of `type`.
uint64_t scalarCountOf(const Type *type);
/// The same, but a scalar of more than 64 bits counts as the two parts that it
/// has in global data, the high one first.
uint64_t storedPartCountOf(const Type *type);
/// 32-bit words that a value of `type` takes in memory, by the rule of
/// ir/dialect/Layout.h.
uint64_t wordCountOf(const Type *type);

/// Words of a queue before its slots, and of each slot (lower/LowerQueues.cpp).
inline constexpr uint64_t queueHeadWords = 2, queueSlotWords = 2;

/// The most words of a local array or struct.
inline constexpr uint64_t localWordsMax = 1024;

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_TREE_TYPELAYOUT_H
