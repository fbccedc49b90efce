#include "ir/dialect/Layout.h"

#include "support/Assert.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace karakal::ir {

uint64_t wordCount(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() > 32 ? 2 : 1;
  if (auto array = dyn_cast<ArrayType>(type))
    return array.getSize() * wordCount(array.getElementType());
  uint64_t words = 0;
  for (Type field : cast<StructType>(type).getFieldTypes())
    words += wordCount(field);
  return words;
}

uint64_t scalarCount(Type type) {
  if (isa<IntegerType>(type))
    return 1;
  if (auto array = dyn_cast<ArrayType>(type))
    return array.getSize() * scalarCount(array.getElementType());
  uint64_t scalars = 0;
  for (Type field : cast<StructType>(type).getFieldTypes())
    scalars += scalarCount(field);
  return scalars;
}

uint64_t fieldWordOffset(StructType record, unsigned index) {
  KARAKAL_ASSERT(index < record.getFieldTypes().size(),
                 "the struct has the field");
  uint64_t words = 0;
  for (Type field : record.getFieldTypes().take_front(index))
    words += wordCount(field);
  return words;
}

/// Appends the words of a value of `type`, with scalars from `values`.
static void appendWords(Type type, ArrayRef<int64_t> &values,
                        std::vector<uint32_t> &words) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    KARAKAL_ASSERT(!values.empty(), "an initial value for each scalar");
    uint64_t value = values.front();
    values = values.drop_front();
    if (integer.getWidth() < 64)
      value &= (uint64_t(1) << integer.getWidth()) - 1;
    if (integer.getWidth() > 32)
      words.push_back(uint32_t(value >> 32));
    words.push_back(uint32_t(value));
    return;
  }
  if (auto array = dyn_cast<ArrayType>(type)) {
    for (uint64_t i = 0; i < array.getSize(); ++i)
      appendWords(array.getElementType(), values, words);
    return;
  }
  for (Type field : cast<StructType>(type).getFieldTypes())
    appendWords(field, values, words);
}

std::vector<uint32_t> initialWords(GlobalOp global) {
  std::vector<uint32_t> words;
  if (auto init = global.getInit()) {
    ArrayRef<int64_t> values = *init;
    appendWords(global.getType(), values, words);
    KARAKAL_ASSERT(values.empty(), "a scalar for each initial value");
  } else {
    words.resize(wordCount(global.getType()));
  }
  KARAKAL_ASSERT(words.size() == wordCount(global.getType()),
                 "the initial words are those of the type");
  return words;
}

void setPacked(GlobalOp global, ArrayType array) {
  KARAKAL_ASSERT(packedBits(array) < 32, "elements share words");
  global->setAttr(packedAttrName, TypeAttr::get(array));
}

ArrayType packedIn(GlobalOp global) {
  auto type = global->getAttrOfType<TypeAttr>(packedAttrName);
  return type ? cast<ArrayType>(type.getValue()) : ArrayType();
}

unsigned packedBits(ArrayType array) {
  return unsigned(
      llvm::PowerOf2Ceil(array.getElementType().getIntOrFloatBitWidth()));
}

ProtocolOp lookupProtocol(Operation *anchor, PacketType packet) {
  return SymbolTable::lookupNearestSymbolFrom<ProtocolOp>(
      anchor, StringAttr::get(anchor->getContext(), packet.getProtocol()));
}

ProtocolFieldAttr lookupField(Operation *anchor, PacketType packet,
                              StringRef name) {
  ProtocolOp protocol = lookupProtocol(anchor, packet);
  return protocol ? protocol.field(name) : ProtocolFieldAttr();
}

} // namespace karakal::ir
