// Variants of an aggregate's code.
//
// Next-neighbour rings. A message to the next engine needs no command: two
// instructions put it into that engine's registers (section 4.2 of the paper).
// This works only between neighbouring engines, so it depends on the number of
// engines of each aggregate, which is known only when an image is loaded
// (`ixpsim --mes`). If an aggregate can take its input from a next-neighbour
// ring or put its output to one, the image holds a variant of its code for each
// case, and the loader picks the variant that fits.
//
//   front → back → last      front:  -, puts
//                            back:   -, takes, puts, takes and puts
//                            last:   -, takes
//
// Caches. With `--updates=exchange` the image also holds each of these without
// caches (plain). The XScale core exchanges the two at run time.

#ifndef KARAKAL_DRIVER_CORES_VARIANTS_H
#define KARAKAL_DRIVER_CORES_VARIANTS_H

#include "driver/cores/EngineCode.h"

namespace karakal::driver {

/// Compiles the variants of a program's aggregates. A variant with a
/// next-neighbour ring that does not fit a control store, with or without
/// caches, is left out. Errors: those of the passes and of the code generator;
/// E-driver-050: an aggregate's plain code does not fit.
Status addVariants(mlir::ModuleOp planned, std::vector<AggregateCode> &engines,
                   const Options &options);

/// Returns the aggregates with their code without caches, if the core exchanges
/// it, or nothing.
std::vector<AggregateCode>
plainCodeOf(const std::vector<AggregateCode> &engines);

/// Whether aggregate `index` takes its input from the aggregate before it over
/// a next-neighbour ring when all engines of the plan run.
bool takesFromNextNeighbour(const std::vector<AggregateCode> &engines,
                            size_t index);
/// Whether aggregate `index` puts its output to the aggregate after it over
/// such a ring.
bool putsToNextNeighbour(const std::vector<AggregateCode> &engines,
                         size_t index);

/// Returns the code of aggregate `index` that a loader picks when all engines
/// of the plan run.
const target::Microcode &loadedCode(const std::vector<AggregateCode> &engines,
                                    size_t index);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_CORES_VARIANTS_H
