// Vectors of parts of words.
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

#include "codegen-me/prepare/Prepare.h"

#include "llvm/ADT/MapVector.h"
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

/// What gives the bits of `parts` as words: null if only the parts do. A phi
/// still lacks its values.
Value *wordsLike(Instruction &parts, FixedVectorType *type) {
  IRBuilder<> builder(&parts);
  if (auto *load = dyn_cast<LoadInst>(&parts)) {
    LoadInst *words = builder.CreateAlignedLoad(type, load->getPointerOperand(),
                                                load->getAlign());
    words->setVolatile(load->isVolatile());
    return words;
  }
  if (isa<BitCastInst>(parts) && parts.getOperand(0)->getType() == type)
    return parts.getOperand(0);
  if (auto *phi = dyn_cast<PHINode>(&parts))
    return builder.CreatePHI(type, phi->getNumIncomingValues());
  return nullptr;
}

} // namespace

void lowerPartVectors(Module &module) {
  // Each vector of parts and the words with the same bits.
  MapVector<Instruction *, Value *> wordsFor;
  for (Function &function : module)
    for (Instruction &instr : instructions(function)) {
      FixedVectorType *type = wordsOf(instr.getType());
      if (!type)
        continue;
      if (Value *words = wordsLike(instr, type))
        wordsFor[&instr] = words;
    }
  for (auto &[parts, words] : wordsFor)
    if (auto *phi = dyn_cast<PHINode>(parts))
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        Value *from = phi->getIncomingValue(i);
        auto *known = wordsFor.find(dyn_cast<Instruction>(from));
        IRBuilder<> builder(phi->getIncomingBlock(i)->getTerminator());
        cast<PHINode>(words)->addIncoming(
            known != wordsFor.end()
                ? known->second
                : builder.CreateBitCast(from, words->getType()),
            phi->getIncomingBlock(i));
      }
  for (auto &[parts, words] : wordsFor)
    replaceElements(*parts, words);
  for (auto &[parts, words] : wordsFor)
    if (llvm::any_of(parts->users(), [&](User *user) {
          return !wordsFor.contains(cast<Instruction>(user));
        })) {
      IRBuilder<> builder(parts->getParent(),
                          isa<PHINode>(parts)
                              ? parts->getParent()->getFirstInsertionPt()
                              : std::next(parts->getIterator()));
      parts->replaceAllUsesWith(builder.CreateBitCast(words, parts->getType()));
    }
  for (auto &[parts, words] : wordsFor)
    parts->dropAllReferences();
  for (auto &[parts, words] : wordsFor)
    parts->eraseFromParent();
}

} // namespace karakal::codegen
