// Stands the cores still between two bursts.

#include "switch/Still.h"
#include <emmintrin.h>

namespace karakal::sw {

/// Stops are shorter than the time in which a thread falls asleep and wakes, so
/// who waits looks this often before it sleeps. It does not give up its
/// processor in another way: a thread that wakes gets one sooner.
static constexpr uint32_t turnsMax = 1024;

template <typename Done> static bool spinUntil(Done done) {
  for (uint32_t turn = 0; turn < turnsMax; ++turn) {
    if (done())
      return true;
    _mm_pause();
  }
  return done();
}

static void lock(std::mutex &mutex) {
  if (!spinUntil([&] { return mutex.try_lock(); }))
    mutex.lock();
}

void Still::enter(Core &core) {
  if (core.working.try_lock())
    return;
  core.met = releases + 1;
  workAgain(core);
}

void Still::stand(Core &core) {
  // Its own mutex is taken: the stop that is asked for has not begun.
  uint64_t before = releases;
  core.met = before + 1;
  core.working.unlock();
  auto isOver = [&] {
    return releases.load(std::memory_order_acquire) != before;
  };
  if (!spinUntil(isOver)) {
    std::unique_lock<std::mutex> held(gate);
    goesOn.wait(held, isOver);
  }
  workAgain(core);
}

void Still::workAgain(Core &core) {
  lock(core.working);
  core.met = 0;
  if (!isAsleep)
    return;
  {
    std::lock_guard<std::mutex> held(gate);
  }
  worksAgain.notify_one();
}

/// Waits until a core that met an earlier stop works again. It may have met
/// this one by then.
void Still::letWork(Core &core) {
  uint64_t thisStop = releases + 1;
  auto hasWorked = [&] {
    uint64_t met = core.met;
    return met == 0 || met == thisStop;
  };
  if (spinUntil(hasWorked))
    return;
  std::unique_lock<std::mutex> held(gate);
  isAsleep = true;
  worksAgain.wait(held, hasWorked);
  isAsleep = false;
}

void Still::hold() {
  KARAKAL_ASSERT(!asked, "one stop at a time");
  asked = true;
  for (uint32_t i = 0; i < count; ++i) {
    letWork(all[i]);
    lock(all[i].working);
  }
}

void Still::release() {
  KARAKAL_ASSERT(asked, "the cores stand still");
  {
    // Before the mutexes, so that a core that has its own knows of the end.
    std::lock_guard<std::mutex> held(gate);
    asked = false;
    releases.fetch_add(1, std::memory_order_release);
  }
  for (uint32_t i = 0; i < count; ++i)
    all[i].working.unlock();
  goesOn.notify_all();
}

} // namespace karakal::sw
