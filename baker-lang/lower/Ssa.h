// Local variables as SSA values.
//
// Construction of SSA form while the control-flow graph is being built, after
// M. Braun et al., "Simple and Efficient Construction of Static Single
// Assignment Form", CC 2013. A block is sealed once all its predecessors are
// known; reading a variable in a block that is not gives it a block argument
// whose incoming values are filled in at sealing.

#ifndef KARAKAL_BAKER_LANG_LOWER_SSA_H
#define KARAKAL_BAKER_LANG_LOWER_SSA_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace karakal::lang {

class Ssa {
public:
  /// Variables are told apart by their addresses only.
  using Variable = const void *;

  explicit Ssa(mlir::Location location) : location(location) {}

  void write(Variable variable, mlir::Block *block, mlir::Value value) {
    values[{variable, block}] = value;
  }
  /// The value of `variable` (of type `type`) at the end of `block`.
  mlir::Value read(Variable variable, mlir::Block *block, mlir::Type type);
  /// All predecessors of `block` are known.
  void seal(mlir::Block *block);

  /// Removes block arguments whose incoming values are all the same, and joins
  /// blocks that follow one another in every run. Call once, at the end.
  static void simplify(mlir::Region &region);

private:
  mlir::Value addArgument(Variable variable, mlir::Block *block,
                          mlir::Type type);
  void fill(Variable variable, mlir::BlockArgument argument);
  mlir::Value undefined(mlir::Block *block, mlir::Type type);

  using Key = std::pair<Variable, mlir::Block *>;
  mlir::Location location;
  llvm::DenseMap<Key, mlir::Value> values;
  llvm::DenseSet<mlir::Block *> sealed;
  llvm::DenseMap<mlir::Block *,
                 llvm::SmallVector<std::pair<Variable, mlir::BlockArgument>>>
      open;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_LOWER_SSA_H
