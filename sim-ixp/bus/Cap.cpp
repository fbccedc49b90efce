// The CSR access proxy.
//
// See Cap.h for the idea.

#include "sim-ixp/bus/Cap.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/MemoryMap.h"

#include <algorithm>
#include <utility>

namespace karakal::sim {
namespace {

/// 16-bit register addresses.
constexpr uint32_t registerBytes = 0x10000;

/// Whether the command carries its data instead of naming registers.
bool isFastWrite(target::Op op) {
  return op == target::Op::CapFastWr || op == target::Op::CapFastWrAlu;
}
bool isWrite(target::Op op) { return target::pullsOperands(op); }

} // namespace

Cap::Cap(Chassis &chassis)
    : chassis(chassis),
      timing(chassis.timingOf(chassis.parameters().capLatency)),
      registers(registerBytes / 4) {}

uint32_t Cap::readRegister(uint32_t offset) {
  uint32_t &kept = registers[offset % registerBytes / 4];
  bool clears = offset - selfDestruct < 8 || offset - threadMessage < 512 ||
                offset == interruptA || offset == interruptB;
  return clears ? std::exchange(kept, 0) : kept;
}

void Cap::writeRegister(uint32_t offset, uint32_t value, uint64_t cycle) {
  uint32_t &kept = registers[offset % registerBytes / 4];
  if (offset - selfDestruct < 8) {
    kept |= 1u << (value & 31);
    return;
  }
  kept = value;
  uint32_t engine =
      target::engineIndex(value >> 7 & 31, chassis.clusterEngines());
  if (offset == interThreadSignal && engine < chassis.parameters().meCount)
    chassis.raise(engine, value >> 4 & 7, 1u << (value & 15), cycle);
  if ((offset == interruptA || offset == interruptB) && interrupt)
    interrupt(offset == interruptB);
}

/// Copies the words that were pulled to another engine.
void Cap::reflect(uint64_t cycle, Command &command) {
  uint32_t where = command.address - reflector;
  uint32_t engine =
      target::engineIndex(where >> 7 & 31, chassis.clusterEngines());
  if (engine < chassis.parameters().meCount)
    chassis.autopush(engine, where >> 4 & 7, where >> 12 & 15,
                     command.data.data(), command.count, where & 15,
                     cycle + timing.dataCycles);
}

void Cap::accept(Command &command) {
  uint64_t now = chassis.scheduler().now();
  uint64_t ready = now;
  if (!isFastWrite(command.op))
    ready += timing.operandCycles;
  if (isWrite(command.op))
    ready = std::max(ready, chassis.pull(command, command.count, now, nullptr));
  uint64_t start =
      service.reserve(ready, command.count * chassis.parameters().busCycles);
  chassis.scheduler().schedule(start, this, 0,
                               reinterpret_cast<uintptr_t>(&command));
}

void Cap::onEvent(uint64_t cycle, uint32_t, uint64_t argument) {
  Command &command = *reinterpret_cast<Command *>(argument);
  uint32_t offset = command.address % registerBytes;
  if (command.address >= reflector && isWrite(command.op)) {
    reflect(cycle, command);
    command.signal = 0; // raised by the pull
    chassis.finish(command, cycle);
  } else if (isFastWrite(command.op)) {
    command.signal = 0;
    writeRegister(offset, command.data[0], cycle);
    chassis.finish(command, cycle);
  } else if (isWrite(command.op)) {
    for (uint32_t i = 0; i < command.count; ++i)
      writeRegister(offset + 4 * i, command.data[i], cycle);
    command.signal = 0; // raised by the pull
    chassis.finish(command, cycle);
  } else {
    for (uint32_t i = 0; i < command.count; ++i)
      command.data[i] = readRegister(offset + 4 * i);
    chassis.push(command, command.count, cycle + timing.dataCycles);
  }
}

} // namespace karakal::sim
