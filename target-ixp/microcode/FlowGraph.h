// The flow graph of microcode.
//
// A node is a word, or a label if the program still has labels. The edges of a
// branch leave its last delay slot. A call is one edge to the word that it
// returns to, and the edge names the callee; a return has no edge. An analysis
// that must follow a packet into functions uses successorsThroughCalls(), in
// which a call leads to its callee and a return to the words after all calls of
// its function.
//
// The code generator, the cost model and the worst-case analysis share this
// graph. CommandRules.cpp in target-ixp/table follows paths on its own, so that
// it can check the code generator.

#ifndef KARAKAL_TARGET_IXP_MICROCODE_FLOWGRAPH_H
#define KARAKAL_TARGET_IXP_MICROCODE_FLOWGRAPH_H

#include "target-ixp/image/Microcode.h"
#include "target-ixp/table/Instruction.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace karakal::target {

/// Whether control never reaches the word after the instruction and its delay
/// slots from the instruction.
bool endsFlow(const Instruction &instruction);

/// The cycles without issue after a taken branch.
double takenCycles(const Instruction &branch);

/// The input for one node of the graph.
struct FlowNode {
  const Instruction *instruction = nullptr; ///< null: a label
  /// The target node of a branch, or the first node of the callee of a call.
  std::optional<uint32_t> target;
  bool isCall = false;
  /// The first node of the function that contains the node.
  uint32_t function = 0;
};

struct FlowEdge {
  uint32_t to = 0;
  /// The cycles without issue if the branch takes this edge.
  double deadCycles = 0;
  /// The first node of the function called on this edge.
  std::optional<uint32_t> callee;
};

class FlowGraph {
public:
  explicit FlowGraph(const std::vector<FlowNode> &nodes);

  size_t size() const { return edges.size(); }
  /// The edges of a node: first that of the taken branch, then that to the next
  /// node.
  const std::vector<FlowEdge> &edgesOf(uint32_t node) const {
    return edges[node];
  }
  /// For a return, the first node of its function.
  std::optional<uint32_t> returnOf(uint32_t node) const {
    return returnsFrom[node];
  }
  /// The nodes that `first` reaches without entering calls, in ascending order.
  std::vector<uint32_t> reachedFrom(uint32_t first) const;
  /// The successors of each node if calls are entered and returns followed.
  std::vector<std::vector<uint32_t>> successorsThroughCalls() const;

private:
  std::vector<std::vector<FlowEdge>> edges;
  /// For each return, the first node of its function.
  std::vector<std::optional<uint32_t>> returnsFrom;
};

/// The decoded words of a finished program and their flow graph.
struct WordFlow {
  /// Commands have the counts that indirect references state, as far as they
  /// are constants.
  std::vector<Instruction> instructions;
  FlowGraph graph;

  explicit WordFlow(const Microcode &code);
};

/// Solves a forward dataflow problem over `successors`, from node 0 on. `step`
/// maps the state before a node to the state after it. `meet(into, from)` is
/// the dataflow meet and returns whether `into` changed. Returns the state
/// before each node; unreachable nodes keep `unreached`.
template <typename State, typename Step, typename Meet>
std::vector<State>
solveForward(const std::vector<std::vector<uint32_t>> &successors,
             State unreached, State start, Step step, Meet meet) {
  std::vector<State> before(successors.size(), unreached);
  if (before.empty())
    return before;
  std::vector<bool> isQueued(before.size(), false);
  std::vector<uint32_t> work{0};
  before[0] = start;
  while (!work.empty()) {
    uint32_t node = work.back();
    work.pop_back();
    isQueued[node] = false;
    State after = step(node, before[node]);
    for (uint32_t next : successors[node])
      if (meet(before[next], after) && !isQueued[next]) {
        isQueued[next] = true;
        work.push_back(next);
      }
  }
  return before;
}

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_MICROCODE_FLOWGRAPH_H
