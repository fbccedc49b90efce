// Values of selects where a branch shows which one it is.

#include "passes/packets/KnownSelects.h"
#include "ir/dialect/Baker.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "support/Assert.h"

using namespace mlir;

namespace karakal::passes {

namespace {

/// A value, and the one that it equals in some blocks.
struct Known {
  Value value, same;
};

/// Returns the value of a select that differs from `constant`, if the other one
/// is that constant.
Value otherThan(arith::SelectOp select, const APInt &constant) {
  auto isConstant = [&](Value value) {
    APInt number;
    return matchPattern(value, m_ConstantInt(&number)) && number == constant;
  };
  if (isConstant(select.getFalseValue()))
    return select.getTrueValue();
  if (isConstant(select.getTrueValue()))
    return select.getFalseValue();
  return {};
}

/// Returns what `condition` shows about selects where it is `isTrue`: those
/// that select by it, and one that it compares with one of its two values.
SmallVector<Known> knownFrom(Value condition, bool isTrue) {
  SmallVector<Known> known;
  for (Operation *user : condition.getUsers())
    if (auto select = dyn_cast<arith::SelectOp>(user);
        select && select.getCondition() == condition)
      known.push_back(
          {select, isTrue ? select.getTrueValue() : select.getFalseValue()});
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  APInt constant;
  if (!compare || !matchPattern(compare.getRhs(), m_ConstantInt(&constant)))
    return known;
  bool differs =
      (compare.getPredicate() == arith::CmpIPredicate::ne && isTrue) ||
      (compare.getPredicate() == arith::CmpIPredicate::eq && !isTrue);
  auto select = compare.getLhs().getDefiningOp<arith::SelectOp>();
  if (differs && select)
    if (Value value = otherThan(select, constant))
      known.push_back({select, value});
  return known;
}

class KnownSelects {
public:
  explicit KnownSelects(func::FuncOp function)
      : function(function), dominance(function) {}

  void run() {
    SmallVector<cf::CondBranchOp> branches;
    function.walk([&](cf::CondBranchOp branch) { branches.push_back(branch); });
    for (cf::CondBranchOp branch : branches)
      for (bool isTrue : {true, false}) {
        Block *to = isTrue ? branch.getTrueDest() : branch.getFalseDest();
        if (!to->getSinglePredecessor())
          continue;
        for (Known known : knownFrom(branch.getCondition(), isTrue))
          replace(known, to);
      }
  }

private:
  /// Replaces `known` in `to` and in the blocks that it dominates.
  void replace(Known known, Block *to) {
    SmallVector<Known> left = {known};
    OpBuilder builder = OpBuilder::atBlockBegin(to);
    while (!left.empty()) {
      auto [value, same] = left.pop_back_val();
      KARAKAL_ASSERT(value.getType() == same.getType(),
                     "a select has the type of its values");
      for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
        Operation *user = use.getOwner();
        if (dominance.dominates(to, user->getBlock())) {
          use.set(same);
        } else if (isa<ir::ElementOp, ir::FieldOp>(user) &&
                   isUsedIn(user->getResult(0), to)) {
          Operation *again = builder.clone(*user);
          again->setOperand(use.getOperandNumber(), same);
          left.push_back({user->getResult(0), again->getResult(0)});
        }
      }
    }
  }

  /// Whether a reference, or one into what it refers to, has a use in `block`
  /// or in the blocks that it dominates.
  bool isUsedIn(Value reference, Block *block) {
    return llvm::any_of(reference.getUsers(), [&](Operation *user) {
      return dominance.dominates(block, user->getBlock()) ||
             (isa<ir::ElementOp, ir::FieldOp>(user) &&
              isUsedIn(user->getResult(0), block));
    });
  }

  func::FuncOp function;
  DominanceInfo dominance;
};

} // namespace

void useKnownSelects(func::FuncOp function) {
  if (!function.isExternal())
    KnownSelects(function).run();
}

} // namespace karakal::passes
