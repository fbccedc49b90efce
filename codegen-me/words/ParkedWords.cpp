// Parks constant words in transfer registers.
//
// A command that writes memory leaves its out-registers as they are. So a word
// that is the same each time, such as the type of a header, need be moved there
// only once, if nothing else is ever written to that register:
//
//     immed[b1, 0x8847]              immed[b1, 0x8847]
//   loop#:                           alu[$$3, --, B, b1]
//     ...                          loop#:
//     alu[$$3, --, B, b1]     ->       ...
//     dram[write, $$2, ...]            dram[write, $$2, ...]
//
// The prologue is what each context executes once: the words up to the first
// label that a branch names, or the first word that is not arithmetic.

#include "codegen-me/words/CommandEffects.h"
#include "codegen-me/words/WordLiveness.h"
#include "codegen-me/words/WordMotion.h"

#include "support/Error.h"

#include <algorithm>

namespace karakal::codegen {

namespace {

using target::Instruction;
using target::Op;

/// The number of items before the end of the prologue.
unsigned prologueOf(const WordProgram &program) {
  const std::set<unsigned> named = namedLabels(program.items);
  unsigned end = 0;
  while (end < program.items.size()) {
    const Item &item = program.items[end];
    if (isWord(item) ? !isArithmetic(item.instruction) || item.isGlued
                     : named.count(item.label) != 0)
      break;
    ++end;
  }
  return end;
}

/// The only word that writes out-register `bit`; items.size() if there are
/// more or none.
unsigned onlyWriter(const std::vector<Item> &items, XferSet bit) {
  unsigned found = unsigned(items.size());
  for (unsigned i = 0; i < items.size(); ++i) {
    if (!isWord(items[i]) || !(xfersWritten(items[i].instruction) & bit))
      continue;
    if (found != items.size())
      return unsigned(items.size());
    found = i;
  }
  return found;
}

/// Whether the word moves a constant: a literal, or a register that only the
/// prologue writes.
bool movesConstant(const std::vector<Item> &items, unsigned index,
                   unsigned prologue) {
  const Item &item = items[index];
  const Instruction &i = item.instruction;
  if (item.isGlued || isTail(items, index) || item.window)
    return false;
  if (i.op == Op::Immed)
    return item.label == 0;
  if (!isMove(item) || !i.b.isGpr())
    return false;
  bool isSet = false;
  for (unsigned at = 0; at < items.size(); ++at)
    if (isWord(items[at]) &&
        gprBit(items[at].instruction.dest) == gprBit(i.b)) {
      if (at >= prologue)
        return false;
      isSet = true;
    }
  return isSet;
}

} // namespace

unsigned parkWords(WordProgram &program) {
  std::vector<Item> &items = program.items;
  unsigned parked = 0;
  for (unsigned reg = 0; reg < 32; ++reg) {
    const unsigned prologue = prologueOf(program);
    const unsigned writer = onlyWriter(items, XferSet(1) << reg);
    if (prologue == 0 || writer == items.size() || writer < prologue ||
        items[writer].frequency <= items[prologue - 1].frequency ||
        !movesConstant(items, writer, prologue))
      continue;
    KARAKAL_ASSERT(!items[writer].isSlot, "slots are filled later");
    items[writer].frequency = items[prologue - 1].frequency;
    items[writer].function = items[prologue - 1].function;
    items[writer].marks = items[prologue - 1].marks;
    std::rotate(items.begin() + prologue, items.begin() + writer,
                items.begin() + writer + 1);
    ++parked;
  }
  return parked;
}

} // namespace karakal::codegen
