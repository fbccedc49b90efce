// The key of a look-up in LLVM IR, as rules see it.

#include "codegen-x86/specialize/KeyCode.h"
#include "support/Assert.h"

namespace karakal::x86 {

using namespace llvm;

/// The 64 packed bits from `begin` on.
static Value *packedWord(IRBuilder<> &builder, const TableShape &table,
                         const std::vector<Value *> &arguments,
                         unsigned begin) {
  Value *word = builder.getInt64(0);
  for (const TableShape::Field &field : table.packed) {
    unsigned from = std::max(begin, field.offset);
    unsigned to = std::min(begin + 64, field.offset + field.bits);
    if (from >= to)
      continue;
    Value *value = arguments[field.parameter];
    value = builder.CreateLShr(value, field.offset + field.bits - to);
    value = builder.CreateZExtOrTrunc(value, builder.getInt64Ty());
    word = builder.CreateOr(word, builder.CreateShl(value, begin + 64 - to));
  }
  return word;
}

KeyCode::KeyCode(IRBuilder<> &builder, const TableShape &table,
                 const std::vector<Value *> &arguments) {
  for (unsigned i = 0; i < (table.packedBits + 63) / 64; ++i)
    words.push_back(packedWord(builder, table, arguments, 64 * i));
  for (const TableShape::Range &range : table.ranges)
    words.push_back(
        builder.CreateZExt(arguments[range.parameter], builder.getInt64Ty()));
}

Value *KeyCode::isWithin(IRBuilder<> &builder, Value *value, Value *first,
                         Value *last) {
  return builder.CreateICmpULE(builder.CreateSub(value, first),
                               builder.CreateSub(last, first));
}

Value *KeyCode::matches(IRBuilder<> &builder, const Rule &rule) const {
  KARAKAL_ASSERT(rule.masks.size() == words.size(), "a rule of this table");
  Value *all = builder.getTrue();
  for (unsigned i = 0; i < words.size(); ++i)
    if (rule.masks[i] != 0)
      all = builder.CreateAnd(
          all, builder.CreateICmpEQ(builder.CreateAnd(words[i], rule.masks[i]),
                                    builder.getInt64(rule.values[i])));
  for (const Bounds &bounds : rule.bounds)
    all = builder.CreateAnd(all, isWithin(builder, words[bounds.word],
                                          builder.getInt64(bounds.first),
                                          builder.getInt64(bounds.last)));
  return all;
}

} // namespace karakal::x86
