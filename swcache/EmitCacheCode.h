// Pieces of the engines' code of caches.

#ifndef KARAKAL_SWCACHE_EMITCACHECODE_H
#define KARAKAL_SWCACHE_EMITCACHECODE_H

#include "ir/dialect/Baker.h"
#include "ir/dialect/ProfileAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace karakal::swcache {

/// Counts of a branch that is hardly ever taken.
inline constexpr int64_t seldom[] = {1, 1000000};

/// The CAM, of which one look-up or several have their tags.
/// State of an entry that has a result. Others have tags, too, which hit.
inline constexpr uint32_t keptState = 1;

/// Declares a function of the engines that takes and gives words, once.
void declareIntrinsic(mlir::ModuleOp module, llvm::StringRef name,
                      unsigned operands = 0, unsigned results = 0);

/// `ref` with `newRoot` in place of `root`, which it leads through.
mlir::Value rebase(mlir::OpBuilder &builder, mlir::Value ref,
                   mlir::Operation *root, mlir::Value newRoot);
/// The global's reference that `ref` begins with.
mlir::Operation *rootOf(mlir::Value ref);
/// The element of the whole array that `ref` leads through; null if it does
/// not go through one.
ir::ElementOp outermostElement(mlir::Value ref);

/// Whether anything in the program asks the CAM.
bool asksCam(mlir::ModuleOp module);

/// Builds code at one place.
class Code {
public:
  Code(mlir::OpBuilder builder, mlir::Location loc)
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
  /// `counts`: how often it goes where, as a profile would say.
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
  /// Other contexts may have stored since the loads in front of this.
  void barrier();
  void at(mlir::Block *block) { builder.setInsertionPointToEnd(block); }

  /// What the CAM says of `key`; declares the look-up where it is missing.
  mlir::Value askCam(mlir::Value key);
  /// Whether an answer of the CAM names an entry that is in use.
  mlir::Value isKept(mlir::Value said);
  /// The entry that an answer of the CAM names.
  mlir::Value entryOf(mlir::Value said);
  /// Gives the entry the key, and says that it is in use.
  void keepInCam(mlir::Value entry, mlir::Value key);
  mlir::Value element(ir::GlobalOp array, mlir::Value index) {
    return builder.create<ir::ElementOp>(loc, ref(array), index);
  }

  /// `body` for each index below `count`, in a loop.
  void repeat(uint64_t count,
              llvm::function_ref<void(Code &, mlir::Value)> body);
  /// Copies the object `from` to `to`, burst by burst.
  void copy(mlir::Value from, mlir::Value to);
  void copyArray(mlir::Value from, mlir::Value to, uint64_t size);

  mlir::OpBuilder builder;
  mlir::Location loc;
};

} // namespace karakal::swcache

#endif // KARAKAL_SWCACHE_EMITCACHECODE_H
