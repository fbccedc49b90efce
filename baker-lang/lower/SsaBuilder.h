// Builds SSA form for local variables.
//
// Constructs SSA form together with the control-flow graph, after M. Braun et
// al., "Simple and Efficient Construction of Static Single Assignment Form",
// CC 2013. A block is sealed once all its predecessors are known. Reading a
// variable in a block that is not sealed gives it a block argument, whose
// incoming values are filled in when the block is sealed.

#ifndef KARAKAL_BAKER_LANG_LOWER_SSABUILDER_H
#define KARAKAL_BAKER_LANG_LOWER_SSABUILDER_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace karakal::lang {

class SsaBuilder {
public:
  /// A variable is identified by an address; nothing is read from it.
  using Variable = const void *;

  explicit SsaBuilder(mlir::Location location) : location(location) {}

  void write(Variable variable, mlir::Block *block, mlir::Value value);
  /// The value of `variable` (of type `type`) at the end of `block`.
  mlir::Value read(Variable variable, mlir::Block *block, mlir::Type type);
  /// States that all predecessors of `block` are known.
  void seal(mlir::Block *block);

  /// What to do with a block argument that is a variable's value.
  using ForArgument = llvm::function_ref<void(Variable, mlir::BlockArgument)>;

  /// Removes unreachable blocks and block arguments whose incoming values are
  /// all the same, and merges each block with its only successor if that has no
  /// other predecessor. Calls `keep` for each argument that stays. Called once,
  /// at the end; all blocks are sealed.
  void finish(mlir::Region &region, ForArgument keep);

private:
  mlir::Value addArgument(Variable variable, mlir::Block *block,
                          mlir::Type type);
  bool removeTrivialArguments(mlir::Block *block);
  /// Adds the incoming values of a variable's block argument.
  void fill(Variable variable, mlir::BlockArgument argument);
  /// A value for code that is never executed.
  mlir::Value undefined(mlir::Block *block, mlir::Type type);

  using Key = std::pair<Variable, mlir::Block *>;
  mlir::Location location;
  llvm::DenseMap<Key, mlir::Value> values;
  llvm::DenseSet<mlir::Block *> sealed;
  llvm::DenseMap<mlir::BlockArgument, Variable> variables;
  /// The arguments of each block that is not sealed.
  llvm::DenseMap<mlir::Block *,
                 llvm::SmallVector<std::pair<Variable, mlir::BlockArgument>>>
      unfilled;
};

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_LOWER_SSABUILDER_H
