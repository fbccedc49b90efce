// How many threads compile (`--threads`).

#ifndef KARAKAL_DRIVER_PIPELINE_THREADS_H
#define KARAKAL_DRIVER_PIPELINE_THREADS_H

namespace karakal::driver {

/// Sets the number of threads from now on; 0: as many as the machine has cores.
/// The result of a compilation is the same with any number.
void setThreadCount(unsigned asked);

/// Returns the number of threads, at least 1.
unsigned threadCount();

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_PIPELINE_THREADS_H
