// Changes whole bytes of a word before other fields are joined to it.
//
// ld_field changes whole bytes of a register, but cannot write a transfer
// register. If it comes first, an addition or OR comes last, which can:
//
//   %k = and i32 %w, 0x0f00ffff         %k = and i32 %w, 0xff00ffff
//   %y = or disjoint i32 %k, %label     %n = and i32 %less, 0xff0000
//   %n = and i32 %less, 0xff0000   ->   %t = or disjoint i32 %k, %n
//   %r = or disjoint i32 %y, %n         %m = and i32 %t, 0x0fffffff
//                                       %r = or disjoint i32 %m, %label

#include "codegen-me/prepare/Prepare.h"
#include "codegen-me/target/Ixp.h"

#include "support/Error.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace karakal::codegen {

namespace {

/// (word & keep | other) | (changed & bytes)
struct FieldJoin {
  Value *word, *other, *changed;
  const APInt *keep, *bytes;
};

bool matchJoin(Instruction &root, FieldJoin &join) {
  auto *disjoint = dyn_cast<PossiblyDisjointInst>(&root);
  Value *inner;
  if (!disjoint || !disjoint->isDisjoint() ||
      !root.getType()->isIntegerTy(32) ||
      !match(&root,
             m_c_Or(m_Value(inner), m_OneUse(m_And(m_Value(join.changed),
                                                   m_APInt(join.bytes))))))
    return false;
  auto *innerOr = dyn_cast<PossiblyDisjointInst>(inner);
  if (!innerOr || !innerOr->isDisjoint() || !inner->hasOneUse() ||
      !match(inner,
             m_c_Or(m_OneUse(m_And(m_Value(join.word), m_APInt(join.keep))),
                    m_Value(join.other))))
    return false;
  const uint32_t keep = uint32_t(join.keep->getZExtValue()),
                 bytes = uint32_t(join.bytes->getZExtValue());
  // Without bits beside the bytes, one ld_field does without a mask.
  return byteMaskOf(bytes) != 0 && !(keep & bytes) &&
         (keep | bytes) != UINT32_MAX &&
         !match(join.other, m_And(m_Value(), m_ConstantInt()));
}

void changeFirst(Instruction &root, const FieldJoin &join) {
  KARAKAL_ASSERT((*join.keep & *join.bytes).isZero(),
                 "the parts do not overlap");
  IRBuilder<> builder(&root);
  auto part = [&](Value *word, const APInt &mask) {
    return builder.CreateAnd(word, ConstantInt::get(word->getType(), mask));
  };
  auto disjointOr = [&](Value *a, Value *b) {
    Value *result = builder.CreateOr(a, b);
    if (auto *instr = dyn_cast<PossiblyDisjointInst>(result))
      instr->setIsDisjoint(true);
    return result;
  };
  Value *bytes = disjointOr(part(join.word, ~*join.bytes),
                            part(join.changed, *join.bytes));
  Value *kept = part(bytes, *join.keep | *join.bytes);
  root.replaceAllUsesWith(disjointOr(kept, join.other));
}

} // namespace

void changeBytesFirst(Module &module) {
  for (Function &function : module)
    for (Instruction &root : make_early_inc_range(instructions(function))) {
      FieldJoin join;
      if (matchJoin(root, join))
        changeFirst(root, join);
    }
}

} // namespace karakal::codegen
