// Counters for the functional profile.
//
// Puts counters into a program of the baker dialect:
//
//   at the start of each block        baker_profile_add(counter, 1)
//   before each conditional branch    baker_profile_add(counter, condition)
//   on each edge of a switch          baker_profile_add(counter, 1)
//   before each load from a global    baker_profile_load(global, line)
//   at the start of each look-up      baker_profile_load(globals + n, argument)
//
// Here `line` is the word offset of the part of the global that a cache would
// hold as one entry (ir/dialect/ProfileAttributes.h, GlobalProfile::hits),
// `globals` is the number of globals, and n is the number of the look-up
// function (ir/analysis/Lookups.h). host/RunGuards.h and host/Primitives.h
// define the two functions.
//
// The counters are in the order of `counterSites`.
// host/profile/FunctionalProfile.h finds their numbers by walking the program
// in the same order.
//
// Cost: one addition in memory for each block and branch, and a short search
// for each load.

#ifndef KARAKAL_HOST_INSTRUMENT_H
#define KARAKAL_HOST_INSTRUMENT_H

#include "ir/dialect/Baker.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>
#include <vector>

namespace karakal::host {

/// The point in the program that one counter counts.
struct CounterSite {
  mlir::func::FuncOp function;
  mlir::Block *block = nullptr;
  /// Executions of the block itself.
  static constexpr int wholeBlock = -1;
  /// wholeBlock, or the successor of the block's last operation that is
  /// counted. Of a conditional branch only successor 0 is counted.
  int successor = wholeBlock;
};

/// Returns the sites of the counters of `baker` by number.
std::vector<CounterSite> counterSites(mlir::ModuleOp baker);

/// Returns the number of sites of baker_profile_load, its first argument: one
/// for each global, then one for each look-up function.
size_t cacheSiteCount(mlir::ModuleOp baker);

/// Adds the counters to `baker` and returns their number.
size_t instrument(mlir::ModuleOp baker);

} // namespace karakal::host

#endif // KARAKAL_HOST_INSTRUMENT_H
