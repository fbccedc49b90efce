// A way around a fault in LLVM's instruction selection for x86.

#include "codegen-x86/ZeroExtension.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

namespace karakal::x86 {

using namespace llvm;
using namespace llvm::PatternMatch;

/// Whether `high` is a mask without the low bits, and `low` is nothing but
/// them.
static bool joins(Value *high, Value *low, unsigned bits,
                  const DataLayout &layout) {
  const APInt *mask = nullptr;
  return match(high, m_And(m_Value(), m_APInt(mask))) &&
         mask->countr_zero() >= bits &&
         computeKnownBits(low, layout).countMaxActiveBits() <= bits;
}

/// Whether LLVM may select `word` as a move into a part of a register.
static bool isPartlyWritten(Value *word, const DataLayout &layout) {
  Value *a = nullptr, *b = nullptr;
  if (!word->getType()->isIntegerTy(32) ||
      !(match(word, m_Or(m_Value(a), m_Value(b))) ||
        match(word, m_Add(m_Value(a), m_Value(b))) ||
        match(word, m_Xor(m_Value(a), m_Value(b)))))
    return false;
  for (unsigned bits : {8, 16})
    if (joins(a, b, bits, layout) || joins(b, a, bits, layout))
      return true;
  return false;
}

unsigned guardZeroExtensions(Module &module) {
  SmallVector<ZExtInst *> guarded;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *extension = dyn_cast<ZExtInst>(&instruction);
          extension && extension->getType()->isIntegerTy(64) &&
          isPartlyWritten(extension->getOperand(0), module.getDataLayout()))
        guarded.push_back(extension);
  for (ZExtInst *extension : guarded) {
    Value *word = extension->getOperand(0);
    auto *type = FunctionType::get(word->getType(), {word->getType()}, false);
    InlineAsm *nothing =
        InlineAsm::get(type, "", "=r,0", /*hasSideEffects=*/false);
    IRBuilder<> builder(extension);
    extension->setOperand(0, builder.CreateCall(nothing, {word}));
  }
  return guarded.size();
}

} // namespace karakal::x86
