//===- LoopProbes.cpp - loops and their bounds down to words --------------===//
//
// See LoopProbes.h. A bound is what scalar evolution proves, or what a probe
// says that the runtime library's text has in a loop.
//
//===----------------------------------------------------------------------===//

#include "codegen-me/LoopProbes.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace karakal::codegen {

namespace {

PseudoProbeInst *findProbe(BasicBlock &block) {
  for (Instruction &instruction : block)
    if (auto *probe = dyn_cast<PseudoProbeInst>(&instruction))
      return probe;
  return nullptr;
}

/// The rounds of `loop` at most, 0 if not known.
unsigned roundsOf(const Loop &loop, ScalarEvolution &evolution) {
  if (unsigned proven = evolution.getSmallConstantMaxTripCount(&loop))
    return proven;
  PseudoProbeInst *said = findProbe(*loop.getHeader());
  return said ? unsigned(said->getIndex()->getZExtValue()) : 0;
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
    found.push_back({loop, roundsOf(*loop, evolution)});
  for (BasicBlock &block : function)
    while (PseudoProbeInst *said = findProbe(block))
      said->eraseFromParent();
  for (auto [loop, rounds] : found) {
    IRBuilder<> builder(&*loop->getHeader()->getFirstInsertionPt());
    builder.CreateIntrinsic(Intrinsic::pseudoprobe, {},
                            {builder.getInt64(loop->getLoopDepth()),
                             builder.getInt64(rounds), builder.getInt32(0),
                             builder.getInt64(-1)});
  }
}

} // namespace karakal::codegen
