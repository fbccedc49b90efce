// Do packets and buffers add up?
//
// A long run of a program that sends and drops packets and keeps none. No
// packet is lost, and at the end the free list is full again except for the
// buffer that each context of Rx holds in advance. 20,000 packets, or the
// number in KARAKAL_PACKETS (a million).

#include "ForwardImage.h"
#include "sim-ixp/report/Statistics.h"
#include "sim-ixp/run/Simulation.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace karakal;
using namespace karakal::sim;
using namespace karakal::sim::testing;

namespace {

uint64_t packetCount() {
  const char *asked = std::getenv("KARAKAL_PACKETS");
  return asked ? std::strtoull(asked, nullptr, 10) : 20000;
}

} // namespace

TEST(DoPacketsAddUp, NoPacketIsLostAndTheFreeListIsFullAgain) {
  SimulationOptions options;
  options.packets = packetCount();
  target::Image image = makeImage(forwardProgram(dropOddPorts));
  auto made = Simulation::create(options, image, makeTrace(1000, 60), {});
  ASSERT_TRUE(static_cast<bool>(made)) << made.error().str();
  Simulation &run = **made;
  Status status = run.run();
  ASSERT_TRUE(static_cast<bool>(status)) << status.error().str();
  const PacketCounters &packets = run.accounting().counters();
  EXPECT_EQ(packets.received, options.packets);
  EXPECT_EQ(packets.forwarded, options.packets / 2);
  EXPECT_EQ(packets.dropped, options.packets / 2);
  EXPECT_EQ(packets.transmitted, options.packets / 2);
  EXPECT_EQ(packets.lost + packets.consumed + packets.copied, 0u);
  EXPECT_EQ(run.accounting().outstandingCount(), 0u);
  EXPECT_EQ(run.dropCounter(0), options.packets / 2);
  EXPECT_EQ(run.chip().sram(0).queueLevel(0),
            target::BufferCount - Microengine::contextCount);
}
