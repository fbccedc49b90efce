// Puts the last block of a loop before the first.
//
// Block placement keeps the head of a loop without an exit first, so its last
// block ends with a branch back. If this block came first, it would fall
// through; the branches that are needed instead are rare:
//
//   ...  prologue                     ...  prologue
//   head#:                            br[head#]
//     ...                           last#:
//   wait#:                            ...
//     ctx_arb[voluntary]     ->     head#:
//   last#:                            ...
//     ...                           wait#:
//     br[head#]                       ctx_arb[voluntary]
//                                     br[last#]
//
// This costs a word where both the prologue and the block before the last fall
// through.

#include "codegen-me/words/BlockMotion.h"

#include "support/Error.h"
#include "target-ixp/table/InstructionTable.h"

#include <algorithm>

namespace karakal::codegen {

namespace {

using target::Op;

/// The executions that a rotation must save, for each execution that it adds.
constexpr float gainMin = 8;

/// Whether a branch may lead to the item.
bool isEntry(const Item &item, const std::set<unsigned> &named) {
  return !isWord(item) && named.count(item.label) != 0;
}

bool rotateAt(std::vector<Item> &items, unsigned back,
              const std::set<unsigned> &named) {
  const Item &branch = items[back];
  if (!isWord(branch) || branch.instruction.op != Op::Br || branch.isCall ||
      branch.isGlued || branch.instruction.defer != 0)
    return false;
  const unsigned head = placeOf(items, branch.label);
  if (head >= back || head == 0 || items[head].function != branch.function ||
      items[head - 1].function != branch.function || !isWord(items[head - 1]))
    return false;
  unsigned last = back;
  while (last > head && !isEntry(items[last - 1], named))
    --last;
  if (last <= head + 1)
    return false; // a loop of one block
  while (last > head + 1 && !isWord(items[last - 1]))
    --last;
  KARAKAL_ASSERT(!isWord(items[last]), "a block begins with its label");
  // A call returns to the label after it.
  if (items[head - 1].isCall || items[last - 1].isCall)
    return false;
  const float intoHead = fallsInto(items, head),
              intoLast = fallsInto(items, last);
  if (branch.frequency < gainMin * (intoHead + intoLast))
    return false;
  const bool needsHead = !endsPath(items[head - 1]);
  const bool needsLast = intoLast > 0 || !endsPath(items[last - 1]);
  std::vector<Item> rotated;
  if (needsHead)
    rotated.push_back(branchTo(branch.label, items[head - 1], intoHead));
  rotated.insert(rotated.end(), items.begin() + last, items.begin() + back);
  rotated.insert(rotated.end(), items.begin() + head, items.begin() + last);
  if (needsLast)
    rotated.push_back(branchTo(items[last].label, items[last - 1], intoLast));
  items.erase(items.begin() + head, items.begin() + back + 1);
  items.insert(items.begin() + head, rotated.begin(), rotated.end());
  return true;
}

} // namespace

unsigned rotateLoops(WordProgram &program) {
  unsigned rotated = 0;
  const std::set<unsigned> named = namedLabels(program.items);
  for (unsigned i = 0; i < program.items.size(); ++i)
    if (rotateAt(program.items, i, named)) {
      ++rotated;
      ++i; // the branch to the moved block
    }
  return rotated;
}

} // namespace karakal::codegen
