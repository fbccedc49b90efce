// Widens masks to whole bytes.
//
// instcombine removes those bits of a mask that are known to be 0. After a
// branch that has found version and header length 0x45, the low half of this
// word is (and %w, 0x45ff), which needs a register for the constant. Whole
// bytes need none: ld_field extracts them, and additions take a byte or a half.
//
//   %b = and i32 %w, 0x45ff     ->    %b = and i32 %w, 0xffff

#include "codegen-me/prepare/Prepare.h"

#include "support/Error.h"

#include "llvm/Analysis/DomConditionCache.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace karakal::codegen {

namespace {

/// The mask with each byte that is not 0 filled.
uint32_t wholeBytes(uint32_t mask) {
  uint32_t whole = 0;
  for (unsigned shift = 0; shift < 32; shift += 8)
    if (mask >> shift & 0xff)
      whole |= 0xffu << shift;
  return whole;
}

void widenIn(Function &function) {
  DominatorTree dominators(function);
  DomConditionCache conditions;
  for (BasicBlock &block : function)
    if (auto *branch = dyn_cast<BranchInst>(block.getTerminator());
        branch && branch->isConditional())
      conditions.registerBranch(branch);
  const DataLayout &layout = function.getParent()->getDataLayout();
  for (Instruction &instr : instructions(function)) {
    Value *word;
    const APInt *constant;
    if (!instr.getType()->isIntegerTy(32) ||
        !match(&instr, m_And(m_Value(word), m_APInt(constant))))
      continue;
    uint32_t mask = uint32_t(constant->getZExtValue());
    uint32_t whole = wholeBytes(mask);
    // A literal is as good.
    if (mask <= 0xff || whole == mask || whole == UINT32_MAX)
      continue;
    SimplifyQuery query(layout, nullptr, &dominators, nullptr, &instr, true,
                        true, &conditions);
    KnownBits known = computeKnownBits(word, 0, query);
    KARAKAL_ASSERT((whole & mask) == mask, "no bit of the mask is lost");
    if ((whole & ~mask & ~uint32_t(known.Zero.getZExtValue())) == 0)
      instr.setOperand(1, ConstantInt::get(instr.getType(), whole));
  }
}

} // namespace

void widenMasks(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      widenIn(function);
}

} // namespace karakal::codegen
