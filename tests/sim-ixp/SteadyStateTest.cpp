// Does the steady state allocate?.
//
// Once every queue has been as long as it gets, a run takes no memory: each
// call of operator new is counted, and behind a number of packets there is
// none.

#include "ForwardImage.h"
#include "sim-ixp/bus/Fifo.h"
#include "sim-ixp/run/Simulation.h"

#include "gtest/gtest.h"

#include <atomic>
#include <cstdlib>
#include <deque>
#include <new>
#include <random>

using namespace karakal;
using namespace karakal::sim;
using namespace karakal::sim::testing;

namespace {

std::atomic<uint64_t> allocations{0};

void *countedAllocationOrNull(std::size_t size) noexcept {
  ++allocations;
  return std::malloc(size ? size : 1);
}

void *countedAllocation(std::size_t size) {
  if (void *memory = countedAllocationOrNull(size))
    return memory;
  throw std::bad_alloc();
}

} // namespace

void *operator new(std::size_t size) { return countedAllocation(size); }
void *operator new[](std::size_t size) { return countedAllocation(size); }
// Sanitizers bring their own, which do not call those above.
void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
  return countedAllocationOrNull(size);
}
void *operator new[](std::size_t size, const std::nothrow_t &) noexcept {
  return countedAllocationOrNull(size);
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

/// Allocations at each of the run's reports behind `settled` packets.
std::vector<uint64_t> allocationsOf(std::vector<traces::Packet> trace,
                                    uint64_t settled, uint64_t packets) {
  std::vector<uint64_t> counts;
  counts.reserve(1000);
  SimulationOptions options;
  options.packets = packets;
  options.onProgress = [&](uint64_t arrived, uint64_t) {
    if (arrived > settled)
      counts.push_back(allocations);
  };
  auto made = Simulation::create(options, makeImage(forwardProgram()),
                                 std::move(trace), {});
  EXPECT_TRUE(static_cast<bool>(made));
  if (!made)
    return counts;
  Status status = (*made)->run();
  EXPECT_TRUE(static_cast<bool>(status)) << status.error().str();
  return counts;
}

} // namespace

TEST(DoesTheSteadyStateAllocate, NotForShortFrames) {
  std::vector<uint64_t> counts =
      allocationsOf(makeTrace(1000, 60), 8000, 30000);
  ASSERT_GT(counts.size(), 3u);
  EXPECT_EQ(counts.front(), counts.back());
}

TEST(DoesTheSteadyStateAllocate, NotForEachFrameOfAnySize) {
  std::vector<traces::Packet> trace;
  for (uint32_t bytes : {60u, 64u, 65u, 128u, 512u, 1514u})
    for (const traces::Packet &packet : makeTrace(40, bytes))
      trace.push_back(packet);
  std::vector<uint64_t> counts = allocationsOf(trace, 3000, 10000);
  ASSERT_GT(counts.size(), 3u);
  // A queue may still get longer than ever; no packet takes memory.
  EXPECT_LT(counts.back() - counts.front(), 20u);
}

TEST(FifoTest, ValuesComeOutInTheirOrder) {
  std::mt19937 random(1);
  Fifo<uint32_t> fifo;
  std::deque<uint32_t> expected;
  for (uint32_t i = 0; i < 20000; ++i) {
    // Longer and longer, then shorter.
    if (random() % 100 < (i < 10000 ? 60u : 40u)) {
      fifo.push_back(i);
      expected.push_back(i);
    } else if (!expected.empty()) {
      ASSERT_EQ(fifo.front(), expected.front());
      fifo.pop_front();
      expected.pop_front();
    }
    ASSERT_EQ(fifo.size(), expected.size());
    ASSERT_EQ(fifo.empty(), expected.empty());
  }
  fifo.clear();
  EXPECT_TRUE(fifo.empty());
}
