#include "swcache/EmitCacheCode.h"

#include "ir/analysis/References.h"
#include "ir/dialect/Layout.h"
#include "mlir/IR/IRMapping.h"
#include "support/Assert.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/RuntimeNames.h"

using namespace mlir;

namespace karakal::swcache {

namespace {

/// The most words that one command reads.
constexpr uint64_t burstWordsMax = 8;
/// The bit of a CAM result that is set on a hit of an entry with `validState`.
/// The state's bits are above the hit bit, and are 0 on a miss.
constexpr uint32_t validHitBit = target::CamHit << validState;

ModuleOp moduleOf(OpBuilder &builder) {
  return builder.getInsertionBlock()
      ->getParentOp()
      ->getParentOfType<ModuleOp>();
}
} // namespace

void declareIntrinsic(ModuleOp module, StringRef name, unsigned operands,
                      unsigned results) {
  if (auto found = module.lookupSymbol<func::FuncOp>(name)) {
    KARAKAL_ASSERT(found.getNumArguments() == operands &&
                       found.getNumResults() == results,
                   "one signature for @" + name.str());
    return;
  }
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Type word = builder.getI32Type();
  auto type = builder.getFunctionType(SmallVector<Type>(operands, word),
                                      SmallVector<Type>(results, word));
  builder.create<func::FuncOp>(module.getLoc(), name, type).setPrivate();
}

Operation *rootOf(Value ref) {
  Operation *op = ref.getDefiningOp();
  while (!isa<ir::GlobalRefOp>(op)) {
    KARAKAL_ASSERT((isa<ir::ElementOp, ir::FieldOp>(op)),
                   "a reference begins with a global_ref");
    op = op->getOperand(0).getDefiningOp();
  }
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

bool usesCam(ModuleOp module) {
  return module.lookupSymbol(target::intrinsic::CamLookup) != nullptr;
}

void CacheCode::barrier() {
  declareIntrinsic(moduleOf(builder), target::intrinsic::Barrier);
  call(target::intrinsic::Barrier);
}

Value CacheCode::lookUpCam(Value key) {
  declareIntrinsic(moduleOf(builder), target::intrinsic::CamLookup, 1, 1);
  return builder
      .create<func::CallOp>(loc, target::intrinsic::CamLookup,
                            builder.getI32Type(), key)
      .getResult(0);
}

Value CacheCode::isHit(Value camResult) {
  return compare(
      arith::CmpIPredicate::ne,
      builder.create<arith::AndIOp>(loc, camResult, word(validHitBit)),
      word(0));
}

Value CacheCode::entryOf(Value camResult) {
  Value shifted = builder.create<arith::ShRUIOp>(loc, camResult,
                                                 word(target::CamEntryShift));
  return builder.create<arith::AndIOp>(loc, shifted,
                                       word(target::CamEntries - 1));
}

void CacheCode::writeCam(Value entry, Value key) {
  declareIntrinsic(moduleOf(builder), target::intrinsic::CamWrite, 3, 0);
  builder.create<func::CallOp>(loc, target::intrinsic::CamWrite, TypeRange(),
                               ValueRange{entry, key, word(validState)});
}

void CacheCode::copy(Value from, Value to) {
  uint64_t words = ir::wordCount(ir::pointeeOf(to));
  KARAKAL_ASSERT(words <= ir::wordCount(ir::pointeeOf(from)),
                 "a copy is no larger than its global");
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

void CacheCode::repeat(uint64_t count,
                       function_ref<void(CacheCode &, Value)> body) {
  KARAKAL_ASSERT(count != 0, "a loop has an iteration");
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

void CacheCode::copyArray(Value from, Value to, uint64_t size) {
  repeat(size, [&](CacheCode &, Value index) {
    copy(builder.create<ir::ElementOp>(loc, from, index),
         builder.create<ir::ElementOp>(loc, to, index));
  });
}

} // namespace karakal::swcache
