// Removes pointer writes that change nothing.
//
// Every access through a pointer is emitted with a write of the second
// local-memory pointer before it, which costs a word and three slots. Most of
// these writes repeat the present value:
//
//   local_csr_wr[ACTIVE_LM_ADDR_1, a3]      local_csr_wr[ACTIVE_LM_ADDR_1, a3]
//   alu[b0, --, B, *l$index1[2]]            alu[b0, --, B, *l$index1[2]]
//   local_csr_wr[ACTIVE_LM_ADDR_1, a3]  ->
//   alu[b1, --, B, *l$index1[5]]            alu[b1, --, B, *l$index1[5]]
//
// A forward dataflow analysis finds the registers that hold the address in the
// pointer before each word. A cam_lookup that sets the pointer also yields the
// address of the cache line in a register; if no word reads that register any
// more, its computation is removed, too.

#include "codegen-me/words/WordLiveness.h"
#include "target-ixp/microcode/FlowGraph.h"

#include "target-ixp/table/InstructionTable.h"

namespace karakal::codegen {

using target::Instruction;
using target::Op;

namespace {

bool writesPointer(const Instruction &i) {
  return i.op == Op::CsrWrite && i.csr == target::Csr_ACTIVE_LM_ADDR_1;
}

/// The registers that hold the address in the pointer after a word.
GprSet holdersAfter(const Item &item, GprSet holders) {
  const Instruction &i = item.instruction;
  if (item.kind == Item::Kind::Label)
    return holders;
  if (item.window || item.pointsTo || i.loadLm1)
    return 0;
  if (writesPointer(i))
    return holders & gprBit(i.a) ? holders : gprBit(i.a);
  if (item.isPointerAddress)
    return holders | gprBit(i.dest);
  bool copies = i.op == Op::AluB && i.a.isNone() && (holders & gprBit(i.b));
  return copies ? holders | gprBit(i.dest) : holders & ~gprBit(i.dest);
}

/// Removes the two words that compute the address of a cache line if no word
/// reads it.
void dropUnusedAddresses(WordProgram &program) {
  std::vector<GprSet> out = liveOut(program);
  std::vector<Item> kept;
  for (unsigned i = 0; i < program.items.size(); ++i) {
    const Item &item = program.items[i];
    if (item.isPointerAddress && item.instruction.dest.isGpr() &&
        !kept.empty() && !(out[i] & gprBit(item.instruction.dest))) {
      kept.pop_back();
      continue;
    }
    kept.push_back(item);
  }
  program.items = std::move(kept);
}

} // namespace

void dropPointerWrites(WordProgram &program) {
  constexpr GprSet Unreached = ~GprSet(0);
  auto step = [&](unsigned index, GprSet holders) {
    return holdersAfter(program.items[index], holders);
  };
  auto meet = [](GprSet &into, GprSet from) {
    GprSet before = into;
    into &= from;
    return into != before;
  };
  std::vector<GprSet> holders = target::solveForward<GprSet>(
      flowGraphOf(program).successorsThroughCalls(), Unreached, 0, step, meet);
  std::vector<Item> kept;
  for (unsigned i = 0; i < program.items.size(); ++i) {
    const Item &item = program.items[i];
    bool isKnown = item.kind == Item::Kind::Word &&
                   writesPointer(item.instruction) && !item.pointsTo &&
                   (holders[i] & gprBit(item.instruction.a));
    if (!isKnown)
      kept.push_back(item);
  }
  program.items = std::move(kept);
  dropUnusedAddresses(program);
}

} // namespace karakal::codegen
