// The average cost of a message, read from generated code.

#include "target-ixp/microcode/AverageCost.h"
#include "support/Error.h"
#include "target-ixp/chip/RuntimeFunctions.h"
#include "target-ixp/microcode/FlowGraph.h"
#include "target-ixp/microcode/InstructionCost.h"
#include "target-ixp/microcode/RegisterValues.h"
#include "target-ixp/microcode/SegmentLengths.h"
#include "target-ixp/table/InstructionTable.h"
#include <algorithm>
#include <set>

namespace karakal::target {

namespace {

/// Functions that release locks (runtime/services.ll, locks.ll).
constexpr const char *unlockNames[] = {runtime::Unlock, runtime::UnlockLocal,
                                       runtime::UnlockSram};

bool isOneOf(const char *const (&names)[3], const std::string &name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Adds up the words of one program.
class Reader {
public:
  Reader(const Microcode &code, const ChipParameters &chip)
      : code(code), chip(chip), flow(code), values(code, flow, chip),
        instructions(flow.instructions) {}

  MessageCost read();

private:
  void addCommand(size_t at);
  double iterations() const;
  std::vector<bool> locked() const;
  void addSegments();

  const Microcode &code;
  const ChipParameters &chip;
  WordFlow flow;
  RegisterValues values;
  const std::vector<Instruction> &instructions;
  MessageCost cost;
  /// Longest latency of the commands since the last wait.
  double pending = 0;
};

} // namespace

/// Whether a word polls a ring. A next-neighbour ring is polled by testing
/// whether it is empty.
static bool pollsRing(const Instruction &instruction) {
  constexpr unsigned neighbourEmpty = 0; // input state
  bool isState =
      instruction.op == Op::BrInpState || instruction.op == Op::BrNotInpState;
  return instruction.op == Op::ScratchGet || instruction.op == Op::SramGet ||
         (isState && instruction.parameter == neighbourEmpty);
}

/// Iterations of the dispatch loop: the largest frequency of a poll.
double Reader::iterations() const {
  double most = 0;
  for (size_t i = 0; i < instructions.size(); ++i)
    if (pollsRing(instructions[i]))
      most = std::max<double>(most, code.frequencies[i]);
  return most;
}

void Reader::addCommand(size_t at) {
  const Instruction &instruction = instructions[at];
  std::optional<UnitCommand> command = commandOf(instruction, chip);
  if (!command)
    return;
  double times = code.frequencies[at];
  if (channelOf(command->unit))
    command->channel = values.sramChannel(uint32_t(at));
  if (values.sendsPacket(uint32_t(at))) {
    cost.sent += times;
    cost.sentWithoutHead += values.lacksHead(uint32_t(at)) ? times : 0;
  }
  command->addBusy(cost, times);
  if (instruction.ctxSwap)
    cost.latency += times * command->cost.latency;
  else if (instruction.signal != 0)
    pending = std::max(pending, command->cost.latency);
}

/// The words that run while a lock is held, taken or released.
std::vector<bool> Reader::locked() const {
  std::vector<bool> isLocked(instructions.size());
  std::set<uint32_t> takes, gives;
  for (const FunctionRange &range : code.functions) {
    bool isTake = isOneOf(runtime::TakeLock, range.name);
    if (!isTake && !isOneOf(unlockNames, range.name))
      continue;
    KARAKAL_ASSERT(range.begin < range.end && range.end <= isLocked.size(),
                   "a function is within the program");
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
    for (const FlowEdge &edge : flow.graph.edgesOf(i))
      if (edge.callee && takes.count(*edge.callee))
        reach(edge.to);
  while (!open.empty()) {
    uint32_t at = open.back();
    open.pop_back();
    for (const FlowEdge &edge : flow.graph.edgesOf(at))
      if (!edge.callee || !gives.count(*edge.callee))
        reach(edge.to);
  }
  return isLocked;
}

void Reader::addSegments() {
  std::vector<double> lengths = segmentLengths(code, flow, chip);
  for (size_t i = 0; i < instructions.size(); ++i)
    if (isSwap(instructions[i])) {
      cost.segments += code.frequencies[i];
      cost.segmentSquares += code.frequencies[i] * lengths[i] * lengths[i];
    }
}

MessageCost Reader::read() {
  std::vector<bool> isLocked = locked();
  for (size_t i = 0; i < instructions.size(); ++i) {
    MessageCost before = cost;
    const Instruction &instruction = instructions[i];
    double times = code.frequencies[i];
    cost.issue += times;
    if (row(instruction.op).isBranch())
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
    if (isLocked[i]) {
      cost.locked += cost.issue + cost.latency - before.issue - before.latency;
      cost.lockedSwaps += isSwap(instruction) ? times : 0;
    }
  }
  addSegments();
  double messages = iterations();
  KARAKAL_ASSERT(messages > 0, "an aggregate polls at least one ring");
  return cost * (1 / messages);
}

MessageCost averageCost(const Microcode &code, const ChipParameters &chip) {
  KARAKAL_ASSERT(code.frequencies.size() == code.words.size() &&
                     code.taken.size() == code.words.size(),
                 "the average needs the frequency of every word");
  return Reader(code, chip).read();
}

} // namespace karakal::target
