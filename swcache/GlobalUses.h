// The loads and stores of a program's globals, with their rates.

#ifndef KARAKAL_SWCACHE_GLOBALUSES_H
#define KARAKAL_SWCACHE_GLOBALUSES_H

#include "ir/dialect/Attributes.h"
#include "swcache/CheckInterval.h"

#include "llvm/ADT/DenseSet.h"

namespace karakal::swcache {

/// Cycles of a load from local memory: set the pointer, wait three slots, read
/// the word.
inline constexpr double localCycles = 5;

/// The uses of the globals of a program.
class GlobalUses {
public:
  /// `maxErrorRate` is the tolerated rate of stale packets. With
  /// `exchangesCode`, nothing is cached while a control function writes, so
  /// only what PPFs write counts.
  GlobalUses(mlir::ModuleOp module, double maxErrorRate,
             bool exchangesCode = false);

  /// Packets of the profile; 0 without a profile.
  double packets() const { return received; }
  /// Returns the reason why nothing read from `global` can be cached, or an
  /// empty string.
  std::string refusalToCache(ir::GlobalOp global) const;
  /// Returns the rates of `global`, which needs a profile. If the program can
  /// store to it but the profile saw no store, a low rate is assumed.
  AccessRates ratesOf(ir::GlobalOp global) const;
  /// Returns the cycles of a load from the memory of `global`.
  static double latencyOf(ir::GlobalOp global);

private:
  void findWriters();
  void findLocked();

  mlir::ModuleOp module;
  double received = 0, maxErrorRate;
  bool exchangesCode;
  /// Written by control functions or PPFs.
  llvm::DenseSet<mlir::Operation *> written;
  llvm::DenseSet<mlir::Operation *> writtenAndRead; ///< by one packet
  llvm::DenseSet<mlir::Operation *> locked;         ///< in critical sections
  llvm::DenseSet<mlir::Operation *> writtenExclusively;
};

} // namespace karakal::swcache

#endif // KARAKAL_SWCACHE_GLOBALUSES_H
