//===- Code.h - pieces of the engines' code of caches ----------*- C++ -*-===//

#ifndef KARAKAL_SWCACHE_CODE_H
#define KARAKAL_SWCACHE_CODE_H

#include "ir/Baker.h"
#include "ir/Profile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace karakal::swcache {

/// Counts of a branch that is hardly ever taken.
inline constexpr int64_t seldom[] = {1, 1000000};

/// The CAM, of which one look-up or several have their tags.
inline constexpr llvm::StringLiteral camWriteName = "__ixp_cam_write";
/// State of an entry that has a result. Others have tags, too, which hit.
inline constexpr uint32_t keptState = 1;

/// Declares a function of the engines that takes and gives words, once.
void declareIntrinsic(mlir::ModuleOp module, llvm::StringRef name,
                      unsigned operands = 0, unsigned results = 0);

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
  void at(mlir::Block *block) { builder.setInsertionPointToEnd(block); }

  /// Copies the object `from` to `to`, burst by burst.
  void copy(mlir::Value from, mlir::Value to);
  void copyArray(mlir::Value from, mlir::Value to, uint64_t size);

  mlir::OpBuilder builder;
  mlir::Location loc;
};

} // namespace karakal::swcache

#endif // KARAKAL_SWCACHE_CODE_H
