//===- CodeCost.cpp - what generated code costs a message -----------------===//

#include "aggregation/CodeCost.h"
#include "aggregation/WordCost.h"
#include "support/Error.h"
#include "target-ixp/Encoding.h"
#include "target-ixp/InstructionTable.h"
#include <algorithm>

namespace karakal::agg {

using target::Instruction;
using target::Op;

namespace {

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

void Reader::addCommand(size_t at) {
  const Instruction &instruction = instructions[at];
  std::optional<WordCommand> command = commandOf(instruction, chip);
  if (!command)
    return;
  double times = code.frequencies[at];
  command->addBusy(cost, times);
  if (instruction.ctxSwap)
    cost.latency += times * command->cost.latency;
  else if (instruction.signal != 0)
    pending = std::max(pending, command->cost.latency);
}

StageCost Reader::read() {
  for (size_t i = 0; i < instructions.size(); ++i) {
    const Instruction &instruction = instructions[i];
    double times = code.frequencies[i];
    cost.issue += times;
    if (target::row(instruction.op).isBranch())
      cost.issue += (instruction.op == Op::Jump ? times : code.taken[i]) *
                    takenCycles(instruction);
    bool isWait = instruction.op == Op::CtxArb && instruction.signalMask > 1;
    if (isWait) {
      cost.latency += times * pending;
      pending = 0;
    }
    if (isSwap(instruction))
      cost.issue += times * swapCycles(instruction, chip);
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
