// The rate that generated code promises.
//
// `bakerc --wcet` and `--min-rate`: worst cases of the aggregates' messages
// (target-ixp/microcode/WorstCase.h) and the rate that follows from them.

#ifndef KARAKAL_DRIVER_REPORT_MINIMUMRATE_H
#define KARAKAL_DRIVER_REPORT_MINIMUMRATE_H

#include "driver/cores/CodePrediction.h"
#include "target-ixp/microcode/WorstCase.h"

namespace karakal::driver {

/// Frame length of predicted and promised rates, CRC included: RFC 2544's
/// smallest, the most packets a bit.
inline constexpr unsigned predictedFrameBytes = 64;

struct Promise {
  /// One an aggregate, in the plan's order.
  std::vector<target::WorstCase> worst;
  /// Engine cycles of a message at most, whatever rings a loader chooses.
  std::vector<double> issueMax;
  /// The stages with these costs, each taking every packet.
  std::vector<agg::Stage> stages;
  /// Packets a second of the smallest frames, and what limits them.
  double packets = 0;
  std::string bottleneck;

  /// Frame bits a second, in Gbit/s.
  double gbps() const;
};

/// E-target-ixp-147: a loop without a bound.
Result<Promise> findPromise(mlir::ModuleOp planned,
                            const std::vector<AggregateCode> &engines);

/// The table of `--wcet`.
std::string printPromise(const Promise &promise,
                         const std::vector<AggregateCode> &engines);

/// E-driver-040 names the path that does not keep up with `gbps`.
Status checkMinRate(const Promise &promise,
                    const std::vector<AggregateCode> &engines, double gbps);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_REPORT_MINIMUMRATE_H
