// Arrays of narrow numbers, several to a word.
//
// A store of a part of a word reads the word first, so two contexts that store
// neighbours could lose one of the values. Only arrays that packets never store
// to are packed: the core runs one function of theirs at a time.
//
// Requires: nothing. Ensures: the elements of a packed array are reached
// through the words that they share. Cost: linear in the operations.

#include "ir/analysis/Explain.h"
#include "ir/analysis/References.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "passes/Passes.h"
#include "support/Assert.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace karakal::passes {

#define GEN_PASS_DEF_PACKARRAYS
#include "passes/Passes.h.inc"

namespace {

constexpr unsigned wordBits = 32;

/// How the elements of an array share words.
struct Packing {
  unsigned bits;    ///< of an element, a power of two
  unsigned perWord; ///< elements
  uint64_t words;

  explicit Packing(ir::ArrayType array)
      : bits(ir::packedBits(array)), perWord(wordBits / bits),
        words(llvm::divideCeil(array.getSize(), perWord)) {}
};

/// The array type of a global whose elements could share words, or null.
ir::ArrayType narrowArray(ir::GlobalOp global, uint64_t elementsMin) {
  auto array = dyn_cast<ir::ArrayType>(global.getType());
  if (!array || ir::isLocal(global) || array.getSize() < elementsMin)
    return {};
  auto element = dyn_cast<IntegerType>(array.getElementType());
  return element && element.getWidth() <= wordBits / 2 ? array
                                                       : ir::ArrayType();
}

/// The initial values of the words.
DenseI64ArrayAttr packedValues(DenseI64ArrayAttr init, ir::ArrayType array) {
  Packing packing(array);
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(
      array.getElementType().getIntOrFloatBitWidth());
  std::vector<int64_t> words(packing.words);
  for (auto [i, value] : llvm::enumerate(init.asArrayRef()))
    words[i / packing.perWord] |= int64_t(
        (uint64_t(value) & mask) << (i % packing.perWord * packing.bits));
  return DenseI64ArrayAttr::get(init.getContext(), words);
}

/// Reaches an element through its word.
class ElementRewriter {
public:
  ElementRewriter(ir::ElementOp element, ir::ArrayType array)
      : element(element), array(array), packing(array) {}

  void rewrite() {
    OpBuilder builder(element);
    Location loc = element.getLoc();
    Value index = element.getIndex();
    auto number = [&](unsigned value) { return constant(builder, loc, value); };
    Value at = builder.create<arith::ShRUIOp>(
        loc, index, number(llvm::Log2_32(packing.perWord)));
    Value place =
        builder.create<arith::AndIOp>(loc, index, number(packing.perWord - 1));
    Value shift = builder.create<arith::ShLIOp>(
        loc, place, number(llvm::Log2_32(packing.bits)));
    Value word = builder.create<ir::ElementOp>(loc, element.getArray(), at);
    for (Operation *user : llvm::make_early_inc_range(element->getUsers())) {
      if (auto load = dyn_cast<ir::LoadOp>(user))
        rewriteLoad(load, word, shift);
      else
        rewriteStore(cast<ir::StoreOp>(user), word, shift);
    }
    element.erase();
  }

private:
  static Value constant(OpBuilder &builder, Location loc, uint32_t value) {
    return builder.create<arith::ConstantOp>(
        loc, builder.getI32IntegerAttr(int32_t(value)));
  }

  void rewriteLoad(ir::LoadOp load, Value word, Value shift) {
    OpBuilder builder(load);
    Location loc = load.getLoc();
    Value all = builder.create<ir::LoadOp>(loc, word);
    Value shifted = builder.create<arith::ShRUIOp>(loc, all, shift);
    load.replaceAllUsesWith(
        builder.create<arith::TruncIOp>(loc, array.getElementType(), shifted)
            .getResult());
    load.erase();
  }

  void rewriteStore(ir::StoreOp store, Value word, Value shift) {
    OpBuilder builder(store);
    Location loc = store.getLoc();
    Value mask = builder.create<arith::ShLIOp>(
        loc,
        constant(builder, loc, llvm::maskTrailingOnes<uint32_t>(packing.bits)),
        shift);
    Value others = builder.create<arith::AndIOp>(
        loc, builder.create<ir::LoadOp>(loc, word),
        builder.create<arith::XOrIOp>(loc, mask,
                                      constant(builder, loc, ~uint32_t(0))));
    Value wide = builder.create<arith::ExtUIOp>(loc, builder.getI32Type(),
                                                store.getValue());
    Value own = builder.create<arith::ShLIOp>(loc, wide, shift);
    builder.create<ir::StoreOp>(
        loc, builder.create<arith::OrIOp>(loc, others, own), word);
    store.erase();
  }

  ir::ElementOp element;
  ir::ArrayType array;
  Packing packing;
};

class PackArrays : public impl::PackArraysBase<PackArrays> {
public:
  using PackArraysBase::PackArraysBase;

private:
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::vector<func::FuncOp> ppfs;
    for (auto function : module.getOps<func::FuncOp>())
      if (ir::isPpf(function))
        ppfs.push_back(function);
    auto ofPackets = ir::reachableFrom(ppfs);
    llvm::DenseMap<StringRef, std::vector<ir::GlobalRefOp>> refs;
    module.walk(
        [&](ir::GlobalRefOp ref) { refs[ref.getGlobal()].push_back(ref); });
    for (auto global : module.getOps<ir::GlobalOp>())
      if (ir::ArrayType array = narrowArray(global, elementsMin)) {
        StringRef obstacle = obstacleIn(refs[global.getSymName()], ofPackets);
        if (obstacle.empty())
          pack(global, array, refs[global.getSymName()]);
        else
          ir::explain(global, "pack-arrays")
              << global.getSymName()
              << ": a word for each element: " << obstacle;
      }
  }

  /// Why elements cannot share words; empty: they can.
  static StringRef obstacleIn(ArrayRef<ir::GlobalRefOp> refs,
                              const llvm::SetVector<func::FuncOp> &ofPackets) {
    for (ir::GlobalRefOp ref : refs)
      for (Operation *user : ref->getUsers()) {
        if (!isa<ir::ElementOp>(user))
          return "something else than its elements is used";
        for (Operation *use : user->getUsers()) {
          if (isa<ir::LoadOp>(use))
            continue;
          if (!isa<ir::StoreOp>(use))
            return "an element is used by more than loads and stores";
          if (ofPackets.contains(use->getParentOfType<func::FuncOp>()))
            return "packets store to it, and two could store to one word at a "
                   "time";
        }
      }
    return "";
  }

  void pack(ir::GlobalOp global, ir::ArrayType array,
            ArrayRef<ir::GlobalRefOp> refs) {
    Packing packing(array);
    auto words = ir::ArrayType::get(&getContext(), packing.words,
                                    IntegerType::get(&getContext(), wordBits));
    ir::explain(global, "pack-arrays")
        << global.getSymName() << ": " << array.getSize() << " elements in "
        << packing.words << " words";
    global.setType(words);
    if (auto init = global.getInitAttr())
      global.setInitAttr(packedValues(init, array));
    ir::setPacked(global, array);
    for (ir::GlobalRefOp ref : refs) {
      ref.getRef().setType(ir::RefType::get(&getContext(), words));
      for (Operation *user : llvm::make_early_inc_range(ref->getUsers()))
        ElementRewriter(cast<ir::ElementOp>(user), array).rewrite();
    }
  }
};

} // namespace

} // namespace karakal::passes
