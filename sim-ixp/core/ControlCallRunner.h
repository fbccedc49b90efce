// Calls of control functions.
//
// Runs a program's initialization functions and the calls of a control file on
// the XScale. Calls without a time run before packets flow, `@end` calls when
// the last packet has left; the engines stand still. `@packet N` calls begin
// before the Nth packet of the trace begins to arrive, `@cycle N` calls at that
// cycle after the start of the traffic; they run beside the engines. A call
// waits until the core is free; calls never overtake one another.
// For a batch or an exclusive function beside the engines the core holds the
// frames at the ports, waits until no packet is in the chip, makes the calls
// and lets the frames come.
// An `int` result other than 0 means that the function refused its arguments:
// the run ends with an error at the call's line, or lists it and goes on.
// Results of other types are recorded.
// A timer is due every interval after the start, until all frames of the trace
// have come, and then called like a `@cycle` call. The time at which it is due
// while it still waits or runs is missed.

#ifndef KARAKAL_SIM_IXP_CORE_CONTROLCALLRUNNER_H
#define KARAKAL_SIM_IXP_CORE_CONTROLCALLRUNNER_H

#include "sim-ixp/bus/Scheduler.h"
#include "sim-ixp/core/ControlProcessor.h"
#include "sim-ixp/core/PacketHold.h"
#include "support/Error.h"
#include "target-ixp/image/Image.h"
#include "traces/ControlFile.h"
#include "traces/TableBatch.h"
#include "traces/Timers.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace karakal::sim {

/// A call that ran while packets flowed.
struct TimedCall {
  std::string text;
  uint32_t line = 0;
  uint64_t begin = 0, end = 0; ///< cycles
};

/// The calls of one run.
class ControlCallRunner : public EventTarget {
public:
  /// Checks the calls against the image. With `keepGoing` a refused call does
  /// not end the run. Errors: those of bindCall, and
  /// E-sim-ixp-020 (the image has no control functions).
  static Result<ControlCallRunner>
  create(const target::Image &image, const std::vector<traces::ControlCall> &,
         bool keepGoing = false);

  /// Sets where calls run and what holds packets for batches and exclusive
  /// functions; all must outlive the runner. `clockHz`: cycles of a second.
  void connect(ControlProcessor *core, Scheduler *scheduler, PacketHold *hold,
               uint64_t clockHz) {
    this->clockHz = clockHz;
    this->core = core;
    this->scheduler = scheduler;
    this->hold = hold;
  }

  /// Leaves a timer out, if the image has it. Before the start.
  void leaveOut(const std::string &timer);

  /// Runs the initialization functions and the calls without a time, one after
  /// another; the clock advances by their time. Errors: E-sim-ixp-021
  /// (refused), or the core's.
  Status runBeforeStart();
  /// Runs the `@end` calls, after all traffic has stopped.
  Status runAtEnd();
  /// Begins them in chip time, beside the engines.
  void startAtEnd();
  /// Schedules the `@cycle` calls, counted from now.
  void start();
  /// Reports the number of packets of the trace that have begun to arrive.
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
  /// The functions' results, in call order.
  const std::vector<traces::ControlValue> &values() const { return given; }
  /// `@packet` and `@cycle` calls that have returned, in order.
  const std::vector<TimedCall> &timedCalls() const { return timed; }
  /// With `keepGoing`: what refused each call, with its file and line.
  const std::vector<Error> &refusedCalls() const { return refused; }
  /// Calls that are not due yet.
  uint64_t waitingCount() const {
    return packetCalls.size() + cycleCalls.size() + due.size();
  }
  bool isBusy() const { return !due.empty(); }
  /// What became of the timers, in the program's order.
  std::vector<traces::TimerCounts> timerCounts() const;
  /// Whether frames are held.
  bool isHolding() const { return holding; }
  /// The cycle at which frames were last let come, or a call of the file last
  /// returned; or 0.
  uint64_t progressAt() const { return progress; }

  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override;

private:
  enum EventCode : uint32_t { CallDue, LookForPackets, TimerDue };

  struct Call {
    uint64_t when = 0;
    uint32_t entry = 0;
    std::vector<int64_t> arguments;
    std::string text, file;
    uint32_t line = 0;
    traces::ControlSignature function;
    std::size_t functionIndex = 0;
    std::optional<uint64_t> begin; ///< cycle
    bool isMade = false;           ///< not only due
    /// Reads the entries that the call asked for, once it was accepted.
    std::optional<traces::TableReader> reader;
    /// The calls of a batch, and the batch once it has begun.
    std::shared_ptr<const traces::ControlCall> written;
    std::optional<traces::TableBatch> batch;
    std::optional<std::size_t> timer; ///< index in `timers`
  };

  struct Timer {
    std::size_t function;   ///< index in `signatures`
    bool isWaiting = false; ///< or runs
    traces::TimerCounts counts;
  };

  Status runAll(std::vector<Call> &calls);
  Status refuse(Error why);
  Status record(const Call &call, const Result<uint32_t> &result);
  Status recordBatch(const traces::TableBatch &batch);
  void set(Call &call, const traces::Resolved &next);
  /// Sets entry and arguments of the first call of a batch.
  void beginBatch(Call &call);
  Status bind(Call &call, const traces::ControlCall &written);
  void setHeld(bool isHeld);
  void lookForPackets();
  /// Whether a call needs another one: entry and arguments are those of the
  /// next.
  bool goesOn(Call &call, const Result<uint32_t> &result);
  void timerDue(std::size_t index);
  void scheduleTimer(std::size_t index);
  void runDue();
  void startFirst();
  void finishFirst(const Result<uint32_t> &result);

  ControlProcessor *core = nullptr;
  Scheduler *scheduler = nullptr;
  PacketHold *hold = nullptr;
  bool holding = false;
  uint64_t progress = 0;
  uint32_t emptyLooks = 0; ///< one after another
  std::vector<Call> startCalls, endCalls;
  std::deque<Call> packetCalls, cycleCalls, due;
  std::vector<Timer> timers;
  uint64_t clockHz = 0;
  std::optional<Error> firstError;
  std::vector<traces::ControlValue> given;
  std::vector<TimedCall> timed;
  std::vector<traces::ControlSignature> signatures;
  std::vector<std::string> cached;   ///< by engines; see cachedNames
  std::vector<uint32_t> entries;     ///< of the functions
  std::vector<std::string> refusals; ///< the texts of the program's `refusal`
  std::vector<Error> refused;
  bool keepGoing = false;
  uint64_t done = 0;
  bool isRunning = false; ///< the first call that is due
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_CORE_CONTROLCALLRUNNER_H
