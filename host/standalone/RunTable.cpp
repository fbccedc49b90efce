// A program that was compiled ahead of time over a trace.

#include "host/standalone/RunTable.h"
#include "host/standalone/ControlCalls.h"
#include "host/standalone/PacketFaults.h"
#include "host/standalone/ThreadTime.h"
#include "host/standalone/TraceClock.h"
#include "support/Assert.h"
#include "support/HugePages.h"
#include <algorithm>
#include <csetjmp>

namespace karakal::host {

static std::vector<std::string> textsOf(const x86::TextList &list) {
  return {list.texts, list.texts + list.count};
}

std::vector<traces::ControlSignature>
signaturesOf(const x86::ProgramTable &program) {
  std::vector<traces::ControlSignature> signatures;
  for (uint64_t i = 0; i < program.controlCount; ++i) {
    const x86::ControlEntry &entry = program.controls[i];
    traces::ControlSignature &added = signatures.emplace_back();
    added.name = entry.name;
    added.returns = entry.returns;
    std::vector<std::string> parameters = textsOf(entry.parameters);
    for (size_t at = 0; at < parameters.size(); at += 2)
      added.params.push_back({parameters[at], parameters[at + 1]});
    added.tableLimit = entry.tableLimit;
    added.isExclusive = entry.isExclusive != 0;
  }
  return signatures;
}

static std::vector<traces::TimerFunction>
timersOf(const x86::ProgramTable &program) {
  std::vector<traces::TimerFunction> timers;
  for (uint64_t i = 0; i < program.controlCount; ++i)
    if (const x86::ControlEntry &entry = program.controls[i];
        entry.intervalUs != 0)
      timers.push_back({i, entry.name, entry.intervalUs});
  return timers;
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

/// Where a fault leaves the program for, and what it was.
static std::jmp_buf escape;
static std::string faultText;

static void leave(x86::PacketFault fault, uint32_t a, uint32_t b) {
  faultText = faults::textOf(fault, a, b);
  std::longjmp(escape, 1);
}

/// Calls `body`. Returns false if a fault left it. The program's code and
/// `body` own nothing.
template <typename Body> static bool callGuarded(Body body) {
  if (setjmp(escape) != 0)
    return false;
  body();
  return true;
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

namespace {

class TableRunner {
public:
  TableRunner(const x86::ProgramTable &program,
              const std::vector<traces::Packet> &trace,
              const TableRunOptions &options)
      : program(program), trace(trace), options(options),
        calls(signaturesOf(program), textsOf(program.refusals),
              options.keepGoing),
        timers(timersOf(program)), in(options.burst), out(target::BufferCount) {
    KARAKAL_ASSERT(options.burst >= 1 && options.burst <= TableBurstMax,
                   "a burst has buffers");
    KARAKAL_ASSERT(!trace.empty(), "a trace has packets");
  }

  Result<TableRun> run(const std::vector<traces::ControlCall> &control);

private:
  Result<uint32_t> call(size_t index, const std::vector<uint64_t> &arguments);
  Status callTimer(const traces::Timers::Due &due);
  Status timersDue(uint64_t nowNs);
  Status packets();
  Status burst(uint64_t index, uint32_t count);
  void keep(uint32_t count);
  void flush();
  void count();

  const x86::ProgramTable &program;
  const std::vector<traces::Packet> &trace;
  const TableRunOptions &options;
  ControlCalls calls;
  ControlCalls::Function control = [this](size_t index, const auto &arguments) {
    return call(index, arguments);
  };
  traces::Timers timers;
  std::vector<x86::LibraryFrame> in, out;
  TableRun result;
};

} // namespace

Result<uint32_t> TableRunner::call(size_t index,
                                   const std::vector<uint64_t> &arguments) {
  uint32_t returned = 0;
  bool isDone = callGuarded([&] {
    returned = program.controls[index].call(arguments.data());
    program.drain();
  });
  if (!isDone)
    return makeError("E-host-001", faultText);
  return returned;
}

/// Keeps frames that the program gave out.
void TableRunner::keep(uint32_t count) {
  for (uint32_t i = 0; options.keepFrames && i < count; ++i) {
    traces::Packet &kept = result.transmitted.emplace_back();
    kept.timeNs = out[i].timeNs;
    kept.port = out[i].port;
    kept.bytes.assign(out[i].data, out[i].data + out[i].bytes);
  }
}

/// Runs `count` packets from `index`, whose frames follow each other.
Status TableRunner::burst(uint64_t index, uint32_t count) {
  const traces::Packet *frames = &trace[index % trace.size()];
  for (uint32_t i = 0; i < count; ++i)
    in[i] = {frames[i].bytes.data(), uint32_t(frames[i].bytes.size()),
             frames[i].port, frames[i].timeNs};
  uint32_t sent = 0;
  if (!callGuarded([&] { sent = program.batch(in.data(), count, out.data()); }))
    return makeError("E-host-004",
                     "packet " +
                         std::to_string(index + program.state->current) + ": " +
                         faultText);
  x86::LibraryCounts counts;
  program.statistics(&counts);
  if (counts.noBuffer != 0)
    return makeError("E-host-004", "packet " + std::to_string(index) + ": " +
                                       faults::noBufferToReceive());
  keep(sent);
  return success();
}

/// Calls a timer's function at its own time, at which its packets leave.
Status TableRunner::callTimer(const traces::Timers::Due &due) {
  uint64_t before = program.setTime(trace.front().timeNs + due.atNs);
  auto called = call(due.function, {});
  if (!called)
    return makeError("E-host-001",
                     std::string(program.controls[due.function].name) + ": " +
                         called.error().message);
  keep(program.batch(nullptr, 0, out.data()));
  program.setTime(before);
  return success();
}

/// Calls the timers that are due by `nowNs` after the start.
Status TableRunner::timersDue(uint64_t nowNs) {
  while (auto due = timers.take(nowNs))
    if (Status done = callTimer(*due); !done)
      return done;
  return success();
}

Status TableRunner::packets() {
  uint64_t end = options.packets ? options.packets : trace.size();
  TraceClock clock(trace);
  for (uint64_t i = 0; i < end;) {
    if (Status done = timersDue(clock.at(i)); !done)
      return done;
    if (Status made = calls.makeDue(ControlCalls::beforePacket(i), control);
        !made)
      return made;
    uint64_t count = std::min<uint64_t>(
        {options.burst, end - i, trace.size() - i % trace.size()});
    if (calls.nextDue() != ControlCalls::Never)
      count = std::min<uint64_t>(count, calls.nextDue() - 1 - i);
    if (!timers.empty())
      count = clock.countBefore(timers.nextNs(), i, count);
    if (Status done = burst(i, uint32_t(count)); !done)
      return done;
    i += count;
  }
  return success();
}

/// Takes what control functions sent and gives all buffers back.
void TableRunner::flush() {
  for (int turn = 0; turn < 2; ++turn)
    keep(program.batch(nullptr, 0, out.data()));
}

void TableRunner::count() {
  x86::LibraryCounts counts;
  program.statistics(&counts);
  PacketCounts &packets = result.packets;
  packets.received = counts.received;
  packets.forwarded = counts.forwarded;
  packets.dropped = counts.dropped;
  packets.consumed = counts.consumed;
  packets.countWaiting();
  packets.copied = counts.copied;
  packets.transmitted = counts.transmitted;
  packets.oversize = counts.oversize;
  packets.toXScale = program.state->toXScale;
  for (uint64_t i = 0; i < program.dropReasons.count; ++i)
    result.drops.emplace_back(program.dropReasons.texts[i],
                              program.dropCounts[i]);
  result.controlCalls = calls.madeCount();
  result.controlNotReached = calls.notReachedCount();
  result.controlValues = calls.values();
  result.refusedCalls = calls.refused();
  result.timers = timers.counts();
}

Result<TableRun>
TableRunner::run(const std::vector<traces::ControlCall> &written) {
  if (Status bound = calls.bind(written); !bound)
    return bound.error();
  *program.onFault = leave;
  adviseHugePagesForData(program.state);
  if (!callGuarded([&] { program.init(); }))
    return makeError("E-host-001", "init: " + faultText);
  program.useSubBatch(options.subBatch);
  if (Status made = calls.makeDue(ControlCalls::AtStart, control); !made)
    return made.error();
  double start = threadSeconds();
  if (Status done = packets(); !done)
    return done.error();
  result.runSeconds = threadSeconds() - start;
  if (Status made = calls.makeAtEnd(control); !made)
    return made.error();
  flush();
  uint32_t inUse = target::BufferCount - program.state->freeCount;
  uint32_t waiting = program.state->waiting;
  if (inUse != waiting)
    return makeError("E-host-005", faults::keepsPackets(inUse - waiting));
  count();
  return std::move(result);
}

Result<TableRun> runTable(const x86::ProgramTable &program,
                          const std::vector<traces::Packet> &trace,
                          const std::vector<traces::ControlCall> &control,
                          const TableRunOptions &options) {
  return TableRunner(program, trace, options).run(control);
}

} // namespace karakal::host
