// The layout of global data in words.
//
// All targets share one rule. A scalar of at most 32 bits takes one 32-bit word
// and sits in its low bits. A wider scalar takes two words, the high word
// first. The parts of a struct or array follow one another.

#ifndef KARAKAL_IR_DIALECT_LAYOUT_H
#define KARAKAL_IR_DIALECT_LAYOUT_H

#include "ir/dialect/Baker.h"
#include "target-ixp/chip/MemoryMap.h"

#include <cstdint>
#include <vector>

namespace karakal::ir {

/// Returns the number of words of a value of `type` (integer, struct or array).
uint64_t wordCount(mlir::Type type);

/// Returns the number of scalars in a value of `type`, including those in
/// nested structs and arrays.
uint64_t scalarCount(mlir::Type type);

/// Returns the first word of field `index`, counted from the struct's first
/// word.
uint64_t fieldWordOffset(StructType record, unsigned index);

/// Returns the number of words from one element of `array` to the next.
inline uint64_t elementWordStride(ArrayType array) {
  return wordCount(array.getElementType());
}

/// Returns all words of `global` at start: its initial values, or zeros.
std::vector<uint32_t> initialWords(GlobalOp global);

/// On a global that is a local variable in memory: each context has a copy.
inline constexpr llvm::StringLiteral localAttrName = "baker.local";
/// The words from one context's copy to the next, set by placement.
inline constexpr llvm::StringLiteral strideAttrName = "baker.stride";
inline bool isLocal(GlobalOp global) { return global->hasAttr(localAttrName); }

/// On a global whose words each hold several elements of an array: the type of
/// the array. Element i is in word i / n, where n elements share a word; of
/// these the first is in the lowest bits.
inline constexpr llvm::StringLiteral packedAttrName = "baker.packed";
void setPacked(GlobalOp global, ArrayType array);
/// Returns the array of a global that is packed, or null.
ArrayType packedIn(GlobalOp global);
/// Returns the bits from one element of a packed array to the next.
unsigned packedBits(ArrayType array);

/// The bytes of a packet's buffer, and those of them in front of the head of a
/// new packet. Headers put in front of the packet use the headroom.
inline constexpr uint32_t bufferBytes = target::BufferBytes;
inline constexpr uint32_t bufferHeadroomBytes = target::BufferHeadroom;

/// Returns the number of words of user metadata that a field of `type` takes.
inline uint32_t metadataWordCount(mlir::Type type) {
  return uint32_t(wordCount(type));
}

/// Returns the field `name` of the protocol of `packet`, or null if there is
/// none. The symbol table is the one nearest to `anchor`.
ProtocolFieldAttr lookupField(mlir::Operation *anchor, PacketType packet,
                              llvm::StringRef name);

/// Returns the protocol of `packet`, or null if there is none. The symbol table
/// is the one nearest to `anchor`.
ProtocolOp lookupProtocol(mlir::Operation *anchor, PacketType packet);

} // namespace karakal::ir

#endif // KARAKAL_IR_DIALECT_LAYOUT_H
