// Replaces vectors of bytes or halfwords by vectors of words.
//
// LLVM's instcombine may read a byte of a burst as an element of a vector of
// bytes:
//
//   %v = load <8 x i8>, ptr addrspace(2) %p          %w = load <2 x i32>, ...
//   %b = extractelement <8 x i8> %v, i64 6      →    %x = extractelement %w, 1
//                                                    %b = trunc (lshr %x, 8)
//
// The machine has words only. The chip is big-endian, so element 0 is the most
// significant part of word 0.

#include "codegen-me/prepare/Prepare.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace karakal::codegen {

namespace {

constexpr unsigned wordBits = 32;

/// The vector of words that has the bits of `type`; null if `type` is not a
/// vector of bytes or halfwords that fills whole words.
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

/// Replaces extracts of constant elements of `parts` by extracts from `words`.
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

/// A vector of words with the bits of `parts`; null if there is none. A phi is
/// created without incoming values.
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
  // For each vector of parts, the vector of words with the same bits.
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
