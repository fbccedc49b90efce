// Where blocks of words begin and end, for the passes that move them.

#include "codegen-me/words/BlockMotion.h"

#include "target-ixp/table/InstructionTable.h"

#include <algorithm>

namespace karakal::codegen {

using target::Op;

bool endsPath(const Item &item) {
  const target::Instruction &i = item.instruction;
  return isWord(item) && !item.isCall &&
         (i.op == Op::Br || i.op == Op::Jump ||
          (i.op == Op::CtxArb && (i.signalMask == 0 || i.breakpoint)));
}

float fallsInto(const std::vector<Item> &items, unsigned at) {
  unsigned before = at;
  while (before > 0 && !isWord(items[before - 1]))
    --before;
  if (before == 0)
    return 0;
  const Item &item = items[before - 1];
  return endsPath(item) ? 0 : item.frequency - item.taken;
}

unsigned placeOf(const std::vector<Item> &items, unsigned label) {
  auto found = std::find_if(items.begin(), items.end(), [&](const Item &item) {
    return !isWord(item) && item.label == label;
  });
  return unsigned(found - items.begin());
}

Item branchTo(unsigned label, const Item &near, float executions) {
  Item item;
  item.instruction = target::branch(Op::Br, 0);
  item.label = label;
  item.function = near.function;
  item.line = near.line;
  item.marks = near.marks;
  item.frequency = item.taken = executions;
  return item;
}

} // namespace karakal::codegen
