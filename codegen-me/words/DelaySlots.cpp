// Fills delay slots.
//
// A taken branch aborts the two or three words already in the pipeline, unless
// `defer` lets them execute. A word before the branch that does not affect its
// condition can move after it:
//
//   alu[a1, a1, +, 1]                 br_bset[b2, 3, l#], defer[1]
//   br_bset[b2, 3, l#]          ->    alu[a1, a1, +, 1]
//
// A context swap aborts two words in the same way. Words after it that do not
// depend on what it waits for can become its delay slots in place.
//
// A word moves only within the branch's block, if necessary past a compare. Its
// only effect must be on a register that no word it passes reads or writes.

#include "codegen-me/words/WordMotion.h"

#include "support/Error.h"
#include "target-ixp/table/InstructionTable.h"

#include <algorithm>

namespace karakal::codegen {
namespace {

using target::Instruction;
using target::Op;
using target::Operand;

bool isXfer(const Operand &o) { return o.isSXfer() || o.isDXfer(); }

/// Arithmetic on general-purpose registers only, which a swap does not affect.
bool isIndifferent(const Item &item) {
  const Instruction &i = item.instruction;
  return isMovable(item) && !isXfer(i.dest) && !isXfer(i.a) && !isXfer(i.b);
}

/// A swap after which the context continues: a command with ctx_swap, or
/// ctx_arb.
bool isSwap(const Item &item) {
  if (item.kind == Item::Kind::Label)
    return false;
  const Instruction &i = item.instruction;
  return i.ctxSwap ||
         (i.op == Op::CtxArb && i.signalMask != 0 && !i.breakpoint);
}

/// Fills the slots of the swap at `swap`. Returns the number filled.
unsigned fillSwap(std::vector<Item> &items, unsigned swap) {
  constexpr unsigned SlotsMax = 2;
  KARAKAL_ASSERT(items[swap].instruction.defer == 0, "slots are filled once");
  unsigned count = 0;
  while (count < SlotsMax && swap + count + 1 < items.size() &&
         isIndifferent(items[swap + count + 1]))
    items[swap + ++count].isSlot = true;
  // Then words before it. They must also move past the command that it waits
  // for.
  unsigned head = swap;
  if (!items[swap].instruction.ctxSwap && head > 0 &&
      items[head - 1].kind == Item::Kind::Word &&
      target::row(items[head - 1].instruction.op).isCommand() &&
      !items[head - 1].instruction.ctxSwap)
    --head;
  unsigned moved = 0;
  while (count + moved < SlotsMax && head > moved) {
    unsigned at = head - 1 - moved;
    if (!isIndifferent(items[at]) || isTail(items, at))
      break;
    bool free = true;
    for (unsigned i = head; i <= swap; ++i)
      free &= commute(items[at].instruction, items[i].instruction);
    if (!free)
      break;
    ++moved;
  }
  std::rotate(items.begin() + (head - moved), items.begin() + head,
              items.begin() + swap + 1);
  for (unsigned i = swap + 1 - moved; i <= swap; ++i)
    items[i].isSlot = true;
  items[swap - moved].instruction.defer = uint8_t(count + moved);
  return count + moved;
}

} // namespace

unsigned fillDelaySlots(WordProgram &program) {
  std::vector<Item> &items = program.items;
  unsigned filled = 0;
  for (unsigned i = 0; i < items.size(); ++i)
    if (isSwap(items[i]))
      filled += fillSwap(items, i);
  // Words before this one are in slots already and do not move.
  unsigned first = 0;
  for (unsigned b = 0; b < items.size(); ++b) {
    if (items[b].kind == Item::Kind::Label)
      continue;
    const target::InstructionRow &row = target::row(items[b].instruction.op);
    if (!row.isBranch())
      continue;
    KARAKAL_ASSERT(items[b].instruction.defer == 0, "slots are filled once");
    // The words glued before the branch decide it and do not move.
    unsigned head = b;
    while (head > 0 && items[head - 1].kind == Item::Kind::Word &&
           items[head - 1].isGlued)
      --head;
    unsigned count = 0;
    while (count < row.maxDefer && head > first + count) {
      const Item &word = items[head - 1 - count];
      // A word glued to its predecessor stays after it.
      if (isTail(items, head - 1 - count) || !isMovable(word))
        break;
      bool free = true;
      for (unsigned i = head; i <= b; ++i)
        free &= commute(word.instruction, items[i].instruction);
      if (!free)
        break;
      ++count;
    }
    if (count == 0)
      continue;
    std::rotate(items.begin() + (head - count), items.begin() + head,
                items.begin() + b + 1);
    items[b - count].instruction.defer = uint8_t(count);
    for (unsigned i = b - count + 1; i <= b; ++i)
      items[i].isSlot = true;
    filled += count;
    first = b + 1;
  }
  return filled;
}

} // namespace karakal::codegen
