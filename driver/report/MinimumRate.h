// The minimum rate of generated code.
//
// `bakerc --wcet` and `--min-rate`: the worst case of each class of traffic
// (TrafficClasses.h) in each aggregate (target-ixp/microcode/WorstCase.h) and
// the rates that follow. What is promised is the rate of forwarded packets if
// each takes the worst path of the worst route. Packets of other classes take
// their part of the time: n packets a second of a class whose rate is r take
// the part n / r, and for those that go to the core n is bounded by their
// meters.

#ifndef KARAKAL_DRIVER_REPORT_MINIMUMRATE_H
#define KARAKAL_DRIVER_REPORT_MINIMUMRATE_H

#include "driver/cores/CodePrediction.h"
#include "driver/report/TrafficClasses.h"

namespace karakal::driver {

/// The frame length of predicted and minimum rates in bytes, CRC included. It
/// is the smallest length of RFC 2544, which gives the most packets per second.
inline constexpr unsigned predictedFrameBytes = agg::Frames().bytes;

/// The worst case of a class of traffic, and its rate if all packets are of the
/// class.
struct ClassRate {
  TrafficClass traffic;
  /// By aggregate, in the plan's order; nothing where its packets do not come.
  std::vector<std::optional<target::WorstCase>> worst;
  /// The stages with the worst costs.
  std::vector<agg::Stage> stages;
  /// Packets per second of the smallest frames, and their limit.
  double packetsPerSecond = 0;
  std::string bottleneck;

  double gbps() const;
};

/// The rate that the code reaches on any forwarded traffic, and the figures
/// from which it follows.
struct MinimumRate {
  /// The classes of traffic, those without paths left out.
  std::vector<ClassRate> classes;
  /// The class whose rate is promised, an index into `classes`.
  size_t slowest = 0;
  /// The worst case of a message in each aggregate, in the plan's order.
  std::vector<target::WorstCase> worst;
  /// The most engine cycles of a message in each aggregate, for any variant of
  /// the code that a loader picks.
  std::vector<double> issueMax;
  /// Packets a second that go to the core at most, as its meters let them pass.
  /// 0: none, or the meters are off.
  double puntsPerSecond = 0;
  /// The share of the time that they and their return take, at most 1.
  double puntShare = 0;

  /// Packets per second of the smallest frames, and their limit.
  double packetsPerSecond() const { return classes[slowest].packetsPerSecond; }
  const std::string &bottleneck() const { return classes[slowest].bottleneck; }
  /// Frame bits per second, in Gbit/s.
  double gbps() const { return classes[slowest].gbps(); }
  /// The same while the meters pass as many punts as they may.
  double gbpsBesidePunts() const { return gbps() * (1 - puntShare); }
};

/// A rate that the code must reach.
struct RateDemand {
  /// A kind ("drop"), a class ("ttl_expired", "drop ttl_expired") or a channel
  /// on routes ("l2_clsfr.ipv6_cc", "ipv6_cc"); empty: all that is promised.
  std::string traffic;
  double gbps = 0;
};

/// Reads `GBPS` or `CLASS=GBPS`; nothing: it is neither.
std::optional<RateDemand> parseRateDemand(const std::string &text);

/// Computes the minimum rate. E-target-ixp-147: a loop has no bound.
Result<MinimumRate>
computeMinimumRate(mlir::ModuleOp planned,
                   const std::vector<AggregateCode> &engines);

/// Returns the table of `--wcet`.
std::string printMinimumRate(const MinimumRate &minimum,
                             const std::vector<AggregateCode> &engines);

/// Checks that the code reaches each of the rates. E-driver-040 names the
/// slowest class and its path, E-driver-045 the classes if there is none of
/// that name.
Status checkMinimumRate(const MinimumRate &minimum,
                        const std::vector<AggregateCode> &engines,
                        const std::vector<std::string> &demands);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_REPORT_MINIMUMRATE_H
