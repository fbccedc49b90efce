// The minimum rate of generated code.

#include "driver/report/MinimumRate.h"
#include "driver/cores/Variants.h"
#include "driver/report/PathEvents.h"
#include "ir/dialect/ProfileAttributes.h"
#include "ir/dialect/Target.h"
#include "swcache/Caches.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <cmath>
#include <memory>

using namespace mlir;

namespace karakal::driver {

namespace {

/// Messages of a stage that packets of a class do not come to: not 0, so that
/// rates stay finite.
constexpr double messagesMin = 1e-6;

/// Source lines of a path that an error names.
constexpr size_t linesMax = 12;

/// Divides the worst case between the SRAM channels in the proportion of the
/// average cost, because instruction words do not contain the channel.
void divideByChannel(target::MessageCost &worst,
                     const target::MessageCost &average) {
  auto averageOf = [&](uint32_t channel) {
    return average.busy[size_t(target::readPort(channel))];
  };
  double all = 0;
  for (uint32_t channel = 0; channel < target::SramChannelsMax; ++channel)
    all += averageOf(channel);
  if (all <= 0)
    return;
  for (auto *figures : {&worst.busy, &worst.commands, &worst.squares}) {
    double &unshared = (*figures)[size_t(target::readPort(0))];
    double total = unshared;
    for (uint32_t channel = 1; channel < target::SramChannelsMax; ++channel) {
      double moved = total * averageOf(channel) / all;
      unshared -= moved;
      (*figures)[size_t(target::readPort(channel))] += moved;
    }
  }
}

/// The source lines of a path, at most `most`: "a.baker:10, 12, b.baker:4".
std::string linesOf(const target::WorstCase &worst,
                    const target::Microcode &code, size_t most) {
  std::string text, file;
  uint32_t line = 0;
  size_t count = 0;
  for (uint32_t word : worst.path) {
    const target::SourceLine &location = code.lines[word];
    if (location.line == 0 || (location.file == file && location.line == line))
      continue;
    if (++count > most)
      return text + ", …";
    text += text.empty() ? "" : ", ";
    if (location.file != file)
      text += llvm::sys::path::filename(location.file).str() + ":";
    text += std::to_string(location.line);
    file = location.file;
    line = location.line;
  }
  return text.empty() ? "the dispatch loop" : text;
}

/// The worst cases of one program's aggregates, with the code that a loader
/// picks.
class Pricing {
public:
  Pricing(ModuleOp planned, const std::vector<AggregateCode> &engines)
      : engines(engines), chip(ir::chipOf(planned)), frames(framesOf(planned)),
        average(stagesOf(planned, engines)),
        interval(swcache::contextInterval(planned)) {
    KARAKAL_ASSERT(average.size() == engines.size(),
                   "each aggregate is a stage");
    for (size_t i = 0; i < engines.size(); ++i)
      programs.push_back(
          std::make_unique<target::WorstCases>(loadedCode(engines, i), chip));
  }

  /// The rate of a class, or nothing if no path is in it.
  Result<std::optional<ClassRate>> price(TrafficClass traffic);
  Result<target::MessageCost> meanCost(size_t aggregate, PathMarks excluded,
                                       const target::WorstCase &worst);
  /// The worst case of all paths of an aggregate, and the most engine cycles
  /// of its variants.
  Status addWorst(size_t aggregate, MinimumRate &minimum);

private:
  const std::vector<AggregateCode> &engines;
  target::ChipParameters chip;
  agg::Frames frames;
  std::vector<agg::Stage> average;
  std::vector<std::unique_ptr<target::WorstCases>> programs;
  /// Messages of a context between two checks of its engine's copies; 0: the
  /// copies are never refreshed.
  uint64_t interval;
};

/// The cost of a message if many take the worst path. A context refreshes the
/// engine's copies at most once in so many messages.
Result<target::MessageCost> Pricing::meanCost(size_t aggregate,
                                              PathMarks excluded,
                                              const target::WorstCase &worst) {
  excluded.insert({target::PathMark::Kind::Refresh, 0});
  auto usual = programs[aggregate]->without(excluded);
  if (!usual)
    return usual.error();
  if (!*usual || interval == 0)
    return worst.cost;
  // The refresh precedes the message, so the difference is its cost.
  double share = 1 / double(interval);
  return (*usual)->cost * (1 - share) + worst.cost * share;
}

Result<std::optional<ClassRate>> Pricing::price(TrafficClass traffic) {
  ClassRate rate;
  rate.stages = average;
  for (size_t i = 0; i < engines.size(); ++i) {
    const TrafficClass::Passage &passage = traffic.passages[i];
    agg::Stage &stage = rate.stages[i];
    rate.worst.emplace_back();
    stage.messages = messagesMin;
    if (passage.messages == 0)
      continue;
    auto worst = programs[i]->without(passage.excluded);
    if (!worst)
      return worst.error();
    if (!*worst)
      return std::optional<ClassRate>();
    auto cost = meanCost(i, passage.excluded, **worst);
    if (!cost)
      return cost.error();
    stage.messages = passage.messages;
    divideByChannel(*cost, stage.cost);
    stage.cost = *cost;
    rate.worst.back() = std::move(*worst);
  }
  frames.bytesAdded = traffic.bytesAdded;
  agg::Prediction prediction = agg::predict(rate.stages, chip, frames);
  rate.packetsPerSecond = (1 - agg::modelError) * prediction.packetsPerSecond;
  rate.bottleneck = prediction.bottleneck;
  KARAKAL_ASSERT(rate.packetsPerSecond > 0,
                 "a program with bounded paths has a minimum rate");
  rate.traffic = std::move(traffic);
  return std::optional<ClassRate>(std::move(rate));
}

Status Pricing::addWorst(size_t i, MinimumRate &minimum) {
  auto worst = programs[i]->without({});
  if (!worst)
    return worst.error();
  KARAKAL_ASSERT(*worst, "an endless loop has an iteration");
  double issueMax = (*worst)->cost.issue;
  std::vector<const target::Microcode *> others = {&engines[i].code};
  for (const AggregateCode::Variant &variant : engines[i].variants)
    others.push_back(&variant.code);
  for (const target::Microcode *code : others) {
    if (code == &loadedCode(engines, i))
      continue;
    auto other = target::worstCaseOf(*code, chip);
    if (!other)
      return other.error();
    issueMax = std::max(issueMax, other->cost.issue);
  }
  minimum.issueMax.push_back(issueMax);
  minimum.worst.push_back(std::move(**worst));
  return success();
}

/// Finds the class that is promised: the slowest of those that are forwarded. A
/// program that forwards nothing promises its slowest class of the next kind.
size_t slowestOf(const std::vector<ClassRate> &classes) {
  auto isBefore = [](const ClassRate &a, const ClassRate &b) {
    auto rank = [](const ClassRate &rate) { return size_t(rate.traffic.kind); };
    return rank(a) != rank(b) ? rank(a) < rank(b)
                              : a.packetsPerSecond < b.packetsPerSecond;
  };
  return size_t(std::min_element(classes.begin(), classes.end(), isBefore) -
                classes.begin());
}

/// Adds what the punts that the meters let pass cost.
void addPunts(MinimumRate &minimum) {
  double returnTime = 0; // of the slowest class of returns
  for (const ClassRate &rate : minimum.classes)
    if (rate.traffic.kind == TrafficKind::Return)
      returnTime = std::max(returnTime, 1 / rate.packetsPerSecond);
  for (const ClassRate &rate : minimum.classes) {
    double punts = rate.traffic.packetsPerSecondMax;
    minimum.puntsPerSecond += punts;
    minimum.puntShare += punts * (1 / rate.packetsPerSecond + returnTime);
  }
  minimum.puntShare = std::min(1.0, minimum.puntShare);
}

/// Whether a demand for `name` is one for the class.
bool isCalled(const TrafficClass &traffic, StringRef name) {
  std::string kind = trafficKindName(traffic.kind);
  if (name == kind || name == traffic.name || name == kind + " " + traffic.name)
    return true;
  StringRef rest = traffic.name; // "a.b_cc > c.d_cc + c.e_cc"
  while (!rest.empty()) {
    auto [channel, others] = rest.split(' ');
    bool isChannel = channel.contains('.');
    if (isChannel && (channel == name || channel.ends_with(("." + name).str())))
      return true;
    rest = others;
  }
  return false;
}

const ClassRate *slowestOf(const MinimumRate &minimum, StringRef name) {
  const ClassRate *slowest = nullptr;
  for (const ClassRate &rate : minimum.classes)
    if (isCalled(rate.traffic, name) &&
        (!slowest || rate.gbps() < slowest->gbps()))
      slowest = &rate;
  return slowest;
}

/// The classes, each on a line.
std::string namesOf(const MinimumRate &minimum) {
  std::string names;
  for (const ClassRate &rate : minimum.classes)
    names += std::string("\n  ") + trafficKindName(rate.traffic.kind) + " " +
             rate.traffic.name;
  return names;
}

/// E-driver-040 for a class.
Error missedRate(const ClassRate &rate,
                 const std::vector<AggregateCode> &engines, double gbps) {
  std::optional<size_t> slow;
  auto rateOf = [&](size_t i) {
    const agg::Stage &stage = rate.stages[i];
    return stage.engines * agg::engineRate(stage.cost, {}) / stage.messages;
  };
  for (size_t i = 0; i < engines.size(); ++i)
    if (rate.worst[i] && (!slow || rateOf(i) < rateOf(*slow)))
      slow = i;
  KARAKAL_ASSERT(slow, "the packets of a class come to an aggregate");
  const target::WorstCase &worst = *rate.worst[*slow];
  return makeError(
      "E-driver-040",
      llvm::formatv(
          "{0:f3} Gbit/s cannot be guaranteed, only {1:f3}: the limit is {2}; "
          "the slowest class is '{3} {4}', whose slowest path in aggregate "
          "'{5}', on {6} engines, takes {7:f0} engine cycles and {8:f0} of "
          "memory: {9}",
          gbps, rate.gbps(), rate.bottleneck,
          trafficKindName(rate.traffic.kind), rate.traffic.name,
          engines[*slow].plan.name, engines[*slow].plan.engines.size(),
          worst.pathCost.issue, worst.pathCost.latency,
          linesOf(worst, loadedCode(engines, *slow), linesMax))
          .str());
}

double gbpsOf(double packetsPerSecond) {
  return packetsPerSecond * predictedFrameBytes * 8 / 1e9;
}

} // namespace

double ClassRate::gbps() const { return gbpsOf(packetsPerSecond); }

Result<MinimumRate>
computeMinimumRate(ModuleOp planned,
                   const std::vector<AggregateCode> &engines) {
  Pricing pricing(planned, engines);
  MinimumRate minimum;
  for (size_t i = 0; i < engines.size(); ++i)
    if (Status added = pricing.addWorst(i, minimum); !added)
      return added.error();
  for (TrafficClass &traffic : trafficClassesOf(planned, engines)) {
    auto rate = pricing.price(std::move(traffic));
    if (!rate)
      return rate.error();
    if (*rate)
      minimum.classes.push_back(std::move(**rate));
  }
  KARAKAL_ASSERT(!minimum.classes.empty(), "each message has a class");
  minimum.slowest = slowestOf(minimum.classes);
  addPunts(minimum);
  return minimum;
}

std::string printMinimumRate(const MinimumRate &minimum,
                             const std::vector<AggregateCode> &engines) {
  std::string text =
      llvm::formatv("{0,-24}{1,8}{2,8}{3,9}{4,9}\n", "worst case of a message",
                    "engines", "words", "engine", "memory");
  for (size_t i = 0; i < engines.size(); ++i) {
    const target::WorstCase &worst = minimum.worst[i];
    text += llvm::formatv("{0,-24}{1,8}{2,8}{3,9:f0}{4,9:f0}\n",
                          engines[i].plan.name, engines[i].plan.engines.size(),
                          loadedCode(engines, i).words.size(), worst.cost.issue,
                          worst.cost.latency);
  }
  for (const ClassRate &rate : minimum.classes) {
    text += llvm::formatv("{0,-8} {1}: {2:f3} Gbit/s; limit: {3}\n",
                          trafficKindName(rate.traffic.kind), rate.traffic.name,
                          rate.gbps(), rate.bottleneck);
    for (size_t i = 0; i < engines.size(); ++i)
      if (const auto &worst = rate.worst[i])
        text += llvm::formatv(
            "  {0}: at most {1:f0} and {2:f0} cycles; path of {3:f0} and "
            "{4:f0}: {5}\n",
            engines[i].plan.name, worst->cost.issue, worst->cost.latency,
            worst->pathCost.issue, worst->pathCost.latency,
            linesOf(*worst, loadedCode(engines, i), worst->path.size()));
  }
  text += llvm::formatv("guaranteed: {0:f3} Gbit/s, {1:f3} million packets of "
                        "{2} bytes per second; limit: {3}\n",
                        minimum.gbps(), minimum.packetsPerSecond() / 1e6,
                        predictedFrameBytes, minimum.bottleneck());
  if (minimum.puntsPerSecond > 0)
    text += llvm::formatv(
        "beside {0:f0} punts a second, as many as the meters pass: {1:f3} "
        "Gbit/s\n",
        minimum.puntsPerSecond, minimum.gbpsBesidePunts());
  return text;
}

std::optional<RateDemand> parseRateDemand(const std::string &text) {
  RateDemand demand;
  StringRef rate = text;
  if (size_t at = rate.rfind('='); at != StringRef::npos) {
    demand.traffic = rate.take_front(at).str();
    rate = rate.drop_front(at + 1);
    if (demand.traffic.empty())
      return std::nullopt;
  }
  if (rate.getAsDouble(demand.gbps) || !(demand.gbps > 0) ||
      std::isinf(demand.gbps))
    return std::nullopt;
  return demand;
}

Status checkMinimumRate(const MinimumRate &minimum,
                        const std::vector<AggregateCode> &engines,
                        const std::vector<std::string> &demands) {
  for (const std::string &text : demands) {
    std::optional<RateDemand> demand = parseRateDemand(text);
    KARAKAL_ASSERT(demand, "the command line checks the form");
    const ClassRate *slowest = &minimum.classes[minimum.slowest];
    if (!demand->traffic.empty())
      slowest = slowestOf(minimum, demand->traffic);
    if (!slowest)
      return makeError("E-driver-045", "no class of traffic has the name, the "
                                       "kind or the channel '" +
                                           demand->traffic +
                                           "'; there are:" + namesOf(minimum));
    if (slowest->gbps() < demand->gbps)
      return missedRate(*slowest, engines, demand->gbps);
  }
  return success();
}

} // namespace karakal::driver
