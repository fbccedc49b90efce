// Keeps DPDK's interrupt thread away from ports that cores use.
//
// When the other end of a memif dies, its driver unmaps the shared memory on
// DPDK's interrupt thread, while a core may read it: the driver only sets a
// flag before, which a core has perhaps looked at already. So that thread rests
// in a call of ours, and goes on only while no core is at such a port.
//
// A thread of ours looks each millisecond whether there is something to do for
// it. Its events wait in its epoll descriptor, which can be polled itself.

#ifndef KARAKAL_SWITCH_ETHDEV_INTERRUPTGATE_H
#define KARAKAL_SWITCH_ETHDEV_INTERRUPTGATE_H

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace karakal::sw {

class InterruptGate {
public:
  /// The one of this process, which is there until its end. DPDK has started.
  static InterruptGate &get();

  /// Held shared while a core moves frames of such a port, and alone while it
  /// is opened or closed.
  std::shared_mutex ports;

private:
  InterruptGate();
  /// On DPDK's thread: rests until it may go on once.
  static void rest(void *self);
  [[noreturn]] void keep();
  void setAlarm();
  void waitForRest(std::unique_lock<std::mutex> &lock, uint64_t number);
  void letThrough();
  void findDescriptors();
  bool hasEvents() const;

  std::mutex mutex;
  std::condition_variable changed;
  uint64_t rests = 0; ///< how often DPDK's thread came to rest
  uint64_t goes = 0;  ///< how often it may have gone on
  std::vector<int> descriptors;
};

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_ETHDEV_INTERRUPTGATE_H
