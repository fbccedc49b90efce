// The estimated cost of a PPF.

#include "aggregation/model/PpfCost.h"
#include "ir/analysis/OperationCost.h"
#include "ir/analysis/References.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/ProfileAttributes.h"
#include "ir/dialect/Services.h"
#include "support/Assert.h"
#include "target-ixp/microcode/InstructionCost.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;

namespace karakal::agg {

using target::CommandCost;
using target::commandCost;
using target::CommandKind;

namespace {

/// Words that a general packet access moves: two quadwords.
constexpr unsigned packetWords = 4;
/// Iterations after which the frequencies of loops are exact enough.
constexpr unsigned iterationsMax = 200;

/// The memory of the global that `ref` points into.
SharedUnit unitOf(Value ref, ModuleOp program) {
  Operation *op = ref.getDefiningOp();
  while (op && !isa<ir::GlobalRefOp>(op))
    op = op->getNumOperands() ? op->getOperand(0).getDefiningOp() : nullptr;
  if (!op)
    return SharedUnit::Sram0;
  auto global =
      program.lookupSymbol<ir::GlobalOp>(cast<ir::GlobalRefOp>(op).getGlobal());
  std::optional<ir::Placement> placement =
      global ? ir::placementOf(global) : std::nullopt;
  if (!placement)
    return SharedUnit::Sram0;
  switch (placement->memory) {
  case target::Memory::Scratch:
  case target::Memory::Sram0:
  case target::Memory::Sram1:
  case target::Memory::Sram2:
  case target::Memory::Sram3:
    return target::unitOf(placement->memory);
  case target::Memory::Dram: // of the same order
  case target::Memory::Local:
    return SharedUnit::Sram0;
  }
  KARAKAL_UNREACHABLE("no such memory");
}

void addCommands(MessageCost &to, const target::ChipParameters &chip,
                 SharedUnit unit, uint32_t count, unsigned words) {
  CommandCost one = commandCost(chip, unit, CommandKind::Memory, words);
  to.latency += count * one.latency;
  to.addCommands(unit, count, one.busy);
}

} // namespace

// Solves the flow equations by iteration.
llvm::DenseMap<Block *, double> blockFrequencies(func::FuncOp function) {
  llvm::DenseMap<Block *, double> times;
  for (unsigned iteration = 0; iteration < iterationsMax; ++iteration) {
    double change = 0;
    for (Block &block : function.getBody()) {
      double sum = block.isEntryBlock() ? 1 : 0;
      for (auto at = block.pred_begin(); at != block.pred_end(); ++at)
        sum +=
            times.lookup(*at) * ir::branchProbability((*at)->getTerminator(),
                                                      at.getSuccessorIndex());
      change = std::max(change, std::abs(sum - times.lookup(&block)));
      times[&block] = sum;
    }
    if (change < 1e-6)
      break;
  }
  return times;
}

// Critical sections are nested in the source, so all paths to a block hold the
// same locks.
llvm::DenseMap<Block *, int> locksHeld(func::FuncOp function) {
  llvm::DenseMap<Block *, int> held;
  SmallVector<Block *> open = {&function.getBody().front()};
  held[open.front()] = 0;
  while (!open.empty()) {
    Block *block = open.pop_back_val();
    int here = held[block];
    for (Operation &op : *block)
      here += isa<ir::LockOp>(op) ? 1 : isa<ir::UnlockOp>(op) ? -1 : 0;
    KARAKAL_ASSERT(here >= 0, "a lock is given back by its holder");
    for (Block *next : block->getSuccessors()) {
      auto [at, isNew] = held.try_emplace(next, here);
      KARAKAL_ASSERT(at->second == here,
                     "all paths to a block hold the same locks");
      if (isNew)
        open.push_back(next);
    }
  }
  return held;
}

MessageCost PpfCosts::costOf(Operation *op) {
  ir::OperationCost estimate = ir::costOf(op);
  // The cost of a channel depends on whether it is a ring.
  if (isa<ir::ChannelPutOp>(op))
    return {};
  MessageCost cost;
  cost.issue = estimate.instructions;
  addCommands(cost, chip, SharedUnit::Scratch, estimate.scratch, 1);
  addCommands(cost, chip, SharedUnit::Sram0, estimate.sram, 1);
  addCommands(cost, chip, SharedUnit::Dram, estimate.dram, packetWords);
  if (estimate.global != 0) {
    Value ref = op->getOperand(isa<ir::StoreOp>(op) ? 1 : 0);
    unsigned words =
        ir::wordCount(cast<ir::RefType>(ref.getType()).getPointee());
    addCommands(cost, chip, unitOf(ref, program), estimate.global, words);
  }
  return cost;
}

double PpfCosts::wordsOf(Operation *op) {
  double words = ir::costOf(op).instructions;
  if (auto call = dyn_cast<func::CallOp>(op))
    if (auto callee = program.lookupSymbol<func::FuncOp>(call.getCallee());
        callee && !callee.isExternal())
      words += of(callee).words;
  return words;
}

/// Adds the cost since `before` as time for which an element of `lock` is held.
static void addHeld(PpfCost &sum, const MessageCost &before, Operation *lock) {
  auto commandsOf = [](const MessageCost &cost) {
    return std::accumulate(cost.commands.begin(), cost.commands.end(), 0.0);
  };
  // Differences of each, so that what costs nothing is exactly 0.
  double cycles =
      (sum.cost.issue - before.issue) + (sum.cost.latency - before.latency);
  sum.cost.locked += cycles;
  sum.cost.lockedSwaps += commandsOf(sum.cost) - commandsOf(before);
  if (auto global = dyn_cast_or_null<ir::GlobalOp>(lock))
    cycles /= std::max(1u, unsigned(ir::wordCount(global.getType())));
  sum.held[lock] += cycles;
}

double PpfCosts::busiestLockShare() {
  llvm::DenseMap<Operation *, double> held;
  double all = 0, busiest = 0;
  for (auto ppf : program.getOps<func::FuncOp>()) {
    if (!ir::isPpf(ppf))
      continue;
    double packets = double(ir::profilePacketsOf(ppf).value_or(1));
    PpfCost cost = of(ppf);
    all += packets * cost.cost.locked;
    for (auto [lock, cycles] : cost.held)
      busiest = std::max(busiest, held[lock] += packets * cycles);
  }
  KARAKAL_ASSERT(busiest <= all * (1 + 1e-9),
                 "one lock is held for a part of the time of all");
  return all > 0 ? busiest / all : 1;
}

PpfCost PpfCosts::of(func::FuncOp function) {
  auto [at, isNew] = done.try_emplace(function, PpfCost());
  if (!isNew)
    return at->second;
  PpfCost sum;
  auto times = blockFrequencies(function);
  auto held = locksHeld(function);
  Operation *lock = nullptr;
  for (Block &block : function.getBody()) {
    int depth = held.lookup(&block);
    for (Operation &op : block) {
      MessageCost before = sum.cost;
      sum.cost += costOf(&op) * times[&block];
      sum.words += wordsOf(&op);
      if (auto call = dyn_cast<func::CallOp>(op))
        if (auto callee = program.lookupSymbol<func::FuncOp>(call.getCallee());
            callee && !callee.isExternal()) {
          PpfCost called = of(callee);
          sum.cost += called.cost * times[&block];
          for (auto [global, cycles] : called.held)
            sum.held[global] += cycles * times[&block];
        }
      if (auto taken = dyn_cast<ir::LockOp>(op))
        lock = ir::globalOf(taken.getRef());
      depth += isa<ir::LockOp>(op) ? 1 : isa<ir::UnlockOp>(op) ? -1 : 0;
      if (depth > 0 || isa<ir::UnlockOp>(op))
        addHeld(sum, before, lock);
    }
  }
  done[function] = sum;
  return sum;
}

} // namespace karakal::agg
