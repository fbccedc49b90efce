// The DRAM unit.
//
// See Dram.h for the idea. A burst is cut at bank boundaries. Each piece
// occupies its bank for the row cycle time and the data bus for its transfers,
// at least one natural burst. The bus is booked from when the bank is free, so
// a command that waits for its bank does not delay commands to other banks, and
// the bank is busy until the bus has served it. A write
// changes memory at the start of its first piece, and a read takes effect at
// the start of its last. Accesses to one address share a bank, so a read sees
// every write that arrived before it. With error correction, a write of a part
// of a quadword occupies bank and bus twice ("IXP2800 Hardware Reference
// Manual", section 2.4.2).

#include "sim-ixp/memory/Dram.h"
#include "sim-ixp/observe/ChipObserver.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/CommandCodes.h"

#include <algorithm>

namespace karakal::sim {
namespace {

enum EventCode : uint32_t { Serve, MoveDone };

using target::Op;

/// Indirect word of rbuf_rd and tbuf_wr: bits 18:5 are the buffer's address in
/// MSF space ("MEv2 reference", indirect references).
uint32_t bufferAddress(const Command &command) {
  return command.indirectWord >> 5 & 0x3fff;
}

constexpr uint32_t bufferBits = 1u << 4;

/// The bits of word `index` of a burst that are written.
uint32_t maskOf(const Command &command, uint32_t index) {
  if (!command.isIndirect || !(command.indirectWord & target::IndirectByteMask))
    return ~0u;
  uint32_t bytes =
      command.indirectWord >> target::IndirectByteMaskShift >> 4 * (index & 1);
  uint32_t mask = 0;
  for (uint32_t byte = 0; byte < 4; ++byte)
    if (bytes >> byte & 1)
      mask |= 0xffu << 8 * (3 - byte);
  return mask;
}

/// Whether the command writes a part of a quadword.
bool isPartial(const Command &command) {
  return command.op == Op::DramWrite &&
         (maskOf(command, 0) & maskOf(command, 1)) != ~0u;
}

/// n with 2^n = value; 0 if there is none.
uint32_t shiftOf(uint64_t value) {
  return (value & (value - 1)) == 0
             ? static_cast<uint32_t>(__builtin_ctzll(value))
             : 0;
}

} // namespace

Dram::Dram(uint32_t bytes, Chassis &chassis, ChipObserver &observer)
    : chassis(chassis), observer(observer), storage(bytes),
      timing(chassis.timingOf(chassis.parameters().dramLatency)),
      banksPerChannel(static_cast<uint32_t>(chassis.parameters().dramBanks)),
      channels(chassis.parameters().dramChannels,
               {DataBus(chassis.parameters().dramTurnaroundCycles), {}, 0}),
      blockShift(shiftOf(chassis.parameters().dramBankBytes)),
      bankShift(shiftOf(banksPerChannel)),
      isHashed(chassis.parameters().dramBankHash != 0) {
  if (bankShift && isHashed)
    digitBits = 8 / bankShift * bankShift;
  for (uint32_t number = 0; number < 1u << digitBits; ++number)
    for (uint32_t rest = number; rest != 0; rest >>= bankShift)
      digitSums[number] += rest & (banksPerChannel - 1);
  for (Channel &channel : channels) {
    channel.banks.resize(banksPerChannel);
    channel.nextRefresh = chassis.parameters().dramRefreshInterval;
  }
}

Dram::Channel &Dram::channelOf(uint64_t address) {
  return channels.size() == 1
             ? channels.front()
             : channels[address / chassis.parameters().dramChannelBytes %
                        channels.size()];
}

/// The end of the piece of a burst that begins at `address`: the end of the
/// burst, of its bank's block, or of its channel's.
uint64_t Dram::pieceEnd(uint64_t address, uint64_t end) const {
  const target::ChipParameters &params = chassis.parameters();
  end = std::min(end, (blockOf(address) + 1) * params.dramBankBytes);
  if (channels.size() > 1)
    end = std::min(end, (address / params.dramChannelBytes + 1) *
                            params.dramChannelBytes);
  return end;
}

uint64_t Dram::blockOf(uint64_t address) const {
  return blockShift ? address >> blockShift
                    : address / chassis.parameters().dramBankBytes;
}

/// The bank of an interleaved block: its number modulo `banks` or, with
/// dram.bank_hash, the sum of the number's digits in base `banks`, modulo
/// `banks`. Adjacent blocks lie in different banks; by the hash so do equal
/// offsets in buffers of a power of two. The chip's own mapping is not
/// documented [M].
uint32_t Dram::bankOf(uint64_t block) const {
  uint64_t count = banksPerChannel, sum = 0;
  if (count == 1)
    return 0;
  if (!isHashed)
    return static_cast<uint32_t>(bankShift ? block & (count - 1)
                                           : block % count);
  if (bankShift) {
    for (; block != 0; block >>= digitBits)
      sum += digitSums[block & ((1u << digitBits) - 1)];
    return static_cast<uint32_t>(sum & (count - 1));
  }
  for (; block != 0; block /= count)
    sum += block % count;
  return static_cast<uint32_t>(sum % count);
}

/// How long an access of `quads` at `address` occupies its bank. A closed row
/// is opened, transferred and closed: the row cycle includes the first
/// quadword.
uint64_t Dram::bankCycles(Bank &bank, uint64_t address, uint64_t quads) const {
  const target::ChipParameters &params = chassis.parameters();
  if (params.dramOpenRows) {
    uint64_t row = address / (params.dramRowBytes * banksPerChannel);
    if (bank.openRow == row)
      return quads * params.dramQuadCycles;
    bank.openRow = row;
  }
  return params.dramBankCycles + (quads - 1) * params.dramQuadCycles;
}

/// Performs the refreshes due up to `cycle`: a busy bank finishes first. Of the
/// refreshes in an idle period only the last has an effect.
void Dram::refresh(Channel &channel, uint64_t cycle) {
  const target::ChipParameters &params = chassis.parameters();
  if (cycle < channel.nextRefresh)
    return;
  uint64_t since = (cycle - channel.nextRefresh) % params.dramRefreshInterval;
  for (Bank &bank : channel.banks) {
    bank.server.close(cycle - since, params.dramRefreshCycles);
    bank.openRow = ~uint64_t{0};
  }
  channel.nextRefresh = cycle - since + params.dramRefreshInterval;
}

/// Reserves bank and bus for every piece of the burst.
Dram::BurstTimes Dram::reserve(uint64_t address, uint64_t bytes, bool isWrite,
                               uint64_t notBefore) {
  const target::ChipParameters &params = chassis.parameters();
  uint64_t end = address + bytes;
  uint64_t start = notBefore;
  uint64_t first = Scheduler::never;
  while (address < end) {
    uint64_t next = pieceEnd(address, end);
    uint64_t quads = std::max<uint64_t>((next - address) / 8, 1);
    uint64_t transferred = std::max(quads, params.dramBurstQuads);
    Channel &channel = channelOf(address);
    refresh(channel, notBefore);
    Bank &bank = channel.banks[bankOf(blockOf(address))];
    start = channel.dataBus.book(std::min(chassis.scheduler().now(), start),
                                 std::max(start, bank.server.freeCycle()),
                                 transferred * params.dramQuadCycles, isWrite);
    first = std::min(first, start);
    bank.server.reserve(start, bankCycles(bank, address, quads));
    address = next;
  }
  KARAKAL_ASSERT(notBefore <= first && first <= start,
                 "a burst's pieces are served in order");
  return {first, start};
}

uint64_t Dram::coreAccess(uint32_t address, uint32_t bytes, bool isWrite,
                          uint64_t now) {
  uint64_t quads = (address % 8 + bytes + 7) / 8;
  return reserve(address & ~7u, quads * 8, isWrite, now).first;
}

void Dram::accept(Command &command) {
  uint64_t now = chassis.scheduler().now();
  uint32_t words = command.count * 2u;
  command.isSignalPair = true;
  if (uint64_t{command.address} + command.count * 8u > storage.size()) {
    observer.onFault(command, "DRAM address out of range");
    chassis.finish(command, now);
    return;
  }
  storage.prefetch(command.address);
  storage.prefetch(command.address + command.count * 8u - 1);
  uint64_t ready = now + timing.operandCycles;
  if (target::pullsOperands(command.op))
    ready = std::max(ready, chassis.pull(command, words, nullptr));
  else if (command.op == Op::DramRbufRd)
    ready = std::max(ready, chassis.pullBuffer(command.count));
  if (chassis.parameters().dramEcc && isPartial(command))
    ready =
        reserve(command.address, command.count * 8u, /*isWrite=*/false, ready)
            .last;
  bool isWrite = command.op == Op::DramWrite || command.op == Op::DramRbufRd;
  BurstTimes times =
      reserve(command.address, command.count * 8u, isWrite, ready);
  uint64_t start = command.op == Op::DramWrite ? times.first : times.last;
  if (command.op == Op::DramRead || command.op == Op::DramWrite)
    command.pendingAt = this;
  chassis.scheduler().schedule(start, this, Serve, eventArgument(command));
}

void Dram::onEvent(uint64_t cycle, uint32_t code, uint64_t argument) {
  Command &command = commandOf(argument);
  if (code == Serve)
    return serve(cycle, command);
  moveBuffer(command);
  chassis.finish(command, cycle + chassis.parameters().busReturnCycles);
}

void Dram::onMoved(Command &command) {
  moveBuffer(command);
  chassis.finish(command, chassis.scheduler().now());
}

void Dram::settle() {
  for (Command *command : chassis.pendingAt(this))
    act(*command);
}

/// Reads or writes the memory, once per command.
void Dram::act(Command &command) {
  if (!command.pendingAt)
    return;
  command.pendingAt = nullptr;
  uint32_t words = command.count * 2u;
  // The grain is a quadword: the low three address bits have no effect.
  uint32_t address = command.address & ~7u;
  for (uint32_t i = 0; i < words; ++i) {
    uint32_t wordAddress = address + 4 * i;
    uint32_t old = storage.readWord(wordAddress);
    if (command.op == Op::DramRead) {
      command.data[i] = old;
      continue;
    }
    uint32_t mask = maskOf(command, i);
    storage.writeWord(wordAddress, (old & ~mask) | (command.data[i] & mask));
  }
}

void Dram::serve(uint64_t cycle, Command &command) {
  const target::ChipParameters &params = chassis.parameters();
  uint32_t words = command.count * 2u;
  act(command);
  switch (target::dramCommand(command.op)) {
  case target::DramCommand::Read:
    // The latency is that of one quadword, and so includes its second word.
    chassis.push(command, words,
                 cycle + timing.dataCycles -
                     std::min(timing.dataCycles, params.busDramWordCycles));
    return;
  case target::DramCommand::Write:
    command.signal = 0; // raised by the pull
    chassis.finish(command, cycle);
    return;
  case target::DramCommand::TbufWr:
    // As a read, but for the buffer.
    chassis.pushBuffer(
        command, command.count,
        cycle + timing.dataCycles -
            std::min(timing.dataCycles, params.busDramWordCycles) +
            burstLag(command.count),
        this);
    return;
  case target::DramCommand::RbufRd:
    chassis.leaveInlet(command);
    chassis.scheduler().schedule(cycle + timing.dataCycles +
                                     command.count * params.dramQuadCycles,
                                 this, MoveDone, eventArgument(command));
    return;
  }
  KARAKAL_UNREACHABLE("not a DRAM command");
}

/// The delay of a burst because memory delivers its last quadword more slowly
/// than the bus to the buffer could take it.
uint64_t Dram::burstLag(uint32_t quads) const {
  const target::ChipParameters &params = chassis.parameters();
  return params.dramQuadCycles > params.busDramWordCycles
             ? (quads - 1) * (params.dramQuadCycles - params.busDramWordCycles)
             : 0;
}

void Dram::moveBuffer(Command &command) {
  uint32_t bytes = command.count * 8u;
  uint32_t address = command.address & ~7u;
  if (!command.isIndirect || !(command.indirectWord & bufferBits) || !buffers)
    observer.onFault(command,
                     "rbuf_rd or tbuf_wr without a buffer address in its "
                     "indirect reference");
  else {
    uint32_t mediaAddress = bufferAddress(command);
    bool isReceive = command.op == Op::DramRbufRd;
    if (isReceive)
      buffers->readRbuf(mediaAddress, storage.data() + address, bytes);
    else
      buffers->writeTbuf(mediaAddress, storage.data() + address, bytes);
    buffers->onBufferMove(isReceive, mediaAddress, address);
  }
}

} // namespace karakal::sim
