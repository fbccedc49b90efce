// What makes a global fit to be cached.

#ifndef KARAKAL_SWCACHE_GLOBALUSES_H
#define KARAKAL_SWCACHE_GLOBALUSES_H

#include "ir/dialect/Attributes.h"
#include "swcache/CheckInterval.h"

#include "llvm/ADT/DenseSet.h"

namespace karakal::swcache {

/// Cycles of a load of local memory: pointer, its three slots, the word.
inline constexpr double localCycles = 5;

/// The global that an operation writes, or null.
ir::GlobalOp writtenBy(mlir::Operation &op);

/// Who reads and writes the globals of a program, and how often.
class GlobalUses {
public:
  /// `maxErrorRate`: stale packets a packet that the program tolerates.
  GlobalUses(mlir::ModuleOp module, double maxErrorRate);

  /// Packets of the profile; 0 without one.
  double packets() const { return received; }
  /// Why nothing read from `global` can be kept; or empty.
  std::string refusalToKeep(ir::GlobalOp global) const;
  /// Stores where the program has one but the profile saw none are reckoned
  /// with, too.
  AccessRates ratesOf(ir::GlobalOp global) const;
  /// Cycles of a load at home.
  static double latencyOf(ir::GlobalOp global);

private:
  void findWriters();
  void findLocked();

  mlir::ModuleOp module;
  double received = 0, maxErrorRate;
  /// By control functions and PPFs.
  llvm::DenseSet<mlir::Operation *> written;
  llvm::DenseSet<mlir::Operation *> readToWrite; ///< by a PPF of the engines
  llvm::DenseSet<mlir::Operation *> locked; ///< used with critical sections
};

} // namespace karakal::swcache

#endif // KARAKAL_SWCACHE_GLOBALUSES_H
