// Keeps DPDK's interrupt thread away from ports that cores use.

#include "switch/ethdev/InterruptGate.h"
#include "support/Assert.h"
#include <filesystem>
#include <poll.h>
#include <rte_alarm.h>
#include <thread>

namespace karakal::sw {

/// For so long DPDK's thread works when it may. An alarm that is due at once
/// would go off before any event.
static constexpr uint64_t workUs = 100;
/// An alarm that has not gone off after so long is lost.
static constexpr std::chrono::milliseconds lostAfter{50};

InterruptGate &InterruptGate::get() {
  // DPDK's thread rests in it until the process ends.
  static InterruptGate *gate = new InterruptGate;
  return *gate;
}

InterruptGate::InterruptGate() {
  // Alarms go off on DPDK's interrupt thread.
  setAlarm();
  std::unique_lock<std::mutex> lock(mutex);
  waitForRest(lock, 1);
  findDescriptors();
  std::thread([this] { keep(); }).detach();
}

void InterruptGate::setAlarm() {
  int done = rte_eal_alarm_set(workUs, rest, this);
  KARAKAL_ASSERT(done == 0, "an alarm can be set");
}

void InterruptGate::waitForRest(std::unique_lock<std::mutex> &lock,
                                uint64_t number) {
  while (!changed.wait_for(lock, lostAfter, [&] { return rests >= number; }))
    setAlarm();
}

void InterruptGate::rest(void *self) {
  auto *gate = static_cast<InterruptGate *>(self);
  std::unique_lock<std::mutex> lock(gate->mutex);
  uint64_t own = ++gate->rests;
  gate->changed.notify_all();
  gate->changed.wait(lock, [&] { return gate->goes >= own; });
  // After the events that wait now, it comes back.
  gate->setAlarm();
}

void InterruptGate::letThrough() {
  std::unique_lock<std::mutex> lock(mutex);
  uint64_t next = ++goes + 1;
  changed.notify_all();
  waitForRest(lock, next);
}

/// Descriptors come and go only while DPDK's thread works.
void InterruptGate::findDescriptors() {
  namespace fs = std::filesystem;
  descriptors.clear();
  std::error_code error;
  for (const auto &entry : fs::directory_iterator("/proc/self/fd", error))
    if (fs::read_symlink(entry.path(), error) == "anon_inode:[eventpoll]")
      descriptors.push_back(std::stoi(entry.path().filename()));
}

bool InterruptGate::hasEvents() const {
  std::vector<pollfd> events;
  for (int descriptor : descriptors)
    events.push_back({descriptor, POLLIN, 0});
  return poll(events.data(), events.size(), 0) > 0;
}

void InterruptGate::keep() {
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (!hasEvents())
      continue;
    std::unique_lock<std::shared_mutex> lock(ports);
    letThrough();
    findDescriptors();
  }
}

} // namespace karakal::sw
