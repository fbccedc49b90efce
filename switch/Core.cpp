// A core of the switch.

#include "switch/Core.h"
#include "switch/FlowHash.h"
#include <algorithm>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

namespace karakal::sw {

/// Rounds without a frame after which a core waits.
static constexpr uint32_t idleRoundsMax = 64;
/// How long it waits at most, and how long if a port cannot wake it.
static constexpr int waitMs = 1000, waitBlindMs = 1;
/// Rounds without room in the other cores' rings after which the first core
/// gives up its processor.
static constexpr uint32_t stallsMax = 4096;
/// How long a core may work on the frames that wait at the end.
static constexpr uint64_t drainNs = 500'000'000;

uint64_t monotonicNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec);
}

Core::Core(uint32_t index, x86::LiveCore &program, Ports &ports, Still &still,
           const CoreOptions &options)
    : index(index), program(program), ports(ports), still(still),
      options(options), outgoing(ports.size()), incoming(options.burst),
      handoff(index == 0 ? nullptr : new Handoff),
      wakeUp(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  KARAKAL_ASSERT(options.burst >= 1 && options.burst <= CoreBurstMax,
                 "a burst has buffers");
  KARAKAL_ASSERT(wakeUp >= 0, "a descriptor is left");
}

Core::~Core() { close(wakeUp); }

void Core::stop() {
  stopped = true;
  wake();
}

void Core::wake() {
  uint64_t one = 1;
  [[maybe_unused]] ssize_t written = write(wakeUp, &one, sizeof one);
}

void Core::send(const Frame &frame) {
  KARAKAL_ASSERT(frame.data && frame.bytes != 0, "a program sends bytes");
  if (frame.port < outgoing.size())
    outgoing[frame.port].push_back(frame);
  else
    ++own.noPort;
}

void Core::flush() {
  for (size_t i = 0; i < outgoing.size(); ++i) {
    if (outgoing[i].empty())
      continue;
    ports[i]->send(index, outgoing[i].data(), uint32_t(outgoing[i].size()));
    outgoing[i].clear();
  }
}

/// Takes a burst from each port and from the first core; false if there was
/// none.
bool Core::round() {
  bool any = handoff && roundOfHandoff();
  for (uint32_t i = 0; i < ports.size(); ++i)
    any |= roundOfPort(i);
  if (any)
    idleRounds = 0;
  return any;
}

bool Core::roundOfPort(uint32_t port) {
  Port &from = *ports[port];
  // Only one core takes frames from a queue, or flows would lose their order.
  if (index != 0 && !from.spreadsFlows())
    return false;
  uint32_t max = uint32_t(incoming.size());
  bool isShared = !others.empty() && !from.spreadsFlows();
  if (isShared)
    max = std::min(max, roomOfOthers());
  if (max == 0) {
    // Another core has to work first. Where it has a processor, it soon has.
    if (++stalls % stallsMax == 0)
      sched_yield();
    return !from.isEnded();
  }
  uint32_t count = from.receive(index, incoming.data(), max);
  if (count == 0)
    return false;
  for (uint32_t k = 0; k < count; ++k)
    incoming[k].port = port;
  if (isShared)
    count = keepOwn(count, from.keepsFrames());
  if (count != 0)
    program.run(incoming.data(), count, monotonicNs(), *this);
  ++own.bursts;
  return true;
}

bool Core::roundOfHandoff() {
  uint32_t count = handoff->take(incoming.data(), uint32_t(incoming.size()));
  if (count == 0)
    return false;
  program.run(incoming.data(), count, monotonicNs(), *this);
  handoff->done(count);
  own.handed += count;
  ++own.bursts;
  return true;
}

uint32_t Core::roomOfOthers() const {
  uint32_t room = Handoff::SlotCount;
  for (const Core *other : others)
    room = std::min(room, other->handoff->room());
  return room;
}

/// Hands the frames of other cores' flows to them and moves the own ones to the
/// front; returns their number.
uint32_t Core::keepOwn(uint32_t count, bool bytesStay) {
  uint32_t kept = 0;
  uint32_t coreCount = uint32_t(others.size()) + 1;
  for (uint32_t k = 0; k < count; ++k) {
    uint32_t core = uint64_t(flowHash(incoming[k])) * coreCount >> 32;
    if (core == 0)
      incoming[kept++] = incoming[k];
    else
      others[core - 1]->hand(incoming[k], bytesStay);
  }
  return kept;
}

/// On the thread of the first core.
void Core::hand(const Frame &frame, bool bytesStay) {
  handoff->give(frame, bytesStay);
  if (sleeps.load() && sleeps.exchange(false))
    wake();
}

bool Core::allEnded() const {
  return std::all_of(ports.begin(), ports.end(),
                     [](const auto &port) { return port->isEnded(); });
}

/// Waits for a frame, or for `stop`. The core counts as standing still.
void Core::rest() {
  if (options.poll || ++idleRounds < idleRoundsMax)
    return;
  ++own.waits;
  std::vector<pollfd> events = {{wakeUp, POLLIN, 0}};
  bool canWakeUp = true;
  for (const auto &port : ports) {
    int descriptor = port->descriptor(index);
    if (descriptor >= 0)
      events.push_back({descriptor, POLLIN, 0});
    else // the frames of a port with one way in come to the first core
      canWakeUp &= port->isEnded() || (index != 0 && !port->spreadsFlows());
  }
  still.end(index);
  sleeps = true;
  // Whoever hands a frame from now on sees that this core sleeps.
  bool hasFrame = handoff && !handoff->isEmpty();
  poll(events.data(), events.size(),
       hasFrame    ? 0
       : canWakeUp ? waitMs
                   : waitBlindMs);
  sleeps = false;
  uint64_t woken;
  [[maybe_unused]] ssize_t got = read(wakeUp, &woken, sizeof woken);
  // An interface that is not there is readable at once, for its error.
  bool failed = std::any_of(events.begin(), events.end(), [](const pollfd &e) {
    return (e.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
  });
  if (failed)
    poll(events.data(), 1, waitBlindMs);
  still.begin(index);
}

void Core::drain() {
  uint64_t end = monotonicNs() + drainNs;
  while (round() && monotonicNs() < end)
    ;
}

} // namespace karakal::sw
