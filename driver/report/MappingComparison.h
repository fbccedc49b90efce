// What a mapping file costs.
//
// `--mapping=FILE` fixes a part of the mapping. What that costs is the
// difference between the rates that the throughput model predicts of the code
// as it is and of the code that the compiler would make without the file, which
// it makes for the comparison.

#ifndef KARAKAL_DRIVER_REPORT_MAPPINGCOMPARISON_H
#define KARAKAL_DRIVER_REPORT_MAPPINGCOMPARISON_H

#include "driver/cores/Feedback.h"
#include <optional>
#include <string>
#include <vector>

namespace karakal::driver {

struct MappingCost {
  /// Packets a second with the file.
  double packets = 0;
  /// And without it.
  double chosenPackets = 0;
  std::string chosenBottleneck;
  /// What the compiler chooses.
  std::vector<ir::AggregatePlan> chosen;

  /// The part of the chosen mapping's rate that is lost; negative if the file's
  /// is the better one.
  double lost() const { return 1 - packets / chosenPackets; }
};

/// The cost of the mapping file that `made` was compiled with, if there is one
/// and the program has a mapping without it; explained as a part of
/// aggregation.
std::optional<MappingCost> costOfMapping(mlir::ModuleOp source,
                                         const PlannedProgram &made,
                                         const Options &options);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_REPORT_MAPPINGCOMPARISON_H
