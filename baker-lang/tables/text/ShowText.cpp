// The text that takes an entry apart into the arguments of `add`.
//
//   lpm u48 mac; value { u64 v; }  →  shown[0] = key[0] >> 16;
//                                     shown[1] = key[0] << 16 | key[1] >> 16;
//                                     shown[2] = key[2] - 0;
//                                     shown[3] = (u32)(entries[n].v0 >> 32);
//                                     shown[4] = (u32)entries[n].v0;

#include "baker-lang/tables/text/ShowText.h"

#include "support/Assert.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace karakal::lang {

using ir::MatchKind;

static std::string keyWord(unsigned word) {
  return "key[" + std::to_string(word) + "]";
}

void ShowText::store(const std::string &word) {
  text += "shown[" + std::to_string(words++) + "] = " + word + ";\n";
}

/// Up to 32 bits of the key's words from `offset` on.
static std::string bitsText(unsigned offset, unsigned bits) {
  KARAKAL_ASSERT(bits >= 1 && bits <= 32, "a word has them");
  unsigned word = offset / 32, end = offset % 32 + bits;
  std::string mask =
      bits == 32 ? "" : " & " + std::to_string((uint64_t(1) << bits) - 1);
  if (end <= 32)
    return "(" + keyWord(word) + " >> " + std::to_string(32 - end) + ")" + mask;
  return "(" + keyWord(word) + " << " + std::to_string(end - 32) + " | " +
         keyWord(word + 1) + " >> " + std::to_string(64 - end) + ")" + mask;
}

/// A number of any width: parts of at most 64 bits, each of one word or two.
void ShowText::storeNumber(unsigned offset, unsigned bits) {
  unsigned high = bits > 64 ? bits - 64 : 0;
  for (unsigned part : {high, bits - high}) {
    unsigned above = part > 32 ? part - 32 : 0;
    if (above != 0)
      store(bitsText(offset, above));
    if (part != 0)
      store(bitsText(offset + above, part - above));
    offset += part;
  }
}

/// The length of a prefix, which in a table with masks is one of them.
void ShowText::storeLength(const KeyLayout::Field &field) {
  if (layout.hasLength) {
    store(keyWord(layout.words() - 1) + " - " +
          std::to_string(layout.bitsBeforePrefix));
    return;
  }
  std::string sum;
  for (unsigned done = 0; done < field.bits; done += 32)
    sum += (done == 0 ? "" : " + ") +
           ("ones(" +
            bitsText(32 * layout.packedWords + field.offset + done,
                     std::min(32u, field.bits - done)) +
            ")");
  store(sum);
}

void ShowText::storeKeyField(const ir::TableKey &key, unsigned number) {
  if (key.kind == MatchKind::Range) {
    auto range = llvm::find(layout.ranges, number);
    unsigned first =
        2 * layout.packedWords + 2 * unsigned(range - layout.ranges.begin());
    store(keyWord(first));
    store(keyWord(first + 1));
    return;
  }
  const KeyLayout::Field &field =
      *llvm::find_if(layout.packed, [&](const KeyLayout::Field &packed) {
        return packed.number == number;
      });
  storeNumber(field.offset, field.bits);
  if (key.kind == MatchKind::Ternary)
    storeNumber(32 * layout.packedWords + field.offset, field.bits);
  else if (key.kind == MatchKind::Lpm)
    storeLength(field);
}

ShowText::ShowText(ir::TableOp table,
                   const std::function<std::string(unsigned)> &valueOf)
    : layout(ir::keysOf(table)) {
  std::vector<ir::TableKey> keys = ir::keysOf(table);
  for (unsigned i = 0; i < keys.size(); ++i)
    storeKeyField(keys[i], i);
  if (layout.hasMasks)
    store(keyWord(layout.words() - 1));
  auto record = cast<ir::StructType>(table.getRecord());
  for (unsigned i = 0; i < record.getFieldTypes().size(); ++i) {
    if (ir::isMutable(table, i))
      continue;
    bool isBool = cast<StringAttr>(table.getTypes()[i]).getValue() == "bool";
    std::string value = valueOf(i);
    if (record.getFieldTypes()[i].getIntOrFloatBitWidth() > 32)
      store("(u32)((u64)" + value + " >> 32)");
    store(isBool ? "(u32)(" + value + " ? 1 : 0)" : "(u32)" + value);
  }
}

} // namespace karakal::lang
