// Combines words before they are aligned.
//
// A field that begins in the middle of a word is the funnel shift of two words.
// A logical operation on such fields can come before the shift, which then
// takes place once:
//
//   xor (fshl %a, %b, 16), (fshl %b, %c, 16)
//     ->
//   fshl (xor %a, %b), (xor %b, %c), 16
//
// Alone this saves nothing: an operation replaces each shift. But neighbouring
// fields share words, so a part of both sides is computed once, and each shift
// that is left out saves the move that brings one of its words from a transfer
// register. So fields are combined only if they share a word.

#include "codegen-me/prepare/Prepare.h"

#include "support/Error.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace karakal::codegen {

namespace {

using Values = SmallVector<Value *, 8>;
using Opcode = Instruction::BinaryOps;

/// The operands of a tree of operations `opcode` whose inner nodes have no
/// other use.
void collectOperands(Value *value, Opcode opcode, bool isRoot, Values &found) {
  auto *node = dyn_cast<BinaryOperator>(value);
  if (!node || node->getOpcode() != opcode || !(isRoot || node->hasOneUse())) {
    found.push_back(value);
    return;
  }
  collectOperands(node->getOperand(0), opcode, false, found);
  collectOperands(node->getOperand(1), opcode, false, found);
}

Value *combine(IRBuilder<> &builder, Opcode opcode, ArrayRef<Value *> values) {
  Value *result = values.front();
  for (Value *value : values.drop_front())
    result = builder.CreateBinOp(opcode, result, value);
  return result;
}

/// Moves the values that both lists hold to `common`.
void takeCommon(Values &high, Values &low, Values &common) {
  for (Value *value : Values(high)) {
    auto other = find(low, value);
    if (other == low.end())
      continue;
    common.push_back(value);
    low.erase(other);
    high.erase(find(high, value));
  }
}

/// Funnel shifts by their constant amounts.
using Groups = MapVector<Value *, SmallVector<IntrinsicInst *, 4>>;

Groups groupsOf(const Values &operands, Intrinsic::ID direction) {
  Groups groups;
  for (Value *operand : operands)
    if (auto *funnel = dyn_cast<IntrinsicInst>(operand);
        funnel && funnel->getIntrinsicID() == direction &&
        funnel->hasOneUse() && isa<ConstantInt>(funnel->getArgOperand(2)))
      groups[funnel->getArgOperand(2)].push_back(funnel);
  return groups;
}

/// One funnel shift for those of `group`; null if they share no word.
Value *combineGroup(IRBuilder<> &builder, Opcode opcode,
                    ArrayRef<IntrinsicInst *> group) {
  KARAKAL_ASSERT(group.size() > 1, "one shift is combined with another");
  Values high, low, common;
  for (IntrinsicInst *funnel : group) {
    collectOperands(funnel->getArgOperand(0), opcode, false, high);
    collectOperands(funnel->getArgOperand(1), opcode, false, low);
  }
  KARAKAL_ASSERT(high.size() >= group.size() && low.size() >= group.size(),
                 "each shift has two words");
  takeCommon(high, low, common);
  if (common.empty())
    return nullptr;
  Value *shared = combine(builder, opcode, common);
  high.insert(high.begin(), shared);
  low.insert(low.begin(), shared);
  return builder.CreateIntrinsic(
      group.front()->getType(), group.front()->getIntrinsicID(),
      {combine(builder, opcode, high), combine(builder, opcode, low),
       group.front()->getArgOperand(2)});
}

void combineAt(BinaryOperator &root) {
  Values operands;
  collectOperands(&root, root.getOpcode(), true, operands);
  IRBuilder<> builder(&root);
  bool isChanged = false;
  for (Intrinsic::ID direction : {Intrinsic::fshl, Intrinsic::fshr})
    for (const auto &entry : groupsOf(operands, direction)) {
      const auto &group = entry.second;
      if (group.size() < 2)
        continue;
      Value *joined = combineGroup(builder, root.getOpcode(), group);
      if (!joined)
        continue;
      erase_if(operands, [&](Value *v) { return is_contained(group, v); });
      operands.push_back(joined);
      isChanged = true;
    }
  if (!isChanged)
    return;
  root.replaceAllUsesWith(combine(builder, root.getOpcode(), operands));
}

} // namespace

void combineFunnels(Module &module) {
  auto isLogical = [](unsigned opcode) {
    return opcode == Instruction::Xor || opcode == Instruction::And ||
           opcode == Instruction::Or;
  };
  SmallVector<BinaryOperator *> roots;
  for (Function &function : module)
    for (Instruction &instr : instructions(function)) {
      auto *node = dyn_cast<BinaryOperator>(&instr);
      if (!node || !isLogical(node->getOpcode()) ||
          !node->getType()->isIntegerTy(32))
        continue;
      auto *user = node->hasOneUse()
                       ? dyn_cast<BinaryOperator>(node->user_back())
                       : nullptr;
      if (!user || user->getOpcode() != node->getOpcode())
        roots.push_back(node);
    }
  for (BinaryOperator *root : roots)
    combineAt(*root);
  for (BinaryOperator *root : roots)
    RecursivelyDeleteTriviallyDeadInstructions(root);
}

} // namespace karakal::codegen
