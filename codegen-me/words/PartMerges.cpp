// Merges a low part into a word on the way to a transfer register.
//
// ld_field keeps the other bytes of its destination, which must therefore be
// copied to a general-purpose register first, and the result be moved to the
// transfer register afterwards. Short additions mask their operand and write
// any register:
//
//   alu[b4, --, B, $3]
//   ld_field[b4, 1110, $$1]            alu[b4, $$1, AND~, 0xff]
//   alu[$$1, --, B, b4]         ->     alu[$$1, b4, +8, $3]

#include "codegen-me/words/WordLiveness.h"
#include "codegen-me/words/WordMotion.h"

#include "support/Error.h"
#include "target-ixp/table/InstructionTable.h"

namespace karakal::codegen {

namespace {

using target::Instruction;
using target::Op;
using target::Operand;

constexpr unsigned DistanceMax = 8;
constexpr unsigned LowByte = 0b0001, LowHalf = 0b0011, AllBytes = 0b1111;

bool isXfer(const Operand &o) { return o.isSXfer() || o.isDXfer(); }

/// Whether the word is a plain move between the registers that `from` and `to`
/// accept.
template <typename From, typename To>
bool isMoveBetween(const std::vector<Item> &items, unsigned index, From from,
                   To to) {
  const Item &item = items[index];
  return isMove(item) && !isTail(items, index) && item.window == 0 &&
         from(item.instruction.b) && to(item.instruction.dest);
}

/// Whether the ld_field can be replaced: no shift, no condition codes.
bool isPlainField(const std::vector<Item> &items, unsigned index) {
  const Item &item = items[index];
  const Instruction &i = item.instruction;
  return isWord(item) && i.op == Op::LdField && !i.loadCc &&
         i.shift.kind == target::Shift::Kind::None && !item.isGlued &&
         !isTail(items, index) && (isXfer(i.b) || i.b.isGpr());
}

/// The result of the low part of `low` merged into `kept`, in two words.
struct Merge {
  Instruction clear, add;
};

Merge mergeOf(unsigned lowMask, Operand kept, Operand low, Operand reg,
              Operand out) {
  KARAKAL_ASSERT(lowMask == LowByte || lowMask == LowHalf,
                 "short additions take a byte or a half");
  if (lowMask == LowByte)
    return {target::alu(Op::AluAndNot, reg, kept, target::imm(0xff)),
            target::alu(Op::AluAdd8, out, reg, low)};
  return {target::ldField(reg, AllBytes & ~LowHalf, kept, {}, true),
          target::alu(Op::AluAdd16, out, reg, low)};
}

class PartMerges {
public:
  PartMerges(WordProgram &program)
      : items(program.items), out(liveOut(program)) {}

  unsigned run();

private:
  /// The next word after `index` that reads or writes `reg`, within a block and
  /// without a command before it; items.size() if there is none.
  unsigned nextUse(unsigned index, GprSet reg) const;
  bool mergeAt(unsigned index);

  std::vector<Item> &items;
  std::vector<GprSet> out;
};

unsigned PartMerges::nextUse(unsigned index, GprSet reg) const {
  for (unsigned i = index + 1; i <= index + DistanceMax && i < items.size();
       ++i) {
    const Instruction &word = items[i].instruction;
    if (!isWord(items[i]) || !isArithmetic(word))
      break;
    if ((gprsRead(word) | gprBit(word.dest)) & reg)
      return i;
  }
  return unsigned(items.size());
}

bool PartMerges::mergeAt(unsigned index) {
  auto isGpr = [](const Operand &o) { return o.isGpr(); };
  if (!isMoveBetween(items, index, isXfer, isGpr))
    return false;
  const Operand copied = items[index].instruction.b;
  const Operand reg = items[index].instruction.dest;
  const unsigned field = nextUse(index, gprBit(reg));
  if (field == items.size() || !isPlainField(items, field) ||
      items[field].instruction.dest != reg)
    return false;
  const unsigned last = nextUse(field, gprBit(reg));
  if (last == items.size() || !isMoveBetween(items, last, isGpr, isXfer) ||
      (out[last] & gprBit(reg)))
    return false;
  const Instruction insert = items[field].instruction;
  const unsigned mask = insert.byteMask;
  const bool isLow = mask == LowByte || mask == LowHalf;
  const unsigned lowMask = isLow ? mask : AllBytes & ~mask;
  if (lowMask != LowByte && lowMask != LowHalf)
    return false;
  const Operand kept = isLow ? copied : insert.b;
  const Operand low = isLow ? insert.b : copied;
  // The part is read later than before.
  if (low.isGpr() && nextUse(field, gprBit(low)) < last)
    return false;
  Merge merge = mergeOf(lowMask, kept, low, reg, items[last].instruction.dest);
  items[field].instruction = merge.clear;
  items[field].makesAnother = true; // only a part of it
  items[last].instruction = merge.add;
  items.erase(items.begin() + index);
  out.erase(out.begin() + index);
  return true;
}

unsigned PartMerges::run() {
  unsigned merged = 0;
  for (unsigned i = 0; i < items.size(); ++i)
    merged += mergeAt(i);
  KARAKAL_ASSERT(out.size() == items.size(), "each item has a state");
  return merged;
}

} // namespace

unsigned mergeParts(WordProgram &program) { return PartMerges(program).run(); }

} // namespace karakal::codegen
