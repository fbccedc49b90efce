// What DPDK writes to its log while something is tried.
//
// DPDK's functions return a number; the reason of a failure stands in the log
// alone. It is kept, so that an error can tell it, and is not printed.

#ifndef KARAKAL_SWITCH_ETHDEV_LOG_H
#define KARAKAL_SWITCH_ETHDEV_LOG_H

#include <cstdio>
#include <string>

namespace karakal::sw {

class LogCapture {
public:
  LogCapture();
  ~LogCapture();
  LogCapture(const LogCapture &) = delete;

  /// The lines that were written, as one. Empty if there was none.
  std::string text();

private:
  FILE *stream;
  char *bytes = nullptr;
  size_t size = 0;
};

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_ETHDEV_LOG_H
