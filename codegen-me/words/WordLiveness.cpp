// Registers that words read and write, and liveness.

#include "codegen-me/words/WordLiveness.h"

#include "support/Error.h"
#include "target-ixp/microcode/FlowGraph.h"

#include "target-ixp/table/InstructionTable.h"

#include <map>

namespace karakal::codegen {

using target::Format;
using target::Instruction;
using target::Operand;

GprSet gprBit(const Operand &operand) {
  KARAKAL_ASSERT(!operand.isGpr() || operand.value < 16,
                 "code uses the registers of its own context");
  if (operand.kind == Operand::Kind::GprA)
    return 1u << operand.value;
  if (operand.kind == Operand::Kind::GprB)
    return 1u << (16 + operand.value);
  return 0;
}

bool isPartial(const Instruction &i) {
  switch (target::row(i.op).format) {
  case Format::LdField:
    return i.op == target::Op::LdField;
  case Format::ImmedByte:
  case Format::ImmedWord:
    return true;
  default:
    return false;
  }
}

GprSet gprsRead(const Instruction &i) {
  return gprBit(i.a) | gprBit(i.b) | (isPartial(i) ? gprBit(i.dest) : 0);
}

GprSet gprsWritten(const Instruction &i) {
  return isPartial(i) ? 0 : gprBit(i.dest);
}

namespace {

/// Liveness through calls. What is live after a call is what its own return
/// needs, not what all returns of the callee need: a value that one caller
/// keeps over a call is dead for the others.
class Liveness {
public:
  explicit Liveness(const WordProgram &program)
      : program(program), graph(flowGraphOf(program)),
        writes(graph.size(), ~GprSet(0)), reads(graph.size(), 0) {}

  std::vector<GprSet> run();

private:
  /// Changes the state of nodes until all equal `before(node)`.
  template <typename Before>
  void solve(std::vector<GprSet> &state, Before before);
  GprSet writesBefore(uint32_t node) const;
  GprSet readsBefore(uint32_t node) const;
  GprSet readsAfter(uint32_t node, const std::vector<GprSet> &before) const;
  GprSet liveAfter(uint32_t node) const;

  const Instruction *instruction(uint32_t node) const {
    const Item &item = program.items[node];
    return item.kind == Item::Kind::Word ? &item.instruction : nullptr;
  }
  GprSet before(uint32_t node, GprSet after) const {
    const Instruction *word = instruction(node);
    return word ? (after & ~gprsWritten(*word)) | gprsRead(*word) : after;
  }

  const WordProgram &program;
  target::FlowGraph graph;
  /// What every path from the node to the function's return writes.
  std::vector<GprSet> writes;
  /// What some path from the node to the function's return reads first.
  std::vector<GprSet> reads;
  /// The same with what the callers read after the return.
  std::vector<GprSet> live;
  /// The nodes after the calls of a function, by its first node.
  std::map<uint32_t, std::vector<uint32_t>> afterCalls;
};

template <typename Before>
void Liveness::solve(std::vector<GprSet> &state, Before before) {
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (uint32_t node = uint32_t(state.size()); node-- > 0;) {
      GprSet next = before(node);
      isChanged |= next != state[node];
      state[node] = next;
    }
  }
}

GprSet Liveness::writesBefore(uint32_t node) const {
  GprSet after = graph.returnOf(node) ? 0 : ~GprSet(0);
  for (const target::FlowEdge &edge : graph.edgesOf(node))
    after &= writes[edge.to] | (edge.callee ? writes[*edge.callee] : 0);
  const Instruction *word = instruction(node);
  return word ? after | gprsWritten(*word) : after;
}

/// `state` is what is read from each node on, as far as it is known.
GprSet Liveness::readsAfter(uint32_t node,
                            const std::vector<GprSet> &state) const {
  GprSet after = 0;
  for (const target::FlowEdge &edge : graph.edgesOf(node))
    after |= edge.callee ? reads[*edge.callee] |
                               (state[edge.to] & ~writes[*edge.callee])
                         : state[edge.to];
  return after;
}

GprSet Liveness::readsBefore(uint32_t node) const {
  return before(node, readsAfter(node, reads));
}

GprSet Liveness::liveAfter(uint32_t node) const {
  GprSet after = readsAfter(node, live);
  if (std::optional<uint32_t> function = graph.returnOf(node))
    if (auto calls = afterCalls.find(*function); calls != afterCalls.end())
      for (uint32_t to : calls->second)
        after |= live[to];
  return after;
}

std::vector<GprSet> Liveness::run() {
  for (uint32_t node = 0; node < graph.size(); ++node)
    for (const target::FlowEdge &edge : graph.edgesOf(node))
      if (edge.callee)
        afterCalls[*edge.callee].push_back(edge.to);
  solve(writes, [&](uint32_t node) { return writesBefore(node); });
  solve(reads, [&](uint32_t node) { return readsBefore(node); });
  live = reads;
  solve(live, [&](uint32_t node) { return before(node, liveAfter(node)); });
  std::vector<GprSet> out;
  for (uint32_t node = 0; node < graph.size(); ++node)
    out.push_back(liveAfter(node));
  return out;
}

} // namespace

std::vector<GprSet> liveOut(const WordProgram &program) {
  return Liveness(program).run();
}

} // namespace karakal::codegen
