// What one word of microcode costs.

#include "aggregation/model/WordCost.h"
#include "target-ixp/table/InstructionTable.h"
#include <algorithm>

namespace karakal::agg {

using target::Instruction;
using target::Op;

namespace {

std::optional<Unit> unitOf(Op op) {
  if (op >= Op::SramRead && op <= Op::SramRdQdescHead)
    return Unit::Sram0;
  if (op >= Op::ScratchRead && op <= Op::ScratchPut)
    return Unit::Scratch;
  if (op >= Op::DramRead && op <= Op::DramTbufWr)
    return Unit::Dram;
  if (op >= Op::Hash48 && op <= Op::Hash128)
    return Unit::Hash;
  return std::nullopt;
}

Access accessOf(Op op) {
  if (op == Op::SramDequeue || op == Op::SramEnqueue ||
      op == Op::SramEnqueueTail)
    return Access::Queue;
  bool isAtomic = (op >= Op::SramSwap && op <= Op::SramTestDecr) ||
                  (op >= Op::ScratchSwap && op <= Op::ScratchTestDecr);
  return isAtomic ? Access::Atomic : Access::Memory;
}

/// Whether an SRAM command moves data over the port for writes alone.
bool usesWritePort(Op op) {
  return op == Op::SramWrite || op == Op::SramEnqueue ||
         op == Op::SramEnqueueTail;
}

/// From a command's issue until the words that it takes have left the engine.
double fetchCycles(Unit unit, unsigned words,
                   const target::ChipParameters &chip) {
  uint64_t word =
      unit == Unit::Dram ? chip.busDramWordCycles : chip.busPushWordCycles;
  return double(chip.busRequestCycles + chip.busReturnCycles + words * word);
}

} // namespace

void WordCommand::addBusy(StageCost &to, double times) const {
  if (isRead)
    to.addCommands(channel == 1 ? Unit::Sram1 : unit, times, cost.busy);
  if (isWrite)
    to.addCommands(channel == 1 ? Unit::Sram1Write : Unit::Sram0Write, times,
                   cost.busy);
}

std::optional<WordCommand> commandOf(const Instruction &instruction,
                                     const target::ChipParameters &chip) {
  std::optional<Unit> unit = unitOf(instruction.op);
  if (!unit)
    return std::nullopt;
  WordCommand command;
  command.unit = *unit;
  unsigned words = std::max<unsigned>(instruction.count, 1) *
                   target::row(instruction.op).unitBytes / 4;
  Access access = accessOf(instruction.op);
  command.cost = commandCost(chip, *unit, access, words);
  // What only gives data is done, to the context, when that has been fetched.
  if (target::row(instruction.op).xfer == target::XferUse::Out)
    command.cost.latency = fetchCycles(*unit, words, chip);
  command.isRead = !usesWritePort(instruction.op);
  command.isWrite =
      *unit == Unit::Sram0 && (!command.isRead || access == Access::Atomic);
  return command;
}

bool isSwap(const Instruction &instruction) {
  return instruction.ctxSwap || instruction.op == Op::CtxArb;
}

double swapCycles(const Instruction &instruction,
                  const target::ChipParameters &chip) {
  return double(chip.meSwapSlots -
                std::min<uint64_t>(chip.meSwapSlots, instruction.defer));
}

double takenCycles(const Instruction &branch) {
  return target::row(branch.op).slots - branch.defer;
}

} // namespace karakal::agg
