// The worst-case cost of a message.

#include "target-ixp/microcode/WorstCase.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/microcode/FlowGraph.h"
#include "target-ixp/microcode/InstructionCost.h"
#include "target-ixp/table/InstructionTable.h"
#include <algorithm>
#include <array>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <functional>
#include <map>
#include <set>

namespace karakal::target {

namespace {

constexpr unsigned signalCount = 16;
static_assert(signalCount == SignalCount + 1, "signal 0 does not exist");
/// After this many visits of a word, the cycles since a command's issue are not
/// deducted.
constexpr unsigned visitsMax = 50;

/// The figure that a longest path maximizes.
using Weight = std::function<double(const MessageCost &)>;

/// The cost of a path up to a word, excluding the word, and the previous word.
struct Arrival {
  MessageCost cost;
  uint32_t from = ~0u;
};
/// The arrivals at the words that are reached.
using Arrivals = std::map<uint32_t, Arrival>;

/// The words of a loop, or one word outside of loops.
struct Region {
  std::vector<uint32_t> words;
  bool isLoop = false;
};

/// Longest paths through one program.
class Paths {
public:
  Paths(const Microcode &code, const ChipParameters &chip)
      : code(code), chip(chip), flow(code), costs(code.words.size()),
        headAt(code.words.size()) {
    KARAKAL_ASSERT(code.lines.size() == code.words.size(),
                   "an unbounded loop is reported at its source line");
    for (const LoopHead &loop : code.loops)
      addHead(loop);
    addWords();
    addWaits();
  }

  /// The longest iteration of the dispatch loop, and its words.
  MessageCost longestIteration(const Weight &by, std::vector<uint32_t> *words);

  /// The first error, or nothing.
  std::optional<Error> problem;

private:
  /// The loops that begin at a word.
  struct Head {
    unsigned loops = 0;
    uint32_t depth = 0;
    double iterationsMax = 1; ///< iterations of all together, 0 = unknown
  };

  void addHead(const LoopHead &loop);
  void addWords();
  void addWaits();
  bool addWaitsOnce(bool deductsElapsed);
  std::vector<Region> regionsOf(const std::vector<uint32_t> &words,
                                const std::set<uint32_t> &cut) const;
  Arrivals solve(const std::vector<uint32_t> &words, const Arrivals &starts,
                 const std::set<uint32_t> &cut);
  void passLoop(const Region &loop, const std::set<uint32_t> &cut,
                Arrivals &arrivals);
  std::set<uint32_t> headsOf(const Region &loop) const;
  double iterationsOf(const Region &loop, std::set<uint32_t> &heads);
  std::set<uint32_t> waitsOf(const Region &loop,
                             const std::set<uint32_t> &heads) const;
  MessageCost costOf(uint32_t word, const FlowEdge &edge);
  MessageCost costOfCall(uint32_t callee);
  /// The longest path from `within` into one of `heads`, and its last word.
  std::optional<Arrival> closing(const Arrivals &within,
                                 const std::set<uint32_t> &heads);
  void offer(Arrivals &to, uint32_t word, const Arrival &arrival) const {
    auto [at, isNew] = to.try_emplace(word, arrival);
    if (!isNew && weight(at->second.cost) < weight(arrival.cost))
      at->second = arrival;
  }

  const Microcode &code;
  const ChipParameters &chip;
  WordFlow flow;
  std::vector<MessageCost> costs; ///< by word, without its callees
  std::vector<Head> headAt;
  std::map<uint32_t, MessageCost> calls; ///< by first word, for `weight`
  Weight weight;
};

} // namespace

//===-- Words -------------------------------------------------------------===//

/// Adds a loop head. Nested loops may share their first word; then their bounds
/// multiply.
void Paths::addHead(const LoopHead &loop) {
  if (loop.word >= headAt.size())
    return;
  Head &head = headAt[loop.word];
  head.depth = head.loops == 0 ? loop.depth : std::min(head.depth, loop.depth);
  head.iterationsMax *= loop.iterationsMax;
  ++head.loops;
}

void Paths::addWords() {
  for (uint32_t i = 0; i < costs.size(); ++i) {
    const Instruction &instruction = flow.instructions[i];
    costs[i].issue = 1;
    if (isSwap(instruction))
      costs[i].issue += swapCycles(instruction, chip);
    if (auto command = commandOf(instruction, chip))
      command->addBusy(costs[i], 1);
  }
}

/// Finds the wait at each swap: the remaining latency of the slowest command
/// whose signal is awaited, less the cycles since its issue.
void Paths::addWaits() {
  if (!addWaitsOnce(true))
    addWaitsOnce(false);
}

bool Paths::addWaitsOnce(bool deductsElapsed) {
  using Left = std::array<float, signalCount>;
  std::vector<Left> before(costs.size(), Left{});
  std::vector<unsigned> visits(costs.size(), 0);
  std::vector<bool> isSeen(costs.size(), false);
  std::set<uint32_t> open = {0};
  for (const CallSite &call : code.calls)
    open.insert(call.callee);
  for (uint32_t start : open)
    isSeen[start] = true;
  while (!open.empty()) {
    uint32_t at = *open.begin();
    open.erase(open.begin());
    if (deductsElapsed && ++visits[at] > visitsMax)
      return false;
    const Instruction &instruction = flow.instructions[at];
    Left left = before[at];
    double wait = 0;
    auto command = commandOf(instruction, chip);
    double latency = command ? command->cost.latency : 0;
    if (instruction.ctxSwap)
      wait = latency;
    if (instruction.op == Op::CtxArb)
      for (unsigned s = 1; s < signalCount; ++s)
        if (instruction.signalMask >> s & 1) {
          wait = std::max<double>(wait, left[s]);
          left[s] = 0;
        }
    costs[at].latency = wait;
    if (deductsElapsed)
      for (float &rest : left)
        rest = std::max(0.f, rest - float(wait + costs[at].issue));
    if (instruction.signal != 0 && !instruction.ctxSwap)
      for (unsigned s = 0; s < row(instruction.op).signals; ++s)
        left[(instruction.signal + s) % signalCount] = float(latency);
    for (const FlowEdge &edge : flow.graph.edgesOf(at)) {
      bool isChanged = !isSeen[edge.to];
      isSeen[edge.to] = true;
      for (unsigned s = 0; s < signalCount; ++s)
        if (left[s] > before[edge.to][s]) {
          before[edge.to][s] = left[s];
          isChanged = true;
        }
      if (isChanged)
        open.insert(edge.to);
    }
  }
  return true;
}

//===-- Loops -------------------------------------------------------------===//

/// The loops and single words among `words` in control-flow order, ignoring
/// edges into `cut`.
std::vector<Region> Paths::regionsOf(const std::vector<uint32_t> &words,
                                     const std::set<uint32_t> &cut) const {
  KARAKAL_ASSERT(std::is_sorted(words.begin(), words.end()),
                 "words are found by binary search");
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(
      words.size());
  auto indexOf = [&](uint32_t word) -> std::optional<size_t> {
    auto at = std::lower_bound(words.begin(), words.end(), word);
    if (at == words.end() || *at != word)
      return std::nullopt;
    return size_t(at - words.begin());
  };
  std::vector<bool> turnsOnItself(words.size());
  for (size_t i = 0; i < words.size(); ++i)
    for (const FlowEdge &edge : flow.graph.edgesOf(words[i]))
      if (auto to = indexOf(edge.to); to && !cut.count(edge.to)) {
        boost::add_edge(i, *to, graph);
        turnsOnItself[i] = turnsOnItself[i] || *to == i;
      }
  std::vector<int> component(words.size());
  int count = boost::strong_components(
      graph, boost::make_iterator_property_map(
                 component.begin(), boost::get(boost::vertex_index, graph)));
  // Components are numbered in reverse control-flow order.
  std::vector<Region> regions(static_cast<size_t>(count));
  for (size_t i = 0; i < words.size(); ++i) {
    Region &region = regions[size_t(count - 1 - component[i])];
    region.words.push_back(words[i]);
    region.isLoop = region.words.size() > 1 || turnsOnItself[i];
  }
  return regions;
}

/// The heads of the outermost loop of a region. Several heads are copies of
/// one.
std::set<uint32_t> Paths::headsOf(const Region &loop) const {
  std::set<uint32_t> heads;
  uint32_t least = ~0u;
  for (uint32_t word : loop.words)
    if (headAt[word].loops != 0) {
      if (headAt[word].depth < least)
        heads.clear();
      least = std::min(least, headAt[word].depth);
      if (headAt[word].depth == least)
        heads.insert(word);
    }
  return heads;
}

/// The words at which a loop gives up the engine until a condition holds,
/// without those of inner loops.
std::set<uint32_t> Paths::waitsOf(const Region &loop,
                                  const std::set<uint32_t> &heads) const {
  std::set<uint32_t> waits;
  for (const Region &region : regionsOf(loop.words, heads)) {
    const Instruction &i = flow.instructions[region.words.front()];
    if (!region.isLoop && i.op == Op::CtxArb && (i.signalMask & 1))
      waits.insert(region.words.front());
  }
  return waits;
}

/// The bound on how often control reaches `heads`. If there is none but the
/// loop waits for other contexts, replaces `heads` by its waits and returns 1.
double Paths::iterationsOf(const Region &loop, std::set<uint32_t> &heads) {
  std::set<double> iterations;
  for (uint32_t head : heads)
    iterations.insert(headAt[head].loops != 0 ? headAt[head].iterationsMax : 0);
  if (!iterations.count(0)) {
    double sum = 0;
    for (double most : iterations)
      sum += most;
    return sum;
  }
  if (std::set<uint32_t> waits = waitsOf(loop, heads); !waits.empty()) {
    heads = waits;
    return 1;
  }
  if (!problem) {
    SourceLine location;
    for (uint32_t at : loop.words)
      if (location.line == 0 && code.lines[at].line != 0)
        location = code.lines[at];
    problem = makeFileError(
        "E-target-ixp-147", location.file,
        "no worst case: nothing bounds the iterations of the loop at word " +
            std::to_string(*heads.begin()) +
            ". Give it a constant bound, as in 'for (u32 i = 0; i < 16; i++)'",
        location.line);
  }
  return 1;
}

std::optional<Arrival> Paths::closing(const Arrivals &within,
                                      const std::set<uint32_t> &heads) {
  std::optional<Arrival> longest;
  for (const auto &[word, arrival] : within)
    for (const FlowEdge &edge : flow.graph.edgesOf(word)) {
      if (!heads.count(edge.to))
        continue;
      MessageCost cost = arrival.cost + costOf(word, edge);
      if (!longest || weight(cost) > weight(longest->cost))
        longest = Arrival{cost, word};
    }
  return longest;
}

/// Replaces the arrivals at the entries of a loop by arrivals at all its words.
void Paths::passLoop(const Region &loop, const std::set<uint32_t> &cut,
                     Arrivals &arrivals) {
  std::set<uint32_t> heads = headsOf(loop);
  if (heads.empty()) // a wait without a head: use its first word
    heads.insert(loop.words.front());
  double iterations = iterationsOf(loop, heads);
  if (problem)
    return;
  std::set<uint32_t> inner = cut;
  inner.insert(heads.begin(), heads.end());
  Arrivals entries; // entries other than the heads
  std::optional<Arrival> entered;
  for (uint32_t word : loop.words) {
    auto at = arrivals.find(word);
    if (at == arrivals.end())
      continue;
    if (!heads.count(word))
      entries.insert(*at);
    else if (!entered || weight(at->second.cost) > weight(entered->cost))
      entered = at->second;
  }
  Arrivals first = solve(loop.words, entries, inner);
  std::optional<Arrival> reached = closing(first, heads);
  if (!reached || (entered && weight(entered->cost) > weight(reached->cost)))
    reached = entered;
  for (const auto &[word, arrival] : first)
    offer(arrivals, word, arrival);
  if (!reached)
    return;
  Arrivals starts;
  for (uint32_t head : heads)
    starts[head] = Arrival{{}, reached->from};
  Arrivals iteration = solve(loop.words, starts, inner);
  std::optional<Arrival> closed = closing(iteration, heads);
  MessageCost before = reached->cost;
  if (closed)
    before += closed->cost * (iterations - 1);
  for (const auto &[word, arrival] : iteration)
    offer(arrivals, word, {before + arrival.cost, arrival.from});
}

//===-- Paths -------------------------------------------------------------===//

MessageCost Paths::costOf(uint32_t word, const FlowEdge &edge) {
  MessageCost cost = costs[word];
  cost.issue += edge.deadCycles;
  if (edge.callee)
    cost += costOfCall(*edge.callee);
  return cost;
}

/// The longest path through a function. It terminates because Baker has no
/// recursion.
MessageCost Paths::costOfCall(uint32_t callee) {
  if (auto at = calls.find(callee); at != calls.end())
    return at->second;
  Arrivals arrivals =
      solve(flow.graph.reachedFrom(callee), {{callee, Arrival{}}}, {});
  MessageCost longest;
  for (const auto &[word, arrival] : arrivals) {
    if (!flow.graph.edgesOf(word).empty())
      continue;
    // The last delay slot of a return.
    MessageCost cost = arrival.cost + costs[word];
    cost.issue += row(Op::Jump).slots;
    if (weight(cost) > weight(longest))
      longest = cost;
  }
  calls[callee] = longest;
  return longest;
}

Arrivals Paths::solve(const std::vector<uint32_t> &words,
                      const Arrivals &starts, const std::set<uint32_t> &cut) {
  Arrivals arrivals = starts;
  for (const Region &region : regionsOf(words, cut)) {
    if (problem)
      return arrivals;
    if (region.isLoop)
      passLoop(region, cut, arrivals);
    for (uint32_t word : region.words) {
      auto at = arrivals.find(word);
      if (at == arrivals.end())
        continue;
      MessageCost here = at->second.cost;
      for (const FlowEdge &edge : flow.graph.edgesOf(word)) {
        bool isInside =
            std::binary_search(words.begin(), words.end(), edge.to) &&
            !cut.count(edge.to) &&
            !(region.isLoop && std::binary_search(region.words.begin(),
                                                  region.words.end(), edge.to));
        if (isInside)
          offer(arrivals, edge.to, {here + costOf(word, edge), word});
      }
    }
  }
  return arrivals;
}

MessageCost Paths::longestIteration(const Weight &by,
                                    std::vector<uint32_t> *words) {
  weight = by;
  calls.clear();
  const Region *dispatch = nullptr;
  std::vector<Region> regions = regionsOf(flow.graph.reachedFrom(0), {});
  for (const Region &region : regions)
    if (region.isLoop)
      dispatch = &region;
  KARAKAL_ASSERT(dispatch, "an aggregate's program is an endless loop");
  std::set<uint32_t> heads = headsOf(*dispatch);
  KARAKAL_ASSERT(!heads.empty(), "the dispatch loop has a mark");
  Arrivals starts;
  for (uint32_t head : heads) {
    KARAKAL_ASSERT(headAt[head].loops == 1,
                   "an iteration begins with a ring get");
    starts[head] = Arrival{};
  }
  Arrivals arrivals = solve(dispatch->words, starts, heads);
  std::optional<Arrival> iteration = closing(arrivals, heads);
  if (problem || !iteration)
    return {};
  if (words) {
    std::set<uint32_t> seen; // words of loops may occur twice
    for (uint32_t at = iteration->from; at != ~0u && seen.insert(at).second;
         at = arrivals[at].from)
      words->push_back(at);
    std::reverse(words->begin(), words->end());
  }
  return iteration->cost;
}

//===----------------------------------------------------------------------===//

Result<WorstCase> worstCaseOf(const Microcode &code,
                              const ChipParameters &chip) {
  Paths paths(code, chip);
  WorstCase worst;
  double contexts = double(chip.meContexts);
  worst.pathCost = paths.longestIteration(
      [&](const MessageCost &c) { return c.issue + c.latency / contexts; },
      &worst.path);
  if (paths.problem)
    return *paths.problem;
  worst.cost.issue =
      paths
          .longestIteration([](const MessageCost &c) { return c.issue; },
                            nullptr)
          .issue;
  worst.cost.latency =
      paths
          .longestIteration([](const MessageCost &c) { return c.latency; },
                            nullptr)
          .latency;
  for (auto figures :
       {&MessageCost::busy, &MessageCost::commands, &MessageCost::squares})
    for (size_t u = 0; u < sharedUnitCount; ++u) {
      auto of = [=](const MessageCost &c) { return (c.*figures)[u]; };
      (worst.cost.*figures)[u] = of(paths.longestIteration(of, nullptr));
    }
  return worst;
}

} // namespace karakal::target
