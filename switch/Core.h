// A core of the switch: a thread that takes bursts from its queues of the
// ports, runs the program on them and sends what it gives.
//
// A port that spreads its flows over queues serves each core. The frames of
// other ports come to the first core, which hands those of a flow always to
// the same core. So a flow keeps its order.

#ifndef KARAKAL_SWITCH_CORE_H
#define KARAKAL_SWITCH_CORE_H

#include "switch/Handoff.h"
#include "switch/Port.h"
#include "switch/Still.h"
#include <atomic>
#include <memory>
#include <vector>

namespace karakal::sw {

using Ports = std::vector<std::unique_ptr<Port>>;

/// What a core counts besides the program's own counts.
struct CoreCounts {
  uint64_t bursts = 0;
  /// How often it waited because there was nothing to do.
  uint64_t waits = 0;
  /// Frames sent to a port that the switch does not have.
  uint64_t noPort = 0;
  /// Frames that the first core handed to this one.
  uint64_t handed = 0;
};

struct CoreOptions {
  uint32_t burst = 32; ///< frames, 1 to CoreBurstMax
  bool poll = false;   ///< never waits
};
constexpr uint32_t CoreBurstMax = 256;

/// Nanoseconds of a clock that never goes back.
uint64_t monotonicNs();

class Core : public x86::FrameSink {
public:
  Core(uint32_t index, x86::LiveCore &program, Ports &ports, Still &still,
       const CoreOptions &options);
  ~Core() override;

  /// Before the work: on the first core, the others.
  void setOthers(std::vector<Core *> cores) { others = std::move(cores); }

  /// Works until `stop`. Calls `ended` once, from its thread, when no port can
  /// bring a frame any more.
  template <typename Ended> void work(Ended ended) {
    auto attached = program.attach();
    still.begin(index);
    bool told = false;
    while (!stopped.load(std::memory_order_relaxed)) {
      still.pass(index);
      if (round())
        continue;
      if (!told && allEnded()) {
        told = true;
        ended();
      }
      rest();
    }
    drain();
    still.end(index);
  }
  /// From another thread: ends `work` after what has been received is sent.
  void stop();

  /// While the core stands still.
  const CoreCounts &counts() const { return own; }
  x86::LiveCore &live() { return program; }

  // What the program sends.
  void send(const Frame &frame) override;
  void flush() override;

private:
  bool round();
  bool roundOfPort(uint32_t port);
  bool roundOfHandoff();
  uint32_t keepOwn(uint32_t count, bool bytesStay);
  uint32_t roomOfOthers() const;
  void hand(const Frame &frame, bool bytesStay);
  void wake();
  bool allEnded() const;
  void rest();
  void drain();

  uint32_t index;
  x86::LiveCore &program;
  Ports &ports;
  Still &still;
  CoreOptions options;
  /// Frames to send, by port.
  std::vector<std::vector<Frame>> outgoing;
  std::vector<Frame> incoming;
  CoreCounts own;
  /// The other cores; on the first core alone.
  std::vector<Core *> others;
  /// What the first core hands to this one; null on the first.
  std::unique_ptr<Handoff> handoff;
  std::atomic<bool> stopped{false}, sleeps{false};
  int wakeUp;
  uint32_t idleRounds = 0, stalls = 0;
};

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_CORE_H
