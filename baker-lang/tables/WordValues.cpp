#include "baker-lang/tables/WordValues.h"

#include "baker-lang/tables/SlotLayout.h"

#include "support/Assert.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace karakal::lang {

std::optional<WordValues> wordValues(ir::TableOp table) {
  if (ir::countsHits(table) || table.getMeter())
    return std::nullopt;
  if (auto values = table.getDefaultValues())
    if (llvm::any_of(*values, [](int64_t value) { return value != 0; }))
      return std::nullopt;
  constexpr unsigned wordBits = 31; // besides the mark of a child
  WordValues made;
  made.lengthBits =
      llvm::Log2_64_Ceil(KeyLayout(ir::keysOf(table)).packedBits + 2);
  unsigned used = made.lengthBits;
  auto types = cast<ir::StructType>(table.getRecord()).getFieldTypes();
  for (unsigned i = 0; i < types.size(); ++i) {
    if (ir::isMutable(table, i))
      return std::nullopt;
    made.shifts.push_back(used);
    made.bits.push_back(types[i].getIntOrFloatBitWidth());
    used += made.bits.back();
    if (used > wordBits)
      return std::nullopt;
  }
  return made;
}

/// The ones of `bits` bits.
static std::string maskText(unsigned bits) {
  KARAKAL_ASSERT(bits >= 1 && bits < 32, "a part of a word");
  return std::to_string((1u << bits) - 1);
}

std::string WordValues::wordOfArguments() const {
  std::string text = "key[KEY_WORDS - 1] + 1";
  for (unsigned i = 0; i < shifts.size(); ++i)
    text += " | ((u32)x" + std::to_string(i) + " & " + maskText(bits[i]) +
            ") << " + std::to_string(shifts[i]);
  return text;
}

std::string WordValues::valueOf(const std::string &of, unsigned field,
                                const std::string &type) const {
  std::string part = of + " >> " + std::to_string(shifts[field]) + " & " +
                     maskText(bits[field]);
  return type == "bool" ? "((" + part + ") != 0)"
                        : "(" + type + ")(" + part + ")";
}

std::string WordValues::lengthInWord() const {
  return "(word & " + maskText(lengthBits) + ") - 1";
}

} // namespace karakal::lang
