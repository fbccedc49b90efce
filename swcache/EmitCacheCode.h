// Helpers that emit the cache code of engines.

#ifndef KARAKAL_SWCACHE_EMITCACHECODE_H
#define KARAKAL_SWCACHE_EMITCACHECODE_H

#include "ir/dialect/Baker.h"
#include "ir/dialect/ProfileAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace karakal::swcache {

/// Profile counts of a branch that is rarely taken.
inline constexpr int64_t seldom[] = {1, 1000000};

/// The state of a CAM entry with a cached value. Entries without a value have
/// tags that can hit, too.
inline constexpr uint32_t validState = 1;

/// Declares a function of the engines with words as operands and results,
/// unless the module declares it.
void declareIntrinsic(mlir::ModuleOp module, llvm::StringRef name,
                      unsigned operands = 0, unsigned results = 0);

/// Returns `ref`, which goes through `root`, with `newRoot` in place of `root`.
mlir::Value rebase(mlir::OpBuilder &builder, mlir::Value ref,
                   mlir::Operation *root, mlir::Value newRoot);
/// Returns the global_ref that `ref` begins with.
mlir::Operation *rootOf(mlir::Value ref);
/// Returns the element of the global that `ref` goes through, or null if the
/// global is no array.
ir::ElementOp outermostElement(mlir::Value ref);

/// Whether the program looks up the CAM.
bool usesCam(mlir::ModuleOp module);

/// Builds cache code at one insertion point.
class CacheCode {
public:
  CacheCode(mlir::OpBuilder builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::Value word(int64_t value) {
    return builder.create<mlir::arith::ConstantOp>(
        loc, builder.getI32IntegerAttr(int32_t(value)));
  }
  mlir::Value ref(ir::GlobalOp global) {
    return builder.create<ir::GlobalRefOp>(
        loc, ir::RefType::get(builder.getContext(), global.getType()),
        global.getSymName());
  }
  mlir::Value load(ir::GlobalOp global) {
    return builder.create<ir::LoadOp>(loc, ref(global));
  }
  void store(mlir::Value value, ir::GlobalOp global) {
    builder.create<ir::StoreOp>(loc, value, ref(global));
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                      mlir::Value b) {
    return builder.create<mlir::arith::CmpIOp>(loc, predicate, a, b);
  }
  mlir::Value isZero(mlir::Value value) {
    return compare(mlir::arith::CmpIPredicate::eq, value, word(0));
  }
  void branch(mlir::Block *to) { builder.create<mlir::cf::BranchOp>(loc, to); }
  /// `counts` are the branch counts, as of a profile.
  void branchIf(mlir::Value condition, mlir::Block *then,
                mlir::Block *otherwise, llvm::ArrayRef<int64_t> counts = {}) {
    auto branch =
        builder.create<mlir::cf::CondBranchOp>(loc, condition, then, otherwise);
    if (!counts.empty())
      ir::setBranchCounts(branch, counts);
  }
  void call(llvm::StringRef name) {
    builder.create<mlir::func::CallOp>(loc, name, mlir::TypeRange());
  }
  /// Makes later loads see the stores of other contexts.
  void barrier();
  void at(mlir::Block *block) { builder.setInsertionPointToEnd(block); }

  /// Looks up `key` in the CAM and returns the result word.
  mlir::Value lookUpCam(mlir::Value key);
  /// Whether a CAM result is a hit of an entry with a cached value.
  mlir::Value isHit(mlir::Value camResult);
  /// The entry that a CAM result names.
  mlir::Value entryOf(mlir::Value camResult);
  /// Gives a CAM entry the tag `key` and the state `validState`.
  void writeCam(mlir::Value entry, mlir::Value key);
  mlir::Value element(ir::GlobalOp array, mlir::Value index) {
    return builder.create<ir::ElementOp>(loc, ref(array), index);
  }

  /// Emits a loop of `body` over the indices below `count`.
  void repeat(uint64_t count,
              llvm::function_ref<void(CacheCode &, mlir::Value)> body);
  /// Copies the object `from` to `to`, which may have fewer elements, in
  /// bursts.
  void copy(mlir::Value from, mlir::Value to);
  void copyArray(mlir::Value from, mlir::Value to, uint64_t size);

  mlir::OpBuilder builder;
  mlir::Location loc;
};

} // namespace karakal::swcache

#endif // KARAKAL_SWCACHE_EMITCACHECODE_H
