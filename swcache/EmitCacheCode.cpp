// Pieces of the engines' code of caches.

#include "swcache/EmitCacheCode.h"

#include "ir/analysis/References.h"
#include "ir/dialect/Layout.h"
#include "mlir/IR/IRMapping.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/RuntimeNames.h"

using namespace mlir;

namespace karakal::swcache {

namespace {

/// Words that one command reads.
constexpr uint64_t burstWordsMax = 8;
/// What the CAM says of an entry with `keptState`: the state's bits stand
/// above the hit bit, and are 0 on a miss.
constexpr uint32_t keptBit = target::CamHit << keptState;

ModuleOp moduleOf(OpBuilder &builder) {
  return builder.getInsertionBlock()
      ->getParentOp()
      ->getParentOfType<ModuleOp>();
}
} // namespace

void declareIntrinsic(ModuleOp module, StringRef name, unsigned operands,
                      unsigned results) {
  if (module.lookupSymbol(name))
    return;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Type word = builder.getI32Type();
  auto type = builder.getFunctionType(SmallVector<Type>(operands, word),
                                      SmallVector<Type>(results, word));
  builder.create<func::FuncOp>(module.getLoc(), name, type).setPrivate();
}

Operation *rootOf(Value ref) {
  Operation *op = ref.getDefiningOp();
  while (!isa<ir::GlobalRefOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

Value rebase(OpBuilder &builder, Value ref, Operation *root, Value newRoot) {
  Operation *op = ref.getDefiningOp();
  if (op == root)
    return newRoot;
  IRMapping mapping;
  mapping.map(op->getOperand(0),
              rebase(builder, op->getOperand(0), root, newRoot));
  return builder.clone(*op, mapping)->getResult(0);
}

ir::ElementOp outermostElement(Value ref) {
  for (Operation *op = ref.getDefiningOp(); !isa<ir::GlobalRefOp>(op);
       op = op->getOperand(0).getDefiningOp())
    if (isa<ir::GlobalRefOp>(op->getOperand(0).getDefiningOp()))
      return dyn_cast<ir::ElementOp>(op);
  return {};
}

bool asksCam(ModuleOp module) {
  return module.lookupSymbol(target::intrinsic::CamLookup) != nullptr;
}

void Code::barrier() {
  declareIntrinsic(moduleOf(builder), target::intrinsic::Barrier);
  call(target::intrinsic::Barrier);
}

Value Code::askCam(Value key) {
  declareIntrinsic(moduleOf(builder), target::intrinsic::CamLookup, 1, 1);
  return builder
      .create<func::CallOp>(loc, target::intrinsic::CamLookup,
                            builder.getI32Type(), key)
      .getResult(0);
}

Value Code::isKept(Value said) {
  return compare(arith::CmpIPredicate::ne,
                 builder.create<arith::AndIOp>(loc, said, word(keptBit)),
                 word(0));
}

Value Code::entryOf(Value said) {
  Value shifted =
      builder.create<arith::ShRUIOp>(loc, said, word(target::CamEntryShift));
  return builder.create<arith::AndIOp>(loc, shifted,
                                       word(target::CamEntries - 1));
}

void Code::keepInCam(Value entry, Value key) {
  declareIntrinsic(moduleOf(builder), target::intrinsic::CamWrite, 3, 0);
  builder.create<func::CallOp>(loc, target::intrinsic::CamWrite, TypeRange(),
                               ValueRange{entry, key, word(keptState)});
}

void Code::copy(Value from, Value to) {
  // The copy of an array may have fewer elements than its home.
  uint64_t words = ir::wordCount(ir::pointeeOf(to));
  if (auto array = dyn_cast<ir::ArrayType>(ir::pointeeOf(to));
      array && words > burstWordsMax)
    return copyArray(from, to, array.getSize());
  for (uint64_t at = 0; at < words; at += burstWordsMax) {
    SmallVector<Type> types(std::min(burstWordsMax, words - at),
                            builder.getI32Type());
    auto burst = builder.create<ir::LoadWordsOp>(loc, types, from,
                                                 builder.getI32IntegerAttr(at));
    builder.create<ir::StoreWordsOp>(loc, burst.getWords(), to,
                                     builder.getI32IntegerAttr(at));
  }
}

void Code::repeat(uint64_t count, function_ref<void(Code &, Value)> body) {
  Block *before = builder.getInsertionBlock();
  Region *region = before->getParent();
  Block *loop = builder.createBlock(region, region->end());
  Value index = loop->addArgument(builder.getI32Type(), loc);
  Block *after = builder.createBlock(region, region->end());
  at(before);
  builder.create<cf::BranchOp>(loc, loop, word(0));
  at(loop);
  body(*this, index);
  Value next = builder.create<arith::AddIOp>(loc, index, word(1));
  Value isMore = compare(arith::CmpIPredicate::ult, next, word(int64_t(count)));
  auto again = builder.create<cf::CondBranchOp>(
      loc, isMore, loop, ValueRange{next}, after, ValueRange{});
  ir::setBranchCounts(again, {int64_t(count) - 1, 1});
  at(after);
}

void Code::copyArray(Value from, Value to, uint64_t size) {
  repeat(size, [&](Code &, Value index) {
    copy(builder.create<ir::ElementOp>(loc, from, index),
         builder.create<ir::ElementOp>(loc, to, index));
  });
}

} // namespace karakal::swcache
