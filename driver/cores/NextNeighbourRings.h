// Next-neighbour rings between aggregates.
//
// A message to the next engine needs no command: two instructions put it into
// that engine's registers (section 4.2 of the paper). This works only between
// neighbouring engines, so it depends on the number of engines of each
// aggregate, which is known only when an image is loaded (`ixpsim --mes`). If
// an aggregate can take its input from a next-neighbour ring or put its output
// to one, the image holds a variant of its code for each case, and the loader
// picks the variant that fits.
//
//   front → back → last      front:  -, puts
//                            back:   -, takes, puts, takes and puts
//                            last:   -, takes

#ifndef KARAKAL_DRIVER_CORES_NEXTNEIGHBOURRINGS_H
#define KARAKAL_DRIVER_CORES_NEXTNEIGHBOURRINGS_H

#include "driver/cores/EngineCode.h"

namespace karakal::driver {

/// Compiles the variants of a program's aggregates. A variant that does not fit
/// a control store is left out. Errors: those of the passes and of the code
/// generator.
Status addNextNeighbourVariants(mlir::ModuleOp planned,
                                std::vector<AggregateCode> &engines,
                                const Options &options);

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

/// Returns the name of a variant's microcode in the image.
std::string variantName(const std::string &aggregate, bool takes, bool puts);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_CORES_NEXTNEIGHBOURRINGS_H
