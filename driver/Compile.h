// One run of the compiler.
//
// What bakerc does with its options: read, profile, plan, make each core's
// code, write. Nothing is written unless everything succeeded.

#ifndef KARAKAL_DRIVER_COMPILE_H
#define KARAKAL_DRIVER_COMPILE_H

#include "driver/pipeline/Options.h"
#include "support/Error.h"

namespace karakal::driver {

/// Compiles (or runs) as the options ask. An error with an empty message has
/// been printed already.
Status compile(const Options &options);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_COMPILE_H
