#include "baker-lang/tables/WordValues.h"

#include "baker-lang/tables/SlotLayout.h"

#include "support/Assert.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace karakal::lang {

/// Slots are numbered from 1, and one more than the limit serves changes.
static unsigned slotBitsOf(ir::TableOp table) {
  return llvm::Log2_64_Ceil(uint64_t(table.getLimit()) + 2);
}

std::optional<WordValues> wordValues(ir::TableOp table) {
  if (ir::countsHits(table) || table.getMeter())
    return std::nullopt;
  if (auto values = table.getDefaultValues())
    if (llvm::any_of(*values, [](int64_t value) { return value != 0; }))
      return std::nullopt;
  constexpr unsigned wordBits = 31; // besides the mark of a child
  WordValues made;
  made.slotBits = slotBitsOf(table);
  unsigned bits = made.slotBits;
  auto types = cast<ir::StructType>(table.getRecord()).getFieldTypes();
  for (unsigned i = 0; i < types.size(); ++i) {
    if (ir::isMutable(table, i))
      return std::nullopt;
    made.shifts.push_back(bits);
    bits += types[i].getIntOrFloatBitWidth();
    if (bits > wordBits)
      return std::nullopt;
  }
  return made;
}

std::string WordValues::wordOfSlot() const {
  std::string text = "n";
  for (unsigned i = 0; i < shifts.size(); ++i)
    text += " | (u32)entries[n]." + slotField(i) + " << " +
            std::to_string(shifts[i]);
  return text;
}

std::string WordValues::slotOfWord() const {
  KARAKAL_ASSERT(slotBits >= 1 && slotBits < 32, "a word holds a slot");
  return "word & " + std::to_string((1u << slotBits) - 1);
}

} // namespace karakal::lang
