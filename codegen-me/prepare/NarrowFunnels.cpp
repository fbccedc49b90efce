// Narrows funnel shifts of which only one operand is used.

#include "codegen-me/prepare/NarrowFunnels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace karakal::codegen {

namespace {

/// The bits of the used value that the user demands.
APInt demandedBits(const Use &use) {
  unsigned width = use->getType()->getIntegerBitWidth();
  auto *user = cast<Instruction>(use.getUser());
  const APInt *constant;
  if (use.getOperandNo() == 0 && isa<TruncInst>(user))
    return APInt::getLowBitsSet(width, user->getType()->getIntegerBitWidth());
  if (match(user, m_And(m_Specific(use), m_APInt(constant))))
    return *constant;
  if (match(user, m_Shl(m_Specific(use), m_APInt(constant))) &&
      constant->ult(width))
    return APInt::getLowBitsSet(width, width - constant->getZExtValue());
  if (match(user, m_LShr(m_Specific(use), m_APInt(constant))) &&
      constant->ult(width))
    return APInt::getHighBitsSet(width, width - constant->getZExtValue());
  return APInt::getAllOnes(width);
}

/// The left shift of the high operand, or 0 if the amount is not constant.
unsigned leftShiftOf(const IntrinsicInst &funnel) {
  const APInt *amount;
  if (!funnel.getType()->isIntegerTy() ||
      !match(funnel.getArgOperand(2), m_APInt(amount)))
    return 0;
  unsigned width = funnel.getType()->getIntegerBitWidth();
  unsigned shift = unsigned(amount->urem(width));
  if (funnel.getIntrinsicID() == Intrinsic::fshr && shift != 0)
    return width - shift;
  return shift;
}

bool narrow(IntrinsicInst &funnel) {
  unsigned shift = leftShiftOf(funnel);
  if (shift == 0)
    return false;
  unsigned width = funnel.getType()->getIntegerBitWidth();
  APInt fromLow = APInt::getLowBitsSet(width, shift);
  bool changed = false;
  for (Use &use : make_early_inc_range(funnel.uses())) {
    APInt demanded = demandedBits(use);
    bool seesLow = demanded.intersects(fromLow);
    if (seesLow && demanded.intersects(~fromLow))
      continue;
    IRBuilder<> builder(&funnel);
    use.set(seesLow ? builder.CreateLShr(funnel.getArgOperand(1), width - shift)
                    : builder.CreateShl(funnel.getArgOperand(0), shift));
    changed = true;
  }
  return changed;
}

} // namespace

PreservedAnalyses NarrowFunnels::run(Function &function,
                                     FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instr : make_early_inc_range(instructions(function))) {
    auto *funnel = dyn_cast<IntrinsicInst>(&instr);
    if (!funnel || (funnel->getIntrinsicID() != Intrinsic::fshl &&
                    funnel->getIntrinsicID() != Intrinsic::fshr))
      continue;
    changed |= narrow(*funnel);
    if (funnel->use_empty())
      funnel->eraseFromParent();
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace karakal::codegen
