// What generated code costs a message.

#include "aggregation/model/CodeCost.h"
#include "aggregation/model/RunLengths.h"
#include "aggregation/model/WordCost.h"
#include "aggregation/model/WordFlow.h"
#include "aggregation/model/WordValues.h"
#include "support/Error.h"
#include "target-ixp/table/InstructionTable.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <set>

namespace karakal::agg {

using target::Instruction;
using target::Op;

namespace {

/// Takes a lock that contexts of one engine share (runtime/locks.ll), and the
/// cycles of its loop while the lock is held.
constexpr const char *localLockName = "baker_lock_local";
constexpr double lookCycles = 8;
/// What takes a lock and gives it back (runtime/services.ll, locks.ll).
constexpr const char *lockNames[] = {"baker_lock", localLockName,
                                     "baker_lock_sram"},
                     *unlockNames[] = {"baker_unlock", "baker_unlock_local",
                                       "baker_unlock_sram"};

/// Adds up the words of one program.
class Reader {
public:
  Reader(const target::Microcode &code, const target::ChipParameters &chip)
      : code(code), chip(chip), flow(code), values(code, flow),
        instructions(flow.instructions) {}

  StageCost read();

private:
  void addCommand(size_t at);
  double rounds() const;
  std::vector<bool> locked() const;
  void addRuns();

  const target::Microcode &code;
  const target::ChipParameters &chip;
  WordFlow flow;
  WordValues values;
  const std::vector<Instruction> &instructions;
  StageCost cost;
  /// Longest latency of the commands that no wait has followed yet.
  double pending = 0;
};

} // namespace

/// Whether a word asks a ring for a message; a next-neighbour ring is asked
/// whether it is empty.
static bool asksRing(const Instruction &instruction) {
  constexpr unsigned neighbourEmpty = 0; // input state
  bool isState =
      instruction.op == Op::BrInpState || instruction.op == Op::BrNotInpState;
  return instruction.op == Op::ScratchGet || instruction.op == Op::SramGet ||
         (isState && instruction.parameter == neighbourEmpty);
}

/// Rounds of the dispatch loop: the largest frequency of a question for a
/// message.
double Reader::rounds() const {
  double most = 0;
  for (size_t i = 0; i < instructions.size(); ++i)
    if (asksRing(instructions[i]))
      most = std::max<double>(most, code.frequencies[i]);
  return most;
}

void Reader::addCommand(size_t at) {
  const Instruction &instruction = instructions[at];
  std::optional<WordCommand> command = commandOf(instruction, chip);
  if (!command)
    return;
  double times = code.frequencies[at];
  if (command->unit == Unit::Sram0 && values.goesToChannel1(uint32_t(at)))
    command->channel = 1;
  if (values.sendsPacket(uint32_t(at))) {
    cost.sent += times;
    cost.bare += values.isBare(uint32_t(at)) ? times : 0;
  }
  command->addBusy(cost, times);
  if (instruction.ctxSwap)
    cost.latency += times * command->cost.latency;
  else if (instruction.signal != 0)
    pending = std::max(pending, command->cost.latency);
}

/// The words that run while a lock is held, or handed over.
std::vector<bool> Reader::locked() const {
  std::vector<bool> isLocked(instructions.size());
  std::set<uint32_t> takes, gives;
  for (const target::FunctionRange &range : code.functions) {
    bool isTake = llvm::is_contained(lockNames, range.name);
    if (!isTake && !llvm::is_contained(unlockNames, range.name))
      continue;
    (isTake ? takes : gives).insert(range.begin);
    std::fill(isLocked.begin() + range.begin, isLocked.begin() + range.end,
              true);
  }
  std::vector<uint32_t> open;
  auto reach = [&](uint32_t word) {
    if (!isLocked[word])
      open.push_back(word);
    isLocked[word] = true;
  };
  for (uint32_t i = 0; i < instructions.size(); ++i)
    for (const WordEdge &edge : flow.edges[i])
      if (edge.callee && takes.count(*edge.callee))
        reach(edge.to);
  while (!open.empty()) {
    uint32_t at = open.back();
    open.pop_back();
    for (const WordEdge &edge : flow.edges[at])
      if (!edge.callee || !gives.count(*edge.callee))
        reach(edge.to);
  }
  return isLocked;
}

void Reader::addRuns() {
  std::vector<double> lengths = runLengths(code, flow, chip);
  for (size_t i = 0; i < instructions.size(); ++i)
    if (isSwap(instructions[i])) {
      cost.runs += code.frequencies[i];
      cost.runSquares += code.frequencies[i] * lengths[i] * lengths[i];
    }
}

StageCost Reader::read() {
  std::vector<bool> isLocked = locked();
  bool hasLocalLock = llvm::any_of(code.functions, [](auto &function) {
    return function.name == localLockName;
  });
  for (size_t i = 0; i < instructions.size(); ++i) {
    StageCost before = cost;
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
    // Who waits for a lock in local memory looks at it in every turn.
    if (isLocked[i] && hasLocalLock && isSwap(instruction))
      cost.locked += times * double(chip.meContexts - 1) / 2 * lookCycles;
    if (isLocked[i]) {
      cost.locked += cost.issue + cost.latency - before.issue - before.latency;
      cost.lockedRuns += isSwap(instruction) ? times : 0;
    }
  }
  addRuns();
  double messages = rounds();
  KARAKAL_ASSERT(messages > 0, "an aggregate asks at least one ring");
  return cost * (1 / messages);
}

StageCost costOfCode(const target::Microcode &code,
                     const target::ChipParameters &chip) {
  return Reader(code, chip).read();
}

} // namespace karakal::agg
