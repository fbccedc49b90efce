//===- PrepareVectors.cpp - vectors of parts of words ---------------------===//
//
// LLVM's instcombine reads a byte of a run of words as an element of a vector
// of bytes:
//
//   %v = load <8 x i8>, ptr addrspace(2) %p          %w = load <2 x i32>, ...
//   %b = extractelement <8 x i8> %v, i64 6      →    %x = extractelement %w, 1
//                                                    %b = trunc (lshr %x, 8)
//
// The machine has words. Element 0 is the most significant part of word 0: the
// chip is big-endian.
//
//===----------------------------------------------------------------------===//

#include "codegen-me/Prepare.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace karakal::codegen {

namespace {

constexpr unsigned wordBits = 32;

/// The vector of words with the bits of `type`, null if that is not a vector
/// of parts of words that fill whole words.
FixedVectorType *wordsOf(Type *type) {
  auto *parts = dyn_cast<FixedVectorType>(type);
  if (!parts || !parts->getElementType()->isIntegerTy())
    return nullptr;
  unsigned each = parts->getScalarSizeInBits();
  unsigned bits = each * parts->getNumElements();
  if (each >= wordBits || wordBits % each != 0 || bits % wordBits != 0)
    return nullptr;
  return FixedVectorType::get(Type::getInt32Ty(type->getContext()),
                              bits / wordBits);
}

/// Makes each constant element of `parts` out of `words`.
void replaceElements(Instruction &parts, Value *words) {
  unsigned each = parts.getType()->getScalarSizeInBits();
  for (User *user : make_early_inc_range(parts.users())) {
    auto *extract = dyn_cast<ExtractElementInst>(user);
    auto *index =
        extract ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;
    if (!index)
      continue;
    unsigned bit = unsigned(index->getZExtValue()) * each;
    IRBuilder<> builder(extract);
    Value *word = builder.CreateExtractElement(words, bit / wordBits);
    Value *shifted = builder.CreateLShr(word, wordBits - each - bit % wordBits);
    extract->replaceAllUsesWith(
        builder.CreateTrunc(shifted, extract->getType()));
    extract->eraseFromParent();
  }
}

} // namespace

void lowerPartVectors(Module &module) {
  std::vector<Instruction *> found;
  for (Function &function : module)
    for (Instruction &instr : instructions(function))
      if (wordsOf(instr.getType()))
        found.push_back(&instr);
  for (Instruction *instr : found) {
    FixedVectorType *type = wordsOf(instr->getType());
    IRBuilder<> builder(instr);
    if (auto *load = dyn_cast<LoadInst>(instr)) {
      LoadInst *words = builder.CreateAlignedLoad(
          type, load->getPointerOperand(), load->getAlign());
      words->setVolatile(load->isVolatile());
      replaceElements(*instr, words);
    } else if (isa<BitCastInst>(instr) &&
               instr->getOperand(0)->getType() == type) {
      replaceElements(*instr, instr->getOperand(0));
    }
    if (instr->use_empty())
      instr->eraseFromParent();
  }
}

} // namespace karakal::codegen
