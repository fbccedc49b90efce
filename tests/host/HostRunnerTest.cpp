// Programs of LLVM IR on x86.
//
// Hand-written programs of the form that the compiler makes test control calls,
// channels, faults and profiles.

#include "HandWrittenPrograms.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace karakal;
using namespace karakal::host;
using testing::HasSubstr;

namespace {

/// Sends each packet to the port in global 0 and writes that port to the
/// packet's first byte. `set` changes the port and refuses ports above 3.
const char *Sender = R"(
@port = internal global i32 1
define void @in(i32 %h) {
  %p = load i32, ptr @port
  %w = zext i32 %p to i64
  call void @baker_packet_write(i32 %h, i32 0, i32 8, i64 %w)
  call void @baker_set_tx_port(i32 %h, i32 %p)
  call void @baker_profile_add(i32 1, i32 2)
  call void @baker_profile_load(i32 0, i32 8)
  call void @baker_channel_put(i32 1, i32 %h)
  ret void
}
define i32 @control.set(ptr %args) {
  %v = load i64, ptr %args
  %p = trunc i64 %v to i32
  %bad = icmp ugt i32 %p, 3
  br i1 %bad, label %refuse, label %take
refuse:
  ret i32 1
take:
  store i32 %p, ptr @port
  ret i32 0
}
define void @init.setup() {
  store i32 2, ptr @port
  ret void
}
)";

HostProgram makeSender() {
  HostProgram program = makeProgram(Sender);
  program.inits = {"init.setup"};
  program.controls = {{"control.set", {"m.set", {{"port", "u32"}}}}};
  program.counterCount = 2;
  program.cacheSiteCount = 1;
  return program;
}

TEST(HostRunnerTest, InitRunsBeforeThePackets) {
  auto result = run(makeSender(), makeTrace(2), {});
  ASSERT_TRUE(bool(result)) << result.error().str();
  EXPECT_THAT(ports(*result), testing::ElementsAre(2, 2));
  EXPECT_EQ(result->transmitted[0].bytes[0], 2);
  EXPECT_EQ(result->packets.received, 2u);
  EXPECT_EQ(result->packets.forwarded, 2u);
}

TEST(HostRunnerTest, ControlCallsRunAtTheirTime) {
  auto result = run(makeSender(), makeTrace(4),
                    makeControl("@packet 3 set(1)\nset(0)\n"
                                "@packet 1 set(2)\n@packet 1 set(3)\n"));
  ASSERT_TRUE(bool(result)) << result.error().str();
  EXPECT_THAT(ports(*result), testing::ElementsAre(0, 3, 3, 1));
  EXPECT_EQ(result->controlCalls, 4u);
}

TEST(HostRunnerTest, ARefusedControlCallNamesItsLine) {
  auto result =
      run(makeSender(), makeTrace(1), makeControl("set(1)\nm.set(4)\n"));
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.error().id, "E-host-002");
  EXPECT_EQ(result.error().line, 2u);
  EXPECT_EQ(result.error().file, "calls.txt");
}

TEST(HostRunnerTest, AnUnknownControlFunctionIsAnError) {
  auto result = run(makeSender(), makeTrace(1), makeControl("unset(1)\n"));
  ASSERT_FALSE(bool(result));
  EXPECT_THAT(result.error().message, HasSubstr("unset"));
}

TEST(HostRunnerTest, ACallAtAClockCycleIsAnError) {
  auto result =
      run(makeSender(), makeTrace(1), makeControl("@cycle 100 set(1)\n"));
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.error().id, "E-host-003");
}

TEST(HostRunnerTest, ProfileCountsPpfsAndCounters) {
  auto result = run(makeSender(), makeTrace(5), {});
  ASSERT_TRUE(bool(result)) << result.error().str();
  EXPECT_THAT(result->packetsByPpf,
              testing::ElementsAre(testing::Pair("in", 5)));
  EXPECT_THAT(result->profile, testing::ElementsAre(0, 10));
  ASSERT_EQ(result->locality.size(), 1u);
  EXPECT_EQ(result->locality[0].hits(1), 4u);
}

TEST(HostRunnerTest, LoadsByControlCallsAreNoLocality) {
  std::string text = Sender;
  const std::string load = "  %v = load i64, ptr %args\n";
  text.replace(text.find(load), load.size(),
               load + "  call void @baker_profile_load(i32 0, i32 20)\n");
  HostProgram program = makeProgram(text);
  program.controls = {{"control.set", {"m.set", {{"port", "u32"}}}}};
  program.counterCount = 2;
  program.cacheSiteCount = 1;
  auto result = run(std::move(program), makeTrace(4),
                    makeControl("set(0)\n@packet 2 set(1)\n@end set(2)\n"));
  ASSERT_TRUE(bool(result)) << result.error().str();
  EXPECT_EQ(result->controlCalls, 3u);
  // All four packets load line 8, and no call comes between them.
  EXPECT_EQ(result->locality[0].extent(), 9u);
  EXPECT_EQ(result->locality[0].hits(1), 3u);
}

TEST(HostRunnerTest, QueuedMessagesReachTheirConsumerInOrder) {
  HostProgram program = makeProgram(R"(
define void @in(i32 %h) {
  %copy = call i32 @baker_packet_copy(i32 %h)
  %a = or i32 %h, 16777216
  %b = or i32 %copy, 33554432
  call void @baker_channel_put(i32 4, i32 %a)
  call void @baker_channel_put(i32 4, i32 %b)
  ret void
}
define void @first(i32 %h) {
  call void @baker_channel_put(i32 1, i32 %h)
  ret void
}
define void @second(i32 %h) {
  call void @baker_packet_drop(i32 %h, i32 2)
  ret void
}
)");
  program.ppfs = {{"in", false}, {"first", false}, {"second", true}};
  program.channels = {{1, "to_first", "first"}, {2, "to_second", "second"}};
  auto result = run(std::move(program), makeTrace(3), {});
  ASSERT_TRUE(bool(result)) << result.error().str();
  EXPECT_EQ(result->packets.forwarded, 3u);
  EXPECT_EQ(result->packets.copied, 3u);
  EXPECT_EQ(result->packets.toXScale, 3u);
  EXPECT_EQ(result->drops[2], (std::pair<std::string, uint64_t>("mine", 3)));
}

TEST(HostRunnerTest, AnXScalePpfThatIsCalledConsumes) {
  HostProgram program = makeProgram(R"(
define void @in(i32 %h) {
  %port = call i32 @baker_rx_port(i32 %h)
  %isCold = icmp eq i32 %port, 0
  br i1 %isCold, label %cold, label %drop
cold:
  call void @xscale(i32 %h)
  ret void
drop:
  call void @baker_packet_drop(i32 %h, i32 1)
  ret void
}
define void @xscale(i32 %h) {
  call void @baker_packet_drop(i32 %h, i32 0)
  ret void
}
)");
  program.ppfs = {{"in", false}, {"xscale", true}};
  auto result = run(std::move(program), makeTrace(4), {});
  ASSERT_TRUE(bool(result)) << result.error().str();
  EXPECT_EQ(result->packets.consumed, 1u);
  EXPECT_EQ(result->packets.dropped, 3u);
  EXPECT_EQ(result->packets.toXScale, 1u);
}

TEST(HostRunnerTest, AnEndlessLoopIsAnError) {
  HostProgram program = makeProgram(R"(
define void @in(i32 %h) {
  br label %loop
loop:
  br label %loop
}
)");
  auto result = run(std::move(program), makeTrace(1), {});
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.error().id, "E-host-004");
  EXPECT_THAT(result.error().message, HasSubstr("packet 0 in in"));
  EXPECT_THAT(result.error().message, HasSubstr("loops without end"));
}

TEST(HostRunnerTest, EndlessRecursionThroughCallsIsAnError) {
  HostProgram program = makeProgram(R"(
define void @in(i32 %h) {
  call void @other(i32 %h)
  call void @baker_set_tx_port(i32 %h, i32 0)
  ret void
}
define void @other(i32 %h) {
  call void @in(i32 %h)
  call void @baker_set_tx_port(i32 %h, i32 1)
  ret void
}
)");
  program.ppfs = {{"in", false}, {"other", false}};
  auto result = run(std::move(program), makeTrace(1), {});
  ASSERT_FALSE(bool(result));
  EXPECT_THAT(result.error().message, HasSubstr("loops without end"));
}

TEST(HostRunnerTest, AnEndlessInitFunctionIsAnError) {
  HostProgram program = makeProgram(R"(
define void @in(i32 %h) {
  ret void
}
define void @init.m.setup() {
  br label %loop
loop:
  br label %loop
}
)");
  program.inits = {"init.m.setup"};
  RunOptions options;
  options.fuelPerCall = 1000;
  auto result = run(std::move(program), makeTrace(1), {}, options);
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.error().id, "E-host-001");
  EXPECT_THAT(result.error().message, HasSubstr("m.setup: the program loops"));
}

TEST(HostRunnerTest, EachControlCallMayLoopForAsLong) {
  const char *text = R"(
define void @in(i32 %h) {
  call void @baker_channel_put(i32 1, i32 %h)
  ret void
}
define i32 @control.work(ptr %args) {
  %rounds = load i64, ptr %args
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %rounds
  br i1 %again, label %loop, label %done
done:
  ret i32 0
}
)";
  RunOptions options;
  options.fuelPerCall = 1000;
  auto runCalls = [&](const std::string &calls) {
    HostProgram program = makeProgram(text);
    program.controls = {{"control.work", {"m.work", {{"rounds", "u32"}}}}};
    return run(std::move(program), makeTrace(1), makeControl(calls), options);
  };
  EXPECT_TRUE(bool(runCalls("work(600)\nwork(600)\n@packet 1 work(600)\n")));
  auto result = runCalls("work(600)\nwork(2000)\n");
  ASSERT_FALSE(bool(result));
  EXPECT_THAT(result.error().message, HasSubstr("loops without end"));
}

TEST(HostRunnerTest, AnEndlessCycleOfMessagesIsAnError) {
  HostProgram program = makeProgram(R"(
define void @in(i32 %h) {
  %m = or i32 %h, 16777216
  call void @baker_channel_put(i32 4, i32 %m)
  ret void
}
)");
  program.channels = {{1, "again", "in"}};
  auto result = run(std::move(program), makeTrace(1), {});
  ASSERT_FALSE(bool(result));
  EXPECT_THAT(result.error().message, HasSubstr("loops without end"));
}

TEST(HostRunnerTest, AFaultNamesPacketAndPpf) {
  HostProgram program = makeProgram(R"(
define void @in(i32 %h) {
  %n = call i32 @baker_packet_length(i32 %h)
  %more = add i32 %n, 1
  %d = call i32 @baker_packet_decap(i32 %h, i32 %more)
  call void @baker_packet_drop(i32 %h, i32 0)
  ret void
}
)");
  auto result = run(std::move(program), makeTrace(1), {});
  ASSERT_FALSE(bool(result));
  EXPECT_THAT(result.error().message,
              HasSubstr("packet 0 in in: packet_decap of 61 bytes"));
}

TEST(HostRunnerTest, PacketsNeitherSentNorDroppedAreAnError) {
  HostProgram program = makeProgram("define void @in(i32 %h) { ret void }\n");
  auto result = run(std::move(program), makeTrace(3), {});
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.error().id, "E-host-005");
  EXPECT_THAT(result.error().message, HasSubstr("keeps 3 packets"));
}

} // namespace
