// Warns of cycles of channels that no packet leaves.
//
//     a.ppf(…) { channel_put(to_b, ph); }     to_b -> b.in_cc
//     b.ppf(…) { channel_put(to_a, ph); }     to_a -> a.in_cc
//     warning: no packet leaves the cycle a, b
//
// Walks from each input along the channels on which its body puts packets. If
// none of the bodies reached drops a packet or reaches 'tx', packets that enter
// go round for ever.

#include "baker-lang/checks/ChannelCycleCheck.h"

#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "baker-lang/tree/AstWalk.h"
#include "baker-lang/tree/Program.h"
#include "support/Error.h"

#include <map>
#include <set>

namespace karakal::lang {

namespace {

/// Where the packets of one input can go.
struct Ways {
  std::vector<const EndpointDecl *> inputs; ///< in the order of the text
  bool leads = false;                       ///< a packet can leave the program
};

void collect(const Expr &expr, Ways &ways) {
  if (auto *call = llvm::dyn_cast<CallExpr>(&expr)) {
    ways.leads |= call->primitive == Primitive::Drop;
    if (call->primitive == Primitive::ChannelPut) {
      KARAKAL_ASSERT(call->endpoint, "channel_put to nothing");
      ways.leads |= call->endpoint->destinations.empty();
      for (const auto &destination : call->endpoint->destinations)
        if (destination.input)
          ways.inputs.push_back(destination.input);
        else
          ways.leads = true;
    }
  }
  forEachOperand(expr, [&](const Expr &operand) { collect(operand, ways); });
}

void collect(const Stmt &stmt, Ways &ways) {
  forEachPart(
      stmt, [&](const Expr &expr) { collect(expr, ways); },
      [&](const Stmt &part) { collect(part, ways); });
}

using Graph = std::map<const EndpointDecl *, Ways>;

/// The inputs that packets of `start` reach, without `start` unless they come
/// back; none if a packet can leave on the way.
std::vector<const EndpointDecl *> trapFrom(const EndpointDecl *start,
                                           const Graph &graph) {
  std::vector<const EndpointDecl *> reached{start};
  std::set<const EndpointDecl *> seen;
  bool comesBack = false;
  for (size_t i = 0; i < reached.size(); ++i) {
    const Ways &ways = graph.at(reached[i]);
    if (ways.leads)
      return {};
    for (const EndpointDecl *next : ways.inputs) {
      comesBack |= next == start;
      if (next != start && seen.insert(next).second)
        reached.push_back(next);
    }
  }
  return comesBack ? reached : std::vector<const EndpointDecl *>();
}

} // namespace

void checkChannelCycles(const Program &program, Diagnostics &diagnostics) {
  Graph graph;
  std::vector<const EndpointDecl *> inputs;
  program.forEachFunction([&](const FunctionDecl &function) {
    if (function.role != Role::Ppf || !function.input)
      return;
    collect(*function.body, graph[function.input]);
    inputs.push_back(function.input);
  });
  std::set<const EndpointDecl *> reported;
  for (const EndpointDecl *input : inputs) {
    if (reported.count(input))
      continue;
    std::vector<const EndpointDecl *> trap = trapFrom(input, graph);
    if (trap.empty())
      continue;
    std::string names;
    for (const EndpointDecl *member : trap)
      names += (names.empty() ? "'" : ", '") + member->ppf->name + "." +
               member->name + "'";
    report(diagnostics, DiagId::EndlessCycle, input->range,
           "no packet leaves the cycle of channels through " + names)
        .note("drop packets in one of the PPFs, or put them on a channel that "
              "leads out");
    reported.insert(trap.begin(), trap.end());
  }
}

} // namespace karakal::lang
