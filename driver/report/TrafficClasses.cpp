// The classes of traffic that the minimum rate prices apart.

#include "driver/report/TrafficClasses.h"
#include "driver/cores/Variants.h"
#include "driver/report/FrameGrowth.h"
#include "driver/report/PathEvents.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Target.h"
#include "target-ixp/chip/Punts.h"
#include "target-ixp/chip/Rings.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace karakal::driver {

using target::PathMark;

namespace {

/// With more routes than this, all forwarded packets are one class.
constexpr size_t routesMax = 100;

/// The name of their class.
constexpr const char *allRoutesName = "all routes";

/// The channel's name without its module: "l2_clsfr.arp_cc".
std::string shortName(ir::ChannelOp channel) {
  StringRef name = channel.getSymName();
  return name.count('.') > 1 ? name.split('.').second.str() : name.str();
}

/// Finds the classes of one program.
class Classes {
public:
  Classes(ModuleOp planned, const std::vector<AggregateCode> &engines);

  std::vector<TrafficClass> find();

private:
  using Channels = std::vector<ir::ChannelOp>;

  /// The aggregate of a PPF; none on the core.
  std::optional<size_t> aggregateOf(func::FuncOp ppf);
  /// The aggregate that puts packets on a channel; none: Rx or the core.
  std::optional<size_t> senderOf(ir::ChannelOp channel);
  /// Whether the channel leaves the program of the aggregate that puts on it.
  bool isMessage(ir::ChannelOp channel) {
    return channel.goesToTx() || ir::viaOf(channel) == ir::Via::Ring;
  }
  /// The aggregate that takes the packets of a channel. The first one takes
  /// those that Rx has for Tx and for the core.
  std::optional<size_t> receiverOf(ir::ChannelOp channel) {
    if (channel.comesFromRx() && (channel.goesToTx() || isPunt(channel)))
      return 0;
    return aggregateOf(consumerOf(channel));
  }
  func::FuncOp consumerOf(ir::ChannelOp channel) {
    return planned.lookupSymbol<func::FuncOp>(channel.getConsumer());
  }
  void passBefore(TrafficClass &made, size_t to);
  TrafficClass newClass(TrafficKind kind, const std::string &name);
  void addRoutes(Channels &route);
  void addRoute(const Channels &route, const PathMarks &copies,
                TrafficKind kind);
  PathMarks passedFrom(const PathMarks &first);
  unsigned bytesAddedOn(const Channels &route);
  void addAllRoutes();
  void addDrops();
  void addPunts();
  void addReturns();
  bool reaches(size_t from, size_t to);
  void exclude(TrafficClass &from, const PathMarks &excluded);
  void keepWith(TrafficClass &made, const PathMark &kept);

  ModuleOp planned;
  const std::vector<AggregateCode> &engines;
  PathEvents events;
  FrameGrowth growth;
  Channels channels;
  PathMarks marks; ///< of the channels
  PathMarks punts; ///< of the channels to the core
  PathMarks drops; ///< of the reasons
  std::vector<TrafficClass> classes;
};

Classes::Classes(ModuleOp planned, const std::vector<AggregateCode> &engines)
    : planned(planned), engines(engines), events(planned), growth(planned) {
  for (auto channel : planned.getOps<ir::ChannelOp>()) {
    channels.push_back(channel);
    marks.insert(markOf(channel));
    if (isPunt(channel))
      punts.insert(markOf(channel));
  }
  for (size_t i = 0; i < ir::dropReasonsOf(planned).size(); ++i)
    drops.insert({PathMark::Kind::Drop, uint32_t(i)});
}

std::optional<size_t> Classes::aggregateOf(func::FuncOp ppf) {
  if (!ppf || ir::coreOf(ppf) != ir::Core::Me)
    return std::nullopt;
  for (size_t i = 0; i < engines.size(); ++i)
    if (ir::aggregateOf(ppf) == engines[i].plan.name)
      return i;
  return std::nullopt;
}

std::optional<size_t> Classes::senderOf(ir::ChannelOp channel) {
  for (auto function : planned.getOps<func::FuncOp>())
    if (ir::isPpf(function) && events.of(function).count(markOf(channel)))
      if (auto aggregate = aggregateOf(function))
        return aggregate;
  return std::nullopt;
}

TrafficClass Classes::newClass(TrafficKind kind, const std::string &name) {
  TrafficClass made;
  made.kind = kind;
  made.name = name;
  made.passages.resize(engines.size());
  if (kind != TrafficKind::Punt)
    exclude(made, punts);
  return made;
}

void Classes::exclude(TrafficClass &from, const PathMarks &excluded) {
  for (TrafficClass::Passage &passage : from.passages)
    passage.excluded.insert(excluded.begin(), excluded.end());
}

/// Excludes the events that never occur with `kept`.
void Classes::keepWith(TrafficClass &made, const PathMark &kept) {
  const PathMarks &companions = events.with(kept);
  for (const PathMarks *all : {&marks, &drops})
    for (const PathMark &mark : *all)
      if (!companions.count(mark))
        exclude(made, {mark});
}

/// Whether messages of one aggregate may come to another.
bool Classes::reaches(size_t from, size_t to) {
  std::set<size_t> seen = {from};
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (ir::ChannelOp channel : channels) {
      auto a = senderOf(channel);
      auto b = aggregateOf(consumerOf(channel));
      if (a && b && seen.count(*a))
        isChanged |= seen.insert(*b).second;
    }
  }
  return from != to && seen.count(to);
}

//===-- Forwarded packets -------------------------------------------------===//

/// Adds the routes that begin with `route`.
void Classes::addRoutes(Channels &route) {
  ir::ChannelOp last = route.back();
  if (isPunt(last) || classes.size() > routesMax)
    return;
  if (last.goesToTx())
    return addRoute(route, {}, TrafficKind::Forward);
  func::FuncOp consumer = consumerOf(last);
  KARAKAL_ASSERT(consumer, "a channel that does not go to Tx has a consumer");
  if (events.of(consumer).empty()) // it keeps its packets
    return addRoute(route, {}, TrafficKind::Forward);
  for (ir::ChannelOp next : channels) {
    if (!events.of(consumer).count(markOf(next)) ||
        llvm::is_contained(route, next))
      continue;
    PathMarks puts = events.putsWith(consumer, markOf(next));
    if (!puts.empty() && *puts.begin() == markOf(next))
      addRoute(route, puts, TrafficKind::Copies);
    if (events.isRepeated(consumer, markOf(next)))
      continue;
    route.push_back(next);
    addRoutes(route);
    route.pop_back();
  }
}

/// The marks of the channels that packets on `first` may pass, not to the core.
PathMarks Classes::passedFrom(const PathMarks &first) {
  PathMarks passed;
  for (const PathMark &mark : first)
    for (const PathMark &next : events.downstreamOf(mark))
      if (marks.count(next) && !punts.count(next))
        passed.insert(next);
  return passed;
}

/// The most bytes that a packet gains on a route.
unsigned Classes::bytesAddedOn(const Channels &route) {
  Growth sum;
  for (size_t i = 0; i + 1 < route.size(); ++i)
    sum += growth.ofPut(consumerOf(route[i]), route[i + 1]);
  // A frame is sent from the quadword of its head, so bytes that its head loses
  // do not make up for those that its tail gains.
  int added = sum.tail > 0 ? std::max(sum.head, 0) + sum.tail : sum.head;
  return unsigned(std::max(added, 0));
}

/// Adds the class of a route. With `copies`, its last PPF puts several packets
/// on these channels, and each goes its own way.
void Classes::addRoute(const Channels &route, const PathMarks &copies,
                       TrafficKind kind) {
  std::string name;
  PathMarks passed = passedFrom(copies);
  auto addName = [&](ir::ChannelOp channel, const char *separator) {
    name += (name.empty() ? "" : separator) + shortName(channel);
  };
  for (ir::ChannelOp channel : route) {
    passed.insert(markOf(channel));
    if (!channel.comesFromRx())
      addName(channel, " > ");
  }
  const char *separator = " > ";
  for (ir::ChannelOp channel : channels)
    if (copies.count(markOf(channel))) {
      addName(channel, separator);
      separator = " + ";
    }
  if (llvm::any_of(
          passed, [&](const PathMark &mark) { return events.isOnCycle(mark); }))
    kind = TrafficKind::Cycle;
  TrafficClass made = newClass(kind, name.empty() ? "rx" : name);
  for (const PathMark &mark : marks)
    if (!passed.count(mark))
      exclude(made, {mark});
  // A copy may be dropped before the packet is sent.
  for (const PathMark &drop : drops)
    if (llvm::any_of(route, [&](ir::ChannelOp channel) {
          return !events.with(markOf(channel)).count(drop);
        }))
      exclude(made, {drop});
  for (ir::ChannelOp channel : channels)
    if (passed.count(markOf(channel)) &&
        (channel.comesFromRx() || isMessage(channel)))
      if (auto to = receiverOf(channel))
        ++made.passages[*to].messages;
  // Copies and packets on cycles may gain what their buffers hold.
  Growth most = FrameGrowth::most();
  made.bytesAdded = kind == TrafficKind::Forward ? bytesAddedOn(route)
                                                 : most.head + most.tail;
  classes.push_back(std::move(made));
}

/// Adds a class of all packets that are sent.
void Classes::addAllRoutes() {
  TrafficClass made = newClass(TrafficKind::Forward, allRoutesName);
  for (TrafficClass::Passage &passage : made.passages)
    passage.messages = 1;
  Growth most = FrameGrowth::most();
  made.bytesAdded = most.head + most.tail;
  classes.push_back(std::move(made));
}

//===-- Other packets -----------------------------------------------------===//

/// Gives the aggregates from which messages come to aggregate `to` one message.
void Classes::passBefore(TrafficClass &made, size_t to) {
  for (size_t j = 0; j < engines.size(); ++j)
    if (j == to || reaches(j, to))
      made.passages[j].messages = 1;
}

void Classes::addDrops() {
  std::vector<std::string> reasons = ir::dropReasonsOf(planned);
  for (size_t i = 0; i < engines.size(); ++i)
    for (const auto &entry : loadedCode(engines, i).marks) {
      const PathMark &mark = entry.first;
      if (mark.kind != PathMark::Kind::Drop)
        continue;
      KARAKAL_ASSERT(mark.number < reasons.size(), "a drop has a reason");
      TrafficClass made = newClass(TrafficKind::Drop, reasons[mark.number]);
      if (engines.size() > 1)
        made.name += " in " + engines[i].plan.name;
      passBefore(made, i);
      keepWith(made, mark);
      classes.push_back(std::move(made));
    }
}

void Classes::addPunts() {
  double clock = double(ir::chipOf(planned).meClockHz);
  for (ir::ChannelOp channel : channels) {
    if (!isPunt(channel))
      continue;
    auto from = channel.comesFromRx() ? receiverOf(channel) : senderOf(channel);
    if (!from) // from the core to itself
      continue;
    TrafficClass made = newClass(TrafficKind::Punt, shortName(channel));
    passBefore(made, *from);
    keepWith(made, markOf(channel));
    if (ir::PuntAttr punt = ir::puntOf(channel))
      made.packetsPerSecondMax =
          punt.getPerWindow() * clock / double(target::PuntWindowCycles);
    classes.push_back(std::move(made));
  }
}

void Classes::addReturns() {
  for (ir::ChannelOp channel : channels) {
    auto to = aggregateOf(consumerOf(channel));
    if (!to || ir::numberOf(channel, ir::ringAttrName) !=
                   uint32_t(target::RingFromXScale))
      continue;
    TrafficClass made = newClass(TrafficKind::Return, shortName(channel));
    keepWith(made, markOf(channel));
    for (size_t j = 0; j < engines.size(); ++j)
      if (j == *to || reaches(*to, j))
        made.passages[j].messages = 1;
    for (ir::ChannelOp other : channels)
      if (other.comesFromRx())
        exclude(made, {markOf(other)});
    classes.push_back(std::move(made));
  }
}

std::vector<TrafficClass> Classes::find() {
  for (ir::ChannelOp channel : channels)
    if (channel.comesFromRx()) {
      Channels route = {channel};
      addRoutes(route);
    }
  if (classes.size() > routesMax)
    classes.clear();
  if (classes.empty())
    addAllRoutes();
  addDrops();
  addPunts();
  addReturns();
  return std::move(classes);
}

} // namespace

const char *trafficKindName(TrafficKind kind) {
  switch (kind) {
  case TrafficKind::Forward:
    return "forward";
  case TrafficKind::Copies:
    return "copies";
  case TrafficKind::Cycle:
    return "cycle";
  case TrafficKind::Drop:
    return "drop";
  case TrafficKind::Punt:
    return "punt";
  case TrafficKind::Return:
    return "return";
  }
  KARAKAL_UNREACHABLE("a kind of traffic without a name");
}

std::vector<TrafficClass>
trafficClassesOf(ModuleOp planned, const std::vector<AggregateCode> &engines) {
  return Classes(planned, engines).find();
}

} // namespace karakal::driver
