// Commands to memories and units.
//
// A command leaves in the cycle of its instruction if the engine's FIFO has
// room; otherwise the engine stalls. The word of an indirect reference is the
// result of the instruction before.

#include "sim-ixp/engine/Microengine.h"
#include "target-ixp/table/CommandCodes.h"
#include "target-ixp/table/InstructionTable.h"

#include <algorithm>

namespace karakal::sim {
namespace {

/// Indirect word: bit 25 overrides the count with 24:21 + 1.
constexpr uint32_t overrideCount = 1u << 25;

} // namespace

/// In four-context mode a context has 32 registers of a kind. The bit that
/// otherwise selects the other kind is then the fifth bit of the number.
void Microengine::useFourContexts(Command &command) {
  TransferKind usual =
      target::unitOf(command.op) == target::FunctionalUnit::Dram
          ? TransferKind::D
          : TransferKind::S;
  if (command.kind == usual)
    return;
  command.kind = usual;
  command.xfer += 16;
}

void Microengine::stallUntil(uint64_t cycle) {
  counters.stallCycles += cycle - time;
  unstalledBegin += cycle - time;
  if (profile)
    profile->stalled[pc] += cycle - time;
  time = cycle;
}

void Microengine::onFifoMoved() {
  if (!isStalled || chassis.fifoFreeCycle(number) == Scheduler::never)
    return;
  isStalled = false;
  stallUntil(std::max(scheduler.now(), time));
  publish();
}

bool Microengine::issueCommand(const MicroOp &op, uint32_t address,
                               uint64_t stop) {
  uint64_t freeCycle = chassis.fifoFreeCycle(number);
  if (freeCycle > time) {
    isStalled = freeCycle == Scheduler::never;
    if (!isStalled)
      stallUntil(std::min(freeCycle, stop));
    return false;
  }
  const CommandShape &shape = commandShapes[op.value];
  if (shape.hasSwap && delaySlots.left) {
    fault("a context swap in a delay slot");
    return false;
  }
  if (!sendCommand(shape, op, address))
    return false;
  if (shape.hasSwap) {
    wait(1u << shape.head.signal, false);
    beginSwap(pc + 1 + op.defer(), op.defer());
  }
  return true;
}

bool Microengine::sendCommand(const CommandShape &shape, const MicroOp &op,
                              uint32_t address) {
  commitPending();
  if (op.op == target::Op::ScratchGet)
    beginIteration();
  Command &command = chassis.allocate();
  static_cast<CommandHead &>(command) = shape.head;
  command.engine = static_cast<uint8_t>(number);
  command.context = static_cast<uint8_t>(arbiter.current);
  command.address = address;
  command.indirectWord = 0;
  command.data[0] = shape.immediate;
  if (!shape.isPlain || isFourContexts)
    adjust(command, shape);
  else
    markTransfers(shape.fills, shape.takes);
  if (command.address & shape.ignoredBits)
    reportUnaligned(command, shape);
  observer.onCommand(command);
  if (!chassis.issue(command)) {
    const target::InstructionRow &row = target::row(op.op);
    fault(std::string("no unit serves ") + row.mnemonic + "[" + row.variant +
          "]");
    return false;
  }
  ++counters.commands;
  return true;
}

/// Sets the fields that depend on the engine's state.
void Microengine::adjust(Command &command, const CommandShape &shape) {
  if (command.isIndirect)
    command.indirectWord = latches.previousResult;
  if (shape.address != target::AddressForm::Sum)
    setAddress(command, shape);
  if (isFourContexts)
    useFourContexts(command);
  if (command.indirectWord & overrideCount)
    command.count = static_cast<uint8_t>((command.indirectWord >> 21 & 15) + 1);
  if (!isFourContexts && command.count == shape.head.count)
    return markTransfers(shape.fills, shape.takes);
  uint64_t mask =
      transferMask(command.kind, command.xfer,
                   command.count * shape.unitBytes / 4, registerCount());
  markTransfers(shape.fills ? mask : 0, shape.takes ? mask : 0);
}

/// Sets an address that is not the sum of two operands.
void Microengine::setAddress(Command &command, const CommandShape &shape) {
  switch (shape.address) {
  case target::AddressForm::FastAlu:
    command.data[0] = latches.previousResult;
    [[fallthrough]];
  case target::AddressForm::CapRegister:
  case target::AddressForm::FastData:
    command.address = shape.csr;
    return;
  default:
    return;
  }
}

} // namespace karakal::sim
