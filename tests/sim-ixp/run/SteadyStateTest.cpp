// Does the steady state allocate?
//
// Once every queue has reached its largest length, a run allocates no memory.
// Each call of operator new is counted; after a number of packets there is
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
// Sanitizers have their own operators, which do not call those above.
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

/// Allocations at each of the run's reports after `settled` packets.
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

TEST(DoesTheSteadyStateAllocate, ShortFramesAllocateNothing) {
  std::vector<uint64_t> counts =
      allocationsOf(makeTrace(1000, 60), 8000, 30000);
  ASSERT_GT(counts.size(), 3u);
  EXPECT_EQ(counts.front(), counts.back());
}

TEST(DoesTheSteadyStateAllocate, FramesOfMixedSizesAllocateNothingPerFrame) {
  std::vector<traces::Packet> trace;
  for (uint32_t bytes : {60u, 64u, 65u, 128u, 512u, 1514u})
    for (const traces::Packet &packet : makeTrace(40, bytes))
      trace.push_back(packet);
  std::vector<uint64_t> counts = allocationsOf(trace, 3000, 10000);
  ASSERT_GT(counts.size(), 3u);
  // A queue may still grow to a new largest length, but no packet allocates.
  EXPECT_LT(counts.back() - counts.front(), 20u);
}

TEST(FifoTest, ValuesLeaveInOrder) {
  std::mt19937 random(1);
  Fifo<uint32_t> fifo;
  std::deque<uint32_t> expected;
  for (uint32_t i = 0; i < 20000; ++i) {
    // The queue grows first, then shrinks.
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
