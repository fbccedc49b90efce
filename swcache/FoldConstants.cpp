// Loads of constant globals at constant indices become constants.
//
//   %t = baker.global_ref @table            // init [3, 1, 2], never written
//   %e = baker.element %t[%c1]          →   %v = arith.constant 1
//   %v = baker.load %e
//
// Requires: the marks of baker-plan-caches, because the program of one core
// does not show the stores of the others. Ensures: no load of a marked global
// at constant indices. Cost: linear.

#include "ir/analysis/ConstantGlobals.h"
#include "ir/analysis/Explain.h"
#include "ir/analysis/References.h"
#include "ir/dialect/Layout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "support/Assert.h"
#include "swcache/Passes.h"

using namespace mlir;

namespace karakal::swcache {

#define GEN_PASS_DEF_FOLDCONSTANTS
#include "swcache/Passes.h.inc"

namespace {

constexpr unsigned wordBits = 32;

class FoldConstants : public impl::FoldConstantsBase<FoldConstants> {
public:
  using FoldConstantsBase::FoldConstantsBase;

private:
  void runOnOperation() override;
};

/// Returns the word of its global that `ref` refers to, if all indices are
/// constant.
std::optional<uint64_t> wordOf(Value ref) {
  Operation *op = ref.getDefiningOp();
  if (isa<ir::GlobalRefOp>(op))
    return 0;
  std::optional<uint64_t> base = wordOf(op->getOperand(0));
  if (!base)
    return std::nullopt;
  if (auto field = dyn_cast<ir::FieldOp>(op)) {
    auto record = cast<ir::StructType>(ir::pointeeOf(field.getRecord()));
    return *base +
           ir::fieldWordOffset(record, *record.fieldIndex(field.getField()));
  }
  auto element = cast<ir::ElementOp>(op);
  APInt index;
  if (!matchPattern(element.getIndex(), m_ConstantInt(&index)))
    return std::nullopt;
  return *base +
         index.getZExtValue() * ir::elementWordStride(cast<ir::ArrayType>(
                                    ir::pointeeOf(element.getArray())));
}

/// Returns the results of a load from word `at` of `words`, or nothing if the
/// load goes beyond them.
SmallVector<Value> valuesOf(OpBuilder &builder, Operation *load,
                            ArrayRef<uint32_t> words, uint64_t at) {
  SmallVector<Value> values;
  for (Value result : load->getResults()) {
    unsigned bits = result.getType().getIntOrFloatBitWidth();
    uint64_t count = bits > wordBits ? 2 : 1;
    if (at + count > words.size())
      return {};
    uint64_t value = words[at];
    if (count == 2)
      value = value << wordBits | words[at + 1];
    at += count;
    values.push_back(builder.create<arith::ConstantOp>(
        load->getLoc(), builder.getIntegerAttr(result.getType(),
                                               APInt(64, value).trunc(bits))));
  }
  return values;
}

void FoldConstants::runOnOperation() {
  SmallVector<Operation *> loads;
  getOperation().walk([&](Operation *op) {
    if (isa<ir::LoadOp, ir::LoadWordsOp>(op))
      loads.push_back(op);
  });
  for (Operation *load : loads) {
    ir::GlobalOp global = ir::globalOf(load->getOperand(0));
    if (!global || !ir::isConstantGlobal(global))
      continue;
    std::optional<uint64_t> at = wordOf(load->getOperand(0));
    if (!at)
      continue;
    if (auto burst = dyn_cast<ir::LoadWordsOp>(load))
      *at += burst.getAt();
    OpBuilder builder(load);
    SmallVector<Value> values =
        valuesOf(builder, load, ir::initialWords(global), *at);
    if (values.empty())
      continue;
    ir::explain(load, "fold-constants") << "load of @" << global.getSymName()
                                        << " is a constant: nothing writes it";
    KARAKAL_ASSERT(values.size() == load->getNumResults(),
                   "a constant for each result of the load");
    load->replaceAllUsesWith(values);
    load->erase();
  }
}

} // namespace

} // namespace karakal::swcache
