// Tells which words can be reordered or use other registers.

#include "codegen-me/words/WordMotion.h"
#include "codegen-me/words/WordLiveness.h"

#include "target-ixp/table/InstructionTable.h"

namespace karakal::codegen {

using target::Format;
using target::Instruction;
using target::Operand;

namespace {

bool reads(const Instruction &i, const Operand &reg) {
  return !reg.isNone() &&
         (i.a == reg || i.b == reg || (isPartial(i) && i.dest == reg));
}

} // namespace

bool isArithmetic(const Instruction &i) {
  switch (target::row(i.op).format) {
  case Format::AluUnary:
  case Format::AluBinary:
  case Format::ShfUnary:
  case Format::ShfBinary:
  case Format::DblShf:
  case Format::LdField:
  case Format::Immed:
  case Format::ImmedWord:
    return true;
  default:
    return false;
  }
}

bool isMovable(const Item &item) {
  const Instruction &i = item.instruction;
  if (item.kind == Item::Kind::Label || item.isGlued || item.isSlot ||
      item.window || !isArithmetic(i))
    return false;
  if (i.shift.kind == target::Shift::Kind::LeftIndirect ||
      i.shift.kind == target::Shift::Kind::RightIndirect)
    return false;
  auto isPlain = [](const Operand &o) {
    return o.isNone() || o.isImmediate() || o.isGpr() || o.isSXfer() ||
           o.isDXfer();
  };
  return isPlain(i.dest) && isPlain(i.a) && isPlain(i.b) && !i.dest.isNone();
}

bool commute(const Instruction &first, const Instruction &second) {
  if (reads(second, first.dest) || reads(first, second.dest))
    return false;
  return first.dest != second.dest;
}

bool isTail(const std::vector<Item> &items, unsigned index) {
  return index > 0 && isWord(items[index - 1]) && items[index - 1].isGlued;
}

bool isMove(const Item &item) {
  return isWord(item) && item.instruction.op == target::Op::AluB &&
         item.instruction.a.isNone() && !item.isGlued;
}

bool isFlexible(Format format) {
  switch (format) {
  case Format::AluUnary:
  case Format::AluBinary:
  case Format::ShfUnary:
  case Format::ShfBinary:
  case Format::DblShf:
  case Format::Asr:
  case Format::ByteAlignA:
  case Format::ByteAlignB:
    return true;
  default:
    return false;
  }
}

bool canWriteXfer(const std::vector<Item> &items, unsigned index) {
  const Instruction &i = items[index].instruction;
  // An immed after local_csr_rd takes the register's value.
  const bool isPlainImmed =
      i.op == target::Op::Immed &&
      !(index > 0 && isWord(items[index - 1]) &&
        items[index - 1].instruction.op == target::Op::CsrRead);
  return isFlexible(target::row(i.op).format) || isPlainImmed;
}

} // namespace karakal::codegen
