//===- MicroengineCommand.cpp - commands to memories and units
//-------------===//
//
// A command leaves in the cycle of its instruction if the engine's FIFO has
// room; otherwise the engine stalls. The word of an indirect reference is the
// result of the instruction before.
//
//===----------------------------------------------------------------------===//

#include "sim-ixp/Microengine.h"
#include "target-ixp/InstructionTable.h"

#include <algorithm>

namespace karakal::sim {
namespace {

/// Indirect word: bit 25 overrides the count with 24:21 + 1.
constexpr uint32_t overrideCount = 1u << 25;

/// The address of a command that does not add two operands.
uint32_t addressOf(const target::Instruction &instruction, uint32_t sum) {
  switch (target::row(instruction.op).address) {
  case target::AddressForm::CapRegister:
  case target::AddressForm::FastData:
  case target::AddressForm::FastAlu:
    return instruction.csr;
  default:
    return sum;
  }
}

} // namespace

bool Microengine::issueCommand(const MicroOp &op,
                               const target::Instruction &instruction,
                               uint32_t address, uint64_t stop) {
  uint64_t freeCycle = chassis.fifoFreeCycle(number);
  if (freeCycle > time) {
    uint64_t until = std::min(freeCycle, stop);
    counters.stallCycles += until - time;
    if (profile)
      profile->stalled[pc] += until - time;
    time = until;
    return false;
  }
  if (instruction.ctxSwap && slotsLeft) {
    fault("a context swap in a delay slot");
    return false;
  }
  const target::InstructionRow &row = target::row(instruction.op);
  Command &command = chassis.allocate();
  command.engine = static_cast<uint8_t>(number);
  command.context = static_cast<uint8_t>(current);
  command.pc = static_cast<uint16_t>(pc);
  command.target = op.target & 63;
  command.token = op.target >> 8;
  command.address = addressOf(instruction, address);
  command.count = std::max<uint8_t>(instruction.count, 1);
  command.xfer = static_cast<uint8_t>(instruction.xfer.value);
  command.kind = instruction.xfer.isDXfer() ? TransferKind::D : TransferKind::S;
  // Four contexts have 32 registers of a kind: what would name the other kind
  // is the number's fifth bit.
  TransferKind usual =
      command.target >> 2 == 0xa ? TransferKind::D : TransferKind::S;
  if (isFourContexts && command.kind != usual) {
    command.kind = usual;
    command.xfer += 16;
  }
  command.signal = instruction.signal;
  command.isSignalPair = false;
  command.isIndirect = instruction.indirectRef;
  command.indirectWord = instruction.indirectRef ? previousResult : 0;
  if (command.indirectWord & overrideCount)
    command.count = static_cast<uint8_t>((command.indirectWord >> 21 & 15) + 1);
  command.data[0] = row.address == target::AddressForm::FastAlu
                        ? previousResult
                        : instruction.immediate;
  checkAlignment(command);
  if (row.xfer != target::XferUse::No)
    markTransfers(command, row.xfer, row.unitBytes);
  recorder.onCommand(command);
  if (!chassis.issue(command)) {
    fault(std::string("no unit answers ") + row.mnemonic + "[" + row.variant +
          "]");
    return false;
  }
  ++counters.commands;
  if (instruction.ctxSwap) {
    wait(1u << instruction.signal, false);
    beginSwap(pc + 1 + op.defer, op.defer);
  }
  return true;
}

} // namespace karakal::sim
