// The switch.

#include "switch/Switch.h"

namespace karakal::sw {

Snapshot::CoreState Snapshot::total() const {
  CoreState sum;
  for (const CoreState &core : cores) {
    const x86::LiveCounts &packets = core.packets;
    sum.packets.received += packets.received;
    sum.packets.transmitted += packets.transmitted;
    sum.packets.forwarded += packets.forwarded;
    sum.packets.dropped += packets.dropped;
    sum.packets.consumed += packets.consumed;
    sum.packets.copied += packets.copied;
    sum.packets.oversize += packets.oversize;
    sum.packets.noBuffer += packets.noBuffer;
    sum.packets.faults += packets.faults;
    sum.packets.lostInFaults += packets.lostInFaults;
    sum.packets.waiting += packets.waiting;
    sum.packets.specializedBursts += packets.specializedBursts;
    sum.packets.ownBursts += packets.ownBursts;
    sum.own.bursts += core.own.bursts;
    sum.own.waits += core.own.waits;
    sum.own.noPort += core.own.noPort;
    sum.own.handed += core.own.handed;
  }
  return sum;
}

Switch::Switch(x86::LiveProgram &program, Ports &ports,
               const CoreOptions &options)
    : program(program), ports(ports), still(program.coreCount()),
      accepted(program.controls(), program.changedTables()),
      startNs(monotonicNs()), timers(program.timers(), /*callsMax=*/1) {
  for (uint32_t i = 0; i < program.coreCount(); ++i)
    cores.push_back(
        std::make_unique<Core>(i, program.core(i), ports, still, options));
  std::vector<Core *> others;
  for (size_t i = 1; i < cores.size(); ++i)
    others.push_back(cores[i].get());
  cores[0]->setOthers(others);
}

Switch::~Switch() { stop(); }

void Switch::start(std::function<void()> ended) {
  KARAKAL_ASSERT(threads.empty(), "the cores start once");
  program.settle();
  for (size_t i = 0; i < cores.size(); ++i)
    threads.emplace_back([this, i, ended] {
      cores[i]->work([&] {
        if (i == 0)
          ended();
      });
    });
}

void Switch::stop() {
  // The first core hands on what it has before the others end.
  for (size_t i = 0; i < threads.size(); ++i) {
    cores[i]->stop();
    threads[i].join();
  }
  threads.clear();
}

/// The error of a call of a batch, whose number it tells if no file has it.
static Error partError(Error error) {
  KARAKAL_ASSERT(error.line > 1, "the first line is 'begin'");
  if (!error.file.empty())
    return error;
  error.message = "call " + std::to_string(error.line - 1) +
                  " of the batch: " + error.message;
  return error;
}

Switch::Making Switch::prepared(const traces::ControlCall &call) {
  if (call.isBatch && call.kind == traces::ControlCall::Start) {
    auto batch = traces::TableBatch::create(call, program.controls());
    if (!batch)
      return {call, partError(batch.error()), 0u};
    return {call, traces::Resolved{}, 0u};
  }
  if (call.kind == traces::ControlCall::Start)
    return {call, traces::bindCall(call, program.controls()), 0u};
  return {call,
          makeFileError("E-switch-011", call.file,
                        "a call to a running switch takes effect at once; "
                        "leave out the '@'",
                        call.line),
          0u};
}

/// Makes a call, and after a `read` or `dump` those that read the entries.
void Switch::make(Making &call, x86::LiveCore &core, uint64_t now) {
  auto returnedBy = [&](const traces::Resolved &made) {
    return core.call(made.function, made.args, now, *cores[0]);
  };
  if (call.call.isBatch) {
    auto batch = traces::TableBatch::create(call.call, program.controls());
    KARAKAL_ASSERT(batch, "the form of a batch was checked");
    call.batch.emplace(std::move(*batch));
    for (auto next = call.batch->next(0); next && call.returned;
         next = call.batch->next(*call.returned))
      if (call.returned = returnedBy(*next); !call.returned)
        return;
    return;
  }
  size_t function = call.resolved->function;
  call.returned = returnedBy(*call.resolved);
  if (!call.returned || *call.returned != 0 ||
      !traces::readsEntries(program.controls()[function]))
    return;
  traces::TableReader reader(program.controls(), function);
  while (auto next = reader.next(*call.returned)) {
    call.returned = returnedBy(*next);
    if (!call.returned)
      return;
  }
  call.entries = reader.lines();
}

/// Makes those that are calls of the program.
void Switch::make(std::vector<Making> &calls) {
  size_t next = 0;
  auto skip = [&] {
    while (next < calls.size() && !calls[next].resolved)
      ++next;
    return next < calls.size();
  };
  while (skip()) {
    // Before the stop, so that cores do not wait for a snapshot.
    std::unique_lock<std::mutex> changing = program.change();
    still.call([&] {
      x86::LiveCore &core = cores[0]->live();
      auto attached = core.attach();
      uint64_t now = monotonicNs(), end = now + StopNsMax;
      for (; now < end && skip(); now = monotonicNs(), ++next)
        make(calls[next], core, now);
      if (changing)
        changing.unlock();
      if (!threads.empty())
        program.settle();
    });
  }
}

/// Lines, the last one without its end.
static std::string joined(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += (text.empty() ? "" : "\n") + line;
  return text;
}

Switch::Answer Switch::answerOfBatch(const traces::TableBatch &batch,
                                     bool isNoted) {
  if (batch.refused()) {
    ++callsRefused;
    const traces::TableBatch::Refused &why = *batch.refused();
    return partError(makeFileError(
        "E-switch-010", why.call->file,
        traces::batchRefusal(why, program.controls(), program.refusals()),
        why.call->line));
  }
  for (const traces::TableBatch::Part &part : batch.parts())
    if (isNoted)
      accepted.note(*part.call, part.resolved);
  return std::string();
}

Switch::Answer Switch::answerOf(const Making &made, bool isNoted) {
  if (!made.resolved) {
    ++callsRefused;
    return made.resolved.error();
  }
  const traces::ControlCall &call = made.call;
  const Result<uint32_t> &returned = made.returned;
  const traces::ControlSignature &function =
      program.controls()[made.resolved->function];
  ++calls;
  if (made.batch && returned)
    return answerOfBatch(*made.batch, isNoted);
  if (made.entries)
    return joined(*made.entries);
  if (returned && accepted.isAging(made.resolved->function))
    accepted.note(call, *made.resolved);
  if (returned && traces::givesValue(function))
    return std::to_string(
        traces::valueOf(function, call.text, call.line, *returned).value);
  if (returned && *returned == 0) {
    if (isNoted)
      accepted.note(call, *made.resolved);
    return std::string();
  }
  ++callsRefused;
  if (!returned)
    return makeFileError(returned.error().id, call.file,
                         call.name + ": " + returned.error().message,
                         call.line);
  return makeFileError(
      "E-switch-010", call.file,
      "'" + function.name + "' refused the call: " +
          traces::refusal(function, program.refusals(), int32_t(*returned)),
      call.line);
}

std::vector<Switch::Answer>
Switch::call(const std::vector<traces::ControlCall> &calls) {
  std::vector<Making> all;
  for (const traces::ControlCall &call : calls)
    all.push_back(prepared(call));
  make(all);
  std::vector<Answer> answers;
  for (const Making &made : all)
    answers.push_back(answerOf(made, /*isNoted=*/true));
  return answers;
}

Switch::Answer Switch::call(const traces::ControlCall &call) {
  return this->call(std::vector<traces::ControlCall>{call}).front();
}

Switch::Answer Switch::tick(const traces::ControlCall &call) {
  std::vector<Making> one = {prepared(call)};
  make(one);
  return answerOf(one.front(), /*isNoted=*/false);
}

std::pair<uint64_t, Status> Switch::runTimers() {
  Status last = success();
  while (auto due = timers.take(monotonicNs() - startNs)) {
    traces::ControlCall call;
    call.name = program.controls()[due->function].name;
    call.text = call.name + "()";
    if (Answer done = tick(call); !done)
      last = done.error();
  }
  uint64_t next = timers.empty() ? UINT64_MAX : startNs + timers.nextNs();
  return {next, last};
}

Switch::Answer Switch::dump() {
  std::string text = accepted.text();
  for (const std::string &table : accepted.agedTables()) {
    auto calls = traces::parseControl(table + ".dump()", "");
    KARAKAL_ASSERT(calls, "a table has the function 'dump'");
    Answer present = tick(calls->front());
    if (!present)
      return present;
    text += table + ".clear()\n" + *present + (present->empty() ? "" : "\n");
  }
  return text;
}

Snapshot Switch::snapshot() {
  Snapshot now;
  now.program = program.name();
  now.nanoseconds = monotonicNs() - startNs;
  now.calls = calls;
  now.callsRefused = callsRefused;
  now.timers = timers.counts();
  now.stops = still.stops();
  for (const std::string &reason : program.dropReasons())
    now.drops.emplace_back(reason, 0);
  now.isSpecialized = program.isSpecialized();
  still.call([&] {
    now.specialization = program.specialization();
    for (const auto &port : ports)
      now.ports.push_back({port->description(), port->isUp(), port->counts()});
    for (const auto &core : cores) {
      now.cores.push_back({core->live().counts(), core->counts()});
      std::vector<uint64_t> drops = core->live().drops();
      KARAKAL_ASSERT(drops.size() == now.drops.size(),
                     "a count for each drop reason");
      for (size_t i = 0; i < drops.size(); ++i)
        now.drops[i].second += drops[i];
      if (std::string fault = core->live().lastFault(); !fault.empty())
        now.lastFault = fault;
    }
  });
  return now;
}

void Switch::tend() {
  still.call([&] {
    for (auto &port : ports)
      port->tend();
  });
}

} // namespace karakal::sw
