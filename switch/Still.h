// Stands the cores still between two bursts.
//
// A core holds its own mutex while it works on a burst and gives it up where
// it waits. Whoever wants all cores to stand still says so and takes every
// mutex; the cores look once a burst whether somebody asks. So a control call
// never meets a packet half way, and packets pay one load for it.

#ifndef KARAKAL_SWITCH_STILL_H
#define KARAKAL_SWITCH_STILL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace karakal::sw {

class Still {
public:
  explicit Still(uint32_t cores)
      : count(cores), working(new std::mutex[cores]) {}

  // For the thread of a core.
  void begin(uint32_t core) { working[core].lock(); }
  void end(uint32_t core) { working[core].unlock(); }
  /// Between two bursts: stands still if somebody asks.
  void pass(uint32_t core) {
    if (!asked.load(std::memory_order_relaxed))
      return;
    end(core);
    {
      std::unique_lock<std::mutex> lock(gate);
      goesOn.wait(lock, [&] { return !asked.load(); });
    }
    begin(core);
  }

  /// Calls `body` while no core works. For one thread, which is no core's.
  template <typename Body> void call(Body body) {
    asked = true;
    for (uint32_t i = 0; i < count; ++i)
      working[i].lock();
    body();
    for (uint32_t i = 0; i < count; ++i)
      working[i].unlock();
    {
      std::lock_guard<std::mutex> lock(gate);
      asked = false;
    }
    goesOn.notify_all();
  }

private:
  uint32_t count;
  std::unique_ptr<std::mutex[]> working;
  std::atomic<bool> asked{false};
  std::mutex gate;
  std::condition_variable goesOn;
};

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_STILL_H
