// Code of several cores: which PPFs exclude each other, and what a fault gives
// up.

#include "host/live/SharedCode.h"
#include "HandWrittenPrograms.h"
#include "host/FastPackets.h"
#include "target-ixp/chip/MemoryMap.h"
#include "gtest/gtest.h"
#include <chrono>
#include <future>
#include <thread>

using namespace karakal;
using namespace karakal::host;

namespace {

/// Enters on another thread, and returns whether this thread had left by then.
std::future<bool> enterElsewhere(ColdPpfs &cold, std::atomic<bool> &hasLeft) {
  return std::async(std::launch::async, [&] {
    cold.enter();
    bool result = hasLeft;
    cold.leave();
    return result;
  });
}

TEST(ColdPpfs, OthersWaitUntilAThreadLeftAsOftenAsItEntered) {
  ColdPpfs cold;
  std::atomic<bool> hasLeft{false};
  cold.enter();
  cold.enter();
  auto other = enterElsewhere(cold, hasLeft);
  cold.leave();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  hasLeft = true;
  cold.leave();
  EXPECT_TRUE(other.get());
}

TEST(ColdPpfs, AFaultLeavesAllAtOnce) {
  ColdPpfs cold;
  std::atomic<bool> hasLeft{true};
  cold.enter();
  cold.enter();
  cold.leaveAll();
  EXPECT_TRUE(enterElsewhere(cold, hasLeft).get());
}

TEST(ColdPpfs, AFaultOfAnotherThreadLeavesNothing) {
  ColdPpfs cold;
  std::atomic<bool> hasLeft{false};
  cold.enter();
  std::thread([&] { cold.leaveAll(); }).join();
  auto other = enterElsewhere(cold, hasLeft);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  hasLeft = true;
  cold.leave();
  EXPECT_TRUE(other.get());
}

/// Compiles a PPF that calls `look` for two cores, and runs it on each.
void runOnTwoCores(bool onXScale, void (*look)(uint32_t)) {
  HostProgram program = makeProgram(R"(
declare void @look(i32)
define void @in(i32 %packet) {
  call void @look(i32 %packet)
  ret void
})");
  program.ppfs = {{"in", onXScale}};
  FastPackets packets(target::PortCount, 1);
  std::vector<SymbolAddress> memory = packets.symbols();
  memory.emplace_back("look", reinterpret_cast<void *>(look));
  for (JitProgram &core : compileShared(program, {memory, memory}))
    reinterpret_cast<PpfFunction>(addressOf(*core.jit, "in"))(1);
}

ColdPpfs cold;
std::atomic<bool> hasLeft{false};
std::future<bool> other;
int runs = 0;

TEST(SharedCode, PpfsOfTheXScaleCoreExcludeEachOther) {
  useForThread(&cold);
  runOnTwoCores(/*onXScale=*/true, [](uint32_t) {
    if (runs++ != 0)
      return;
    other = enterElsewhere(cold, hasLeft);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    hasLeft = true;
  });
  useForThread(nullptr);
  EXPECT_TRUE(other.get());
  EXPECT_EQ(runs, 2);
}

TEST(SharedCode, PpfsOfEnginesDoNot) {
  runs = 0;
  // They would use what no thread has named.
  runOnTwoCores(/*onXScale=*/false, [](uint32_t) { ++runs; });
  EXPECT_EQ(runs, 2);
}

} // namespace
