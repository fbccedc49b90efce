// The part of baker-assign-memory that places globals.

#ifndef KARAKAL_PASSES_MEMORY_PLACEGLOBALS_H
#define KARAKAL_PASSES_MEMORY_PLACEGLOBALS_H

#include "ir/dialect/Baker.h"
#include "target-ixp/chip/ChipParameters.h"

namespace karakal::passes {

struct PlacementOptions {
  /// Whether the program reads and writes the descriptors of packets.
  bool usesDescriptors;
  /// Words of local memory for copies of globals.
  unsigned copyWords;
  target::ChipParameters chip;
};

/// Sets `baker.placement` and its reason on every global of `module`. Fails
/// with an error at the global if one does not fit or cannot be in the memory
/// that its annotation names.
mlir::LogicalResult placeGlobals(mlir::ModuleOp module,
                                 const PlacementOptions &options);

} // namespace karakal::passes

#endif // KARAKAL_PASSES_MEMORY_PLACEGLOBALS_H
