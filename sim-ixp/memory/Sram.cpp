// One SRAM channel with its queue array.
//
// See Sram.h for the idea. Start cycles never go back, so that commands change
// the memory in the order of their arrival although the two ports are separate.

#include "sim-ixp/memory/Sram.h"
#include "sim-ixp/memory/Atomics.h"
#include "sim-ixp/observe/Recorder.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"

#include <algorithm>
#include <string>

namespace karakal::sim {
namespace {

/// Low four bits of a command target beyond MemoryOp: the queue array.
enum QueueOp : uint8_t {
  RingOp = 9,     ///< put / get
  JournalOp = 10, ///< journal / fast_journal
  DequeueOp = 11,
  EnqueueOp = 12,  ///< enqueue / enqueue_tail
  RegisterOp = 13, ///< csr_wr / csr_rd
  StoreOp = 14,    ///< write back a descriptor, token 2: with its count
  LoadOp = 15,     ///< load a descriptor: other, tail, head
};

MemoryOp opOf(const Command &command) {
  return static_cast<MemoryOp>(command.target & 15);
}

/// Address word of a queue operation: entry 29:24, longword address 23:0.
uint32_t entryOf(uint32_t address) { return address >> 24 & 63; }

/// The unit takes words out of transfer registers.
bool takesWords(const Command &command) {
  MemoryOp op = opOf(command);
  uint32_t queueOp = command.target & 15;
  return op == MemoryOp::Write || hasAtomicOperand(op) ||
         ((queueOp == RingOp || queueOp == JournalOp ||
           queueOp == RegisterOp) &&
          command.token == 0);
}

/// Words that go back to the engine.
uint32_t wordsBack(const Command &command, uint32_t words) {
  switch (command.target & 15) {
  case static_cast<uint8_t>(MemoryOp::Read):
    return words;
  case RingOp:
    return command.token == 0 ? 1 : words;
  case DequeueOp:
    return 1;
  case RegisterOp:
    return command.token;
  case LoadOp:
    return command.token == 0 ? 0 : words;
  default:
    return isAtomic(opOf(command)) ? command.token & 1 : 0;
  }
}

bool usesWritePort(const Command &command) {
  switch (command.target & 15) {
  case static_cast<uint8_t>(MemoryOp::Write):
  case JournalOp:
  case EnqueueOp:
  case StoreOp:
    return true;
  case RingOp:
  case RegisterOp:
    return command.token == 0;
  default:
    return false;
  }
}

} // namespace

Sram::Sram(uint32_t channel, uint32_t bytes, Chassis &chassis,
           Recorder &recorder)
    : channel(channel), chassis(chassis), recorder(recorder), storage(bytes),
      timing(chassis.timingOf(chassis.parameters().sramLatency)) {}

/// How long a command keeps its port.
uint64_t Sram::portCycles(const Command &command, uint32_t words) const {
  const target::ChipParameters &params = chassis.parameters();
  uint32_t op = command.target & 15;
  if (isAtomic(opOf(command)))
    return params.sramAtomicCycles;
  uint64_t first = op >= RingOp ? params.sramQueueCycles : params.sramOpCycles;
  return op == DequeueOp || op == EnqueueOp
             ? first
             : first + (words - 1) * params.sramWordCycles;
}

void Sram::accept(Command &command) {
  storage.prefetch(command.address);
  uint64_t now = chassis.scheduler().now();
  uint32_t words = command.count;
  uint64_t ready = std::max(now + timing.operandCycles, lastStart);
  if (takesWords(command))
    ready = std::max(ready, chassis.pull(command, words, now, nullptr));
  uint64_t cycles = portCycles(command, words);
  uint64_t start;
  if (isAtomic(opOf(command))) {
    start = readPort.reserve(std::max(ready, writePort.freeCycle()), cycles);
    writePort.reserve(start, cycles);
  } else if (usesWritePort(command)) {
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
  if ((command.target & 15) >= RingOp)
    actOnQueue(command);
  else
    actOnMemory(command);
}

/// Whether the memory has these words; a fault if not.
bool Sram::isInside(const Command &command, uint64_t first, uint64_t words) {
  if ((first + words) * 4 <= storage.size())
    return true;
  recorder.onFault(command, "SRAM address out of range");
  return false;
}

void Sram::actOnMemory(Command &command) {
  MemoryOp op = opOf(command);
  uint32_t address = command.address & 0x3fffffff;
  uint32_t words = command.count;
  if (uint64_t{address} + words * 4 > storage.size())
    recorder.onFault(command, "SRAM address out of range");
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
  }
}

void Sram::actOnQueue(Command &command) {
  uint32_t entry = entryOf(command.address);
  uint32_t place = command.address & QueueArray::addressMask;
  uint32_t *data = command.data.data();
  uint32_t &kept = registers[command.address / 4 % registers.size()];
  switch (command.target & 15) {
  case RingOp:
    if (command.token != 0)
      queues.get(entry, data, command.count);
    else
      data[0] = queues.put(entry, data, command.count);
    return;
  case JournalOp:
    if (command.token != 0)
      data[0] = command.address;
    queues.journal(entry, data, command.token != 0 ? 1 : command.count);
    return;
  case RegisterOp:
    if (command.token == 0)
      kept = data[0];
    data[0] = kept;
    return;
  case StoreOp:
    if (isInside(command, place, 3))
      queues.store(entry, place, command.token & 2);
    return;
  case LoadOp:
    if (!isInside(command, place, 3))
      return;
    std::fill_n(data, command.count, 0);
    if (command.token == 0)
      queues.loadOther(entry, place);
    else
      queues.load(entry, place,
                  command.token == 1 ? QueueArray::Part::Tail
                                     : QueueArray::Part::Head,
                  data);
    return;
  default:
    actOnList(command, entry, place);
  }
}

void Sram::actOnList(Command &command, uint32_t entry, uint32_t buffer) {
  if ((command.target & 15) == DequeueOp) {
    command.data[0] = queues.dequeue(entry);
    if (command.data[0] != 0)
      recorder.onDequeue(channel, entry, command.data[0], command.engine);
    return;
  }
  if (buffer == 0 || uint64_t{buffer} * 4 + 4 > storage.size()) {
    recorder.onFault(command, "enqueue of buffer address out of range or 0");
    return;
  }
  if (command.token == 1)
    return queues.enqueueTail(entry, buffer);
  recorder.onEnqueue(channel, entry, buffer, command.engine);
  queues.enqueue(entry, buffer);
}

/// Ends the command: pushes what it asked for, if anything.
void Sram::serve(uint64_t cycle, Command &command) {
  act(command);
  uint32_t words = wordsBack(command, command.count);
  bool took = takesWords(command);
  if (words == 0) {
    if (took)
      command.signal = 0; // raised by the pull
    chassis.finish(command, cycle);
    return;
  }
  // Whatever gives and takes has a pair of signals.
  if (isAtomic(opOf(command)))
    raiseRestOfPair(command, opOf(command));
  else if (took && command.signal != 0)
    ++command.signal;
  chassis.push(command, words, cycle + timing.dataCycles + burstLag(words));
}

uint32_t Sram::coreDequeue(uint32_t entry) {
  uint32_t buffer = queues.dequeue(entry % QueueArray::entryCount);
  if (buffer != 0)
    recorder.onDequeue(channel, entry, buffer, coreActor);
  return buffer;
}

void Sram::coreEnqueue(uint32_t entry, uint32_t longwordAddress) {
  uint32_t buffer = longwordAddress & QueueArray::addressMask;
  if (buffer == 0 || uint64_t{buffer} * 4 + 4 > storage.size()) {
    recorder.onFault(coreActor, "enqueue of buffer address out of range or 0");
    return;
  }
  recorder.onEnqueue(channel, entry, buffer, coreActor);
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
  recorder.onFault(command,
                   "the chip has no SRAM channel " + std::to_string(channel));
  chassis.finish(command, chassis.scheduler().now());
}

void Sram::coreAdd(uint32_t address, uint32_t value) {
  storage.writeWord(address, storage.readWord(address) + value);
}

} // namespace karakal::sim
