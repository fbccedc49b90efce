// The CSR access proxy.

#include "sim-ixp/bus/Cap.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/CommandCodes.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace karakal::sim {
namespace {

using target::CapCommand;

/// 16-bit register addresses.
constexpr uint32_t registerBytes = 0x10000;
constexpr uint32_t selfDestructBytes = 2 * 4;
constexpr uint32_t threadMessageBytes = 128 * 4;
static_assert(Cap::interruptA == target::CapXScaleIntA);
static_assert(Cap::reflector >= registerBytes);

/// Whether the command carries its data instead of naming registers.
bool isFastWrite(const Command &command) {
  return command.op == target::Op::CapFastWr ||
         command.op == target::Op::CapFastWrAlu;
}

bool isSelfDestruct(uint32_t offset) {
  return offset - Cap::selfDestruct < selfDestructBytes;
}
bool isThreadMessage(uint32_t offset) {
  return offset - Cap::threadMessage < threadMessageBytes;
}
bool isRing(uint32_t offset) {
  return offset - Cap::ringRegisters < Cap::ringRegisterBytes;
}
bool isInterrupt(uint32_t offset) {
  return offset == Cap::interruptA || offset == Cap::interruptB;
}

/// The field of a ring register at a byte offset of its ring.
std::optional<RingRegisters::Field> ringField(uint32_t offset) {
  switch (offset % 16) {
  case 0:
    return RingRegisters::Field::Base;
  case 4:
    return RingRegisters::Field::Head;
  case 8:
    return RingRegisters::Field::Tail;
  default:
    return std::nullopt;
  }
}

/// A thread's registers, as named by a word of interThreadSignal or an address
/// of the reflector.
struct ThreadAddress {
  uint32_t signal, context, engine, firstRegister;

  ThreadAddress(uint32_t word, uint32_t clusterEngines)
      : signal(word & 15), context(word >> 4 & 7),
        engine(target::engineIndex(word >> 7 & 31, clusterEngines)),
        firstRegister(word >> 12 & 15) {}
};

} // namespace

Cap::Cap(Chassis &chassis)
    : chassis(chassis),
      timing(chassis.timingOf(chassis.parameters().capLatency)),
      registers(registerBytes / 4) {
  // Family 0, product 2 is the IXP2400 and 0 the IXP2800 [R]; the revision is
  // 0.
  registers[productId / 4] = chassis.clusterEngines() == 4 ? 2u << 8 : 0;
}

uint32_t Cap::readRegister(uint32_t offset) {
  if (rings && isRing(offset)) {
    auto field = ringField(offset);
    return field ? rings->readRing((offset - ringRegisters) / 16, *field) : 0;
  }
  uint32_t &word = registers[offset % registerBytes / 4];
  if (isSelfDestruct(offset) || isThreadMessage(offset) || isInterrupt(offset))
    return std::exchange(word, 0);
  return word;
}

uint32_t Cap::threadOf(const Command &command) const {
  return threadNumber(
      target::engineHardwareNumber(command.engine, chassis.clusterEngines()),
      command.context);
}

void Cap::writeRing(uint32_t offset, uint32_t value) {
  uint32_t ring = (offset - ringRegisters) / 16;
  auto field = ringField(offset);
  if (field && !rings->writeRing(ring, *field, value) && wrong)
    wrong("makes scratch ring " + std::to_string(ring) +
          " by a register value that no ring can have");
}

void Cap::writeRegister(uint32_t offset, uint32_t value, uint64_t cycle,
                        uint32_t thread) {
  if (offset == productId)
    return; // read only
  if (rings && isRing(offset))
    return writeRing(offset, value);
  uint32_t &word = registers[offset % registerBytes / 4];
  if (isSelfDestruct(offset)) {
    word |= 1u << (value & 31);
    return;
  }
  word = value;
  if (offset == interThreadSignal) {
    ThreadAddress to(value, chassis.clusterEngines());
    if (to.engine < chassis.parameters().meCount)
      chassis.raise(to.engine, to.context, 1u << to.signal, cycle);
  }
  if (offset == reset1 && reset)
    reset(value);
  if (!isInterrupt(offset))
    return;
  uint32_t which = offset == interruptB;
  if (thread != noThread)
    threads.raise(which, thread);
  if (interrupt)
    interrupt(which, thread);
}

/// Copies the pulled words to another engine.
void Cap::reflect(uint64_t cycle, Command &command) {
  ThreadAddress to(command.address - reflector, chassis.clusterEngines());
  if (to.engine < chassis.parameters().meCount)
    chassis.autopush(to.engine, to.context, to.firstRegister,
                     command.data.data(), command.count, to.signal,
                     cycle + timing.dataCycles);
}

uint64_t Cap::coreAccess(uint64_t now) {
  return service.reserve(now, chassis.parameters().busCycles);
}

void Cap::accept(Command &command) {
  uint64_t now = chassis.scheduler().now();
  uint64_t ready = now;
  if (!isFastWrite(command))
    ready += timing.operandCycles;
  if (target::pullsOperands(command.op))
    ready = std::max(ready, chassis.pull(command, command.count, nullptr));
  uint64_t start =
      service.reserve(ready, command.count * chassis.parameters().busCycles);
  chassis.scheduler().schedule(start, this, 0, eventArgument(command));
}

void Cap::write(uint64_t cycle, Command &command) {
  command.signal = 0; // raised by the pull
  if (command.address >= reflector) {
    reflect(cycle, command);
    return;
  }
  for (uint32_t i = 0; i < command.count; ++i)
    writeRegister(command.address + 4 * i, command.data[i], cycle,
                  threadOf(command));
}

void Cap::onEvent(uint64_t cycle, uint32_t, uint64_t argument) {
  Command &command = commandOf(argument);
  uint32_t offset = command.address % registerBytes;
  switch (target::capCommand(command.op)) {
  case CapCommand::Write:
  case CapCommand::WriteSum:
    write(cycle, command);
    chassis.finish(command, cycle);
    return;
  case CapCommand::FastWr:
  case CapCommand::FastWrAlu:
    command.signal = 0;
    writeRegister(offset, command.data[0], cycle, threadOf(command));
    chassis.finish(command, cycle);
    return;
  case CapCommand::Read:
  case CapCommand::ReadSum:
    for (uint32_t i = 0; i < command.count; ++i)
      command.data[i] = readRegister(offset + 4 * i);
    chassis.push(command, command.count, cycle + timing.dataCycles);
    return;
  }
  KARAKAL_UNREACHABLE("not a command of the CAP");
}

} // namespace karakal::sim
