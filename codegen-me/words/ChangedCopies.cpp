// Lets a word that changes serve as its own copy.
//
// ld_field changes some bytes of a word in a general-purpose register. A word
// that a command has read must be copied there first. If a result of the same
// word is inserted, the result can take the other bytes of the word instead:
//
//   alu[b3, --, B, $$2]                alu[b3, $$2, +, a2]
//   dbl_shf[a6, $$1, b3, >>28]         ld_field[b3, 1011, $$2]
//   ...                          ->    dbl_shf[a6, $$1, b3, >>28]
//   alu[a5, $$2, +, a2]                ...
//   ld_field[b3, 0100, a5]
//
// Between them, only double shifts may read the copy, and of it no byte that
// changes.

#include "codegen-me/words/CommandEffects.h"
#include "codegen-me/words/WordLiveness.h"
#include "codegen-me/words/WordMotion.h"

#include "support/Error.h"
#include "target-ixp/table/InstructionTable.h"

namespace karakal::codegen {

namespace {

using target::Format;
using target::Instruction;
using target::Op;
using target::Operand;

constexpr unsigned DistanceMax = 32;
constexpr unsigned AllBytes = 0b1111;

class ChangedCopies {
public:
  explicit ChangedCopies(WordProgram &program)
      : items(program.items), out(liveOut(program)) {}

  bool run();

private:
  bool isAlone(unsigned index) const {
    return isWord(items[index]) && !items[index].isGlued &&
           !isTail(items, index) && items[index].window == 0;
  }
  bool isChange(unsigned index, const Instruction &copy) const;
  unsigned insertionOf(unsigned copy, unsigned change) const;
  bool readsKept(const Instruction &reader, const Operand &copy,
                 unsigned changed) const;
  bool isFree(unsigned copy, unsigned change, unsigned insertion) const;
  bool rewriteAt(unsigned copy);

  std::vector<Item> &items;
  std::vector<GprSet> out;
};

/// Whether the word computes from the copied word what can be computed where
/// the copy is made.
bool ChangedCopies::isChange(unsigned index, const Instruction &copy) const {
  const Instruction &i = items[index].instruction;
  const bool isPlain = i.op == Op::AluAdd || i.op == Op::AluSub ||
                       i.op == Op::AluAnd || i.op == Op::AluOr ||
                       i.op == Op::AluXor;
  if (!isPlain || !isAlone(index) || !i.dest.isGpr() || i.dest == copy.dest)
    return false;
  const Operand &other = i.a == copy.b ? i.b : i.a;
  return (i.a == copy.b) != (i.b == copy.b) &&
         (other.isImmediate() || (other.isGpr() && other != copy.dest));
}

/// The ld_field that inserts the result of `change` into the copy, within the
/// block; items.size() if there is none.
unsigned ChangedCopies::insertionOf(unsigned copy, unsigned change) const {
  const Operand reg = items[copy].instruction.dest,
                result = items[change].instruction.dest;
  const unsigned nothing = unsigned(items.size());
  for (unsigned i = change + 1;
       i < items.size() && i <= change + DistanceMax && isWord(items[i]); ++i) {
    const Instruction &word = items[i].instruction;
    if (word.op == Op::LdField && word.dest == reg && word.b == result)
      return isAlone(i) && !word.loadCc &&
                     word.shift.kind == target::Shift::Kind::None &&
                     !(out[i] & gprBit(result))
                 ? i
                 : nothing;
    if (target::row(word.op).isBranch() ||
        ((gprsRead(word) | gprBit(word.dest)) & gprBit(result)))
      return nothing;
  }
  return nothing;
}

/// Whether the word reads only bytes of the copy that do not change.
bool ChangedCopies::readsKept(const Instruction &reader, const Operand &copy,
                              unsigned changed) const {
  if (target::row(reader.op).format != Format::DblShf || reader.a == copy ||
      reader.b != copy)
    return false;
  const unsigned lowest = reader.shift.amount / 8;
  return (changed & (AllBytes << lowest)) == 0;
}

/// Whether nothing between the three words disturbs what moves up.
bool ChangedCopies::isFree(unsigned copy, unsigned change,
                           unsigned insertion) const {
  const Instruction &from = items[copy].instruction;
  const Instruction &source = items[change].instruction;
  const unsigned changed = items[insertion].instruction.byteMask;
  const Operand &other = source.a == from.b ? source.b : source.a;
  for (unsigned i = copy + 1; i < insertion; ++i) {
    const Instruction &word = items[i].instruction;
    if (i == change)
      continue;
    if (commandTouches(word, from.b, false) || word.dest == from.dest ||
        (i < change && other.isGpr() && word.dest == other) ||
        ((gprsRead(word) & gprBit(from.dest)) &&
         !readsKept(word, from.dest, changed)))
      return false;
  }
  return true;
}

bool ChangedCopies::rewriteAt(unsigned copy) {
  const Instruction move = items[copy].instruction;
  if (!isMove(items[copy]) || !isAlone(copy) || !move.dest.isGpr() ||
      !(move.b.isSXfer() || move.b.isDXfer()))
    return false;
  for (unsigned i = copy + 1;
       i < items.size() && i <= copy + DistanceMax && isWord(items[i]) &&
       !target::row(items[i].instruction.op).isBranch();
       ++i) {
    if (!isChange(i, move))
      continue;
    const unsigned insertion = insertionOf(copy, i);
    if (insertion == items.size() || !isFree(copy, i, insertion))
      continue;
    KARAKAL_ASSERT(copy < i && i < insertion, "the words stand in order");
    const unsigned changed = items[insertion].instruction.byteMask;
    Item changeAtCopy = items[i];
    changeAtCopy.instruction.dest = move.dest;
    items[copy].instruction =
        target::ldField(move.dest, AllBytes & ~changed, move.b);
    items[copy].makesAnother = true; // no copy any more
    items.erase(items.begin() + insertion);
    items.erase(items.begin() + i);
    items.insert(items.begin() + copy, changeAtCopy);
    return true;
  }
  return false;
}

/// Rewrites once: after that, liveness is another.
bool ChangedCopies::run() {
  for (unsigned i = 0; i < items.size(); ++i)
    if (rewriteAt(i))
      return true;
  return false;
}

} // namespace

unsigned mergeCopies(WordProgram &program) {
  unsigned count = 0;
  while (ChangedCopies(program).run())
    ++count;
  return count;
}

} // namespace karakal::codegen
