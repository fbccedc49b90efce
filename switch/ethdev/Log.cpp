// What DPDK writes to its log while something is tried.

#include "switch/ethdev/Log.h"
#include "support/Assert.h"
#include <rte_log.h>
#include <sstream>
#include <vector>

namespace karakal::sw {

LogCapture::LogCapture() : stream(open_memstream(&bytes, &size)) {
  KARAKAL_ASSERT(stream, "there is memory for a log");
  rte_openlog_stream(stream);
}

LogCapture::~LogCapture() {
  rte_openlog_stream(stderr);
  fclose(stream);
  free(bytes);
}

std::string LogCapture::text() {
  fflush(stream);
  // The last lines are about what failed last, and so about all that failed.
  constexpr size_t linesMax = 4;
  std::vector<std::string> lines;
  std::istringstream all(std::string(bytes ? bytes : "", size));
  for (std::string line; std::getline(all, line);)
    if (!line.empty())
      lines.push_back(line);
  std::string told;
  for (size_t i = lines.size() - std::min(lines.size(), linesMax);
       i < lines.size(); ++i)
    told += (told.empty() ? "" : "; ") + lines[i];
  return told;
}

} // namespace karakal::sw
