// The switch: a program, its ports, its cores, and what control does to them.

#ifndef KARAKAL_SWITCH_SWITCH_H
#define KARAKAL_SWITCH_SWITCH_H

#include "switch/Core.h"
#include "switch/Journal.h"
#include "traces/TableBatch.h"
#include "traces/Timers.h"
#include <functional>
#include <optional>
#include <thread>
#include <utility>

namespace karakal::sw {

/// Everything that is counted, at one moment.
struct Snapshot {
  struct PortState {
    std::string description;
    bool up = true;
    PortCounts counts;
  };
  struct CoreState {
    x86::LiveCounts packets;
    CoreCounts own;
  };
  std::string program;
  uint64_t nanoseconds = 0; ///< since the start
  std::vector<PortState> ports;
  std::vector<CoreState> cores;
  /// Frames by drop reason.
  std::vector<std::pair<std::string, uint64_t>> drops;
  std::string lastFault;
  uint64_t calls = 0, callsRefused = 0;
  std::vector<traces::TimerCounts> timers;
  /// How often the cores stood still.
  uint64_t stops = 0;
  bool isSpecialized = false;
  x86::SpecializeReport specialization;
  /// Clients of the control socket that were too many or did not read.
  uint64_t clientsDropped = 0;

  /// The sums over the cores.
  CoreState total() const;
};

class Switch {
public:
  /// A stop in which calls have taken so long ends with the call under way.
  static constexpr uint64_t StopNsMax = 100'000;

  /// `program` has been initialized.
  Switch(x86::LiveProgram &program, Ports &ports, const CoreOptions &options);
  ~Switch();

  /// Starts the cores. `ended` is called once, from a core's thread, when no
  /// port can bring a frame any more.
  void start(std::function<void()> ended);
  /// Lets the cores work off what has been received and ends them.
  void stop();

  // For one thread, which is no core's.

  /// What a function gave as text, empty for none. Errors are those of control
  /// files: E-traces-023 to -027, E-host-001, E-switch-010 for a refusal; -011
  /// for a call with a time.
  using Answer = Result<std::string>;
  /// Makes calls in order between two bursts, while no core works: as many in
  /// one stop of the cores as take no longer than `StopNsMax`, and a batch in
  /// one.
  std::vector<Answer> call(const std::vector<traces::ControlCall> &calls);
  Answer call(const traces::ControlCall &call);
  /// The same for a call that is made again and again: it is not noted.
  Answer tick(const traces::ControlCall &call);
  /// Calls the program's timers that are due. A timer that is due more than
  /// once is called once and has missed the others. Returns when the next is
  /// due, as monotonicNs() tells it, and why the last call failed, if one did.
  std::pair<uint64_t, Status> runTimers();
  /// A control file that brings a new switch to this state.
  Answer dump();
  Snapshot snapshot();
  /// Looks after the ports; about once a second.
  void tend();
  const Journal &journal() const { return accepted; }
  const x86::LiveProgram &liveProgram() const { return program; }
  /// What specialized code assumes; nothing while that is being found out.
  std::optional<x86::Assumptions> explain() { return program.explain(); }

private:
  /// A call on its way to its answer.
  struct Making {
    const traces::ControlCall &call;
    Result<traces::Resolved> resolved;
    Result<uint32_t> returned;
    /// What a `read` or `dump` of a table found.
    std::optional<std::vector<std::string>> entries = {};
    /// The batch that the call is, once it was made.
    std::optional<traces::TableBatch> batch = {};
  };
  Making prepared(const traces::ControlCall &call);
  void make(Making &call, x86::LiveCore &core, uint64_t now);
  void make(std::vector<Making> &calls);
  Answer answerOf(const Making &made, bool isNoted);
  Answer answerOfBatch(const traces::TableBatch &batch, bool isNoted);

  x86::LiveProgram &program;
  Ports &ports;
  Still still;
  std::vector<std::unique_ptr<Core>> cores;
  std::vector<std::thread> threads;
  Journal accepted;
  uint64_t startNs;
  traces::Timers timers;
  uint64_t calls = 0, callsRefused = 0;
};

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_SWITCH_H
