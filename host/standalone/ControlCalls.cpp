// The calls of a control file, for a program that answers each at once.

#include "host/standalone/ControlCalls.h"
#include "traces/TableBatch.h"
#include <algorithm>
#include <cstdio>
#include <tuple>

namespace karakal::host {

ControlCalls::ControlCalls(std::vector<traces::ControlSignature> signatures,
                           std::vector<std::string> refusals, bool keepsGoing)
    : signatures(std::move(signatures)), refusals(std::move(refusals)),
      keepsGoing(keepsGoing) {}

Status ControlCalls::bind(const std::vector<traces::ControlCall> &control) {
  KARAKAL_ASSERT(calls.empty() && endCalls.empty(), "calls are bound once");
  for (const traces::ControlCall &call : control) {
    if (call.kind == traces::ControlCall::AtCycle)
      return makeFileError("E-host-003", call.file,
                           "a program on x86 has no clock cycles to wait for; "
                           "use @packet",
                           call.line);
    Result<traces::Resolved> bound = traces::Resolved{};
    if (call.isBatch) {
      if (auto batch = traces::TableBatch::create(call, signatures); !batch)
        return batch.error();
    } else {
      bound = traces::bindCall(call, signatures);
    }
    if (!bound)
      return bound.error();
    if (call.kind == traces::ControlCall::AtEnd) {
      endCalls.push_back(
          {&call, bound->function, std::move(bound->args), AtStart});
      continue;
    }
    bool isStart = call.kind == traces::ControlCall::Start;
    calls.push_back({&call, bound->function, std::move(bound->args),
                     isStart ? AtStart : beforePacket(call.when)});
  }
  // The calls of one time keep the file's order.
  std::sort(calls.begin(), calls.end(), [](const Bound &a, const Bound &b) {
    return std::tie(a.due, a.call) < std::tie(b.due, b.call);
  });
  return success();
}

std::set<size_t> ControlCalls::functions() const {
  std::set<size_t> functions;
  for (const std::vector<Bound> *list : {&calls, &endCalls})
    for (const Bound &bound : *list)
      if (!bound.call->isBatch)
        functions.insert(bound.function);
  return functions;
}

uint64_t ControlCalls::nextDue() const {
  return next < calls.size() ? calls[next].due : Never;
}

Status ControlCalls::makeDue(uint64_t due, const Function &function) {
  KARAKAL_ASSERT(due != Never, "a time of the run");
  for (; nextDue() <= due; ++next)
    if (Status status = make(calls[next], function); !status)
      return status;
  return success();
}

Status ControlCalls::makeAtEnd(const Function &function) {
  for (const Bound &call : endCalls) {
    if (Status status = make(call, function); !status)
      return status;
    ++endMade;
  }
  return success();
}

/// A refused call ends the run, or is kept for its result.
Status ControlCalls::refuse(Error why) {
  if (!keepsGoing)
    return why;
  refusedCalls.push_back(std::move(why));
  return success();
}

/// The error of a function that did something illegal, with the call's place.
static Error withPlace(const Error &fault, const traces::ControlCall &call) {
  return makeFileError("E-host-001", call.file,
                       call.name + ": " + fault.message, call.line);
}

/// Keeps the entries that a call of `read` or `dump` asked for.
Status ControlCalls::readEntries(const Bound &bound, const Function &function) {
  traces::TableReader reader(signatures, bound.function);
  Result<uint32_t> returned = 0u;
  while (auto next = reader.next(*returned)) {
    returned = function(next->function, next->args);
    if (!returned)
      return withPlace(returned.error(), *bound.call);
  }
  valueList.push_back({bound.call->text, bound.call->line, 0, reader.lines()});
  return success();
}

Status ControlCalls::makeBatch(const Bound &bound, const Function &function) {
  auto batch = traces::TableBatch::create(*bound.call, signatures);
  KARAKAL_ASSERT(batch, "the form of a batch was checked");
  Result<uint32_t> returned = 0u;
  while (auto next = batch->next(*returned)) {
    returned = function(next->function, next->args);
    if (!returned)
      return withPlace(returned.error(), *bound.call);
  }
  if (!batch->refused())
    return success();
  const traces::TableBatch::Refused &why = *batch->refused();
  return refuse(makeFileError("E-host-002", why.call->file,
                              traces::batchRefusal(why, signatures, refusals),
                              why.call->line));
}

Status ControlCalls::make(const Bound &bound, const Function &function) {
  if (bound.call->isBatch)
    return makeBatch(bound, function);
  auto called = function(bound.function, bound.arguments);
  if (!called)
    return withPlace(called.error(), *bound.call);
  uint32_t returned = *called;
  const traces::ControlSignature &signature = signatures[bound.function];
  if (traces::readsEntries(signature) && returned == 0)
    return readEntries(bound, function);
  if (traces::givesValue(signature))
    valueList.push_back(traces::valueOf(signature, bound.call->text,
                                        bound.call->line, returned));
  else if (returned != 0)
    return refuse(makeFileError(
        "E-host-002", bound.call->file,
        "'" + signature.name + "' refused the call: " +
            traces::refusal(signature, refusals, int32_t(returned)),
        bound.call->line));
  return success();
}

Status reportAll(const std::vector<Error> &errors) {
  if (errors.empty())
    return success();
  for (size_t i = 0; i + 1 < errors.size(); ++i)
    std::fprintf(stderr, "%s\n", errors[i].str().c_str());
  return errors.back();
}

} // namespace karakal::host
