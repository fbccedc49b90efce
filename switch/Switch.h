// The switch: a program, its ports, its cores, and what control does to them.

#ifndef KARAKAL_SWITCH_SWITCH_H
#define KARAKAL_SWITCH_SWITCH_H

#include "switch/Core.h"
#include "switch/Journal.h"
#include <functional>
#include <thread>

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
  /// Clients of the control socket that were too many or did not read.
  uint64_t clientsDropped = 0;

  /// The sums over the cores.
  CoreState total() const;
};

class Switch {
public:
  /// `program` has been initialized.
  Switch(x86::LiveProgram &program, Ports &ports, const CoreOptions &options);
  ~Switch();

  /// Starts the cores. `ended` is called once, from a core's thread, when no
  /// port can bring a frame any more.
  void start(std::function<void()> ended);
  /// Lets the cores work off what has been received and ends them.
  void stop();

  // For one thread, which is no core's.

  /// Makes a call between two bursts, while no core works. Returns what the
  /// function gave as text, empty for none. Errors are those of control files:
  /// E-traces-023 to -027, E-host-001, E-switch-010 for a refusal; -011 for a
  /// call with a time.
  Result<std::string> call(const traces::ControlCall &call);
  /// The same for a call that is made again and again: it is not noted.
  Result<std::string> tick(const traces::ControlCall &call);
  Snapshot snapshot();
  /// Looks after the ports; about once a second.
  void tend();
  const Journal &journal() const { return accepted; }
  const x86::LiveProgram &liveProgram() const { return program; }

private:
  Result<std::string> make(const traces::ControlCall &call, bool isNoted);

  x86::LiveProgram &program;
  Ports &ports;
  Still still;
  std::vector<std::unique_ptr<Core>> cores;
  std::vector<std::thread> threads;
  Journal accepted;
  uint64_t startNs;
  uint64_t calls = 0, callsRefused = 0;
};

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_SWITCH_H
