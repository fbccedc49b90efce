// Carries the bounds of loops to the words.
//
// See LoopBounds.h. A bound is the minimum of the bound that scalar evolution
// proves and those that pairs of calls state.

#include "codegen-me/prepare/LoopBounds.h"

#include "target-ixp/chip/RuntimeNames.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/TargetParser/Triple.h"

#include <map>
#include <optional>
#include <set>

using namespace llvm;

namespace karakal::codegen {

namespace {

/// One call of a pair that states a bound; the bound is 0 in the entry call.
struct Statement {
  uint64_t number = 0, bound = 0;
};

std::optional<Statement> statementOf(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  bool isInLoop =
      callee && callee->getName() == target::intrinsic::LoopIteration;
  if (!isInLoop &&
      !(callee && callee->getName() == target::intrinsic::LoopEntry))
    return std::nullopt;
  auto literal = [&](unsigned i) {
    return cast<ConstantInt>(call->getArgOperand(i))->getZExtValue();
  };
  return Statement{literal(0), isInLoop ? literal(1) : 0};
}

/// The blocks that contain the call in the loop, by the pair's number.
using BlocksByPair = std::map<uint64_t, std::set<const BasicBlock *>>;

/// Whether every iteration of `loop` passes one of the `marked` blocks.
bool isInEveryIteration(const Loop &loop,
                        const std::set<const BasicBlock *> &marked) {
  std::set<const BasicBlock *> seen;
  std::vector<const BasicBlock *> open = {loop.getHeader()};
  while (!open.empty()) {
    const BasicBlock *block = open.back();
    open.pop_back();
    if (marked.count(block))
      continue;
    for (const BasicBlock *next : successors(block)) {
      if (next == loop.getHeader())
        return false;
      if (loop.contains(next) && seen.insert(next).second)
        open.push_back(next);
    }
  }
  return true;
}

/// The stated bound on the executions of the header of `loop`, or 0. A pair
/// whose entry call is inside the loop belongs to an inner loop.
unsigned statedIterations(const Loop &loop) {
  std::set<uint64_t> entered;
  std::map<uint64_t, uint64_t> bounds;
  BlocksByPair callBlocks;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      if (auto said = statementOf(instruction)) {
        if (said->bound == 0) {
          entered.insert(said->number);
        } else {
          bounds[said->number] = said->bound;
          callBlocks[said->number].insert(block);
        }
      }
  uint64_t least = 0;
  for (auto [number, bound] : bounds) {
    if (entered.count(number) || !isInEveryIteration(loop, callBlocks[number]))
      continue;
    // If the call is not in the header, the header executes once more.
    uint64_t visits = bound + !callBlocks[number].count(loop.getHeader());
    least = least == 0 ? visits : std::min(least, visits);
  }
  return unsigned(least);
}

/// The upper bound of the iterations of `loop`, 0 if unknown.
unsigned iterationsOf(const Loop &loop, ScalarEvolution &evolution) {
  unsigned proven = evolution.getSmallConstantMaxTripCount(&loop);
  unsigned stated = statedIterations(loop);
  return proven && stated ? std::min(proven, stated) : std::max(proven, stated);
}

} // namespace

void markLoops(Function &function) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  AssumptionCache assumptions(function);
  TargetLibraryInfoImpl libraries((Triple()));
  TargetLibraryInfo library(libraries);
  ScalarEvolution evolution(function, library, assumptions, dominators, loops);
  std::vector<std::pair<Loop *, unsigned>> found;
  for (Loop *loop : loops.getLoopsInPreorder())
    found.push_back({loop, iterationsOf(*loop, evolution)});
  for (BasicBlock &block : function)
    for (Instruction &instruction : make_early_inc_range(block))
      if (statementOf(instruction))
        instruction.eraseFromParent();
  for (auto [loop, iterations] : found) {
    IRBuilder<> builder(&*loop->getHeader()->getFirstInsertionPt());
    builder.CreateIntrinsic(Intrinsic::pseudoprobe, {},
                            {builder.getInt64(loop->getLoopDepth()),
                             builder.getInt64(iterations), builder.getInt32(0),
                             builder.getInt64(-1)});
  }
}

} // namespace karakal::codegen
