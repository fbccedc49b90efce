// Next-neighbour rings between aggregates.
//
// A message to the next engine needs no command: two instructions put it into
// that engine's registers. This works only between neighbouring engines, so it
// depends on how many engines run each aggregate. That is known only when an
// image is loaded (`ixpsim --mes`). The image therefore holds a variant of the
// code for each case of an aggregate that can take its input from a
// next-neighbour ring or put its output to one. The loader picks the variant
// that fits. The paper, section 4.2.
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
/// Whether it puts its output to the aggregate after it over such a ring.
bool putsToNextNeighbour(const std::vector<AggregateCode> &engines,
                         size_t index);

/// The code of aggregate `index` that a loader then picks.
const target::Microcode &loadedCode(const std::vector<AggregateCode> &engines,
                                    size_t index);

/// The name of a variant's microcode in the image.
std::string variantName(const std::string &aggregate, bool takes, bool puts);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_CORES_NEXTNEIGHBOURRINGS_H
