// What the code of packets does that other packets may see.

#ifndef KARAKAL_CODEGEN_X86_BATCH_EFFECTS_H
#define KARAKAL_CODEGEN_X86_BATCH_EFFECTS_H

#include "ir/dialect/Baker.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include <set>

namespace karakal::x86 {

/// What packets share, as numbers: `OrderResource`, or a global that the code
/// of packets writes.
using Resources = std::set<unsigned>;

/// Packets sent and made, messages, random numbers, locks, and calls of what is
/// not known.
inline constexpr unsigned OrderResource = 0;

class Effects {
public:
  /// `module` has no channels any more. The code of packets is its PPFs and
  /// what they call.
  explicit Effects(mlir::ModuleOp module);

  /// Returns what `op` reads or writes of what packets share.
  Resources of(mlir::Operation *op);
  /// Returns what the consumers of queued messages share with others. They run
  /// at the end of the packet that sent the message.
  Resources ofQueued();

  /// Whether the code of packets writes `global`.
  bool isWritten(ir::GlobalOp global) const { return numbers.count(global); }
  /// Returns the name of a resource for explanations.
  std::string nameOf(unsigned resource) const;

private:
  void addGlobal(ir::GlobalOp global);
  const Resources &ofFunction(mlir::func::FuncOp function);
  Resources ofAccess(ir::GlobalOp global) const;

  mlir::ModuleOp module;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  std::vector<std::string> names = {"the order of packets"};
  llvm::DenseMap<mlir::Operation *, Resources> functions;
};

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_BATCH_EFFECTS_H
