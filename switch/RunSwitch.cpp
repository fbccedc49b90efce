// One run of bakersw.

#include "switch/RunSwitch.h"
#include "support/Files.h"
#include "switch/ControlServer.h"
#include "switch/EthdevModule.h"
#include "switch/Statistics.h"
#include "target-ixp/chip/MemoryMap.h"
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace karakal::sw {

namespace {

constexpr uint64_t nsPerSecond = 1'000'000'000;

sigset_t endSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

/// A control call that is made again and again.
struct Timer {
  traces::ControlCall call;
  uint64_t everyNs, nextNs;
  bool failed = false;
};

Result<std::vector<Timer>> makeTimers(const std::vector<TimedCall> &calls,
                                      const x86::LiveProgram &program) {
  std::vector<Timer> timers;
  for (const TimedCall &timed : calls) {
    auto parsed = traces::parseControl(timed.call, "--every");
    if (!parsed)
      return parsed.error();
    if (parsed->size() != 1)
      return makeError("E-switch-012", "--every takes one call");
    auto bound = traces::bindCall(parsed->front(), program.controls());
    if (!bound)
      return bound.error();
    uint64_t every = uint64_t(timed.seconds * double(nsPerSecond));
    timers.push_back({parsed->front(), every, monotonicNs() + every});
  }
  return timers;
}

/// The loop of the main thread: signals, control, timers.
class Loop {
public:
  Loop(Switch &served, ControlServer &server, std::vector<Timer> timers,
       int ended)
      : served(served), server(server), timers(std::move(timers)),
        signals(signalfd(-1, &signalSet, SFD_CLOEXEC)), ended(ended) {}
  ~Loop() { close(signals); }
  Loop(const Loop &) = delete;

  void run(bool stays) {
    uint64_t nextTend = monotonicNs();
    while (!server.isStopAsked()) {
      uint64_t now = monotonicNs();
      if (now >= nextTend) {
        served.tend();
        nextTend = now + nsPerSecond;
      }
      uint64_t next = std::min({nextTend, runTimers(now), runProgramTimers()});
      if (uint64_t watch = server.watch(now))
        next = std::min(next, watch);
      std::vector<pollfd> events = {{signals, POLLIN, 0}, {ended, POLLIN, 0}};
      server.addTo(events);
      now = monotonicNs();
      uint64_t waitNs = next > now ? next - now : 0;
      timespec wait = {time_t(waitNs / nsPerSecond),
                       long(waitNs % nsPerSecond)};
      if (ppoll(events.data(), events.size(), &wait, nullptr) < 0)
        continue;
      if (events[0].revents || (events[1].revents && !stays))
        return;
      if (events[1].revents)
        events[1].revents = takeEnd();
      server.serve(events);
    }
  }

private:
  short takeEnd() {
    uint64_t value;
    [[maybe_unused]] ssize_t got = read(ended, &value, sizeof value);
    return 0;
  }

  /// Makes the calls that are due; returns when the next one is.
  uint64_t runTimers(uint64_t now) {
    uint64_t next = UINT64_MAX;
    for (Timer &timer : timers) {
      if (timer.nextNs <= now) {
        timer.nextNs = now + timer.everyNs;
        auto done = served.tick(timer.call);
        if (!done && !timer.failed)
          std::fprintf(stderr, "bakersw: %s\n", done.error().str().c_str());
        timer.failed |= !done;
      }
      next = std::min(next, timer.nextNs);
    }
    return next;
  }

  /// Tells the first error only: the next call would meet it, too.
  uint64_t runProgramTimers() {
    auto [next, done] = served.runTimers();
    if (!done && !std::exchange(hasFailed, true))
      std::fprintf(stderr, "bakersw: %s\n", done.error().str().c_str());
    return next;
  }

  Switch &served;
  ControlServer &server;
  std::vector<Timer> timers;
  bool hasFailed = false;
  sigset_t signalSet = endSignals();
  int signals, ended;
};

Result<Ports> openPorts(const SwitchOptions &options, uint32_t cores) {
  if (options.ports.size() > target::PortCount)
    return makeError("E-switch-003",
                     std::to_string(options.ports.size()) +
                         " ports are given; a program has at most " +
                         std::to_string(target::PortCount));
  PortOptions common;
  common.cores = cores;
  common.quiet = options.quiet;
  common.ealArguments = options.ealArguments;
  common.ethdevBuffers = options.ethdevBuffers;
  // DPDK starts once, for all of its devices.
  if (Status started = startEthdevs(options.ports, common); !started)
    return started.error();
  Ports ports;
  for (const std::string &text : options.ports) {
    auto port = openPort(text, common);
    if (!port)
      return port.error();
    ports.push_back(std::move(*port));
  }
  return ports;
}

Status makeCalls(Switch &made, const std::string &path) {
  if (path.empty())
    return success();
  auto calls = traces::readControlFile(path);
  if (!calls)
    return calls.error();
  for (const traces::ControlCall &call : *calls)
    if (auto done = made.call(call); !done)
      return done.error();
  return success();
}

Status finish(Switch &made, Ports &ports, const ControlServer &server,
              const SwitchOptions &options) {
  for (auto &port : ports)
    if (Status closed = port->close(); !closed)
      return closed;
  Snapshot last = made.snapshot();
  last.clientsDropped = server.clientsDropped();
  if (!options.quiet)
    std::fputs(statisticsTable(last).c_str(), stdout);
  return options.stats.empty() ? success()
                               : writeFile(options.stats, statisticsJson(last));
}

} // namespace

void holdSignals() {
  sigset_t signals = endSignals();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
}

Status runSwitch(x86::LiveProgram &program, const SwitchOptions &options) {
  KARAKAL_ASSERT(program.coreCount() != 0, "a program runs on a core");
  auto ports = openPorts(options, program.coreCount());
  if (!ports)
    return ports.error();
  Switch made(program, *ports, options.core);
  if (Status called = makeCalls(made, options.control); !called)
    return called;
  auto timers = makeTimers(options.every, program);
  if (!timers)
    return timers.error();
  ControlServer server(made);
  if (!options.socket.empty())
    if (Status listens = server.listen(options.socket, options.socketMode);
        !listens)
      return listens;
  int ended = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  KARAKAL_ASSERT(ended >= 0, "a descriptor is left");
  made.start([ended] {
    uint64_t one = 1;
    [[maybe_unused]] ssize_t written = write(ended, &one, sizeof one);
  });
  if (!options.quiet) {
    std::fprintf(stderr, "bakersw: %s runs on %zu %s and %u %s\n",
                 program.name().c_str(), ports->size(),
                 ports->size() == 1 ? "port" : "ports", program.coreCount(),
                 program.coreCount() == 1 ? "core" : "cores");
  }
  Loop(made, server, std::move(*timers), ended).run(options.stay);
  made.stop();
  close(ended);
  return finish(made, *ports, server, options);
}

} // namespace karakal::sw
