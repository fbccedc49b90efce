// The minimum rate of generated code.
//
// `bakerc --wcet` and `--min-rate`: the worst case of a message in each
// aggregate (target-ixp/microcode/WorstCase.h) and the rate that follows if
// every packet takes the worst path.

#ifndef KARAKAL_DRIVER_REPORT_MINIMUMRATE_H
#define KARAKAL_DRIVER_REPORT_MINIMUMRATE_H

#include "driver/cores/CodePrediction.h"
#include "target-ixp/microcode/WorstCase.h"

namespace karakal::driver {

/// The frame length of predicted and minimum rates in bytes, CRC included. It
/// is the smallest length of RFC 2544, which gives the most packets per second.
inline constexpr unsigned predictedFrameBytes = 64;

/// The rate that the code reaches on any traffic, and the figures from which it
/// follows.
struct MinimumRate {
  /// The worst case of a message in each aggregate, in the plan's order.
  std::vector<target::WorstCase> worst;
  /// The most engine cycles of a message in each aggregate, for any variant of
  /// the code that a loader picks.
  std::vector<double> issueMax;
  /// The stages with the worst costs. Each stage takes every packet.
  std::vector<agg::Stage> stages;
  /// Packets per second of the smallest frames, and their limit.
  double packetsPerSecond = 0;
  std::string bottleneck;

  /// Frame bits per second, in Gbit/s.
  double gbps() const;
};

/// Computes the minimum rate. E-target-ixp-147: a loop has no bound.
Result<MinimumRate>
computeMinimumRate(mlir::ModuleOp planned,
                   const std::vector<AggregateCode> &engines);

/// Returns the table of `--wcet`.
std::string printMinimumRate(const MinimumRate &minimum,
                             const std::vector<AggregateCode> &engines);

/// Checks that the code reaches `gbps`. E-driver-040 names the slowest path.
Status checkMinimumRate(const MinimumRate &minimum,
                        const std::vector<AggregateCode> &engines, double gbps);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_REPORT_MINIMUMRATE_H
