// Where control can go between words.

#include "codegen-me/words/FlowGraph.h"

#include "target-ixp/table/InstructionTable.h"

#include <map>

namespace karakal::codegen {

using target::Instruction;
using target::Op;

bool endsFlow(const Instruction &i) {
  if (i.op == Op::Br || i.op == Op::Jump)
    return true;
  bool isKill = i.any && i.signalMask == 0;
  return i.op == Op::CtxArb && (isKill || i.breakpoint);
}

std::vector<std::vector<unsigned>> flowOf(const WordProgram &program) {
  const std::vector<Item> &items = program.items;
  std::vector<unsigned> place(program.labelCount + 1, 0);
  // The label at a function's start, and where calls of it return to.
  std::vector<unsigned> entryLabel(program.functions.size(), 0);
  std::map<unsigned, std::vector<unsigned>> returns;
  for (unsigned i = 0; i < items.size(); ++i) {
    if (items[i].kind == Item::Kind::Label) {
      place[items[i].label] = i;
      if (i == 0 || items[i - 1].function != items[i].function)
        entryLabel[items[i].function] = items[i].label;
    } else if (items[i].isCall) {
      returns[items[i].label].push_back(i + items[i].instruction.defer + 1);
    }
  }
  std::vector<std::vector<unsigned>> successors(items.size());
  std::vector<bool> falls(items.size(), true);
  for (unsigned i = 0; i < items.size(); ++i) {
    if (items[i].kind == Item::Kind::Label)
      continue;
    const Instruction &instruction = items[i].instruction;
    if (!target::row(instruction.op).isBranch() && !endsFlow(instruction))
      continue;
    unsigned last = i + instruction.defer;
    if (endsFlow(instruction))
      falls[last] = false;
    if (instruction.op == Op::Jump) {
      for (unsigned back : returns[entryLabel[items[i].function]])
        successors[last].push_back(back);
    } else if (items[i].label) {
      successors[last].push_back(place[items[i].label]);
    }
  }
  for (unsigned i = 0; i + 1 < items.size(); ++i)
    if (falls[i])
      successors[i].push_back(i + 1);
  return successors;
}

} // namespace karakal::codegen
