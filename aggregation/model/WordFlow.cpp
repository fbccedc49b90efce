// Where control goes between words.

#include "aggregation/model/WordFlow.h"
#include "aggregation/model/WordCost.h"
#include "support/Error.h"
#include "target-ixp/table/Encoding.h"
#include "target-ixp/table/InstructionTable.h"

namespace karakal::agg {

using target::Instruction;
using target::Op;

namespace {

/// Whether control never passes to the word behind the delay slots.
bool endsFlow(const Instruction &i) {
  if (i.op == Op::CtxArb)
    return i.hasTarget || i.breakpoint || (i.any && i.signalMask == 0);
  return i.op == Op::Br || i.op == Op::Jump;
}

} // namespace

WordFlow::WordFlow(const target::Microcode &code) : edges(code.words.size()) {
  for (uint64_t word : code.words) {
    auto decoded = target::decode(word);
    KARAKAL_ASSERT(bool(decoded), "the code generator makes legal words");
    instructions.push_back(*decoded);
  }
  std::vector<std::optional<uint32_t>> callees(code.words.size());
  for (const target::CallSite &call : code.calls)
    callees[call.branch] = call.callee;
  std::vector<bool> falls(code.words.size(), true);
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    const Instruction &instruction = instructions[i];
    bool isBranch = target::row(instruction.op).isBranch();
    uint32_t last = i + instruction.defer;
    if (endsFlow(instruction))
      falls[last] = false;
    if (callees[i])
      edges[last].push_back({last + 1, takenCycles(instruction), callees[i]});
    else if (isBranch && instruction.op != Op::Jump)
      edges[last].push_back({instruction.target, takenCycles(instruction), {}});
    else if (instruction.op == Op::CtxArb && instruction.hasTarget)
      edges[last].push_back({instruction.target, 0, {}});
  }
  for (uint32_t i = 0; i + 1 < instructions.size(); ++i)
    if (falls[i])
      edges[i].push_back({i + 1, 0, {}});
}

std::vector<uint32_t> WordFlow::reachedFrom(uint32_t first) const {
  std::vector<bool> isReached(edges.size());
  std::vector<uint32_t> open = {first}, reached;
  isReached[first] = true;
  while (!open.empty()) {
    uint32_t at = open.back();
    open.pop_back();
    for (const WordEdge &edge : edges[at])
      if (!isReached[edge.to]) {
        isReached[edge.to] = true;
        open.push_back(edge.to);
      }
  }
  for (uint32_t i = 0; i < isReached.size(); ++i)
    if (isReached[i])
      reached.push_back(i);
  return reached;
}

} // namespace karakal::agg
