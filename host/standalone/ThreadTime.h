// Processor time of one thread.

#ifndef KARAKAL_HOST_STANDALONE_THREADTIME_H
#define KARAKAL_HOST_STANDALONE_THREADTIME_H

#include <ctime>

namespace karakal::host {

/// Seconds of processor time that the calling thread has had.
inline double threadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) / 1e9;
}

} // namespace karakal::host

#endif // KARAKAL_HOST_STANDALONE_THREADTIME_H
