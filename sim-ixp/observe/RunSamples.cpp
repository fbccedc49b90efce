// A run in a bounded number of windows.

#include "sim-ixp/observe/RunSamples.h"

#include <algorithm>
#include <utility>

namespace karakal::sim {
namespace {

Activity waitFor(Timeline::Counter unit) {
  if (unit < Timeline::Scratch)
    return Activity::Sram;
  if (unit == Timeline::Scratch)
    return Activity::Scratch;
  return unit == Timeline::Dram ? Activity::Dram : Activity::Other;
}

} // namespace

const char *fateName(PacketFate fate) {
  switch (fate) {
  case PacketFate::Inside:
    return "inside";
  case PacketFate::Forwarded:
    return "forwarded";
  case PacketFate::Dropped:
    return "dropped";
  case PacketFate::Consumed:
    return "consumed";
  }
  KARAKAL_UNREACHABLE("a fate without a name");
}

void RunSamples::start(uint64_t cycle, Timeline *next) {
  KARAKAL_ASSERT(ends.empty() && states.empty(), "a run has begun already");
  begin = commandCycle = cycle;
  nextEnd = begin + window;
  timeline = next;
}

void RunSamples::addTotals(Totals totals) {
  KARAKAL_ASSERT(ends.empty() || totals.cycle > ends.back().cycle,
                 "windows end in the order of time");
  makeRoomFor(totals.cycle - 1);
  for (uint32_t i = 0; i < Timeline::counterCount; ++i)
    totals.commandCycles.push_back(
        commandCycles[i] +
        inFlight[i] * (totals.cycle - std::min(totals.cycle, commandCycle)));
  nextEnd = totals.cycle + window;
  ends.push_back(std::move(totals));
}

/// Merges windows until the one of `cycle` exists.
void RunSamples::makeRoomFor(uint64_t cycle) {
  KARAKAL_ASSERT(cycle >= begin, "before the first window");
  while ((cycle - begin) / window >= windowCountMax)
    mergeNeighbours();
  if (size_t index = (cycle - begin) / window; index >= states.size())
    states.resize(index + 1);
}

void RunSamples::mergeNeighbours() {
  for (size_t i = 0; i < states.size(); i += 2) {
    WindowStates merged = states[i];
    if (i + 1 < states.size())
      for (uint32_t engine = 0; engine < engineCountMax; ++engine)
        for (uint32_t context = 0; context < contextCount; ++context)
          for (uint32_t state = 0; state < activityCount; ++state)
            merged[engine][context][state] +=
                states[i + 1][engine][context][state];
    states[i / 2] = merged;
  }
  states.resize((states.size() + 1) / 2);
  window *= 2;
  std::vector<Totals> kept;
  for (size_t i = 1; i < ends.size(); i += 2)
    kept.push_back(std::move(ends[i]));
  ends = std::move(kept);
  nextEnd = (ends.empty() ? begin : ends.back().cycle) + window;
  details.erase(std::remove_if(details.begin(), details.end(),
                               [this](const ContextSpan &span) {
                                 return (span.begin - begin) % window >=
                                        detailCycles;
                               }),
                details.end());
}

/// Adds the cycles of a span to its windows.
void RunSamples::addSpan(const ContextSpan &span) {
  uint64_t from = std::max(span.begin, begin);
  uint64_t end = span.begin + span.cycles;
  if (from >= end)
    return;
  KARAKAL_ASSERT(span.engine < engineCountMax && span.context < contextCount,
                 "a span of no context");
  makeRoomFor(end - 1);
  if ((from - begin) % window < detailCycles)
    details.push_back(span);
  while (from < end) {
    uint64_t index = (from - begin) / window;
    uint64_t to = std::min(end, begin + (index + 1) * window);
    states[index][span.engine][span.context]
          [static_cast<uint32_t>(span.state)] +=
        static_cast<uint32_t>(to - from);
    from = to;
  }
}

void RunSamples::addSegment(uint32_t engine, uint32_t context,
                            uint64_t segmentBegin, uint64_t segmentEnd) {
  if (timeline)
    timeline->addSegment(engine, context, segmentBegin, segmentEnd);
  addSpan({segmentBegin, static_cast<uint32_t>(segmentEnd - segmentBegin), 0,
           static_cast<uint8_t>(engine), static_cast<uint8_t>(context),
           Activity::Run});
}

/// A context waits for the unit whose command was the last to raise one of its
/// signals. Signals of other contexts count as another unit.
void RunSamples::addWait(uint32_t engine, uint32_t context, const Wait &wait) {
  if (timeline)
    timeline->addWait(engine, context, wait);
  Raised last;
  for (uint32_t signal = 1; signal < signalCount; ++signal)
    if (wait.signals >> signal & 1)
      if (const Raised &found = raised[engine][context][signal];
          found.cycle > last.cycle)
        last = found;
  ContextSpan span{wait.begin,
                   static_cast<uint32_t>(wait.ready - wait.begin),
                   static_cast<uint16_t>(wait.pc),
                   static_cast<uint8_t>(engine),
                   static_cast<uint8_t>(context),
                   last.cycle > wait.begin ? last.wait : Activity::Other};
  addSpan(span);
  span.begin = wait.ready;
  span.cycles = static_cast<uint32_t>(wait.end - wait.ready);
  span.state = Activity::Ready;
  addSpan(span);
}

void RunSamples::onCommand(uint64_t cycle, const Command &command, bool isEnd) {
  if (timeline)
    timeline->onCommand(cycle, command, isEnd);
  Timeline::Counter unit = Timeline::counterOf(command);
  if (unit == Timeline::None)
    return;
  if (cycle > commandCycle) {
    for (uint32_t i = 0; i < Timeline::counterCount; ++i)
      commandCycles[i] += inFlight[i] * (cycle - commandCycle);
    commandCycle = cycle;
  }
  KARAKAL_ASSERT(!isEnd || inFlight[unit] > 0,
                 "a command ends at a unit that it did not go to");
  inFlight[unit] += isEnd ? -1 : 1;
  if (isEnd && command.engine < engineCountMax && command.signal != 0) {
    auto &of = raised[command.engine][command.context];
    of[command.signal] = {cycle, waitFor(unit)};
    if (command.isSignalPair)
      of[(command.signal + 1) % signalCount] = of[command.signal];
  }
}

PacketRow &RunSamples::row(uint64_t number) {
  if (number >= rows.size())
    rows.resize(number + 1);
  return rows[number];
}

void RunSamples::addPacket(uint64_t cycle, uint64_t number, PacketStep step) {
  PacketRow &packet = row(number);
  if (step == PacketStep::Put && packet.received == 0)
    packet.received = cycle;
  else if (step == PacketStep::Get && packet.taken == 0)
    packet.taken = cycle;
  else if (step == PacketStep::Freed && packet.left == 0)
    packet.left = cycle;
}

void RunSamples::setSent(uint64_t cycle, uint64_t number, uint32_t port,
                         uint64_t latency) {
  PacketRow &packet = row(number);
  packet.left = cycle;
  packet.port = static_cast<uint16_t>(port);
  packet.latency = latency;
  packet.fate = PacketFate::Forwarded;
}

void RunSamples::setFate(uint64_t number, PacketFate fate) {
  PacketRow &packet = row(number);
  if (packet.fate != PacketFate::Forwarded)
    packet.fate = fate;
}

uint32_t RunSamples::cyclesIn(size_t index, uint32_t engine, uint32_t context,
                              Activity state) const {
  KARAKAL_ASSERT(engine < engineCountMax && context < contextCount,
                 "no such context");
  return index < states.size()
             ? states[index][engine][context][static_cast<uint32_t>(state)]
             : 0;
}

} // namespace karakal::sim
