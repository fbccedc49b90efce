// Every pass of the compiler.

#ifndef KARAKAL_DRIVER_PIPELINE_REGISTERALLPASSES_H
#define KARAKAL_DRIVER_PIPELINE_REGISTERALLPASSES_H

namespace karakal::driver {

/// Registers every pass by its flag, for baker-opt.
void registerAllPasses();

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_PIPELINE_REGISTERALLPASSES_H
