// Packets a second of a mapping.
//
// Equation 1 of the paper says that throughput grows with the number of
// engines n and with k, the rate of the slowest stage, and falls with the
// number of stages p. Here k is computed from what a stage asks of the chip for
// one message:
//
//   issue     cycles in which its engine executes instructions
//   latency   cycles in which its context waits, with no other load on a unit
//   busy      cycles in which it occupies each shared unit
//   locked    cycles in which it holds a lock that all engines share, with no
//             wait for its engine, and how often it swaps meanwhile
//   sent      messages to Tx; bare: those that do not say where the bytes are
//
// Beside the sum of what commands take of a unit stand their number and the sum
// of the squares: who comes behind a long one waits longer than its share. So
// do contexts that come back while another one is in a long run of
// instructions; if they hold a lock, all that want it wait with them.
//
// An engine with c contexts handles at most min(1 / issue, c / (issue +
// latency)) messages a cycle; a unit serves at most 1 / (sum of busy). Between
// those bounds contexts queue for their engine, which is the machine
// interference problem with c machines and one repairman, and commands for the
// units, solved by Bard's and Schweitzer's approximation of mean value
// analysis; stages of a pipeline are coupled by the rate and by the units that
// they share.
//
// Every figure of the chip comes from target-ixp/chip/ChipParameters.def; what
// was fitted to simulations stands in `Fit` below.

#ifndef KARAKAL_AGGREGATION_MODEL_THROUGHPUTMODEL_H
#define KARAKAL_AGGREGATION_MODEL_THROUGHPUTMODEL_H

#include "aggregation/model/Stage.h"
#include "target-ixp/chip/ChipParameters.h"
#include <array>
#include <string>
#include <vector>

namespace karakal::agg {

/// What kind of thing limits a mapping.
enum class LimitKind {
  Ports,    ///< the line rate of the ports
  MediaBus, ///< the bus between the MSF and the ports
  Unit,     ///< a memory or the hash unit
  Locks,    ///< locks that are never free
  Engines,  ///< engines of a stage that issue all the time
  Contexts, ///< contexts of a stage that wait all the time
  Runtime,  ///< the receive or the transmit engine
};

/// What limits a mapping.
struct Prediction {
  double packetsPerSecond = 0;
  LimitKind limitedBy = LimitKind::Ports;
  /// The limit by name: "engines of main", "contexts of main", "dram", "locks",
  /// "rx", "ports".
  std::string bottleneck;
  /// Share of the cycles in which a stage's engines issue, by stage.
  std::vector<double> stageUtilization;
  std::array<double, sharedUnitCount> unitUtilization{};

  /// Frame bits a second, as DESIGN.md counts them (with CRC).
  double gbps(unsigned frameBytes) const {
    return packetsPerSecond * frameBytes * 8 / 1e9;
  }
};

/// Messages a cycle that one engine handles, alone and with unloaded units.
double engineRate(const MessageCost &cost, const target::ChipParameters &chip);

/// Packets a cycle at which the locks of a mapping are never free; infinite
/// without locks.
double lockRate(const std::vector<Stage> &stages,
                const target::ChipParameters &chip);

/// By how much the model may predict too high a rate (`./dev bench model`).
inline constexpr double modelError = 0.15;

/// The rate of a mapping for frames of `frameBytes` with CRC.
Prediction predict(const std::vector<Stage> &program,
                   const target::ChipParameters &chip,
                   unsigned frameBytes = 64);

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_MODEL_THROUGHPUTMODEL_H
