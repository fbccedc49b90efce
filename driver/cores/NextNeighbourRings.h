// Next-neighbour rings between aggregates.
//
// A message to the next engine needs no command: two instructions put it into
// that engine's registers. This works between two engines that stand side by
// side, so it depends on how many engines run each aggregate, which is known
// only when an image is loaded (`ixpsim --mes`). An image therefore holds, of
// each aggregate that can take its input from such a ring or put to one, its
// code for each case; the loader takes what fits. The paper, section 4.2.
//
//   front → back → last      front:  -, puts
//                            back:   -, takes, puts, takes and puts
//                            last:   -, takes

#ifndef KARAKAL_DRIVER_CORES_NEXTNEIGHBOURRINGS_H
#define KARAKAL_DRIVER_CORES_NEXTNEIGHBOURRINGS_H

#include "driver/cores/Engines.h"

namespace karakal::driver {

/// Compiles the variants of a program's aggregates; those that do not fit a
/// control store are left out. Errors: those of passes and code generator.
Status addNeighbourVariants(PlannedProgram &made, const Options &options);

/// Whether aggregate `index` takes its input, puts its output, over a
/// next-neighbour ring where all engines of the plan run.
bool takesFromNeighbour(const std::vector<AggregateCode> &engines,
                        size_t index);
bool putsToNeighbour(const std::vector<AggregateCode> &engines, size_t index);

/// The code that a loader takes for it then.
const target::Microcode &loadedCode(const std::vector<AggregateCode> &engines,
                                    size_t index);

/// Name of a variant's microcode in the image.
std::string variantName(const std::string &aggregate, bool takes, bool puts);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_CORES_NEXTNEIGHBOURRINGS_H
