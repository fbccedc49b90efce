// The choice of PPFs that share an engine.

#include "aggregation/formation/Formation.h"
#include "support/Error.h"
#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <set>

namespace karakal::agg {

using StepKind = ir::FormationStepKind;

namespace {

/// How many times slower the slowest aggregate must be to be duplicated first:
/// the ">>" of Figure 7.
constexpr double muchSlower = 2;
/// The factor of one relaxation on the target.
constexpr double relaxation = 0.9;
/// An engine may be taken away if at least this part of the rate is left.
constexpr double noLoss = 0.99;
/// Instructions of generated code for each one that is estimated, at most.
constexpr double idleMargin = 1.5;

std::string number(double value, int digits = 0) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

/// The state of the algorithm.
class AggregateFormer {
public:
  explicit AggregateFormer(const FormationInput &input) : input(input) {
    for (const FormationPpf &ppf : input.ppfs)
      hasLocks |= ppf.cost.locked > 0;
  }

  Formation run();

private:
  /// The channels between two aggregates: packets per packet received.
  struct Pair {
    size_t a, b;
    double traffic;
  };

  std::vector<int> components(const std::vector<size_t> &group,
                              size_t count) const;
  void startGroups();
  double wordsOf(const std::vector<size_t> &ppfs) const;
  std::vector<double> loads() const;
  double throughput() const;
  std::vector<unsigned> allocate(const std::vector<double> &loads) const;
  bool duplicateSlowest();
  std::vector<Pair> pairs() const;
  bool mergeBest();
  bool canMerge(const Pair &pair, std::string &why) const;
  bool staysAcyclic(const Pair &pair) const;
  void merge(const Pair &pair);
  std::string nameOf(const FormedAggregate &aggregate) const;
  void note(StepKind kind, std::string subject, std::string reason) {
    FormationStep step{kind, std::move(subject), std::move(reason)};
    if (seen.insert(ir::stringifyFormationStepKind(kind).str() + step.subject +
                    step.reason)
            .second)
      result.steps.push_back(std::move(step));
  }
  void assignEngines();
  void takeIdleEngines();
  void noteEngines();
  void checkSizes();
  void assertInvariants() const;

  const FormationInput &input;
  bool hasLocks = false;
  Formation result;
  std::vector<FormedAggregate> &aggregates = result.aggregates;
  /// Aggregate of each PPF.
  std::vector<size_t> owner;
  std::set<std::string> seen;
  double target = 0;
};

} // namespace

std::string AggregateFormer::nameOf(const FormedAggregate &aggregate) const {
  std::string text = input.ppfs[aggregate.ppfs.front()].name;
  if (aggregate.ppfs.size() > 1)
    text += " +" + std::to_string(aggregate.ppfs.size() - 1);
  return text;
}

/// Strongly connected components of the channels between groups of PPFs.
std::vector<int> AggregateFormer::components(const std::vector<size_t> &group,
                                             size_t count) const {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(
      count);
  for (const FormationChannel &channel : input.channels)
    if (group[channel.from] != group[channel.to])
      boost::add_edge(group[channel.from], group[channel.to], graph);
  std::vector<int> component(count);
  if (count != 0)
    boost::strong_components(
        graph, boost::make_iterator_property_map(
                   component.begin(), boost::get(boost::vertex_index, graph)));
  return component;
}

/// Makes one aggregate for each PPF, except one for all PPFs of a pin and one
/// for all PPFs that then lie on a cycle.
void AggregateFormer::startGroups() {
  size_t count = input.ppfs.size();
  std::vector<size_t> group(count);
  std::iota(group.begin(), group.end(), size_t(0));
  std::map<int, size_t> firstOfPin;
  for (size_t i = 0; i < count; ++i)
    if (input.ppfs[i].pin >= 0)
      group[i] = firstOfPin.try_emplace(input.ppfs[i].pin, i).first->second;
  std::vector<int> component = components(group, count);
  std::map<int, size_t> made;
  owner.resize(count);
  auto add = [&](size_t i) {
    auto [at, isNew] = made.try_emplace(component[group[i]], aggregates.size());
    if (isNew)
      aggregates.emplace_back();
    FormedAggregate &aggregate = aggregates[at->second];
    int pin = input.ppfs[i].pin;
    if (pin >= 0 && aggregate.pin >= 0 && pin != aggregate.pin)
      result.failure = "the aggregates '" + input.pins[pin].name + "' and '" +
                       input.pins[aggregate.pin].name +
                       "' would send packets to each other in a circle and "
                       "could wait for each other forever";
    aggregate.pin = std::max(aggregate.pin, pin);
    aggregate.ppfs.push_back(i);
    owner[i] = at->second;
  };
  if (count != 0)
    add(input.entry);
  for (size_t i = 0; i < count; ++i)
    if (i != input.entry)
      add(i);
  for (FormedAggregate &aggregate : aggregates)
    aggregate.words = wordsOf(aggregate.ppfs);
}

/// Each PPF is in the aggregate that owns it, and packets move only forward
/// from aggregate to aggregate.
void AggregateFormer::assertInvariants() const {
  size_t count = 0;
  for (size_t i = 0; i < aggregates.size(); ++i) {
    KARAKAL_ASSERT(!aggregates[i].ppfs.empty(), "an aggregate has a PPF");
    for (size_t ppf : aggregates[i].ppfs)
      KARAKAL_ASSERT(owner[ppf] == i, "a PPF's owner is its aggregate");
    count += aggregates[i].ppfs.size();
  }
  KARAKAL_ASSERT(count == input.ppfs.size(),
                 "each PPF is in exactly one aggregate");
  std::vector<int> component = components(owner, aggregates.size());
  std::set<int> distinct(component.begin(), component.end());
  KARAKAL_ASSERT(distinct.size() == aggregates.size(),
                 "no two aggregates send packets to each other");
}

double AggregateFormer::wordsOf(const std::vector<size_t> &ppfs) const {
  double words = input.wordsFixed;
  for (size_t i : ppfs)
    words += input.ppfs[i].words;
  return words;
}

/// Engine cycles that a received packet takes in each aggregate, with half of
/// each ring that it touches.
std::vector<double> AggregateFormer::loads() const {
  std::vector<MessageCost> costs(aggregates.size());
  for (size_t i = 0; i < input.ppfs.size(); ++i)
    costs[owner[i]] += input.ppfs[i].cost * input.ppfs[i].packets;
  for (const FormationChannel &channel : input.channels) {
    size_t from = owner[channel.from], to = owner[channel.to];
    if (from == to)
      continue;
    costs[from] += input.ring * (channel.packets / 2);
    costs[to] += input.ring * (channel.packets / 2);
  }
  std::vector<double> cycles;
  for (const MessageCost &cost : costs)
    cycles.push_back(1 / engineRate(cost, input.chip));
  return cycles;
}

/// Divides the engines by load: one for each aggregate, then repeatedly one
/// more for the slowest. Each has one even if there are too few engines.
std::vector<unsigned>
AggregateFormer::allocate(const std::vector<double> &loads) const {
  std::vector<unsigned> engines(loads.size(), 1);
  for (size_t left = input.engines; left > loads.size(); --left) {
    size_t slowest = 0;
    for (size_t i = 1; i < loads.size(); ++i)
      if (loads[i] / engines[i] > loads[slowest] / engines[slowest])
        slowest = i;
    ++engines[slowest];
  }
  return engines;
}

/// Equation 1: (n / p) · k, but at most the rate of the locks. Spare engines go
/// to the slowest stages, so k includes them.
double AggregateFormer::throughput() const {
  std::vector<double> cycles = loads();
  std::vector<unsigned> engines = allocate(cycles);
  double slowest = 0;
  for (size_t i = 0; i < cycles.size(); ++i)
    slowest = std::max(slowest, cycles[i] / engines[i]);
  double share = std::min(1.0, double(input.engines) / double(cycles.size()));
  double rate = share / std::max(slowest, 1e-9);
  if (!hasLocks)
    return rate;
  std::vector<FormedAggregate> shared = aggregates;
  for (size_t i = 0; i < shared.size(); ++i)
    shared[i].engines = engines[i];
  return std::min(rate, lockRate(stagesOf(input, shared), input.chip));
}

/// FIND_DOMINATING and DUPLICATE_IMPROVES_THROUGHPUT.
bool AggregateFormer::duplicateSlowest() {
  size_t used = 0, dom = 0, next = 0;
  std::vector<double> perEngine = loads();
  for (size_t i = 0; i < aggregates.size(); ++i) {
    used += aggregates[i].engines;
    perEngine[i] /= aggregates[i].engines;
  }
  if (aggregates.size() < 2 || used >= input.engines)
    return false;
  for (size_t i = 0; i < perEngine.size(); ++i)
    if (perEngine[i] > perEngine[dom])
      dom = i;
  next = dom == 0 ? 1 : 0;
  for (size_t i = 0; i < perEngine.size(); ++i)
    if (i != dom && perEngine[i] > perEngine[next])
      next = i;
  if (perEngine[dom] < muchSlower * perEngine[next])
    return false;
  ++aggregates[dom].engines;
  note(StepKind::Duplicate, nameOf(aggregates[dom]),
       "takes " + number(perEngine[dom]) + " cycles per packet, the next " +
           number(perEngine[next]) + "; now on " +
           std::to_string(aggregates[dom].engines) + " engines");
  return true;
}

std::vector<AggregateFormer::Pair> AggregateFormer::pairs() const {
  std::map<std::pair<size_t, size_t>, double> traffic;
  for (const FormationChannel &channel : input.channels) {
    size_t a = owner[channel.from], b = owner[channel.to];
    if (a != b)
      traffic[std::minmax(a, b)] += channel.packets;
  }
  std::vector<Pair> list;
  for (auto &[ends, packets] : traffic)
    list.push_back({ends.first, ends.second, packets});
  std::stable_sort(list.begin(), list.end(), [](const Pair &x, const Pair &y) {
    return x.traffic > y.traffic;
  });
  return list;
}

bool AggregateFormer::staysAcyclic(const Pair &pair) const {
  std::vector<size_t> group = owner;
  for (size_t &g : group)
    if (g == pair.b)
      g = pair.a;
  std::vector<int> component = components(group, aggregates.size());
  std::set<int> found;
  for (size_t i = 0; i < aggregates.size(); ++i)
    if (i != pair.b && !found.insert(component[i]).second)
      return false;
  return true;
}

bool AggregateFormer::canMerge(const Pair &pair, std::string &why) const {
  const FormedAggregate &a = aggregates[pair.a], &b = aggregates[pair.b];
  if (a.pin >= 0 && b.pin >= 0) {
    why = "the mapping file keeps them apart";
    return false;
  }
  double words = a.words + b.words - input.wordsFixed;
  if (words > input.wordsMax) {
    why = number(words) + " words do not fit " + number(input.wordsMax);
    return false;
  }
  if (!staysAcyclic(pair)) {
    why = "packets would leave the aggregate and come back";
    return false;
  }
  return true;
}

void AggregateFormer::merge(const Pair &pair) {
  KARAKAL_ASSERT(pair.a < pair.b && pair.b < aggregates.size(),
                 "a pair is two aggregates in order");
  FormedAggregate &into = aggregates[pair.a], &from = aggregates[pair.b];
  into.ppfs.insert(into.ppfs.end(), from.ppfs.begin(), from.ppfs.end());
  std::sort(into.ppfs.begin() + (pair.a == 0 ? 1 : 0), into.ppfs.end());
  into.pin = std::max(into.pin, from.pin);
  into.words = wordsOf(into.ppfs);
  into.engines = std::min(into.engines, from.engines);
  aggregates.erase(aggregates.begin() + pair.b);
  for (size_t &o : owner)
    o = o == pair.b ? pair.a : o > pair.b ? o - 1 : o;
}

/// Merges the first pair, by traffic, whose merge does not lower the
/// throughput.
bool AggregateFormer::mergeBest() {
  for (const Pair &pair : pairs()) {
    std::string subject =
        nameOf(aggregates[pair.a]) + " and " + nameOf(aggregates[pair.b]);
    std::string why;
    if (!canMerge(pair, why)) {
      note(StepKind::Refuse, subject, "not merged: " + why);
      continue;
    }
    std::vector<FormedAggregate> before = aggregates;
    std::vector<size_t> ownerBefore = owner;
    double old = throughput();
    merge(pair);
    double now = throughput();
    double clock = double(input.chip.meClockHz) / 1e6;
    if (now < std::min(old, target) * (1 - 1e-9)) {
      aggregates = std::move(before);
      owner = ownerBefore;
      note(StepKind::Refuse, subject,
           "not merged: throughput would fall from " + number(old * clock, 3) +
               " to " + number(now * clock, 3) + " million packets per second");
      continue;
    }
    note(StepKind::Merge, subject,
         number(pair.traffic, 3) +
             " packets per packet received over the channels between "
             "them; throughput " +
             number(old * clock, 3) + " to " + number(now * clock, 3) +
             " million packets per second, " +
             number(aggregates[pair.a].words) + " of " +
             number(input.wordsMax) + " words");
    return true;
  }
  return false;
}

void AggregateFormer::checkSizes() {
  // The sizes are estimates: the code generator decides.
  for (const FormedAggregate &aggregate : aggregates)
    if (aggregate.words > input.wordsMax)
      note(StepKind::Refuse, nameOf(aggregate),
           "may not fit: " + number(aggregate.words) +
               " words estimated, an engine has " + number(input.wordsMax));
  if (aggregates.size() > input.engines && result.failure.empty())
    result.failure = std::to_string(aggregates.size()) +
                     " aggregates need as many engines, there are " +
                     std::to_string(input.engines);
}

/// Gives engines to aggregates as the mapping file says, and the rest to the
/// slowest.
void AggregateFormer::assignEngines() {
  std::vector<double> cycles = loads();
  size_t left = input.engines;
  std::vector<size_t> open;
  for (size_t i = 0; i < aggregates.size(); ++i) {
    int pin = aggregates[i].pin;
    unsigned asked = pin >= 0 ? input.pins[pin].engines : 0;
    aggregates[i].engines = std::max(asked, 1u);
    left -= std::min<size_t>(left, aggregates[i].engines);
    if (asked == 0)
      open.push_back(i);
  }
  for (; left > 0 && !open.empty(); --left) {
    size_t slowest = open.front();
    for (size_t i : open)
      if (cycles[i] / aggregates[i].engines >
          cycles[slowest] / aggregates[slowest].engines)
        slowest = i;
    ++aggregates[slowest].engines;
  }
}

/// Takes away the engines that only wait for a lock and so do not add to the
/// rate that the lock allows. Aggregates that do not take the lock keep engines
/// for code that costs half as much again as estimated.
void AggregateFormer::takeIdleEngines() {
  Prediction now =
      predict(stagesOf(input, aggregates), input.chip, input.frames);
  auto rateOfSlowCode = [&] {
    std::vector<Stage> stages = stagesOf(input, aggregates);
    for (Stage &stage : stages)
      if (stage.cost.locked == 0)
        stage.cost.issue *= idleMargin;
    return predict(stages, input.chip, input.frames).packetsPerSecond;
  };
  const double rate = rateOfSlowCode();
  for (FormedAggregate &aggregate : aggregates) {
    bool isAsked = aggregate.pin >= 0 && input.pins[aggregate.pin].engines != 0;
    unsigned before = aggregate.engines;
    while (now.limitedBy == LimitKind::Locks && !isAsked &&
           aggregate.engines > 1) {
      --aggregate.engines;
      if (rateOfSlowCode() < noLoss * rate) {
        ++aggregate.engines;
        break;
      }
    }
    if (aggregate.engines < before)
      note(StepKind::Refuse, nameOf(aggregate),
           "not duplicated on " + std::to_string(before) +
               " engines: its locks limit it to " +
               number(now.packetsPerSecond / 1e6, 3) +
               " million packets per second, which fewer engines reach");
  }
}

void AggregateFormer::noteEngines() {
  std::vector<double> cycles = loads();
  for (size_t i = 0; i < aggregates.size(); ++i)
    note(StepKind::Map, nameOf(aggregates[i]),
         std::to_string(aggregates[i].engines) +
             (aggregates[i].engines == 1 ? " engine for " : " engines for ") +
             number(cycles[i]) + " cycles per packet received");
}

Formation AggregateFormer::run() {
  startGroups();
  if (!result.failure.empty() || aggregates.empty())
    return std::move(result);
  assertInvariants();
  target = throughput();
  // Every iteration merges, takes an engine, or lowers the target. The last is
  // bounded because at some point no merge is possible.
  for (unsigned relaxed = 0; relaxed < 200;) {
    if (duplicateSlowest() || mergeBest()) {
      target = std::max(target, throughput() * std::pow(relaxation, relaxed));
      continue;
    }
    if (aggregates.size() <= input.engines &&
        aggregates.size() <= input.ringsMax + 1)
      break;
    target *= relaxation;
    ++relaxed;
    note(StepKind::Relax, "target",
         std::to_string(aggregates.size()) + " aggregates for " +
             std::to_string(input.engines) + " engines");
  }
  assertInvariants();
  KARAKAL_ASSERT(owner[input.entry] == 0,
                 "the first aggregate takes the received packets");
  assignEngines();
  takeIdleEngines();
  noteEngines();
  checkSizes();
  size_t engines = 0;
  for (const FormedAggregate &aggregate : aggregates)
    engines += aggregate.engines;
  if (engines > input.engines && result.failure.empty())
    result.failure = "the mapping asks for " + std::to_string(engines) +
                     " engines, there are " + std::to_string(input.engines);
  if (result.failure.empty())
    result.prediction =
        predict(stagesOf(input, aggregates), input.chip, input.frames);
  return std::move(result);
}

Formation formAggregates(const FormationInput &input) {
  KARAKAL_ASSERT(input.ppfs.empty() || input.entry < input.ppfs.size(),
                 "one of the PPFs takes the received packets");
  for (const FormationChannel &channel : input.channels)
    KARAKAL_ASSERT(channel.from < input.ppfs.size() &&
                       channel.to < input.ppfs.size(),
                   "a channel leads from PPF to PPF");
  return AggregateFormer(input).run();
}

std::vector<Stage> stagesOf(const FormationInput &input,
                            const std::vector<FormedAggregate> &aggregates) {
  std::vector<size_t> owner(input.ppfs.size(), 0);
  std::vector<Stage> stages(aggregates.size());
  for (size_t i = 0; i < aggregates.size(); ++i) {
    Stage &stage = stages[i];
    stage.name = input.ppfs[aggregates[i].ppfs.front()].name;
    stage.engines = aggregates[i].engines;
    stage.messages = 0;
    for (size_t ppf : aggregates[i].ppfs) {
      owner[ppf] = i;
      stage.cost += input.ppfs[ppf].cost * input.ppfs[ppf].packets;
    }
  }
  Stage &first = stages[owner[input.entry]];
  first.messages = 1;
  first.cost += input.ring * 0.5; // from Rx
  for (const FormationChannel &channel : input.channels) {
    Stage &from = stages[owner[channel.from]], &to = stages[owner[channel.to]];
    if (&from == &to)
      continue;
    to.messages += channel.packets;
    from.cost += input.ring * (channel.packets / 2);
    to.cost += input.ring * (channel.packets / 2);
  }
  for (Stage &stage : stages) {
    stage.messages = std::max(stage.messages, 1e-6);
    stage.cost = stage.cost * (1 / stage.messages);
  }
  return stages;
}

} // namespace karakal::agg
