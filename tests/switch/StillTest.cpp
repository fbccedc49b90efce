// Stops of the cores: none works in one, each works between two.

#include "switch/Still.h"
#include "gtest/gtest.h"
#include <chrono>
#include <thread>
#include <vector>

using namespace karakal::sw;

namespace {

/// Cores that count their rounds. Even ones rest now and then, as a core
/// without frames does.
class Cores {
public:
  Cores(Still &still, uint32_t count) : still(still), all(count) {
    for (uint32_t i = 0; i < count; ++i)
      threads.emplace_back([this, i] { work(i); });
    for (Core &core : all)
      while (core.rounds == 0)
        std::this_thread::yield();
  }
  ~Cores() {
    isOver = true;
    for (std::thread &thread : threads)
      thread.join();
  }
  bool anyWorks() const {
    for (const Core &core : all)
      if (core.works)
        return true;
    return false;
  }
  uint64_t rounds(uint32_t core) const { return all[core].rounds; }

private:
  struct Core {
    std::atomic<bool> works{false};
    std::atomic<uint64_t> rounds{0};
  };
  void work(uint32_t index) {
    Core &core = all[index];
    still.begin(index);
    while (!isOver) {
      still.pass(index);
      core.works = true;
      ++core.rounds;
      core.works = false;
      if (index % 2 == 0 && core.rounds % 64 == 0) {
        still.end(index);
        std::this_thread::yield();
        still.begin(index);
      }
    }
    still.end(index);
  }

  Still &still;
  std::vector<Core> all;
  std::vector<std::thread> threads;
  std::atomic<bool> isOver{false};
};

TEST(Still, NoCoreWorksInAStop) {
  Still still(3);
  Cores cores(still, 3);
  for (int i = 0; i < 400; ++i) {
    still.hold();
    ASSERT_FALSE(cores.anyWorks());
    uint64_t before = cores.rounds(0) + cores.rounds(1) + cores.rounds(2);
    std::this_thread::yield();
    ASSERT_EQ(cores.rounds(0) + cores.rounds(1) + cores.rounds(2), before);
    still.release();
  }
  EXPECT_EQ(still.stops(), 400u);
}

TEST(Still, EachCoreWorksBetweenTwoStops) {
  Still still(2);
  Cores cores(still, 2);
  // The first core may rest over any number of stops, but not for ever.
  uint64_t first = cores.rounds(0), before = 0;
  for (int i = 0; i < 2000 || cores.rounds(0) == first; ++i)
    still.call([&] {
      ASSERT_GT(cores.rounds(1), before);
      before = cores.rounds(1);
    });
}

TEST(Still, AStopMayLastLongerThanACoreSpins) {
  Still still(1);
  Cores cores(still, 1);
  for (int i = 0; i < 3; ++i) {
    still.hold();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    still.release();
  }
  uint64_t before = cores.rounds(0);
  while (cores.rounds(0) == before)
    std::this_thread::yield();
}

} // namespace
