// Code that cores run while it is exchanged.

#include "codegen-x86/CodeExchange.h"
#include "codegen-x86/RecentTimes.h"
#include "gtest/gtest.h"
#include <thread>

using namespace karakal::x86;

namespace {

struct Code {
  explicit Code(std::atomic<int> &alive) : alive(alive) { ++alive; }
  ~Code() {
    isAlive = false;
    --alive;
  }
  std::atomic<int> &alive;
  std::atomic<bool> isAlive{true};
};

TEST(CodeExchange, CodeStaysUntilTheBurstsThatBeganWithItEnd) {
  std::atomic<int> alive{0};
  CodeExchange<Code> exchange(2);
  EXPECT_EQ(exchange.begin(0), nullptr);
  exchange.end(0);
  exchange.offer(std::make_unique<Code>(alive));
  const Code *first = exchange.begin(0);
  ASSERT_EQ(first, exchange.get());
  exchange.offer(std::make_unique<Code>(alive));
  const Code *second = exchange.begin(1);
  EXPECT_NE(first, second);
  EXPECT_TRUE(exchange.takeUnused().empty());
  EXPECT_TRUE(first->isAlive && exchange.hasOld());
  exchange.end(0);
  EXPECT_EQ(exchange.takeUnused().size(), 1u);
  EXPECT_EQ(alive, 1);
  exchange.offer(nullptr);
  EXPECT_TRUE(exchange.takeUnused().empty());
  exchange.end(1);
  EXPECT_EQ(exchange.begin(1), nullptr);
  exchange.end(1);
  EXPECT_EQ(exchange.takeUnused().size(), 1u);
  EXPECT_EQ(alive, 0);
  EXPECT_FALSE(exchange.hasOld());
}

TEST(CodeExchange, NoCoreRunsCodeThatWasFreed) {
  std::atomic<int> alive{0};
  CodeExchange<Code> exchange(2);
  std::atomic<bool> isOver{false};
  std::atomic<uint64_t> bursts[2] = {{0}, {0}};
  std::atomic<bool> metFreed{false};
  std::vector<std::thread> cores;
  for (uint32_t core : {0, 1})
    cores.emplace_back([&, core] {
      while (!isOver) {
        const Code *code = exchange.begin(core);
        for (int i = 0; code && i < 20; ++i)
          metFreed = metFreed || !code->isAlive;
        exchange.end(core);
        ++bursts[core];
      }
    });
  // Freed code is kept, marked, so that a core that runs it can tell.
  std::vector<std::unique_ptr<const Code>> freed;
  for (int i = 0; i < 5000; ++i) {
    exchange.offer(i % 3 ? std::make_unique<Code>(alive) : nullptr);
    for (auto &code : exchange.takeUnused()) {
      const_cast<Code &>(*code).isAlive = false;
      freed.push_back(std::move(code));
    }
    if (i % 100 == 0)
      std::this_thread::yield();
  }
  isOver = true;
  for (std::thread &core : cores)
    core.join();
  EXPECT_FALSE(metFreed);
  EXPECT_GT(freed.size(), 3000u);
}

TEST(RecentTimes, QuantilesAreThoseOfTheLatest) {
  RecentTimes times;
  EXPECT_EQ(times.quantile(0.5), 0);
  for (int i = 0; i < 100; ++i)
    times.add(i);
  EXPECT_EQ(times.quantile(0.5), 50);
  EXPECT_EQ(times.quantile(0.99), 99);
  EXPECT_EQ(times.quantile(1), 99);
  for (size_t i = 0; i < RecentTimes::CountMax; ++i)
    times.add(7);
  EXPECT_EQ(times.quantile(0), 7);
  EXPECT_EQ(times.size(), RecentTimes::CountMax);
}

} // namespace
