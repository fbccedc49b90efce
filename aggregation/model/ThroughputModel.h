// The rate of a mapping, in packets per second.
//
// Equation 1 of the paper says that throughput grows with the number of
// engines n and with k, the rate of the slowest stage, and falls with the
// number of stages p. Here k is computed from the cost of one message in a
// stage:
//
//   issue     cycles in which its engine executes instructions
//   latency   cycles in which its context waits while the units are idle
//   busy      cycles in which it occupies each shared unit
//   locked    cycles in which it holds a lock that all engines share, without
//             waits for its engine, and how often it swaps meanwhile
//   sent      messages to Tx, and those without the head and length
//
// For each unit the cost also has the number of commands and the sum of the
// squares of their cycles, because a command that arrives during a long one
// waits longer than the mean. The same holds for contexts that return from a
// swap during a long segment of another context. If such a context holds a
// lock, all contexts that want it wait, too.
//
// An engine with c contexts handles at most min(1 / issue, c / (issue +
// latency)) messages per cycle. A unit serves at most 1 / (sum of busy).
// Between those bounds, contexts queue for their engine: the machine
// interference problem with c machines and one repairman (Queueing.h). Commands
// queue for the units, solved by Bard's and Schweitzer's approximation of mean
// value analysis. Stages of a pipeline are coupled by the rate and by the units
// that they share.
//
// Every figure of the chip comes from target-ixp/chip/ChipParameters.def.
// Two figures are fitted to simulations (Fit).

#ifndef KARAKAL_AGGREGATION_MODEL_THROUGHPUTMODEL_H
#define KARAKAL_AGGREGATION_MODEL_THROUGHPUTMODEL_H

#include "aggregation/model/Stage.h"
#include "target-ixp/chip/ChipParameters.h"
#include <array>
#include <string>
#include <vector>

namespace karakal::agg {

/// The kind of limit on the rate of a mapping.
enum class LimitKind {
  Ports,    ///< the line rate of the ports
  MediaBus, ///< the bus between the MSF and the ports
  Unit,     ///< a memory or the hash unit
  Locks,    ///< locks that are never free
  Engines,  ///< engines of a stage that issue all the time
  Contexts, ///< contexts of a stage that wait all the time
  Runtime,  ///< the receive or the transmit engine
};

/// The rate of a mapping and its limit.
struct Prediction {
  double packetsPerSecond = 0;
  LimitKind limitedBy = LimitKind::Ports;
  /// The limit by name: "engines of main", "contexts of main", "dram", "locks",
  /// "rx", "ports".
  std::string bottleneck;
  /// Share of the cycles in which the engines issue, by stage.
  std::vector<double> stageUtilization;
  std::array<double, sharedUnitCount> unitUtilization{};

  /// Frame bits per second in Gbit/s, CRC included.
  double gbps(unsigned frameBytes) const {
    return packetsPerSecond * frameBytes * 8 / 1e9;
  }
};

/// Messages per cycle that one engine handles, alone and with idle units.
double engineRate(const MessageCost &cost, const target::ChipParameters &chip);

/// Packets per cycle at which the locks of a mapping are never free; infinite
/// without locks.
double lockRate(const std::vector<Stage> &stages,
                const target::ChipParameters &chip);

/// The relative amount by which a predicted rate may be too high (`./dev bench
/// model`).
inline constexpr double modelError = 0.15;

/// The figure that is fitted to simulations of the applications. `./dev bench
/// model` fits it without one application and predicts that one.
struct Fit {
  /// The part of a unit's time that is lost between commands under full load.
  double unitLoss = 0.03;
};

/// The frames that a rate is predicted for.
struct Frames {
  unsigned bytes = 64;     ///< as received, with CRC
  unsigned bytesAdded = 0; ///< by the program, at most
  /// Whether Tx sends packets in the order in which Rx received them.
  bool keepsOrder = true;

  /// The most mpackets in which Tx sends one. Where a frame without added bytes
  /// begins is known: at a quadword, as Rx stores it.
  unsigned mpacketsSent() const;
};

/// Predicts the rate of a mapping.
Prediction predict(const std::vector<Stage> &program,
                   const target::ChipParameters &chip,
                   const Frames &frames = {}, const Fit &fit = {});

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_MODEL_THROUGHPUTMODEL_H
