// Scratchpad memory, atomics and rings.
//
// See Scratch.h for the idea. A command has three steps: it arrives (operands
// are pulled, a service slot is reserved), it is served (memory and rings
// change, in the order of arrival), and its result is pushed.

#include "sim-ixp/memory/Scratch.h"
#include "sim-ixp/memory/Atomics.h"
#include "sim-ixp/observe/ChipObserver.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/table/CommandCodes.h"

#include <algorithm>

namespace karakal::sim {
namespace {

enum EventCode : uint32_t { Serve, InputStateChange };

/// Words of the smallest ring, size code 0.
constexpr uint32_t ringWordsMin = 128;

bool isAtomic(const Command &command) {
  return target::isAtomic(target::wordAccess(command.op));
}

} // namespace

Scratch::Scratch(Chassis &chassis, ChipObserver &observer)
    : chassis(chassis), observer(observer),
      storage(static_cast<uint32_t>(chassis.parameters().scratchBytes)),
      timing(chassis.timingOf(chassis.parameters().scratchLatency)) {}

void Scratch::configureRing(uint32_t number, uint32_t base, uint32_t words,
                            bool statusOnEmpty) {
  KARAKAL_ASSERT(number < ringCount && words != 0 && (words & (words - 1)) == 0,
                 "a ring's size is a power of two");
  KARAKAL_ASSERT(base + words * 4 <= storage.size(),
                 "a ring lies outside the memory");
  Ring &ring = rings[number];
  ring = Ring{};
  ring.base = base;
  ring.words = words;
  ring.margin =
      words / static_cast<uint32_t>(chassis.parameters().ringFullPart);
  ring.statusOnEmpty = statusOnEmpty;
  ring.inputState = statusOnEmpty;
  if (number < inputStateCount)
    chassis.setRingFlag(number, ring.inputState);
}

uint32_t Scratch::readRing(uint32_t number, Field field) const {
  const Ring &ring = rings[number % ringCount];
  if (ring.words == 0)
    return 0;
  uint32_t sizeCode =
      static_cast<uint32_t>(__builtin_ctz(ring.words / ringWordsMin));
  switch (field) {
  case Field::Base:
    return sizeCode << 30 | uint32_t{ring.statusOnEmpty} << 26 | ring.base;
  case Field::Head:
    return ring.head;
  case Field::Tail:
    return (ring.head + ring.count) % ring.words;
  }
  KARAKAL_UNREACHABLE("no such register");
}

bool Scratch::writeRing(uint32_t number, Field field, uint32_t value) {
  Ring &ring = rings[number % ringCount];
  if (field == Field::Base) {
    uint32_t words = ringWordsMin << (value >> 30);
    uint32_t base = value & (storage.size() - 1);
    if (base % (4 * words) != 0)
      return false;
    configureRing(number, base, words, (value >> 26 & 1) != 0);
    return true;
  }
  // Software writes 0 to both when it makes a ring.
  if (value >= std::max(ring.words, 1u))
    return false;
  uint32_t tail = ring.words ? (ring.head + ring.count) % ring.words : 0;
  uint32_t head = ring.head;
  (field == Field::Head ? head : tail) = value;
  ring.head = head;
  ring.count = ring.words ? (tail + ring.words - head) % ring.words : 0;
  if (ring.words)
    updateInputState(number);
  return true;
}

void Scratch::accept(Command &command) {
  const target::ChipParameters &params = chassis.parameters();
  uint64_t now = chassis.scheduler().now();
  uint32_t words = std::max<uint32_t>(command.count, 1);
  uint64_t ready = now + timing.operandCycles;
  if (target::pullsOperands(command.op))
    ready = std::max(ready, chassis.pull(command, words, nullptr));
  uint64_t cycles =
      isAtomic(command)
          ? params.scratchAtomicCycles
          : params.scratchOpCycles + (words - 1) * params.scratchWordCycles;
  uint64_t start = service.reserve(ready, cycles);
  chassis.scheduler().schedule(start, this, Serve, eventArgument(command));
}

void Scratch::onEvent(uint64_t cycle, uint32_t code, uint64_t argument) {
  if (code == Serve) {
    serve(cycle, commandOf(argument));
    return;
  }
  chassis.setRingFlag(argument & 15, argument >> 4);
}

void Scratch::serve(uint64_t cycle, Command &command) {
  target::WordAccess access = target::wordAccess(command.op);
  uint32_t words = std::max<uint32_t>(command.count, 1);
  if (access == target::WordAccess::None) {
    serveRing(cycle, command);
    return;
  }
  if (uint64_t{command.address} + words * 4 > storage.size()) {
    observer.onFault(command, "scratch address out of range");
    chassis.finish(command, cycle);
  } else if (access == target::WordAccess::Read) {
    for (uint32_t i = 0; i < words; ++i)
      command.data[i] = storage.readWord(command.address + 4 * i);
    chassis.push(command, words, cycle + timing.dataCycles);
  } else if (access == target::WordAccess::Write) {
    for (uint32_t i = 0; i < words; ++i)
      storage.writeWord(command.address + 4 * i, command.data[i]);
    command.signal = 0; // raised by the pull
    chassis.finish(command, cycle);
  } else {
    serveAtomic(cycle, command);
  }
}

void Scratch::serveAtomic(uint64_t cycle, Command &command) {
  uint32_t old = storage.readWord(command.address);
  storage.writeWord(command.address, applyAtomic(target::wordAccess(command.op),
                                                 old, command.data[0]));
  if (!target::pushesResult(command.op)) {
    if (target::pullsOperands(command.op))
      command.signal = 0; // raised by the pull
    chassis.finish(command, cycle);
    return;
  }
  raiseRestOfPair(command);
  command.data[0] = old;
  chassis.push(command, 1, cycle + timing.dataCycles);
}

uint32_t Scratch::take(uint32_t number) {
  Ring &ring = rings[number];
  if (ring.count == 0)
    return 0;
  uint32_t value = storage.readWord(ring.base + 4 * ring.head);
  ring.head = (ring.head + 1) & (ring.words - 1);
  --ring.count;
  updateInputState(number);
  return value;
}

void Scratch::put(uint32_t number, uint32_t value) {
  Ring &ring = rings[number];
  uint32_t tail = (ring.head + ring.count) & (ring.words - 1);
  storage.writeWord(ring.base + 4 * tail, value);
  ++ring.count;
  updateInputState(number);
  if (ring.count == 1 && notEmpty)
    notEmpty(number);
}

void Scratch::updateInputState(uint32_t number) {
  if (number >= inputStateCount)
    return;
  Ring &ring = rings[number];
  bool inputState = ring.statusOnEmpty ? ring.count == 0
                                       : ring.count + ring.margin >= ring.words;
  if (inputState == ring.inputState)
    return;
  ring.inputState = inputState;
  Scheduler &scheduler = chassis.scheduler();
  scheduler.schedule(scheduler.now() + chassis.parameters().ringStatusLag, this,
                     InputStateChange, number | uint64_t{inputState} << 4);
}

void Scratch::serveRing(uint64_t cycle, Command &command) {
  uint32_t number = command.address >> 2 & 15;
  Ring &ring = rings[number];
  uint32_t words = std::max<uint32_t>(command.count, 1);
  if (ring.words == 0) {
    observer.onFault(command,
                     "ring " + std::to_string(number) + " is not configured");
    chassis.finish(command, cycle);
    return;
  }
  if (command.op == target::Op::ScratchGet) {
    if (ring.count == 0)
      observer.onEmptyGet(command);
    else
      observer.onFilledGet(command);
    for (uint32_t i = 0; i < words; ++i) {
      bool isFilled = ring.count > 0;
      command.data[i] = take(number);
      if (isFilled && i == 0) // one command, one message
        observer.onRingGet(number, command.data[i], command);
    }
    chassis.push(command, words, cycle + timing.dataCycles);
    return;
  }
  for (uint32_t i = 0; i < words; ++i) {
    if (ring.count == ring.words) {
      observer.onFault(command, "put to ring " + std::to_string(number) +
                                    ", which is full");
      break;
    }
    if (i == 0)
      observer.onRingPut(number, command.data[i], command);
    put(number, command.data[i]);
  }
  command.signal = 0; // raised by the pull
  chassis.finish(command, cycle);
}

uint32_t Scratch::coreGet(uint32_t ring) {
  if (rings[ring].count == 0)
    return 0;
  uint32_t value = take(ring);
  observer.onRingGet(ring, value, xscaleActor);
  return value;
}

bool Scratch::corePut(uint32_t ring, uint32_t value) {
  if (rings[ring].count >= rings[ring].words)
    return false;
  observer.onRingPut(ring, value, xscaleActor);
  put(ring, value);
  return true;
}

bool Scratch::corePut(uint32_t ring, uint32_t first, uint32_t second) {
  if (rings[ring].count + 2 > rings[ring].words || !corePut(ring, first))
    return false;
  put(ring, second);
  return true;
}

uint32_t Scratch::coreRingState(uint32_t ring) const {
  return (rings[ring].count == 0 ? 1u : 0u) |
         (rings[ring].count >= rings[ring].words ? 2u : 0u);
}

uint32_t Scratch::coreTestSet(uint32_t address) {
  uint32_t old = storage.readWord(address);
  storage.writeWord(address, old | 1);
  return old;
}

void Scratch::coreAdd(uint32_t address, uint32_t value) {
  observer.onCoreAdd(address);
  storage.writeWord(address, storage.readWord(address) + value);
}

} // namespace karakal::sim
