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
#include <map>
#include <set>

namespace karakal::target {

namespace {

constexpr unsigned signalCount = 16;
static_assert(signalCount == SignalCount + 1, "signal 0 does not exist");
/// After this many visits of a word, the cycles since a command's issue are not
/// deducted.
constexpr unsigned visitsMax = 50;

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

/// The most of each figure that a path may have.
MessageCost maximum(const MessageCost &a, const MessageCost &b) {
  MessageCost most = a;
  most.issue = std::max(a.issue, b.issue);
  most.latency = std::max(a.latency, b.latency);
  for (auto figures :
       {&MessageCost::busy, &MessageCost::commands, &MessageCost::squares})
    for (size_t u = 0; u < sharedUnitCount; ++u)
      (most.*figures)[u] = std::max((a.*figures)[u], (b.*figures)[u]);
  return most;
}

} // namespace

/// Longest paths through one program.
class IterationPaths {
public:
  IterationPaths(const Microcode &code, const ChipParameters &chip)
      : code(code), chip(chip), flow(code), costs(code.words.size()),
        headAt(code.words.size()) {
    KARAKAL_ASSERT(code.lines.size() == code.words.size(),
                   "an unbounded loop is reported at its source line");
    for (const LoopHead &loop : code.loops)
      addHead(loop);
    addWords();
    addWaits();
  }

  /// Restricts the following paths to those without any of the marks.
  void exclude(const std::set<PathMark> &marks);
  /// The longest iteration of the dispatch loop, and its words. With
  /// `keepsMaxima`, the most of each figure.
  std::optional<MessageCost> longestIteration(bool keepsMaxima,
                                              std::vector<uint32_t> *words);

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
  bool isLonger(const MessageCost &a, const MessageCost &b) const {
    double contexts = double(chip.meContexts);
    return a.issue + a.latency / contexts > b.issue + b.latency / contexts;
  }
  void join(std::optional<Arrival> &to, const Arrival &arrival) const;
  double iterationsOf(const Region &loop, std::set<uint32_t> &heads);
  std::set<uint32_t> waitsOf(const Region &loop,
                             const std::set<uint32_t> &heads) const;
  std::optional<MessageCost> costOf(uint32_t word, const FlowEdge &edge);
  std::optional<MessageCost> costOfCall(uint32_t callee);
  std::vector<uint32_t> openWords(const std::vector<uint32_t> &words) const;
  std::optional<Arrival> endOf(const Arrivals &within,
                               const std::set<uint32_t> &heads);
  void offer(Arrivals &to, uint32_t word, const Arrival &arrival) const {
    std::optional<Arrival> joined;
    if (auto at = to.find(word); at != to.end())
      joined = at->second;
    join(joined, arrival);
    to[word] = *joined;
  }

  const Microcode &code;
  const ChipParameters &chip;
  WordFlow flow;
  std::vector<MessageCost> costs; ///< by word, without its callees
  std::vector<Head> headAt;
  std::vector<bool> isClosed; ///< words with an excluded mark
  /// By first word; nothing: the call never returns on the paths of the class.
  std::map<uint32_t, std::optional<MessageCost>> calls;
  bool keepsMaxima = false;
};

//===-- Words -------------------------------------------------------------===//

/// Adds a loop head. Nested loops may share their first word; then their bounds
/// multiply.
void IterationPaths::addHead(const LoopHead &loop) {
  if (loop.word >= headAt.size())
    return;
  Head &head = headAt[loop.word];
  head.depth = head.loops == 0 ? loop.depth : std::min(head.depth, loop.depth);
  head.iterationsMax *= loop.iterationsMax;
  ++head.loops;
}

void IterationPaths::addWords() {
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
void IterationPaths::addWaits() {
  if (!addWaitsOnce(true))
    addWaitsOnce(false);
}

bool IterationPaths::addWaitsOnce(bool deductsElapsed) {
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
std::vector<Region>
IterationPaths::regionsOf(const std::vector<uint32_t> &words,
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
std::set<uint32_t> IterationPaths::headsOf(const Region &loop) const {
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
std::set<uint32_t>
IterationPaths::waitsOf(const Region &loop,
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
double IterationPaths::iterationsOf(const Region &loop,
                                    std::set<uint32_t> &heads) {
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

/// The longest path from `within` into one of `heads`, and its last word. If
/// there are no heads, to a return.
std::optional<Arrival> IterationPaths::endOf(const Arrivals &within,
                                             const std::set<uint32_t> &heads) {
  std::optional<Arrival> longest;
  for (const auto &[word, arrival] : within) {
    if (heads.empty() && flow.graph.edgesOf(word).empty()) {
      // The last delay slot of a return.
      MessageCost cost = arrival.cost + costs[word];
      cost.issue += row(Op::Jump).slots;
      join(longest, {cost, word});
    }
    for (const FlowEdge &edge : flow.graph.edgesOf(word))
      if (heads.count(edge.to))
        if (auto cost = costOf(word, edge))
          join(longest, {arrival.cost + *cost, word});
  }
  return longest;
}

/// Replaces the arrivals at the entries of a loop by arrivals at all its words.
void IterationPaths::passLoop(const Region &loop, const std::set<uint32_t> &cut,
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
    else
      join(entered, at->second);
  }
  Arrivals first = solve(loop.words, entries, inner);
  std::optional<Arrival> reached = endOf(first, heads);
  if (entered)
    join(reached, *entered);
  for (const auto &[word, arrival] : first)
    offer(arrivals, word, arrival);
  if (!reached)
    return;
  Arrivals starts;
  for (uint32_t head : heads)
    starts[head] = Arrival{{}, reached->from};
  Arrivals iteration = solve(loop.words, starts, inner);
  std::optional<Arrival> closed = endOf(iteration, heads);
  MessageCost before = reached->cost;
  if (closed)
    before += closed->cost * (iterations - 1);
  for (const auto &[word, arrival] : iteration)
    offer(arrivals, word, {before + arrival.cost, arrival.from});
}

//===-- Paths -------------------------------------------------------------===//

/// The cost of a word on an edge, or nothing if the call on it never returns on
/// paths of the class.
std::optional<MessageCost> IterationPaths::costOf(uint32_t word,
                                                  const FlowEdge &edge) {
  MessageCost cost = costs[word];
  cost.issue += edge.deadCycles;
  if (!edge.callee)
    return cost;
  std::optional<MessageCost> call = costOfCall(*edge.callee);
  if (!call)
    return std::nullopt;
  return cost + *call;
}

/// The longest path through a function. It terminates because Baker has no
/// recursion.
std::optional<MessageCost> IterationPaths::costOfCall(uint32_t callee) {
  if (auto at = calls.find(callee); at != calls.end())
    return at->second;
  std::optional<Arrival> end;
  if (!isClosed[callee])
    end = endOf(solve(openWords(flow.graph.reachedFrom(callee)),
                      {{callee, Arrival{}}}, {}),
                {});
  std::optional<MessageCost> cost;
  if (end)
    cost = end->cost;
  calls[callee] = cost;
  return cost;
}

Arrivals IterationPaths::solve(const std::vector<uint32_t> &words,
                               const Arrivals &starts,
                               const std::set<uint32_t> &cut) {
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
        if (!isInside)
          continue;
        if (auto cost = costOf(word, edge))
          offer(arrivals, edge.to, {here + *cost, word});
      }
    }
  }
  return arrivals;
}

void IterationPaths::exclude(const std::set<PathMark> &marks) {
  isClosed.assign(costs.size(), false);
  for (const auto &[mark, words] : code.marks)
    for (uint32_t word : words) {
      KARAKAL_ASSERT(word < costs.size(), "a mark is on a word");
      isClosed[word] = isClosed[word] || marks.count(mark);
    }
}

std::vector<uint32_t>
IterationPaths::openWords(const std::vector<uint32_t> &words) const {
  std::vector<uint32_t> open;
  for (uint32_t word : words)
    if (!isClosed[word])
      open.push_back(word);
  return open;
}

void IterationPaths::join(std::optional<Arrival> &to,
                          const Arrival &arrival) const {
  if (!to)
    to = arrival;
  else if (keepsMaxima)
    to->cost = maximum(to->cost, arrival.cost);
  else if (isLonger(arrival.cost, to->cost))
    to = arrival;
}

std::optional<MessageCost>
IterationPaths::longestIteration(bool keepsMaxima,
                                 std::vector<uint32_t> *words) {
  this->keepsMaxima = keepsMaxima;
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
  Arrivals arrivals = solve(openWords(dispatch->words), starts, heads);
  std::optional<Arrival> iteration = endOf(arrivals, heads);
  if (problem || !iteration)
    return std::nullopt;
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

WorstCases::WorstCases(const Microcode &code, const ChipParameters &chip)
    : paths(std::make_unique<IterationPaths>(code, chip)) {}

WorstCases::~WorstCases() = default;

Result<std::optional<WorstCase>>
WorstCases::without(const std::set<PathMark> &marks) {
  paths->exclude(marks);
  WorstCase worst;
  std::optional<MessageCost> longest =
      paths->longestIteration(/*keepsMaxima=*/false, &worst.path);
  if (paths->problem)
    return *paths->problem;
  if (!longest)
    return std::optional<WorstCase>();
  worst.pathCost = *longest;
  worst.cost = *paths->longestIteration(/*keepsMaxima=*/true, nullptr);
  return std::optional<WorstCase>(std::move(worst));
}

Result<WorstCase> worstCaseOf(const Microcode &code,
                              const ChipParameters &chip) {
  auto worst = WorstCases(code, chip).without({});
  if (!worst)
    return worst.error();
  KARAKAL_ASSERT(*worst, "an endless loop has an iteration");
  return std::move(**worst);
}

} // namespace karakal::target
