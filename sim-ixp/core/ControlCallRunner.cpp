// Calls of control functions.
//
// See ControlCallRunner.h for the idea.

#include "sim-ixp/core/ControlCallRunner.h"

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
  return signature;
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
  }
  for (const traces::ControlCall &written : calls) {
    Result<traces::Resolved> bound =
        traces::bindCall(written, runner.signatures);
    if (!bound)
      return bound.error();
    Call call{written.when,
              runner.entries[bound->function],
              {},
              written.text,
              written.file,
              written.line,
              runner.signatures[bound->function],
              bound->function,
              {}};
    for (uint64_t argument : bound->args)
      call.arguments.push_back(static_cast<int64_t>(argument));
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

/// A refused call ends the run, or is kept for its result.
Status ControlCallRunner::refuse(Error why) {
  if (!keepGoing)
    return why;
  refused.push_back(std::move(why));
  return success();
}

/// Keeps the result of a call that has returned.
Status ControlCallRunner::record(const Call &call,
                                 const Result<uint32_t> &result) {
  ++done;
  if (!result) {
    Error error = result.error();
    error.message = "'" + call.function.name + "' failed: " + error.message;
    error.file = call.file;
    error.line = call.line;
    return error;
  }
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
  call.entry = entries[next->function];
  call.arguments.assign(next->args.begin(), next->args.end());
  return true;
}

Status ControlCallRunner::runBeforeStart() {
  Status status = runAll(startCalls);
  scheduler->advanceTo(
      std::min(scheduler->now() + core->callCycles(), scheduler->nextCycle()));
  return status;
}

Status ControlCallRunner::runAtEnd() { return runAll(endCalls); }

Status ControlCallRunner::runAll(std::vector<Call> &calls) {
  for (Call &call : calls) {
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
    scheduler->schedule(begin + call.when, this, 0, 0);
  onArrived(0);
}

void ControlCallRunner::onArrived(uint64_t count) {
  while (!packetCalls.empty() && packetCalls.front().when <= count) {
    due.push_back(std::move(packetCalls.front()));
    packetCalls.pop_front();
  }
  runDue();
}

/// The cycle of an `@cycle` call has come.
void ControlCallRunner::onEvent(uint64_t, uint32_t, uint64_t) {
  due.push_back(std::move(cycleCalls.front()));
  cycleCalls.pop_front();
  runDue();
}

void ControlCallRunner::runDue() {
  if (due.empty() || firstError || isRunning)
    return;
  isRunning = true;
  if (!due.front().begin)
    due.front().begin = scheduler->now();
  core->start(due.front().entry, due.front().arguments,
              [this](const Result<uint32_t> &result) { onReturn(result); });
}

void ControlCallRunner::onReturn(const Result<uint32_t> &result) {
  isRunning = false;
  if (goesOn(due.front(), result))
    return runDue();
  Call call = std::move(due.front());
  due.pop_front();
  KARAKAL_ASSERT(call.begin, "a call that returns has begun");
  timed.push_back({call.text, call.line, *call.begin, scheduler->now()});
  if (Status status = record(call, result); !status)
    firstError = status.error();
  runDue();
}

} // namespace karakal::sim
