// What may happen to the packets of one message.
//
// An event is what a mark of words tells (target-ixp/chip/PathMarks.h): a
// packet passes a channel, or is dropped for a reason. A message may have
// several events: one after the other, as a packet passes channels, and, where
// a PPF copies a packet, beside each other. Take a PPF that sends a copy on
// @copy_cc to the core, and then puts the packet on @next_cc, whose PPF drops
// it for @old or sends it on @out_cc:
//
//     with @old:      @copy_cc, @next_cc
//     with @out_cc:   @copy_cc, @next_cc
//     with @copy_cc:  @next_cc, @old, @out_cc
//
// @old and @out_cc never occur together. A pair that the analysis leaves out
// occurs in no run; of the others, some may not occur either.

#ifndef KARAKAL_DRIVER_REPORT_PATHEVENTS_H
#define KARAKAL_DRIVER_REPORT_PATHEVENTS_H

#include "ir/dialect/Baker.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "target-ixp/chip/PathMarks.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <set>

namespace karakal::driver {

using PathMarks = std::set<target::PathMark>;

/// The event of a packet that passes the channel.
target::PathMark markOf(ir::ChannelOp channel);

/// Whether the channel leads to the XScale core.
bool isPunt(ir::ChannelOp channel);

class PathEvents {
public:
  explicit PathEvents(mlir::ModuleOp planned);

  /// The events in one call of a PPF, without those downstream of its channels.
  const PathMarks &of(mlir::func::FuncOp ppf) { return ofFunction[ppf]; }

  /// The events that may occur in a message with this one, itself included.
  const PathMarks &with(const target::PathMark &event) const;

  /// The event, and all that packets meet downstream of its channel on the
  /// engines.
  const PathMarks &downstreamOf(const target::PathMark &event) const;

  /// The channels, not to the core, on which one call of a PPF may put packets
  /// together with `put`; more than one packet on it counts, too.
  PathMarks putsWith(mlir::func::FuncOp ppf, const target::PathMark &put);

  /// Whether a packet may pass the channel several times.
  bool isOnCycle(const target::PathMark &channel) const {
    return cyclic.count(channel);
  }

  /// Whether one call may put several packets on this channel.
  bool isRepeated(mlir::func::FuncOp ppf, const target::PathMark &put) {
    return together[ppf].count({put, put});
  }

private:
  using Pairs = std::set<std::pair<target::PathMark, target::PathMark>>;

  PathMarks marksOf(mlir::Operation &op, mlir::func::FuncOp function);
  const PathMarks &marksFrom(mlir::func::FuncOp function);
  const PathMarks &next(const target::PathMark &event);
  PathMarks findDownstream(const target::PathMark &event);
  void addCompanions();
  /// Whether the event puts a packet on a channel, not to the core.
  bool isPut(const target::PathMark &mark) const {
    return mark.kind == target::PathMark::Kind::Channel && !punts.count(mark);
  }

  mlir::ModuleOp planned;
  PathMarks punts;
  PathMarks cyclic; ///< the channels on cycles
  std::map<target::PathMark, ir::ChannelOp> channels;
  llvm::DenseMap<mlir::Operation *, PathMarks> ofFunction;
  /// By function, the pairs of events in one call, in either order.
  std::map<mlir::Operation *, Pairs> together;
  /// The events of `downstreamOf`.
  std::map<target::PathMark, PathMarks> downstream;
  /// The events of `with`.
  std::map<target::PathMark, PathMarks> companions;
};

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_REPORT_PATHEVENTS_H
