// One SRAM channel with its queue array.
//
// See Sram.h for the idea. Start cycles never go back, so that commands change
// the memory in the order of their arrival although the two ports are separate.

#include "sim-ixp/memory/Sram.h"
#include "sim-ixp/memory/Atomics.h"
#include "sim-ixp/observe/ChipObserver.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/table/CommandCodes.h"

#include <algorithm>
#include <string>

namespace karakal::sim {
namespace {

using target::SramCommand;

/// Address word of a queue operation: entry 29:24, longword address 23:0.
uint32_t entryOf(uint32_t address) { return address >> 24 & 63; }

/// Words that return to the engine.
uint32_t wordsBack(const Command &command) {
  if (command.op == target::Op::SramPut)
    return 1; // the status word
  return target::pushesResult(command.op) ? command.count : 0;
}

/// The port that serves a command; an atomic command takes both.
bool usesWritePort(const Command &command) {
  switch (target::sramCommand(command.op)) {
  case SramCommand::Write:
  case SramCommand::Put:
  case SramCommand::Journal:
  case SramCommand::FastJournal:
  case SramCommand::Enqueue:
  case SramCommand::EnqueueTail:
  case SramCommand::CsrWrite:
  case SramCommand::WrQdesc:
  case SramCommand::WrQdescCount:
    return true;
  case SramCommand::Read:
  case SramCommand::Get:
  case SramCommand::Dequeue:
  case SramCommand::CsrRead:
  case SramCommand::RdQdescOther:
  case SramCommand::RdQdescTail:
  case SramCommand::RdQdescHead:
  case SramCommand::Swap:
  case SramCommand::Set:
  case SramCommand::TestSet:
  case SramCommand::Clr:
  case SramCommand::TestClr:
  case SramCommand::Add:
  case SramCommand::TestAdd:
  case SramCommand::Incr:
  case SramCommand::TestIncr:
  case SramCommand::Decr:
  case SramCommand::TestDecr:
    return false;
  }
  KARAKAL_UNREACHABLE("not a command of the SRAM unit");
}

bool isAtomic(const Command &command) {
  return target::isAtomic(target::wordAccess(command.op));
}

} // namespace

Sram::Sram(uint32_t channel, uint32_t bytes, Chassis &chassis,
           ChipObserver &observer)
    : channel(channel), chassis(chassis), observer(observer), storage(bytes),
      timing(chassis.timingOf(chassis.parameters().sramLatency)) {}

/// How long a command occupies its port.
uint64_t Sram::portCycles(const Command &command, uint32_t words) const {
  const target::ChipParameters &params = chassis.parameters();
  if (isAtomic(command))
    return params.sramAtomicCycles;
  switch (target::sramCommand(command.op)) {
  case SramCommand::Read:
  case SramCommand::Write:
    return params.sramOpCycles + (words - 1) * params.sramWordCycles;
  case SramCommand::Dequeue:
  case SramCommand::Enqueue:
  case SramCommand::EnqueueTail:
    return params.sramQueueCycles;
  default: // rings, journals, registers and descriptors
    return params.sramQueueCycles + (words - 1) * params.sramWordCycles;
  }
}

void Sram::accept(Command &command) {
  storage.prefetch(command.address);
  uint64_t now = chassis.scheduler().now();
  uint32_t words = command.count;
  uint64_t ready = std::max(now + timing.operandCycles, lastStart);
  if (target::pullsOperands(command.op))
    ready = std::max(ready, chassis.pull(command, words, nullptr));
  uint64_t cycles = portCycles(command, words);
  uint64_t start;
  if (isAtomic(command)) {
    start = readPort.reserve(std::max(ready, writePort.freeCycle()), cycles);
    writePort.reserve(start, cycles);
  } else if (usesWritePort(command)) {
    start = writePort.reserve(ready, cycles);
  } else {
    start = readPort.reserve(ready, cycles);
  }
  KARAKAL_ASSERT(start >= lastStart, "commands are served in order of arrival");
  lastStart = start;
  command.pendingAt = this;
  chassis.scheduler().schedule(start, this, 0, eventArgument(command));
}

/// The delay of a burst on the push bus because memory delivers its last word
/// more slowly than the bus could take it.
uint64_t Sram::burstLag(uint32_t words) const {
  const target::ChipParameters &params = chassis.parameters();
  return params.sramWordCycles > params.busPushWordCycles
             ? (words - 1) * (params.sramWordCycles - params.busPushWordCycles)
             : 0;
}

void Sram::onEvent(uint64_t cycle, uint32_t, uint64_t argument) {
  serve(cycle, commandOf(argument));
}

void Sram::settle() {
  for (Command *command : chassis.pendingAt(this))
    act(*command);
}

/// Applies the command to memory and queues, once; what is read goes into its
/// data.
void Sram::act(Command &command) {
  if (!command.pendingAt)
    return;
  command.pendingAt = nullptr;
  if (target::wordAccess(command.op) == target::WordAccess::None)
    actOnQueue(command);
  else
    actOnMemory(command);
}

/// Whether the memory has these words; a fault if it does not.
bool Sram::isInside(const Command &command, uint64_t first, uint64_t words) {
  if ((first + words) * 4 <= storage.size())
    return true;
  observer.onFault(command, "SRAM address out of range");
  return false;
}

void Sram::actOnMemory(Command &command) {
  target::WordAccess access = target::wordAccess(command.op);
  uint32_t address = command.address & 0x3fffffff;
  uint32_t words = command.count;
  if (uint64_t{address} + words * 4 > storage.size())
    observer.onFault(command, "SRAM address out of range");
  else if (access == target::WordAccess::Read)
    for (uint32_t i = 0; i < words; ++i)
      command.data[i] = storage.readWord(address + 4 * i);
  else if (access == target::WordAccess::Write)
    for (uint32_t i = 0; i < words; ++i)
      storage.writeWord(address + 4 * i, command.data[i]);
  else {
    uint32_t old = storage.readWord(address);
    storage.writeWord(address, applyAtomic(access, old, command.data[0]));
    command.data[0] = old;
  }
}

void Sram::actOnQueue(Command &command) {
  uint32_t entry = entryOf(command.address);
  uint32_t address = command.address & QueueArray::addressMask;
  uint32_t *data = command.data.data();
  uint32_t &controllerRegister =
      registers[command.address / 4 % registers.size()];
  switch (target::sramCommand(command.op)) {
  case SramCommand::Get:
    return queues.get(entry, data, command.count);
  case SramCommand::Put:
    data[0] = queues.put(entry, data, command.count);
    return;
  case SramCommand::Journal:
    return queues.journal(entry, data, command.count);
  case SramCommand::FastJournal:
    data[0] = command.address;
    return queues.journal(entry, data, 1);
  case SramCommand::CsrWrite:
    controllerRegister = data[0];
    return;
  case SramCommand::CsrRead:
    data[0] = controllerRegister;
    return;
  case SramCommand::WrQdesc:
  case SramCommand::WrQdescCount:
    if (isInside(command, address, 3))
      queues.store(entry, address, command.op == target::Op::SramWrQdescCount);
    return;
  case SramCommand::RdQdescOther:
  case SramCommand::RdQdescTail:
  case SramCommand::RdQdescHead:
    if (isInside(command, address, 3))
      loadDescriptor(command, entry, address);
    return;
  case SramCommand::Dequeue:
    data[0] = queues.dequeue(entry);
    if (data[0] != 0)
      observer.onDequeue(channel, entry, data[0], command);
    return;
  case SramCommand::Enqueue:
  case SramCommand::EnqueueTail:
    return enqueue(command, entry, address);
  default:
    KARAKAL_UNREACHABLE("an access to words, not to a queue");
  }
}

void Sram::loadDescriptor(Command &command, uint32_t entry, uint32_t address) {
  uint32_t *data = command.data.data();
  std::fill_n(data, command.count, 0);
  if (command.op == target::Op::SramRdQdescOther)
    queues.loadOtherPart(entry, address);
  else
    queues.load(entry, address,
                command.op == target::Op::SramRdQdescTail
                    ? QueueArray::Part::Tail
                    : QueueArray::Part::Head,
                data);
}

void Sram::enqueue(Command &command, uint32_t entry, uint32_t buffer) {
  if (buffer == 0 || uint64_t{buffer} * 4 + 4 > storage.size()) {
    observer.onFault(command, "enqueue of buffer address out of range or 0");
    return;
  }
  if (command.op == target::Op::SramEnqueueTail)
    return queues.enqueueTail(entry, buffer);
  observer.onEnqueue(channel, entry, buffer, command);
  queues.enqueue(entry, buffer);
}

/// Ends the command: pushes its result, if any.
void Sram::serve(uint64_t cycle, Command &command) {
  act(command);
  uint32_t words = wordsBack(command);
  if (words == 0) {
    if (target::pullsOperands(command.op))
      command.signal = 0; // raised by the pull
    chassis.finish(command, cycle);
    return;
  }
  if (isAtomic(command) || target::pullsOperands(command.op))
    raiseRestOfPair(command);
  lastReady = std::max(lastReady, cycle + timing.dataCycles + burstLag(words));
  chassis.push(command, words, lastReady);
}

uint64_t Sram::coreAccess(CoreAccess kind, uint32_t bytes, uint64_t now) {
  const target::ChipParameters &params = chassis.parameters();
  uint64_t furtherWords = (bytes + 3) / 4 - 1;
  uint64_t cycles = params.sramOpCycles + furtherWords * params.sramWordCycles;
  switch (kind) {
  case CoreAccess::Read:
    return readPort.reserve(now, cycles);
  case CoreAccess::Write:
    return writePort.reserve(now, cycles);
  case CoreAccess::Queue:
    return readPort.reserve(now, params.sramQueueCycles);
  case CoreAccess::Atomic:
    break;
  }
  uint64_t start = readPort.reserve(std::max(now, writePort.freeCycle()),
                                    params.sramAtomicCycles);
  writePort.reserve(start, params.sramAtomicCycles);
  return start;
}

uint32_t Sram::coreDequeue(uint32_t entry) {
  uint32_t buffer = queues.dequeue(entry % QueueArray::entryCount);
  if (buffer != 0)
    observer.onDequeue(channel, entry, buffer, xscaleActor);
  return buffer;
}

void Sram::coreEnqueue(uint32_t entry, uint32_t longwordAddress) {
  uint32_t buffer = longwordAddress & QueueArray::addressMask;
  if (buffer == 0 || uint64_t{buffer} * 4 + 4 > storage.size()) {
    observer.onFault(xscaleActor,
                     "enqueue of buffer address out of range or 0");
    return;
  }
  observer.onEnqueue(channel, entry, buffer, xscaleActor);
  queues.enqueue(entry % QueueArray::entryCount, buffer);
}

void Sram::fillQueue(uint32_t entry, uint32_t longwordAddress) {
  queues.enqueue(entry, longwordAddress);
}

void Sram::makeRing(uint32_t entry, uint32_t address, uint32_t words) {
  uint32_t sizeCode = 0;
  while (512u << sizeCode < words)
    ++sizeCode;
  queues.makeRing(entry, address / 4, sizeCode);
}

void SramSelector::accept(Command &command) {
  uint32_t channel = command.address >> 30;
  if (channel < channels.size()) {
    channels[channel]->accept(command);
    return;
  }
  observer.onFault(command,
                   "the chip has no SRAM channel " + std::to_string(channel));
  chassis.finish(command, chassis.scheduler().now());
}

void Sram::coreAdd(uint32_t address, uint32_t value) {
  storage.writeWord(address, storage.readWord(address) + value);
}

} // namespace karakal::sim
