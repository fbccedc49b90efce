// Queues of a mapping, each on its own.
//
// The closed formulas and the one small experiment from which the throughput
// model is composed (ThroughputModel.cpp). Rates are per engine cycle, times in
// engine cycles.

#ifndef KARAKAL_AGGREGATION_MODEL_QUEUEING_H
#define KARAKAL_AGGREGATION_MODEL_QUEUEING_H

#include "aggregation/model/Stage.h"
#include <vector>

namespace karakal::agg {

/// What the other stages ask of a unit.
struct UnitLoad {
  /// The utilization that they cause, less than 1.
  double share = 0;
  /// The residual service time that a command finds on arrival: the mean of the
  /// squares of service times, times half of the arrival rate.
  double residual = 0;
};

/// The load of all stages but `self` on a unit at `rate` packets a cycle.
UnitLoad loadOfOthers(const std::vector<Stage> &stages, size_t self,
                      SharedUnit unit, double rate);

/// Messages per cycle of one engine whose contexts wait `think` cycles a
/// message elsewhere. A compute segment is a service, and the time between two
/// segments is the time that a customer is away. This is the machine
/// interference problem with any distribution of services (Takács, Introduction
/// to the Theory of Queues, 1962, chapter 5). Here services follow the gamma
/// distribution with the mean and variance of the segments, and times away are
/// exponential.
double engineMessages(const MessageCost &cost, double contexts, double think);

/// The residual cycles of the segment that a context finds on its engine.
double residualSegment(const MessageCost &cost);

/// Cycles that an SRAM channel takes for a packet received. The channel starts
/// its commands in the order of arrival, so a read after a write that waits for
/// its port waits, too. How much of the two ports' time overlaps depends on the
/// order of the commands. The function measures it with 2,048 commands drawn
/// from a fixed sequence of random numbers.
double sramChannelCycles(const std::vector<Stage> &stages, SharedUnit read,
                         SharedUnit write);

} // namespace karakal::agg

#endif // KARAKAL_AGGREGATION_MODEL_QUEUEING_H
