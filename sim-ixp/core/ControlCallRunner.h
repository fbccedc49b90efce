// Calls of control functions.
//
// Runs a program's initialization functions and the calls of a control file on
// the XScale: those without a time before packets flow, `@packet N` before the
// Nth packet of the trace begins to arrive, `@cycle N` at that cycle after the
// start of the traffic, `@end` when the last packet has gone. A call waits for
// the core to be free; calls never overtake one another. An `int` other than 0
// says that the function has refused its arguments: the run ends with an error
// at the call's line. What functions of other types return is kept.

#ifndef KARAKAL_SIM_IXP_CORE_CONTROLCALLRUNNER_H
#define KARAKAL_SIM_IXP_CORE_CONTROLCALLRUNNER_H

#include "sim-ixp/bus/Scheduler.h"
#include "sim-ixp/core/ControlProcessor.h"
#include "support/Error.h"
#include "target-ixp/image/Image.h"
#include "traces/ControlFile.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace karakal::sim {

/// The calls of one run.
class ControlCallRunner : public EventTarget {
public:
  /// Checks the calls against the image. Errors: those of bindCall, and
  /// E-sim-ixp-020 (the image has no control functions).
  static Result<ControlCallRunner>
  create(const target::Image &image, const std::vector<traces::ControlCall> &);

  /// Where calls run; both outlive the runner.
  void connect(ControlProcessor *core, Scheduler *scheduler) {
    this->core = core;
    this->scheduler = scheduler;
  }

  /// Runs initialization functions and the calls without a time, one after the
  /// other; the clock moves on to the end of the last. Error: E-sim-ixp-021
  /// (refused), or the core's.
  Status runBeforeStart();
  /// Runs the `@end` calls, when nothing moves any longer.
  Status runAtEnd();
  /// Schedules the `@cycle` calls, counted from now.
  void start();
  /// Packets of the trace that have begun to arrive.
  void onArrived(uint64_t count);
  static constexpr uint64_t noPacket = ~uint64_t{0};
  /// The number of the first packet that an `@packet` call waits for, or
  /// noPacket.
  uint64_t nextPacket() const {
    return packetCalls.empty() ? noPacket : packetCalls.front().when;
  }
  /// The first error of a call during the run.
  const std::optional<Error> &error() const { return firstError; }
  uint64_t callCount() const { return done; }
  /// What functions returned, in the order of their calls.
  const std::vector<traces::ControlValue> &values() const { return given; }
  /// Calls whose time has not come.
  uint64_t waitingCount() const {
    return packetCalls.size() + cycleCalls.size() + due.size();
  }
  bool isBusy() const { return !due.empty(); }

  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override;

private:
  struct Call {
    uint64_t when = 0;
    uint32_t entry = 0;
    std::vector<int64_t> arguments;
    std::string text, file;
    uint32_t line = 0;
    traces::ControlSignature function;
  };

  Status run(const Call &call);
  Status runAll(std::vector<Call> &calls);
  void runDue();

  ControlProcessor *core = nullptr;
  Scheduler *scheduler = nullptr;
  std::vector<Call> startCalls, endCalls;
  std::deque<Call> packetCalls, cycleCalls, due;
  std::optional<Error> firstError;
  std::vector<traces::ControlValue> given;
  uint64_t done = 0;
  bool isWakeScheduled = false;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_CORE_CONTROLCALLRUNNER_H
