// Stands the cores still between two bursts.
//
// A core holds its own mutex while it works on a burst and gives it up where it
// waits. Whoever wants all cores to stand still says so and takes every mutex;
// the cores look once a burst whether somebody asks. So a control call never
// meets a packet half way, and packets pay one load for it.
//
//   core      burst │ burst │ stands … │ burst │ stands … │ burst
//   control         hold ─────── release  hold ── release
//
// Stops that follow each other at once leave room for packets: a core that
// waited at a stop works on a round of bursts before the next stop holds it.

#ifndef KARAKAL_SWITCH_STILL_H
#define KARAKAL_SWITCH_STILL_H

#include "support/Assert.h"
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace karakal::sw {

class Still {
public:
  explicit Still(uint32_t cores) : count(cores), all(new Core[cores]) {}

  // For the thread of a core.
  void begin(uint32_t core) { enter(all[core]); }
  void end(uint32_t core) { all[core].working.unlock(); }
  /// Between two bursts: stands still if somebody asks.
  void pass(uint32_t core) {
    if (asked.load(std::memory_order_relaxed))
      stand(all[core]);
  }

  // For one thread, which is no core's.
  /// Returns when no core works.
  void hold();
  /// Lets the cores go on.
  void release();
  /// Calls `body` while no core works.
  template <typename Body> void call(Body body) {
    hold();
    body();
    release();
  }
  /// How often the cores have been stopped.
  uint64_t stops() const { return releases.load(std::memory_order_relaxed); }

private:
  struct alignas(64) Core {
    std::mutex working;
    /// The number of the stop that it has met and not worked since; 0: it
    /// works or rests.
    std::atomic<uint64_t> met{0};
  };
  void enter(Core &core);
  void stand(Core &core);
  void workAgain(Core &core);
  void letWork(Core &core);

  uint32_t count;
  std::unique_ptr<Core[]> all;
  std::atomic<bool> asked{false};
  /// Stops that have ended. The next one has the number after it.
  std::atomic<uint64_t> releases{0};
  std::mutex gate;
  std::condition_variable goesOn, worksAgain;
  /// Whether the thread that stops the cores sleeps until one works again.
  std::atomic<bool> isAsleep{false};
};

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_STILL_H
