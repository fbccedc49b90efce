// The cost of one word of microcode.

#include "target-ixp/microcode/InstructionCost.h"
#include "target-ixp/table/InstructionTable.h"
#include <algorithm>

namespace karakal::target {

namespace {

std::optional<SharedUnit> unitOf(Op op) {
  if (op >= Op::SramRead && op <= Op::SramRdQdescHead)
    return SharedUnit::Sram0;
  if (op >= Op::ScratchRead && op <= Op::ScratchPut)
    return SharedUnit::Scratch;
  if (op >= Op::DramRead && op <= Op::DramTbufWr)
    return SharedUnit::Dram;
  if (op >= Op::Hash48 && op <= Op::Hash128)
    return SharedUnit::Hash;
  return std::nullopt;
}

CommandKind kindOf(Op op) {
  if (op == Op::SramDequeue || op == Op::SramEnqueue ||
      op == Op::SramEnqueueTail)
    return CommandKind::Queue;
  bool isAtomic = (op >= Op::SramSwap && op <= Op::SramTestDecr) ||
                  (op >= Op::ScratchSwap && op <= Op::ScratchTestDecr);
  return isAtomic ? CommandKind::Atomic : CommandKind::Memory;
}

/// Whether an SRAM command uses only the write port.
bool writesOnly(Op op) {
  return op == Op::SramWrite || op == Op::SramEnqueue ||
         op == Op::SramEnqueueTail;
}

constexpr unsigned dramQuadWords = 2;

/// Cycles from the issue of a command until its words have left the engine.
double fetchCycles(SharedUnit unit, unsigned words,
                   const ChipParameters &chip) {
  uint64_t word = unit == SharedUnit::Dram ? chip.busDramWordCycles
                                           : chip.busPushWordCycles;
  return double(chip.busRequestCycles + chip.busReturnCycles + words * word);
}

} // namespace

void UnitCommand::addBusy(MessageCost &to, double times) const {
  bool isSram = channelOf(unit).has_value();
  if (usesReadPort)
    to.addCommands(isSram ? readPort(channel) : unit, times, cost.busy);
  if (usesWritePort)
    to.addCommands(writePort(channel), times, cost.busy);
}

CommandCost commandCost(const ChipParameters &chip, SharedUnit unit,
                        CommandKind kind, unsigned words) {
  double more = double(std::max(words, 1u) - 1);
  double push = more * double(chip.busPushWordCycles);
  switch (unit) {
  case SharedUnit::Scratch:
    return {double(chip.scratchLatency) + push,
            kind == CommandKind::Atomic
                ? double(chip.scratchAtomicCycles)
                : chip.scratchOpCycles + more * chip.scratchWordCycles};
  case SharedUnit::Sram0:
  case SharedUnit::Sram1:
  case SharedUnit::Sram2:
  case SharedUnit::Sram3:
  case SharedUnit::Sram0Write:
  case SharedUnit::Sram1Write:
  case SharedUnit::Sram2Write:
  case SharedUnit::Sram3Write:
    return {double(chip.sramLatency) +
                more * double(std::max(chip.sramWordCycles,
                                       chip.busPushWordCycles)),
            kind == CommandKind::Atomic ? double(chip.sramAtomicCycles)
            : kind == CommandKind::Queue
                ? double(chip.sramQueueCycles)
                : chip.sramOpCycles + more * chip.sramWordCycles};
  case SharedUnit::Dram: {
    double quads = std::max(1u, (words + 1) / dramQuadWords);
    double bank =
        double(chip.dramBankCycles) + (quads - 1) * double(chip.dramQuadCycles);
    double bus = std::max(quads, double(chip.dramBurstQuads)) *
                 double(chip.dramQuadCycles);
    return {double(chip.dramLatency) +
                (quads * dramQuadWords - 1) * double(chip.busDramWordCycles),
            std::max(bus, bank / double(chip.dramBanks)) /
                double(chip.dramChannels)};
  }
  case SharedUnit::Hash:
    return {double(chip.hashLatency), double(chip.hashKeyCycles)};
  }
  KARAKAL_UNREACHABLE("no such unit");
}

std::optional<UnitCommand> commandOf(const Instruction &instruction,
                                     const ChipParameters &chip) {
  std::optional<SharedUnit> unit = unitOf(instruction.op);
  if (!unit)
    return std::nullopt;
  UnitCommand command;
  command.unit = *unit;
  unsigned words = std::max<unsigned>(instruction.count, 1) *
                   row(instruction.op).unitBytes / 4;
  CommandKind kind = kindOf(instruction.op);
  command.cost = commandCost(chip, *unit, kind, words);
  // A write is complete for the context once its data has been fetched.
  if (row(instruction.op).xfer == XferUse::Out)
    command.cost.latency = fetchCycles(*unit, words, chip);
  command.usesReadPort = !writesOnly(instruction.op);
  command.usesWritePort =
      *unit == SharedUnit::Sram0 &&
      (!command.usesReadPort || kind == CommandKind::Atomic);
  return command;
}

bool isSwap(const Instruction &instruction) {
  return instruction.ctxSwap || instruction.op == Op::CtxArb;
}

double swapCycles(const Instruction &instruction, const ChipParameters &chip) {
  return double(chip.meSwapSlots -
                std::min<uint64_t>(chip.meSwapSlots, instruction.defer));
}

} // namespace karakal::target
