// Fills the slots after pointer writes.
//
// The fourth word after a pointer write is the first that sees the new value.
// The three slots between are nops (padPointers) unless this pass moves words
// of the same block there that use neither the pointer nor its address:
//
//   alu[b1, --, B, $3]                  local_csr_wr[ACTIVE_LM_ADDR_1, a3]
//   local_csr_wr[ACTIVE_LM_ADDR_1, a3]  alu[b1, --, B, $3]
//   alu[b2, --, B, *l$index1[0]]    ->  alu[a4, a5, +, 0x1]
//   alu[a4, a5, +, 0x1]                 nop
//                                       alu[b2, --, B, *l$index1[0]]
//
// Words that are glued to a neighbour (a compare and its branch) stay. A word
// does not move past another if one reads or writes what the other changes.

#include "codegen-me/words/WordMotion.h"

#include "support/Error.h"
#include "target-ixp/table/InstructionTable.h"

#include <algorithm>

namespace karakal::codegen {
namespace {

using target::Instruction;
using target::Op;
using target::Operand;

/// Words searched on each side.
constexpr unsigned DistanceMax = 16;

bool isPointerWrite(const Item &item) {
  const Instruction &i = item.instruction;
  return item.kind == Item::Kind::Word && i.op == Op::CsrWrite &&
         (i.csr == target::Csr_ACTIVE_LM_ADDR_0 ||
          i.csr == target::Csr_ACTIVE_LM_ADDR_1);
}

bool usesPointer(const Item &item) {
  const Instruction &i = item.instruction;
  return item.kind == Item::Kind::Word &&
         (i.dest.isLocalMemory() || i.a.isLocalMemory() || i.b.isLocalMemory());
}

/// Words that no word moves past: all but arithmetic and pointer writes.
bool isBarrier(const Item &item) {
  return item.kind == Item::Kind::Label ||
         !(isArithmetic(item.instruction) || isPointerWrite(item));
}

class Slots {
public:
  explicit Slots(std::vector<Item> &items) : items(items) {}

  unsigned run() {
    unsigned filled = 0;
    for (unsigned i = 0; i < items.size(); ++i)
      if (isPointerWrite(items[i]) && !items[i].isGlued && !isTail(items, i))
        filled += fill(i);
    return filled;
  }

private:
  unsigned fill(unsigned write);
  bool isFree(unsigned index) const {
    return isMovable(items[index]) && !isTail(items, index);
  }
  bool commutesWith(unsigned word, unsigned first, unsigned last,
                    bool isBefore) const;
  void move(unsigned from, unsigned to);

  std::vector<Item> &items;
};

/// Whether `word` commutes with all of first..last.
bool Slots::commutesWith(unsigned word, unsigned first, unsigned last,
                         bool isBefore) const {
  const Instruction &moved = items[word].instruction;
  for (unsigned i = first; i <= last; ++i) {
    const Instruction &passed = items[i].instruction;
    if (!(isBefore ? commute(moved, passed) : commute(passed, moved)))
      return false;
  }
  return true;
}

void Slots::move(unsigned from, unsigned to) {
  if (from < to)
    std::rotate(items.begin() + from, items.begin() + from + 1,
                items.begin() + to + 1);
  else
    std::rotate(items.begin() + to, items.begin() + from,
                items.begin() + from + 1);
}

/// Fills the slots after the word `write`. Returns the number filled.
unsigned Slots::fill(unsigned write) {
  unsigned use = write + 1;
  while (use < items.size() && !isBarrier(items[use]) &&
         !usesPointer(items[use]))
    ++use;
  if (use == items.size() || !usesPointer(items[use]) ||
      isBarrier(items[use]) || use - write > target::LmAddrSlots)
    return 0;
  unsigned wanted = target::LmAddrSlots - (use - write - 1), filled = 0;
  KARAKAL_ASSERT(!items[write].isGlued && !isTail(items, write),
                 "a pointer write that is bound to a neighbour stays");
  // Words before the write move after it.
  for (unsigned i = write, seen = 0;
       i-- > 0 && seen < DistanceMax && filled < wanted && !isBarrier(items[i]);
       ++seen)
    if (isFree(i) && commutesWith(i, i + 1, write, true)) {
      move(i, write--);
      ++filled;
    }
  // Words after the use move to just after the write.
  unsigned slot = write + 1;
  for (unsigned i = use + 1, seen = 0; i < items.size() && seen < DistanceMax &&
                                       filled < wanted && !isBarrier(items[i]);
       ++i, ++seen)
    if (isFree(i) && commutesWith(i, slot, i - 1, false)) {
      move(i, slot++);
      ++filled;
    }
  return filled;
}

} // namespace

unsigned fillPointerSlots(WordProgram &program) {
  return Slots(program.items).run();
}

} // namespace karakal::codegen
