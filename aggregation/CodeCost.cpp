//===- CodeCost.cpp - what generated code costs a message -----------------===//

#include "aggregation/CodeCost.h"
#include "support/Error.h"
#include "target-ixp/Encoding.h"
#include "target-ixp/InstructionTable.h"
#include <algorithm>
#include <optional>

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

/// Adds up the words of one program.
class Reader {
public:
  Reader(const target::Microcode &code, const target::ChipParameters &chip)
      : code(code), chip(chip) {
    for (uint64_t word : code.words) {
      auto decoded = target::decode(word);
      KARAKAL_ASSERT(bool(decoded), "the code generator makes legal words");
      instructions.push_back(*decoded);
    }
  }

  StageCost read();

private:
  /// How often a branch at `at` is taken.
  double takenOf(size_t at) const;
  void addCommand(size_t at);
  double rounds() const;

  const target::Microcode &code;
  const target::ChipParameters &chip;
  std::vector<Instruction> instructions;
  StageCost cost;
  /// Longest latency of the commands that no wait has followed yet.
  double pending = 0;
};

} // namespace

/// Rounds of the dispatch loop: the largest frequency of a ring get.
double Reader::rounds() const {
  double most = 0;
  for (size_t i = 0; i < instructions.size(); ++i)
    if (instructions[i].op == Op::ScratchGet)
      most = std::max<double>(most, code.frequencies[i]);
  return most;
}

double Reader::takenOf(size_t at) const {
  const Instruction &branch = instructions[at];
  double times = code.frequencies[at];
  if (branch.op == Op::Br || branch.op == Op::Jump)
    return times;
  size_t next = at + 1 + branch.defer;
  double falls = next < instructions.size() ? code.frequencies[next] : 0;
  return std::clamp(times - falls, 0.0, times);
}

void Reader::addCommand(size_t at) {
  const Instruction &command = instructions[at];
  std::optional<Unit> unit = unitOf(command.op);
  double times = code.frequencies[at];
  if (!unit)
    return;
  unsigned words = std::max<unsigned>(command.count, 1) *
                   target::row(command.op).unitBytes / 4;
  CommandCost one = commandCost(chip, *unit, accessOf(command.op), words);
  if (!usesWritePort(command.op))
    cost.busyOf(*unit) += times * one.busy;
  if (*unit == Unit::Sram0 &&
      (usesWritePort(command.op) || accessOf(command.op) == Access::Atomic))
    cost.busyOf(Unit::Sram0Write) += times * one.busy;
  if (command.ctxSwap)
    cost.latency += times * one.latency;
  else if (command.signal != 0)
    pending = std::max(pending, one.latency);
}

StageCost Reader::read() {
  for (size_t i = 0; i < instructions.size(); ++i) {
    const Instruction &instruction = instructions[i];
    const target::InstructionRow &row = target::row(instruction.op);
    double times = code.frequencies[i];
    cost.issue += times;
    if (row.isBranch())
      cost.issue += takenOf(i) * (row.slots - instruction.defer);
    bool isWait = instruction.op == Op::CtxArb && instruction.signalMask > 1;
    if (isWait) {
      cost.latency += times * pending;
      pending = 0;
    }
    if (instruction.ctxSwap || instruction.op == Op::CtxArb)
      cost.issue += times * double(chip.meSwapSlots -
                                   std::min<uint64_t>(chip.meSwapSlots,
                                                      instruction.defer));
    if (row.isCommand())
      addCommand(i);
  }
  double messages = rounds();
  KARAKAL_ASSERT(messages > 0, "an aggregate asks at least one ring");
  return cost * (1 / messages);
}

StageCost costOfCode(const target::Microcode &code,
                     const target::ChipParameters &chip, double sram1Commands) {
  StageCost cost = Reader(code, chip).read();
  CommandCost one = commandCost(chip, Unit::Sram1, Access::Memory, 1);
  double moved = std::min(cost.busyOf(Unit::Sram0), sram1Commands * one.busy);
  cost.busyOf(Unit::Sram0) -= moved;
  cost.busyOf(Unit::Sram1) += moved;
  return cost;
}

} // namespace karakal::agg
