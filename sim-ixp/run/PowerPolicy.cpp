// Stops engines while traffic is low.
//
// See PowerPolicy.h for the idea.

#include "sim-ixp/run/PowerPolicy.h"
#include "support/Error.h"
#include "target-ixp/chip/Rings.h"

#include <algorithm>
#include <map>

namespace karakal::sim {
namespace {

/// Cycles between two checks, in which 41 frames arrive at line rate. The rx
/// ring holds 256 messages.
constexpr uint64_t checkCycles = 4096;
/// A ring with so many messages is filling up, or is nearly empty.
constexpr uint32_t manyMessages = 32, fewMessages = 8;
/// Quiet checks before an engine stops: initial and largest number.
constexpr uint32_t quietChecksFirst = 4, quietChecksMax = 256;
/// The context bits of CTX_ENABLES.
constexpr uint32_t contextEnableBits = 0xff00;

} // namespace

PowerPolicy::PowerPolicy(uint32_t stopWord, const EnginePlans &plans,
                         Chip &chip)
    : stopWord(stopWord), chip(chip), quietChecksNeeded(quietChecksFirst) {
  for (uint32_t i = 0; i < plans.size(); ++i)
    if (plans[i].role == EngineRole::App)
      engines.push_back({i, plans[i].aggregate, plans[i].contextMask});
}

uint32_t PowerPolicy::messagesMax() const {
  uint32_t messages =
      chip.scratch().ringLevel(target::RingRx) / target::RingMessageWords;
  for (uint32_t ring = target::RingFreeFirst; ring <= target::RingFreeLast;
       ++ring)
    messages = std::max(messages, chip.scratch().ringLevel(ring));
  for (uint32_t i = 0; i < target::RingSramCount; ++i)
    messages = std::max(messages, chip.sram(target::SramRingChannel)
                                      .queueLevel(target::sramRingEntry(
                                          target::RingSramFirst + i)));
  return messages;
}

void PowerPolicy::setStopBit(const Engine &engine, bool isSet) {
  uint32_t bit = 1u << target::engineHardwareNumber(
                     engine.index, chip.chassis().clusterEngines());
  Memory &scratch = chip.scratch().memory();
  uint32_t word = scratch.readWord(stopWord);
  scratch.writeWord(stopWord, isSet ? word | bit : word & ~bit);
}

void PowerPolicy::finishStops(uint64_t now) {
  for (Engine &engine : engines)
    if (engine.state == State::Stopping &&
        !chip.engine(engine.index).isAlive()) {
      engine.state = State::Off;
      engine.offSince = now;
    }
}

/// Starts all engines that are off. An engine that is still stopping is left
/// alone until its last context has ended.
void PowerPolicy::startAll(uint64_t now) {
  for (Engine &engine : engines) {
    if (engine.state != State::Off)
      continue;
    setStopBit(engine, false);
    // A context that has ended stays enabled until the core disables it.
    Microengine &stopped = chip.engine(engine.index);
    uint32_t enables = stopped.coreReadCsr(target::Csr_CTX_ENABLES);
    stopped.coreWriteCsr(target::Csr_CTX_ENABLES, enables & ~contextEnableBits);
    stopped.start(engine.contexts);
    KARAKAL_ASSERT(now >= engine.offSince,
                   "an engine starts before it stopped");
    engine.off += now - engine.offSince;
    engine.state = State::On;
    ++starts;
  }
}

/// Stops the last engine of the aggregate that has the most engines running, if
/// it has more than one.
void PowerPolicy::stopOne() {
  std::map<std::string, uint32_t> running;
  for (const Engine &engine : engines)
    running[engine.aggregate] += engine.state == State::On;
  Engine *chosen = nullptr;
  for (Engine &engine : engines)
    if (engine.state == State::On && running[engine.aggregate] > 1 &&
        (!chosen || running[engine.aggregate] >= running[chosen->aggregate]))
      chosen = &engine;
  if (!chosen)
    return;
  setStopBit(*chosen, true);
  chosen->state = State::Stopping;
  ++stops;
}

void PowerPolicy::onTime(uint64_t now) {
  if (now < nextCheck)
    return;
  nextCheck = now + checkCycles;
  finishStops(now);
  uint32_t messages = messagesMax();
  if (messages >= manyMessages) {
    uint64_t before = starts;
    startAll(now);
    if (starts != before)
      quietChecksNeeded = std::min(2 * quietChecksNeeded, quietChecksMax);
    quietChecks = 0;
  } else if (messages > fewMessages) {
    quietChecks = 0;
  } else if (++quietChecks >= quietChecksNeeded) {
    quietChecks = 0;
    stopOne();
  }
}

uint64_t PowerPolicy::offCycles(uint32_t index, uint64_t now) const {
  for (const Engine &engine : engines)
    if (engine.index == index)
      return engine.off +
             (engine.state == State::Off ? now - engine.offSince : 0);
  return 0;
}

} // namespace karakal::sim
