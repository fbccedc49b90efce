// What may happen to the packets of one message.

#include "driver/report/PathEvents.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Target.h"
#include "support/Assert.h"
#include "target-ixp/chip/Rings.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace karakal::driver {

using target::PathMark;

PathMark markOf(ir::ChannelOp channel) {
  std::optional<uint32_t> id = ir::numberOf(channel, ir::idAttrName);
  KARAKAL_ASSERT(id, "the channels of a plan have numbers");
  return {PathMark::Kind::Channel, *id};
}

bool isPunt(ir::ChannelOp channel) {
  return ir::numberOf(channel, ir::ringAttrName) == target::RingToXScale;
}

PathEvents::PathEvents(ModuleOp planned) : planned(planned) {
  for (auto channel : planned.getOps<ir::ChannelOp>()) {
    channels[markOf(channel)] = channel;
    if (isPunt(channel))
      punts.insert(markOf(channel));
  }
  for (auto function : planned.getOps<func::FuncOp>())
    if (ir::isPpf(function))
      marksFrom(function);
  addCompanions();
}

const PathMarks &PathEvents::with(const PathMark &event) const {
  auto at = companions.find(event);
  KARAKAL_ASSERT(at != companions.end(), "an event of the program");
  return at->second;
}

const PathMarks &PathEvents::downstreamOf(const PathMark &event) const {
  auto at = downstream.find(event);
  KARAKAL_ASSERT(at != downstream.end(), "an event of the program");
  return at->second;
}

PathMarks PathEvents::putsWith(func::FuncOp ppf, const PathMark &put) {
  PathMarks puts, open = {put};
  while (!open.empty()) {
    PathMark mark = *open.begin();
    open.erase(open.begin());
    for (const auto &[a, b] : together[ppf])
      if (a == mark && isPut(b) && puts.insert(b).second)
        open.insert(b);
  }
  return puts;
}

//===-- One call ----------------------------------------------------------===//

PathMarks PathEvents::marksOf(Operation &op, func::FuncOp function) {
  if (auto put = dyn_cast<ir::ChannelPutOp>(op))
    return {markOf(planned.lookupSymbol<ir::ChannelOp>(put.getChannel()))};
  if (auto drop = dyn_cast<ir::PacketDropOp>(op))
    return {{PathMark::Kind::Drop, ir::dropReasonNumber(drop)}};
  auto call = dyn_cast<func::CallOp>(op);
  auto callee =
      call ? planned.lookupSymbol<func::FuncOp>(call.getCallee()) : nullptr;
  if (!callee)
    return {};
  PathMarks marks = marksFrom(callee);
  const Pairs pairs = together[callee];
  together[function].insert(pairs.begin(), pairs.end());
  return marks;
}

/// The events of a function's paths. Adds the pairs that occur together.
const PathMarks &PathEvents::marksFrom(func::FuncOp function) {
  if (auto at = ofFunction.find(function); at != ofFunction.end())
    return at->second;
  // The events of the paths that begin at a block, until nothing changes.
  std::map<Block *, PathMarks> from;
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (Block &block : llvm::reverse(function.getBody())) {
      PathMarks after;
      for (Block *next : block.getSuccessors())
        after.insert(from[next].begin(), from[next].end());
      for (Operation &op : llvm::reverse(block)) {
        PathMarks here = marksOf(op, function);
        for (const PathMark &a : here)
          for (const PathMark &b : after)
            together[function].insert({{a, b}, {b, a}});
        after.insert(here.begin(), here.end());
      }
      isChanged |= from[&block].size() != after.size();
      from[&block] = std::move(after);
    }
  }
  PathMarks marks;
  if (!function.getBody().empty())
    marks = from[&function.getBody().front()];
  return ofFunction[function] = std::move(marks);
}

//===-- One message -------------------------------------------------------===//

/// The events of the PPF that takes the packets of a channel; none: it is not
/// on an engine, or the event is not a channel.
const PathMarks &PathEvents::next(const PathMark &event) {
  static const PathMarks none;
  if (!isPut(event))
    return none;
  auto consumer =
      planned.lookupSymbol<func::FuncOp>(channels[event].getConsumer());
  return consumer && ir::coreOf(consumer) == ir::Core::Me ? of(consumer) : none;
}

PathMarks PathEvents::findDownstream(const PathMark &event) {
  PathMarks found = {event}, open = {event};
  while (!open.empty()) {
    PathMark mark = *open.begin();
    open.erase(open.begin());
    for (const PathMark &after : next(mark)) {
      if (after == event)
        cyclic.insert(event);
      if (found.insert(after).second)
        open.insert(after);
    }
  }
  return found;
}

/// Two events are companions if one is downstream of the other, or if both are
/// downstream of events of one call of a PPF, or are those.
void PathEvents::addCompanions() {
  PathMarks events;
  for (const auto &entry : channels)
    events.insert(entry.first);
  for (const auto &entry : ofFunction)
    events.insert(entry.second.begin(), entry.second.end());
  for (const PathMark &event : events)
    downstream[event] = findDownstream(event);
  auto add = [&](const PathMarks &some, const PathMarks &others) {
    for (const PathMark &a : some) {
      companions[a].insert(others.begin(), others.end());
      for (const PathMark &b : others)
        companions[b].insert(a);
    }
  };
  for (const PathMark &event : events)
    add({event}, downstream[event]);
  for (auto function : planned.getOps<func::FuncOp>())
    if (ir::isPpf(function) && ir::coreOf(function) == ir::Core::Me)
      for (const auto &[a, b] : together[function])
        add(downstream[a], downstream[b]);
}

} // namespace karakal::driver
