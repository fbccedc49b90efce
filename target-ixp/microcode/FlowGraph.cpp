// The flow graph of microcode.

#include "target-ixp/microcode/FlowGraph.h"

#include "support/Error.h"
#include "target-ixp/table/CountOverride.h"
#include "target-ixp/table/Encoding.h"
#include "target-ixp/table/InstructionTable.h"

#include <map>

namespace karakal::target {

bool endsFlow(const Instruction &i) {
  if (i.op == Op::CtxArb)
    return i.hasTarget || i.breakpoint || (i.any && i.signalMask == 0);
  return i.op == Op::Br || i.op == Op::Jump;
}

double takenCycles(const Instruction &branch) {
  return row(branch.op).slots - branch.defer;
}

FlowGraph::FlowGraph(const std::vector<FlowNode> &nodes)
    : edges(nodes.size()), returnsFrom(nodes.size()) {
  uint32_t count = uint32_t(nodes.size());
  std::vector<bool> fallsThrough(count, true);
  for (uint32_t i = 0; i < count; ++i) {
    if (!nodes[i].instruction)
      continue;
    const Instruction &instruction = *nodes[i].instruction;
    bool isBranch = row(instruction.op).isBranch();
    uint32_t last = i + instruction.defer;
    if (!isBranch && !endsFlow(instruction))
      continue;
    KARAKAL_ASSERT(last < count, "a branch and its delay slots stay together");
    if (endsFlow(instruction))
      fallsThrough[last] = false;
    KARAKAL_ASSERT(!nodes[i].target || *nodes[i].target < count,
                   "a branch goes to a node of the program");
    if (nodes[i].isCall)
      edges[last].push_back(
          {last + 1, takenCycles(instruction), nodes[i].target});
    else if (instruction.op == Op::Jump)
      returnsFrom[last] = nodes[i].function;
    else if (nodes[i].target)
      edges[last].push_back(
          {*nodes[i].target, isBranch ? takenCycles(instruction) : 0, {}});
  }
  for (uint32_t i = 0; i + 1 < count; ++i)
    if (fallsThrough[i])
      edges[i].push_back({i + 1, 0, {}});
}

std::vector<uint32_t> FlowGraph::reachedFrom(uint32_t first) const {
  KARAKAL_ASSERT(first < edges.size(), "the first node is in the graph");
  std::vector<bool> isReached(edges.size());
  std::vector<uint32_t> open = {first}, reached;
  isReached[first] = true;
  while (!open.empty()) {
    uint32_t at = open.back();
    open.pop_back();
    for (const FlowEdge &edge : edges[at])
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

std::vector<std::vector<uint32_t>> FlowGraph::successorsThroughCalls() const {
  std::map<uint32_t, std::vector<uint32_t>> afterCallsOf;
  for (const std::vector<FlowEdge> &leaving : edges)
    for (const FlowEdge &edge : leaving)
      if (edge.callee)
        afterCallsOf[*edge.callee].push_back(edge.to);
  std::vector<std::vector<uint32_t>> successors(edges.size());
  for (uint32_t i = 0; i < edges.size(); ++i) {
    if (returnsFrom[i])
      successors[i] = afterCallsOf[*returnsFrom[i]];
    for (const FlowEdge &edge : edges[i])
      successors[i].push_back(edge.callee ? *edge.callee : edge.to);
  }
  return successors;
}

static std::vector<Instruction> decodeAll(const Microcode &code) {
  std::vector<Instruction> instructions;
  for (uint64_t word : code.words) {
    auto decoded = decode(word);
    KARAKAL_ASSERT(bool(decoded), "the code generator makes legal words");
    instructions.push_back(*decoded);
  }
  return instructions;
}

static std::vector<FlowNode>
nodesOf(const Microcode &code, const std::vector<Instruction> &instructions) {
  std::vector<FlowNode> nodes(instructions.size());
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    const Instruction &instruction = instructions[i];
    nodes[i].instruction = &instruction;
    bool isBranch = row(instruction.op).isBranch();
    if ((isBranch && instruction.op != Op::Jump) ||
        (instruction.op == Op::CtxArb && instruction.hasTarget))
      nodes[i].target = instruction.target;
  }
  for (const CallSite &call : code.calls) {
    KARAKAL_ASSERT(call.branch < nodes.size() &&
                       row(instructions[call.branch].op).isBranch(),
                   "a call is made by a branch");
    nodes[call.branch].isCall = true;
    nodes[call.branch].target = call.callee;
  }
  for (const FunctionRange &function : code.functions)
    for (uint32_t i = function.begin; i < function.end; ++i)
      nodes[i].function = function.begin;
  return nodes;
}

/// Gives commands the counts that indirect references state.
static std::vector<Instruction> withOverrides(std::vector<Instruction> words) {
  DecodedProgram program(words.begin(), words.end());
  for (uint32_t i = 0; i < words.size(); ++i)
    if (std::optional<unsigned> count = overriddenCount(program, i))
      words[i].count = uint8_t(*count);
  return words;
}

WordFlow::WordFlow(const Microcode &code)
    : instructions(withOverrides(decodeAll(code))),
      graph(nodesOf(code, instructions)) {}

} // namespace karakal::target
