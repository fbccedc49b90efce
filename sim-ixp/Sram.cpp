//===- Sram.cpp - one SRAM channel with its queue array
//--------------------===//
//
// See Sram.h for the idea. Start cycles never go back, so that commands change
// the memory in the order of their arrival although the two ports are separate.
//
//===----------------------------------------------------------------------===//

#include "sim-ixp/Sram.h"
#include "sim-ixp/Atomics.h"
#include "sim-ixp/Recorder.h"
#include "support/Error.h"
#include "target-ixp/ChipParameters.h"

#include <algorithm>
#include <string>

namespace karakal::sim {
namespace {

constexpr MemoryOp dequeueOp{11};
constexpr MemoryOp enqueueOp{12};
/// Address word of a queue operation: entry 29:24, longword address 23:0.
constexpr uint32_t longwordMask = 0xffffff;

MemoryOp opOf(const Command &command) {
  return static_cast<MemoryOp>(command.target & 15);
}

uint32_t entryOf(uint32_t address) { return address >> 24 & 63; }

} // namespace

Sram::Sram(uint32_t channel, uint32_t bytes, Chassis &chassis,
           Recorder &recorder)
    : channel(channel), chassis(chassis), recorder(recorder), storage(bytes),
      timing(chassis.timingOf(chassis.parameters().sramLatency)) {}

void Sram::accept(Command &command) {
  const target::ChipParameters &params = chassis.parameters();
  uint64_t now = chassis.scheduler().now();
  MemoryOp op = opOf(command);
  uint32_t words = std::max<uint32_t>(command.count, 1);
  uint64_t ready = std::max(now + timing.operandCycles, lastStart);
  if (op == MemoryOp::Write || hasAtomicOperand(op))
    ready = std::max(ready, chassis.pull(command, words, now, nullptr));
  uint64_t cycles =
      isAtomic(op) ? params.sramAtomicCycles
      : op == dequeueOp || op == enqueueOp
          ? params.sramQueueCycles
          : params.sramOpCycles + (words - 1) * params.sramWordCycles;
  uint64_t start;
  if (isAtomic(op)) {
    start = readPort.reserve(std::max(ready, writePort.freeCycle()), cycles);
    writePort.reserve(start, cycles);
  } else if (op == MemoryOp::Write || op == enqueueOp) {
    start = writePort.reserve(ready, cycles);
  } else {
    start = readPort.reserve(ready, cycles);
  }
  lastStart = start;
  command.server = this;
  chassis.scheduler().schedule(start, this, 0,
                               reinterpret_cast<uintptr_t>(&command));
}

/// How much later a burst may begin on the push bus because its last word comes
/// out of the memory slower than the bus would take it.
uint64_t Sram::burstLag(uint32_t words) const {
  const target::ChipParameters &params = chassis.parameters();
  return params.sramWordCycles > params.busPushWordCycles
             ? (words - 1) * (params.sramWordCycles - params.busPushWordCycles)
             : 0;
}

void Sram::onEvent(uint64_t cycle, uint32_t, uint64_t argument) {
  serve(cycle, *reinterpret_cast<Command *>(argument));
}

void Sram::settle() {
  for (Command *command : chassis.waitingAt(this))
    act(*command);
}

/// Does to memory and queues what the command asks, once; what is read goes
/// into its data.
void Sram::act(Command &command) {
  if (!command.server)
    return;
  command.server = nullptr;
  MemoryOp op = opOf(command);
  if (op == dequeueOp || op == enqueueOp)
    actOnQueue(command);
  else
    actOnMemory(command);
}

void Sram::actOnMemory(Command &command) {
  MemoryOp op = opOf(command);
  uint32_t address = command.address & 0x3fffffff;
  uint32_t words = std::max<uint32_t>(command.count, 1);
  if (uint64_t{address} + words * 4 > storage.size())
    recorder.onFault(command.engine, "SRAM address out of range");
  else if (op == MemoryOp::Read)
    for (uint32_t i = 0; i < words; ++i)
      command.data[i] = storage.readWord(address + 4 * i);
  else if (op == MemoryOp::Write)
    for (uint32_t i = 0; i < words; ++i)
      storage.writeWord(address + 4 * i, command.data[i]);
  else if (isAtomic(op)) {
    uint32_t old = storage.readWord(address);
    storage.writeWord(address, applyAtomic(op, old, command.data[0]));
    command.data[0] = old;
  } else
    recorder.onFault(command.engine,
                     "SRAM operation " +
                         std::to_string(static_cast<unsigned>(op)) +
                         " is not modelled");
}

void Sram::actOnQueue(Command &command) {
  uint32_t entry = entryOf(command.address);
  if (opOf(command) == dequeueOp) {
    command.data[0] = dequeue(entry);
    if (command.data[0] != 0)
      recorder.onDequeue(channel, entry, command.data[0], command.engine);
    return;
  }
  uint32_t buffer = command.address & longwordMask;
  if (buffer == 0 || uint64_t{buffer} * 4 + 4 > storage.size()) {
    recorder.onFault(command.engine,
                     "enqueue of buffer address out of range or 0");
    return;
  }
  recorder.onEnqueue(channel, entry, buffer, command.engine);
  enqueue(entry, buffer);
}

/// Ends the command: pushes what it asked for, if anything.
void Sram::serve(uint64_t cycle, Command &command) {
  MemoryOp op = opOf(command);
  uint32_t words = std::max<uint32_t>(command.count, 1);
  act(command);
  if (op == MemoryOp::Read) {
    chassis.push(command, words, cycle + timing.dataCycles + burstLag(words));
  } else if (op == dequeueOp) {
    chassis.push(command, 1, cycle + timing.dataCycles);
  } else if (isAtomic(op) && command.token & 1) {
    raiseRestOfPair(command, op);
    chassis.push(command, 1, cycle + timing.dataCycles);
  } else {
    if (op == MemoryOp::Write || hasAtomicOperand(op))
      command.signal = 0; // raised by the pull
    chassis.finish(command, cycle);
  }
}

uint32_t Sram::dequeue(uint32_t entry) {
  Queue &queue = queues[entry];
  if (queue.count == 0)
    return 0;
  uint32_t buffer = queue.head;
  queue.head = storage.readWord(buffer * 4) & longwordMask;
  --queue.count;
  return buffer;
}

void Sram::enqueue(uint32_t entry, uint32_t longwordAddress) {
  Queue &queue = queues[entry];
  if (queue.count == 0)
    queue.head = longwordAddress;
  else
    storage.writeWord(queue.tail * 4, longwordAddress);
  queue.tail = longwordAddress;
  ++queue.count;
}

uint32_t Sram::coreDequeue(uint32_t entry) {
  uint32_t buffer = dequeue(entry % queueCount);
  if (buffer != 0)
    recorder.onDequeue(channel, entry, buffer, coreActor);
  return buffer;
}

void Sram::coreEnqueue(uint32_t entry, uint32_t longwordAddress) {
  uint32_t buffer = longwordAddress & longwordMask;
  if (buffer == 0 || uint64_t{buffer} * 4 + 4 > storage.size()) {
    recorder.onFault(coreActor, "enqueue of buffer address out of range or 0");
    return;
  }
  recorder.onEnqueue(channel, entry, buffer, coreActor);
  enqueue(entry % queueCount, buffer);
}

void Sram::fillQueue(uint32_t entry, uint32_t longwordAddress) {
  enqueue(entry, longwordAddress);
}

void SramSelector::accept(Command &command) {
  uint32_t channel = command.address >> 30;
  if (channel < channels.size()) {
    channels[channel]->accept(command);
    return;
  }
  recorder.onFault(command.engine,
                   "the chip has no SRAM channel " + std::to_string(channel));
  chassis.finish(command, chassis.scheduler().now());
}

void Sram::coreAdd(uint32_t address, uint32_t value) {
  storage.writeWord(address, storage.readWord(address) + value);
}

} // namespace karakal::sim
