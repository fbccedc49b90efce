// Lets the frequent path to a label fall through.
//
// Where two paths meet, block placement puts one before the other, and the
// first one ends with a branch over the second:
//
//     ...                               ...
//     br[meet#]                       meet#:
//   detour#:                            ...
//     ...                    ->         br[next#]
//   meet#:                            detour#:
//     ...                               ...
//     br[next#]                         br[meet#]
//
// If fewer executions fall from the second path into the label than jump over
// it, this path moves after the next word that control does not pass. The
// number of words is the same.

#include "codegen-me/words/BlockMotion.h"
#include "codegen-me/words/WordMotion.h"

#include "support/Error.h"

#include <algorithm>

namespace karakal::codegen {

namespace {

using target::Op;

/// How many times more executions must jump than fall: estimates of
/// frequencies are coarse.
constexpr float RatioMin = 1.2f;

bool moveAt(std::vector<Item> &items, unsigned over) {
  const Item jump = items[over];
  if (!isWord(jump) || jump.instruction.op != Op::Br || jump.isCall ||
      jump.isGlued || jump.instruction.defer != 0 || jump.isSlot ||
      isTail(items, over))
    return false;
  const unsigned meet = placeOf(items, jump.label);
  if (meet == items.size() || meet <= over + 1 ||
      items[meet].function != jump.function)
    return false;
  const float falls = fallsInto(items, meet);
  if (jump.frequency <= RatioMin * falls)
    return false;
  // Other labels at the same place stay before the label.
  unsigned end = meet;
  while (end > over + 1 && !isWord(items[end - 1]))
    --end;
  unsigned last = meet;
  while (last < items.size() && items[last].function == jump.function &&
         !endsPath(items[last]))
    ++last;
  // A call returns to the label after it.
  if (end == over + 1 || items[end - 1].isCall || last == items.size() ||
      items[last].function != jump.function)
    return false;
  KARAKAL_ASSERT(isWord(items[end - 1]), "a path ends with a word");
  std::vector<Item> detour(items.begin() + over + 1, items.begin() + end);
  if (!endsPath(detour.back()))
    detour.push_back(branchTo(jump.label, detour.back(), falls));
  items.insert(items.begin() + last + 1, detour.begin(), detour.end());
  items.erase(items.begin() + over, items.begin() + end);
  return true;
}

} // namespace

unsigned moveDetours(WordProgram &program) {
  unsigned moved = 0;
  for (unsigned i = 0; i < program.items.size(); ++i)
    moved += moveAt(program.items, i);
  return moved;
}

} // namespace karakal::codegen
