// The single queues of a mapping.
//
// The throughput model (ThroughputModel.cpp) combines these closed formulas and
// one small simulation. Rates are per engine cycle, times in engine cycles.

#ifndef KARAKAL_AGGREGATION_MODEL_QUEUEING_H
#define KARAKAL_AGGREGATION_MODEL_QUEUEING_H

#include "aggregation/model/Stage.h"
#include "target-ixp/chip/ChipParameters.h"
#include <vector>

namespace karakal::agg {

/// The load that the other stages put on a unit.
struct UnitLoad {
  /// The utilization that they cause, less than 1.
  double share = 0;
  /// The residual service time that a command finds on arrival: the mean of the
  /// squares of service times, times half of the arrival rate.
  double residual = 0;
};

/// Returns the load of all stages but `self` on a unit at `rate` packets per
/// cycle.
UnitLoad loadOfOthers(const std::vector<Stage> &stages, size_t self,
                      SharedUnit unit, double rate);

/// Returns the messages per cycle of one engine whose contexts wait `think`
/// cycles per message elsewhere. This is the machine interference problem with
/// any distribution of services (Takács, Introduction to the Theory of Queues,
/// 1962, chapter 5): a compute segment is a service, and the time between two
/// segments is the time that a customer is away. Services follow the gamma
/// distribution with the mean and variance of the segments, and times away are
/// exponential.
double engineMessages(const MessageCost &cost, double contexts, double think);

/// Returns the residual service time, in cycles, of the segment that a
/// returning context finds in progress on its engine.
double residualSegment(const MessageCost &cost);

/// Returns the cycles that an SRAM channel takes per packet received. The
/// channel starts its commands in the order of arrival, so a read also waits
/// for an earlier write that waits for its port. The order of the commands
/// determines how much the work of the two ports overlaps. The function
/// measures the overlap with 2,048 commands drawn from a fixed random sequence.
double sramChannelCycles(const std::vector<Stage> &stages, SharedUnit read,
                         SharedUnit write);

/// Returns the cycles that a DRAM channel takes per packet received. Its banks
/// work at the same time, but all transfer over one data bus, and a bank that
/// waits for the bus is not free: the banks are the customers of the bus (mean
/// value analysis). A command of average length, and half of the commands turn
/// the bus round.
double dramCycles(const std::vector<Stage> &stages,
                  const target::ChipParameters &chip);

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_MODEL_QUEUEING_H
