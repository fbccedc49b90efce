//===- Code.cpp - pieces of the engines' code of caches -------------------===//

#include "swcache/Code.h"

#include "ir/Layout.h"
#include "ir/References.h"

using namespace mlir;

namespace karakal::swcache {

namespace {

/// Words that one command reads.
constexpr uint64_t burstWordsMax = 8;
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

/// Element by element, in a loop.
void Code::copyArray(Value from, Value to, uint64_t size) {
  Block *before = builder.getInsertionBlock();
  Region *region = before->getParent();
  Block *loop = builder.createBlock(region, region->end());
  Value index = loop->addArgument(builder.getI32Type(), loc);
  Block *after = builder.createBlock(region, region->end());
  at(before);
  builder.create<cf::BranchOp>(loc, loop, word(0));
  at(loop);
  copy(builder.create<ir::ElementOp>(loc, from, index),
       builder.create<ir::ElementOp>(loc, to, index));
  Value next = builder.create<arith::AddIOp>(loc, index, word(1));
  Value isMore = compare(arith::CmpIPredicate::ult, next, word(int64_t(size)));
  auto again = builder.create<cf::CondBranchOp>(
      loc, isMore, loop, ValueRange{next}, after, ValueRange{});
  ir::setBranchCounts(again, {int64_t(size) - 1, 1});
  at(after);
}

} // namespace karakal::swcache
