//===- Timeline.h - what every context did, for a viewer ------*- C++ -*-===//
//
// Records the runs of contexts and writes them in the Chrome trace format (open
// it in Perfetto or chrome://tracing): a process for each engine, a thread for
// each context, one complete event ("ph":"X") for each run, times in
// microseconds of chip time. Between its runs a context waits.
//
//===----------------------------------------------------------------------===//

#ifndef KARAKAL_SIM_IXP_TIMELINE_H
#define KARAKAL_SIM_IXP_TIMELINE_H

#include "support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace karakal::sim {

/// The runs of contexts, in the order of their ends.
class Timeline {
public:
  /// Runs kept; later ones are counted and left out.
  static constexpr uint64_t runCountMax = 2000000;

  void add(uint32_t engine, uint32_t context, uint64_t begin, uint64_t end);

  /// `roles` names the engines. Error: E-sim-ixp-040 (cannot be written).
  Status write(const std::string &path, uint64_t clockHz,
               const std::vector<std::string> &roles) const;

private:
  struct Run {
    uint64_t begin;
    uint32_t cycles;
    uint8_t engine;
    uint8_t context;
  };
  std::vector<Run> runs;
  uint64_t leftOut = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_TIMELINE_H
