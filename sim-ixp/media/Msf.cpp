// The media switch fabric interface.

#include "sim-ixp/media/Msf.h"

#include "sim-ixp/observe/ChipObserver.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipLayout.h"
#include "target-ixp/table/CommandCodes.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

namespace karakal::sim {

namespace {

/// Words that a command moves.
uint32_t wordsOf(const Command &command) {
  return command.count * target::commandCode(command.op).unitBytes / 4u;
}

bool isBuffer(uint32_t address) {
  return address >= target::MsfBufferData && address < msf::spaceBytes;
}

uint32_t wordAt(const uint8_t *bytes) {
  uint32_t word;
  std::memcpy(&word, bytes, 4);
  return __builtin_bswap32(word);
}

} // namespace

Msf::Msf(Chassis &chassis, ChipObserver &observer, TrafficSource &source)
    : chassis(chassis), observer(observer), receive(chassis, observer, source),
      transmit(chassis, observer, source.portCount()),
      storedRegisters(target::MsfTbufElementControl / 4),
      origins(target::BufferCount) {}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

void Msf::accept(Command &command) {
  const target::ChipParameters &chip = chassis.parameters();
  // The part of a register's latency that is not spent on the buses.
  uint64_t busCycles = chip.busRequestCycles + chip.busReturnCycles;
  uint64_t service =
      chip.msfLatency > busCycles ? chip.msfLatency - busCycles : 0;
  uint64_t ready = chassis.scheduler().now() + service;
  switch (target::msfCommand(command.op)) {
  case target::MsfCommand::Read:
  case target::MsfCommand::Read64:
    chassis.scheduler().schedule(ready, this, 0, eventArgument(command));
    return;
  case target::MsfCommand::FastWr:
    writeRegister(command.address & 0xffff, command.address >> 16,
                  command.engine);
    chassis.finish(command, chassis.scheduler().now());
    return;
  case target::MsfCommand::Write:
  case target::MsfCommand::Write64:
    chassis.pull(command, wordsOf(command), this);
    return;
  }
  KARAKAL_UNREACHABLE("not a command of the MSF");
}

void Msf::onEvent(uint64_t, uint32_t, uint64_t argument) {
  serveRead(commandOf(argument));
}

void Msf::serveRead(Command &command) {
  uint32_t words = wordsOf(command);
  for (uint32_t i = 0; i < words; ++i)
    command.data[i] = readRegister(command.address + 4 * i);
  chassis.push(command, words, chassis.scheduler().now());
}

void Msf::onPulled(Command &command) {
  serveWrite(command);
  // The pull has raised the signal.
  command.signal = 0;
  chassis.finish(command, chassis.scheduler().now());
}

void Msf::serveWrite(Command &command) {
  uint32_t words = wordsOf(command);
  uint32_t address = command.address;
  for (uint32_t i = 0; i < words; ++i)
    writeRegister(address + 4 * i, command.data[i], command.engine);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

uint32_t Msf::readRegister(uint32_t address) const {
  address &= msf::spaceBytes - 4;
  if (isBuffer(address))
    return wordAt(receive.buffer().data() + (address - target::MsfBufferData));
  uint32_t partition = (address - target::MsfTxSequence) / 4;
  if (address >= target::MsfTxSequence && partition < msf::partitionCount)
    return transmit.sequence(partition);
  return address / 4 < storedRegisters.size() ? storedRegisters[address / 4]
                                              : 0;
}

void Msf::writeRegister(uint32_t address, uint32_t value, uint32_t engine) {
  address &= msf::spaceBytes - 4;
  if (isBuffer(address)) {
    uint32_t bigEndian = __builtin_bswap32(value);
    std::memcpy(transmit.buffer().data() + (address - target::MsfBufferData),
                &bigEndian, 4);
  } else if (address >= target::MsfTbufElementControl) {
    // The second word must be 0 and has no effect.
    if (address % 8 == 0)
      transmit.validate((address - target::MsfTbufElementControl) / 8, value,
                        engine);
  } else if (uint32_t list = (address - target::MsfRxThreadFreelist) / 4;
             address >= target::MsfRxThreadFreelist &&
             list < msf::freelistCount) {
    receive.addThread(list, value);
  } else if (address == target::MsfRbufElementDone) {
    receive.freeElement(value & 0xff, engine);
  } else {
    storedRegisters[address / 4] = value;
    configure(address, value, engine);
  }
}

void Msf::start() {
  constexpr uint32_t core = xscaleActor;
  uint32_t rx = storedRegisters[target::MsfRxControl / 4];
  // All ports share the 32 lines.
  rx |= msf::controlMphy | msf::controlMphy32;
  writeRegister(target::MsfRxControl, rx, core);
  msf::ElementSize size{msf::ElementSize::codeOf(rx)};
  const auto &unusable = msf::elementsUnusable[size.code];
  for (uint32_t element = 0; element < size.count(); ++element)
    if (std::find(std::begin(unusable), std::end(unusable), element) ==
        std::end(unusable))
      writeRegister(target::MsfRbufElementDone, element, core);
  uint32_t tx = storedRegisters[target::MsfTxControl / 4];
  if (msf::widthOf(tx) == msf::BusWidth::One32 && !(tx & msf::controlMphy))
    tx |= msf::widthBits(msf::BusWidth::Four8);
  writeRegister(target::MsfTxControl,
                tx | msf::channelsOf(tx) << msf::controlChannelShift, core);
  writeRegister(target::MsfRxControl,
                rx | msf::channelsOf(rx) << msf::controlChannelShift, core);
}

/// Registers that store their value and configure something.
void Msf::configure(uint32_t address, uint32_t value, uint32_t engine) {
  uint32_t list = (address - msf::freelistTimeout) / 4;
  if (address == target::MsfRxControl)
    receive.setControl(value, engine);
  else if (address == target::MsfTxControl)
    transmit.setControl(value, engine);
  else if (address >= msf::freelistTimeout && list < msf::freelistCount)
    receive.setTimeout(list, value);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

void Msf::readRbuf(uint32_t address, uint8_t *to, uint32_t bytes) {
  uint32_t offset = (address - target::MsfBufferData) % msf::bufferBytes;
  if (offset + bytes > msf::bufferBytes)
    return observer.onFault(target::RxEngine, "reads beyond the RBUF");
  std::memcpy(to, receive.buffer().data() + offset, bytes);
}

void Msf::writeTbuf(uint32_t address, const uint8_t *from, uint32_t bytes) {
  uint32_t offset = (address - target::MsfBufferData) % msf::bufferBytes;
  if (offset + bytes > msf::bufferBytes)
    return observer.onFault(target::txEngine(chassis.parameters()),
                            "writes beyond the TBUF");
  std::memcpy(transmit.buffer().data() + offset, from, bytes);
}

FrameOrigin &Msf::originOfBuffer(uint32_t dramAddress) {
  uint32_t index = (dramAddress - bufferBase) / bufferStride;
  return origins[index % origins.size()];
}

void Msf::onBufferMove(bool isReceive, uint32_t mediaAddress,
                       uint32_t dramAddress) {
  if (isReceive)
    originOfBuffer(dramAddress) = receive.originAt(mediaAddress);
  else
    transmit.setOriginAt(mediaAddress, originOfBuffer(dramAddress));
}

} // namespace karakal::sim
