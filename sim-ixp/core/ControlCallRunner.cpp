// Calls of control functions.
//
// See ControlCallRunner.h for the idea.

#include "sim-ixp/core/ControlCallRunner.h"
#include "target-ixp/image/Manifest.h"

#include <algorithm>

namespace karakal::sim {
namespace {

using nlohmann::json;

traces::ControlSignature signatureOf(const json &function) {
  traces::ControlSignature signature;
  signature.name = function["name"];
  for (const json &parameter : function["params"])
    signature.params.push_back({parameter["name"], parameter["type"]});
  signature.returns = function["returns"];
  signature.tableLimit = function.value("table_limit", uint64_t(0));
  signature.isExclusive = function.value("exclusive", false);
  return signature;
}

/// Cycles between two looks for packets, and the looks in a row that must find
/// none: a packet may make look-ups after it was put to Tx or dropped.
constexpr uint64_t lookCycles = 1024;
constexpr uint32_t emptyLooksNeeded = 4;
/// Cycles after which a call is given up because packets do not leave.
constexpr uint64_t holdCyclesMax = 1000000;

/// What the engines cache during a call: names of globals, or the beginning of
/// all names if they cache look-ups, which may read any table. Nothing if calls
/// exchange the engines' code.
std::vector<std::string> cachedNames(const json &manifest) {
  std::vector<std::string> names;
  if (target::exchangesCode(manifest))
    return names;
  for (const char *list : {"caches", "cache_lines"})
    for (const json &cache : manifest.value(list, json::array()))
      names.push_back(cache["global"]);
  if (!manifest.value("lookup_caches", json::array()).empty())
    names.push_back("");
  return names;
}

} // namespace

Result<ControlCallRunner>
ControlCallRunner::create(const target::Image &image,
                          const std::vector<traces::ControlCall> &calls,
                          bool keepGoing) {
  ControlCallRunner runner;
  runner.keepGoing = keepGoing;
  if (!image.manifest.contains("xscale")) {
    if (!calls.empty())
      return makeFileError("E-sim-ixp-020", calls.front().file,
                           "the image has no control functions",
                           calls.front().line);
    return runner;
  }
  const json &xscale = image.manifest["xscale"];
  for (const json &function : xscale["init"]) {
    Call call;
    call.function.name = function["name"];
    call.entry = function["entry"];
    runner.startCalls.push_back(std::move(call));
  }
  if (xscale.contains("refusals"))
    runner.refusals = xscale["refusals"].get<std::vector<std::string>>();
  for (const json &function : xscale["control"]) {
    runner.signatures.push_back(signatureOf(function));
    runner.entries.push_back(function["entry"]);
    if (function.contains("interval_us"))
      runner.timers.push_back(
          {runner.signatures.size() - 1,
           false,
           {function["name"], function["interval_us"].get<uint64_t>()}});
  }
  runner.cached = cachedNames(image.manifest);
  for (const traces::ControlCall &written : calls) {
    Call call;
    call.when = written.when;
    call.text = written.text;
    call.file = written.file;
    call.line = written.line;
    if (Status bound = runner.bind(call, written); !bound)
      return bound.error();
    if (written.kind == traces::ControlCall::Start)
      runner.startCalls.push_back(std::move(call));
    else if (written.kind == traces::ControlCall::AtEnd)
      runner.endCalls.push_back(std::move(call));
    else if (written.kind == traces::ControlCall::AtPacket)
      runner.packetCalls.push_back(std::move(call));
    else
      runner.cycleCalls.push_back(std::move(call));
  }
  auto earlier = [](const Call &a, const Call &b) { return a.when < b.when; };
  std::stable_sort(runner.packetCalls.begin(), runner.packetCalls.end(),
                   earlier);
  std::stable_sort(runner.cycleCalls.begin(), runner.cycleCalls.end(), earlier);
  return runner;
}

/// Checks a call against the image's functions.
Status ControlCallRunner::bind(Call &call, const traces::ControlCall &written) {
  if (!written.isBatch) {
    Result<traces::Resolved> bound = traces::bindCall(written, signatures);
    if (!bound)
      return bound.error();
    call.function = signatures[bound->function];
    call.functionIndex = bound->function;
    set(call, *bound);
    return success();
  }
  auto batch = traces::TableBatch::create(written, signatures);
  if (!batch)
    return batch.error();
  call.function.name = written.text;
  call.written = std::make_shared<traces::ControlCall>(written);
  if (written.kind != traces::ControlCall::AtPacket &&
      written.kind != traces::ControlCall::AtCycle)
    return success();
  for (const traces::TableBatch::Part &part : batch->parts())
    for (const std::string &name : cached)
      if (name.empty() || name.find(part.table + ".") == 0)
        return makeFileError(
            "E-sim-ixp-022", part.call->file,
            "engines cache what they read of '" + part.table +
                "', so packets after the batch may see the table before it; "
                "compile the image with --level=phr",
            part.call->line);
  return success();
}

/// A refused call ends the run, or is kept for its result.
Status ControlCallRunner::refuse(Error why) {
  if (!keepGoing)
    return why;
  refused.push_back(std::move(why));
  return success();
}

void ControlCallRunner::set(Call &call, const traces::Resolved &next) {
  call.entry = entries[next.function];
  call.arguments.assign(next.args.begin(), next.args.end());
}

void ControlCallRunner::beginBatch(Call &call) {
  if (!call.written || call.batch)
    return;
  auto batch = traces::TableBatch::create(*call.written, signatures);
  KARAKAL_ASSERT(batch, "the form of a batch was checked");
  call.batch.emplace(std::move(*batch));
  set(call, *call.batch->next(0));
}

/// A refused call of a batch refuses them all.
Status ControlCallRunner::recordBatch(const traces::TableBatch &batch) {
  if (!batch.refused())
    return success();
  const traces::TableBatch::Refused &why = *batch.refused();
  return refuse(makeFileError("E-sim-ixp-021", why.call->file,
                              traces::batchRefusal(why, signatures, refusals),
                              why.call->line));
}

/// Keeps the result of a call that has returned.
Status ControlCallRunner::record(const Call &call,
                                 const Result<uint32_t> &result) {
  if (call.timer) {
    traces::TimerCounts &counts = timers[*call.timer].counts;
    if (!call.isMade) { // packets did not leave: it is due again
      ++counts.missed;
      return success();
    }
    ++counts.calls;
  } else {
    ++done;
  }
  if (!result && !call.isMade) {
    Error error = result.error();
    error.file = call.file;
    error.line = call.line;
    return refuse(std::move(error));
  }
  if (!result) {
    Error error = result.error();
    error.message = "'" + call.function.name + "' failed: " + error.message;
    error.file = call.file;
    error.line = call.line;
    return error;
  }
  if (call.batch)
    return recordBatch(*call.batch);
  if (call.reader)
    given.push_back({call.text, call.line, 0, call.reader->lines()});
  else if (traces::givesValue(call.function))
    given.push_back(
        traces::valueOf(call.function, call.text, call.line, *result));
  // Initialization functions return nothing and have no source line.
  else if (*result != 0 && call.line != 0)
    return refuse(
        makeFileError("E-sim-ixp-021", call.file,
                      "'" + call.function.name + "' refused the call: " +
                          traces::refusal(call.function, refusals,
                                          static_cast<int32_t>(*result)),
                      call.line));
  return success();
}

bool ControlCallRunner::goesOn(Call &call, const Result<uint32_t> &result) {
  if (result && call.batch) {
    std::optional<traces::Resolved> next = call.batch->next(*result);
    if (next)
      set(call, *next);
    return next.has_value();
  }
  if (!result || !traces::readsEntries(call.function))
    return false;
  if (!call.reader) {
    if (*result != 0)
      return false;
    call.reader.emplace(signatures, call.functionIndex);
  }
  std::optional<traces::Resolved> next = call.reader->next(*result);
  if (!next)
    return false;
  set(call, *next);
  return true;
}

void ControlCallRunner::leaveOut(const std::string &timer) {
  timers.erase(std::remove_if(timers.begin(), timers.end(),
                              [&](const Timer &each) {
                                return each.counts.name == timer;
                              }),
               timers.end());
}

Status ControlCallRunner::runBeforeStart() {
  Status status = runAll(startCalls);
  scheduler->advanceTo(
      std::min(scheduler->now() + core->callCycles(), scheduler->nextCycle()));
  return status;
}

Status ControlCallRunner::runAtEnd() { return runAll(endCalls); }

void ControlCallRunner::startAtEnd() {
  std::move(endCalls.begin(), endCalls.end(), std::back_inserter(due));
  endCalls.clear();
  runDue();
}

Status ControlCallRunner::runAll(std::vector<Call> &calls) {
  for (Call &call : calls) {
    call.isMade = true;
    beginBatch(call);
    Result<uint32_t> result = core->call(call.entry, call.arguments);
    while (goesOn(call, result))
      result = core->call(call.entry, call.arguments);
    if (Status status = record(call, result); !status)
      return status;
  }
  calls.clear();
  return success();
}

void ControlCallRunner::start() {
  uint64_t begin = scheduler->now();
  for (const Call &call : cycleCalls)
    scheduler->schedule(begin + call.when, this, CallDue, 0);
  for (std::size_t i = 0; i < timers.size(); ++i)
    scheduleTimer(i);
  onArrived(0);
}

void ControlCallRunner::scheduleTimer(std::size_t index) {
  double seconds = static_cast<double>(timers[index].counts.intervalUs) / 1e6;
  auto cycles =
      static_cast<uint64_t>(seconds * static_cast<double>(clockHz) + 0.5);
  KARAKAL_ASSERT(cycles != 0, "a microsecond has cycles");
  scheduler->schedule(scheduler->now() + cycles, this, TimerDue, index);
}

/// A timer that can never be called in time must not keep the run going, so
/// timers end with the frames.
void ControlCallRunner::timerDue(std::size_t index) {
  if (hold->isOver())
    return;
  scheduleTimer(index);
  Timer &timer = timers[index];
  if (timer.isWaiting) {
    ++timer.counts.missed;
    return;
  }
  timer.isWaiting = true;
  timer.counts.late += isRunning || core->isBusy();
  Call call;
  call.function = signatures[timer.function];
  call.text = call.function.name + "()";
  call.entry = entries[timer.function];
  call.timer = index;
  due.push_back(std::move(call));
  runDue();
}

std::vector<traces::TimerCounts> ControlCallRunner::timerCounts() const {
  std::vector<traces::TimerCounts> counts;
  for (const Timer &timer : timers)
    counts.push_back(timer.counts);
  return counts;
}

void ControlCallRunner::onArrived(uint64_t count) {
  while (!packetCalls.empty() && packetCalls.front().when <= count) {
    due.push_back(std::move(packetCalls.front()));
    packetCalls.pop_front();
  }
  runDue();
}

void ControlCallRunner::onEvent(uint64_t, uint32_t code, uint64_t argument) {
  if (code == LookForPackets)
    return lookForPackets();
  if (code == TimerDue)
    return timerDue(static_cast<std::size_t>(argument));
  due.push_back(std::move(cycleCalls.front()));
  cycleCalls.pop_front();
  runDue();
}

void ControlCallRunner::setHeld(bool isHeld) {
  KARAKAL_ASSERT(hold && holding != isHeld, "frames are held once");
  holding = isHeld;
  if (!isHeld)
    progress = scheduler->now();
  hold->setHeld(isHeld);
}

/// Begins the call if all packets have left, or looks again later.
void ControlCallRunner::lookForPackets() {
  KARAKAL_ASSERT(holding && due.front().begin, "a call waits");
  bool isEmpty = hold->isEmpty() && !core->isBusy();
  emptyLooks = isEmpty ? emptyLooks + 1 : 0;
  if (emptyLooks == emptyLooksNeeded)
    return startFirst();
  if (scheduler->now() - *due.front().begin < holdCyclesMax) {
    scheduler->schedule(scheduler->now() + lookCycles, this, LookForPackets, 0);
    return;
  }
  finishFirst(makeError(
      "E-sim-ixp-023",
      "packets have been in the chip for " + std::to_string(holdCyclesMax) +
          " cycles, so " +
          (due.front().written
               ? "the tables stay as they are"
               : "'" + due.front().function.name + "' was not called")));
}

void ControlCallRunner::runDue() {
  if (due.empty() || firstError || isRunning)
    return;
  isRunning = true;
  Call &call = due.front();
  call.begin = scheduler->now();
  if (!call.written && !call.function.isExclusive)
    return startFirst();
  emptyLooks = 0;
  setHeld(true);
  lookForPackets();
}

/// Makes the first call that is due, or the next one that it needs.
void ControlCallRunner::startFirst() {
  due.front().isMade = true;
  beginBatch(due.front());
  core->start(due.front().entry, due.front().arguments,
              [this](const Result<uint32_t> &result) {
                if (goesOn(due.front(), result))
                  startFirst();
                else
                  finishFirst(result);
              });
}

void ControlCallRunner::finishFirst(const Result<uint32_t> &result) {
  if (holding)
    setHeld(false);
  isRunning = false;
  Call call = std::move(due.front());
  due.pop_front();
  KARAKAL_ASSERT(call.begin, "a call that returns has begun");
  timed.push_back({call.text, call.line, *call.begin, scheduler->now()});
  if (call.timer)
    timers[*call.timer].isWaiting = false;
  else
    progress = scheduler->now();
  if (Status status = record(call, result); !status)
    firstError = status.error();
  runDue();
}

} // namespace karakal::sim
