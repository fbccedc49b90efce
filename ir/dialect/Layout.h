// Global data as words.
//
// One rule for all targets: a scalar of at most 32 bits is one 32-bit word, a
// wider one two words with the high word first; structs and arrays are their
// parts one after another. Narrow scalars sit in the low bits of their word.

#ifndef KARAKAL_IR_DIALECT_LAYOUT_H
#define KARAKAL_IR_DIALECT_LAYOUT_H

#include "ir/dialect/Baker.h"
#include "target-ixp/chip/MemoryMap.h"

#include <cstdint>
#include <vector>

namespace karakal::ir {

/// Words that a value of `type` (integer, struct or array) takes.
uint64_t wordCount(mlir::Type type);

/// Scalars inside a value of `type`, counted through structs and arrays.
uint64_t scalarCount(mlir::Type type);

/// First word of field `index`, counted from the struct's first word.
uint64_t fieldWordOffset(StructType record, unsigned index);

/// Words from one element of `array` to the next.
inline uint64_t elementWordStride(ArrayType array) {
  return wordCount(array.getElementType());
}

/// All words of `global` at start: its initial values, or zeros.
std::vector<uint32_t> initialWords(GlobalOp global);

/// Bytes of a packet's buffer, and of those the ones in front of the head of a
/// packet that was received or made: the most that headers can be put there.
inline constexpr uint32_t bufferBytes = target::BufferBytes;
inline constexpr uint32_t bufferHeadroomBytes = target::BufferHeadroom;

/// Words of user metadata that a field of `type` takes.
inline uint32_t metadataWordCount(mlir::Type type) {
  return uint32_t(wordCount(type));
}

/// The field `name` of the protocol of `packet`, found from `anchor`; null if
/// there is none.
ProtocolFieldAttr lookupField(mlir::Operation *anchor, PacketType packet,
                              llvm::StringRef name);

/// The protocol of `packet`, found from `anchor`; null if there is none.
ProtocolOp lookupProtocol(mlir::Operation *anchor, PacketType packet);

} // namespace karakal::ir

#endif // KARAKAL_IR_DIALECT_LAYOUT_H
