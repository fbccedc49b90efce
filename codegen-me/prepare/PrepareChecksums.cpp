// Replaces sums of halfwords in checksums by sums of words.
//
// A checksum adds the 16-bit halves of words and folds the sum twice:
//
//   %s = add (add (lshr %v, 16), (and %v, 65535)), (add (lshr %w, 16), ...)
//   %f = add (lshr %s, 16), (and %s, 65535)
//   %g = add (lshr %f, 16), (and %f, 65535)
//
// Folding keeps the remainder modulo 65535, and its result is between 1 and
// 65535 unless the sum is 0. A word and the sum of its halves have the same
// remainder, and 2^32 has the remainder 1. So %s can be the sum of the words
// with every carry added to it, which takes one instruction per word (RFC 1071,
// section 2).
//
// A word plus the word rotated by 16 has the folded sum in its upper half,
// because the carry out of the lower half is added there:
//
//   %g = lshr (add %s, (fshl %s, %s, 16)), 16
//
// A small constant may be added to a checksum in the upper half of a word (RFC
// 1141). instcombine turns this into arithmetic on two copies of the half:
//
//   %d = mul (lshr %w, 16), 65537          %t = add %w, C << 16
//   %s = add %d, C * 65537            →    %u = add %t, 1 << 16  if %t has
//   %r = or (and %s, ~65535), (and %w, 65535)                    overflown
//
// The overflow is rare, and a branch that is rarely taken costs one word.

#include "codegen-me/prepare/Prepare.h"

#include "target-ixp/chip/RuntimeNames.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <vector>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace karakal::codegen {

namespace {

/// Fewer whole words than this do not pay: adding the two halves of a word
/// takes three instructions, adding the word takes one.
constexpr unsigned pairsMin = 2;

/// The addition that is the only use of `value`; null if there is none.
Value *sumOf(Value *value) {
  auto *add = value->hasOneUse() ? dyn_cast<BinaryOperator>(value->user_back())
                                 : nullptr;
  return add && add->getOpcode() == Instruction::Add ? add : nullptr;
}

/// The sum of the two halves of `value` and possibly other summands; null if
/// `value` has other uses.
Value *foldOf(Value *value) {
  if (!value->hasNUses(2))
    return nullptr;
  Value *low = nullptr, *high = nullptr;
  for (User *user : value->users()) {
    if (match(user, m_And(m_Specific(value), m_SpecificInt(0xffff))))
      low = user;
    else if (match(user, m_LShr(m_Specific(value), m_SpecificInt(16))))
      high = user;
  }
  Value *withLow = low && high ? sumOf(low) : nullptr;
  Value *withHigh = withLow ? sumOf(high) : nullptr;
  if (!withHigh)
    return nullptr;
  if (withLow == withHigh || sumOf(withHigh) == withLow)
    return withLow;
  return sumOf(withLow) == withHigh ? withHigh : nullptr;
}

bool isFoldOf(Value *fold, Value *sum) {
  return match(fold, m_c_Add(m_And(m_Specific(sum), m_SpecificInt(0xffff)),
                             m_LShr(m_Specific(sum), m_SpecificInt(16))));
}

/// Whether `sum` is folded, the fold has no other summand, and the fold is
/// folded again.
bool isFoldedTwice(Value *sum) {
  Value *once = foldOf(sum);
  return once && isFoldOf(once, sum) && foldOf(once);
}

/// Collects the summands of a sum that cannot overflow.
void collectParts(Value *value, bool isRoot, SmallVectorImpl<Value *> &parts) {
  Value *a, *b;
  if ((isRoot || value->hasOneUse()) &&
      match(value, m_NUWAdd(m_Value(a), m_Value(b)))) {
    collectParts(a, false, parts);
    collectParts(b, false, parts);
    return;
  }
  parts.push_back(value);
}

/// Returns what replaces the sum, or the sum.
Value *formAt(Instruction &sum) {
  SmallVector<Value *> parts, others;
  collectParts(&sum, true, parts);
  struct Halves {
    Value *low = nullptr, *high = nullptr;
  };
  MapVector<Value *, Halves> words;
  for (Value *part : parts) {
    Value *word;
    if (match(part, m_And(m_Value(word), m_SpecificInt(0xffff))) &&
        !words[word].low)
      words[word].low = part;
    else if (match(part, m_LShr(m_Value(word), m_SpecificInt(16))) &&
             !words[word].high)
      words[word].high = part;
    else
      others.push_back(part);
  }
  SmallVector<Value *> whole;
  for (auto &[word, halves] : words) {
    if (halves.low && halves.high)
      whole.push_back(word);
    else if (halves.low || halves.high)
      others.push_back(halves.low ? halves.low : halves.high);
  }
  if (whole.size() < pairsMin)
    return &sum;
  IRBuilder<> builder(&sum);
  Type *i32 = builder.getInt32Ty();
  FunctionCallee add = sum.getModule()->getOrInsertFunction(
      target::intrinsic::OnesAdd, i32, i32, i32);
  Value *result = nullptr;
  for (Value *other : others)
    result = result ? builder.CreateAdd(result, other) : other;
  for (Value *word : whole)
    result = result ? builder.CreateCall(add, {result, word}) : word;
  sum.replaceAllUsesWith(result);
  return result;
}

/// Replaces the two folds of `sum`.
void foldByRotation(Value *sum) {
  Value *once = foldOf(sum), *twice = once ? foldOf(once) : nullptr;
  if (!twice || !isFoldOf(once, sum) || !isFoldOf(twice, once))
    return;
  auto *last = cast<Instruction>(twice);
  IRBuilder<> builder(last);
  Value *rotated = builder.CreateIntrinsic(sum->getType(), Intrinsic::fshl,
                                           {sum, sum, builder.getInt32(16)});
  Value *total = builder.CreateAdd(sum, rotated);
  // A checksum is right if it is 0xffff, which needs no shift.
  for (User *user : make_early_inc_range(last->users())) {
    ICmpInst::Predicate predicate;
    if (!match(user,
               m_ICmp(predicate, m_Specific(last), m_SpecificInt(0xffff))) ||
        !ICmpInst::isEquality(predicate))
      continue;
    Value *isAll =
        builder.CreateICmp(predicate == ICmpInst::ICMP_EQ ? ICmpInst::ICMP_UGE
                                                          : ICmpInst::ICMP_ULT,
                           total, builder.getInt32(0xffff0000));
    user->replaceAllUsesWith(isAll);
  }
  last->replaceAllUsesWith(builder.CreateLShr(total, 16));
}

/// Largest constant for which overflows are rare enough for a branch.
constexpr uint64_t smallSummand = 0x1000;
constexpr uint64_t lowHalf = 0xffff, highHalf = 0xffff0000;

/// Replaces `sum` if it has the second form above and only its upper half is
/// used.
void formHalfAdd(Instruction &sum) {
  Value *word;
  const APInt *constant;
  if (!match(&sum, m_Add(m_Mul(m_LShr(m_Value(word), m_SpecificInt(16)),
                               m_SpecificInt(lowHalf + 2)),
                         m_APInt(constant))))
    return;
  uint64_t summand = constant->getZExtValue() & lowHalf;
  bool isTwice = constant->getZExtValue() >> 16 == summand;
  if (!isTwice || summand == 0 || summand > smallSummand ||
      !all_of(sum.users(), [&](User *user) {
        return match(user, m_And(m_Specific(&sum), m_SpecificInt(highHalf)));
      }))
    return;
  IRBuilder<> builder(&sum);
  Value *added = builder.getInt32(uint32_t(summand << 16));
  Value *total = builder.CreateAdd(word, added);
  Value *overflows = builder.CreateICmpULT(total, added);
  MDNode *rarely = MDBuilder(sum.getContext())
                       .createBranchWeights(uint32_t(summand),
                                            uint32_t(lowHalf + 1 - summand));
  Instruction *then =
      SplitBlockAndInsertIfThen(overflows, sum.getIterator(), false, rarely);
  builder.SetInsertPoint(then);
  Value *wrapped = builder.CreateAdd(total, builder.getInt32(1u << 16));
  builder.SetInsertPoint(&sum);
  PHINode *result = builder.CreatePHI(builder.getInt32Ty(), 2);
  result->addIncoming(wrapped, then->getParent());
  result->addIncoming(total, cast<Instruction>(overflows)->getParent());
  for (User *user : make_early_inc_range(sum.users()))
    for (User *whole : make_early_inc_range(user->users()))
      if (match(whole, m_c_Or(m_Specific(user),
                              m_And(m_Specific(word), m_SpecificInt(lowHalf)))))
        whole->replaceAllUsesWith(result);
  sum.replaceAllUsesWith(result);
}

} // namespace

void formOnesAdds(Module &module) {
  std::vector<Instruction *> sums;
  for (Function &function : module)
    for (Instruction &instr : instructions(function))
      if (instr.getType()->isIntegerTy(32) &&
          instr.getOpcode() == Instruction::Add)
        sums.push_back(&instr);
  for (Instruction *sum : sums) {
    if (match(sum, m_NUWAdd(m_Value(), m_Value())) && isFoldedTwice(sum))
      foldByRotation(formAt(*sum));
    formHalfAdd(*sum);
  }
}

} // namespace karakal::codegen
