// The cost of a mapping file.
//
// `--mapping=FILE` fixes a part of the mapping. For comparison the compiler
// also compiles the program without the file. The cost is the difference
// between the rates that the throughput model predicts for the two.

#ifndef KARAKAL_DRIVER_REPORT_MAPPINGCOMPARISON_H
#define KARAKAL_DRIVER_REPORT_MAPPINGCOMPARISON_H

#include "driver/cores/Feedback.h"
#include <optional>
#include <string>
#include <vector>

namespace karakal::driver {

struct MappingCost {
  /// Packets per second with the file.
  double packets = 0;
  /// Packets per second without it.
  double chosenPackets = 0;
  std::string chosenBottleneck;
  /// The mapping that the compiler chooses.
  std::vector<ir::AggregatePlan> chosen;

  /// The part of the chosen mapping's rate that is lost; negative if the
  /// mapping of the file is better.
  double lost() const { return 1 - packets / chosenPackets; }
};

/// Returns the cost of the mapping file that `made` was compiled with, and
/// explains it as a part of aggregation. Returns nothing if there is no file or
/// the program has no mapping without it.
std::optional<MappingCost> costOfMapping(mlir::ModuleOp source,
                                         const PlannedProgram &made,
                                         const Options &options);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_REPORT_MAPPINGCOMPARISON_H
