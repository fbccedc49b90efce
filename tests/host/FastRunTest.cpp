// Programs on x86 at full speed.
//
// Each program runs with guards and at full speed: the same frames leave, the
// same counts and the same errors come out, whatever the size of a burst.

#include "HandWrittenPrograms.h"
#include "host/FastPackets.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <functional>

using namespace karakal;
using namespace karakal::host;
using testing::HasSubstr;

namespace {

using Maker = std::function<HostProgram()>;

/// Frames of 60 bytes of which no two bytes nearby are alike.
std::vector<traces::Packet> makeNoise(size_t count) {
  std::vector<traces::Packet> trace = makeTrace(count);
  uint32_t next = 1;
  for (traces::Packet &frame : trace)
    for (uint8_t &byte : frame.bytes)
      byte = uint8_t((next = next * 1664525 + 1013904223) >> 24);
  return trace;
}

RunOptions fastOptions(uint32_t burst) {
  RunOptions options;
  options.fast = true;
  options.burst = burst;
  return options;
}

void expectSame(const HostRun &fast, const HostRun &guarded) {
  ASSERT_EQ(fast.transmitted.size(), guarded.transmitted.size());
  for (size_t i = 0; i < fast.transmitted.size(); ++i) {
    EXPECT_EQ(fast.transmitted[i].bytes, guarded.transmitted[i].bytes) << i;
    EXPECT_EQ(fast.transmitted[i].port, guarded.transmitted[i].port) << i;
    EXPECT_EQ(fast.transmitted[i].timeNs, guarded.transmitted[i].timeNs) << i;
  }
  EXPECT_EQ(fast.packets.received, guarded.packets.received);
  EXPECT_EQ(fast.packets.forwarded, guarded.packets.forwarded);
  EXPECT_EQ(fast.packets.dropped, guarded.packets.dropped);
  EXPECT_EQ(fast.packets.consumed, guarded.packets.consumed);
  EXPECT_EQ(fast.packets.copied, guarded.packets.copied);
  EXPECT_EQ(fast.packets.transmitted, guarded.packets.transmitted);
  EXPECT_EQ(fast.packets.oversize, guarded.packets.oversize);
  EXPECT_EQ(fast.packets.toXScale, guarded.packets.toXScale);
  EXPECT_EQ(fast.drops, guarded.drops);
}

/// Runs the program with guards, then at full speed in bursts of several sizes.
void compareRuns(const Maker &make, const std::vector<traces::Packet> &trace,
                 const std::string &control = "") {
  auto guarded = run(make(), trace, makeControl(control));
  ASSERT_TRUE(bool(guarded)) << guarded.error().str();
  for (uint32_t burst : {1u, 3u, 32u, FastPackets::BurstMax}) {
    SCOPED_TRACE("burst " + std::to_string(burst));
    auto fast = run(make(), trace, makeControl(control), fastOptions(burst));
    ASSERT_TRUE(bool(fast)) << fast.error().str();
    expectSame(*fast, *guarded);
  }
}

/// Both runs end in the same fault, apart from the name of the PPF.
void expectSameFault(const std::string &text, const std::string &fault) {
  auto guarded = run(makeProgram(text), makeTrace(3), {});
  auto fast = run(makeProgram(text), makeTrace(3), {}, fastOptions(2));
  ASSERT_FALSE(bool(guarded));
  ASSERT_FALSE(bool(fast));
  EXPECT_EQ(fast.error().id, guarded.error().id);
  EXPECT_THAT(guarded.error().message, HasSubstr(": " + fault));
  EXPECT_EQ(fast.error().message, "packet 0: " + fault);
}

/// A PPF that calls `body`, and then sends the packet.
std::string sendAfter(const std::string &body) {
  return "define void @in(i32 %h) {\n" + body +
         "  call void @baker_channel_put(i32 1, i32 %h)\n  ret void\n}\n";
}

TEST(FastRunTest, FieldsOfAllKindsAreReadAndWritten) {
  // Copies fields of many widths and offsets to other places of the packet.
  std::string body;
  for (uint32_t bits : {1, 3, 7, 8, 9, 16, 17, 31, 32, 33, 48, 57, 63, 64})
    for (uint32_t offset : {0, 1, 7, 8, 101, 107}) {
      std::string value =
          "%v" + std::to_string(bits) + "." + std::to_string(offset);
      body += "  " + value + " = call i64 @baker_packet_read(i32 %h, i32 " +
              std::to_string(offset) + ", i32 " + std::to_string(bits) +
              ")\n  call void @baker_packet_write(i32 %h, i32 " +
              std::to_string(offset + 3 * bits) + ", i32 " +
              std::to_string(bits) + ", i64 " + value + ")\n";
    }
  compareRuns([&] { return makeProgram(sendAfter(body)); }, makeNoise(8));
}

TEST(FastRunTest, FieldsAtOffsetsOfTheProgram) {
  // The sequence number of the packet is the offset in bits.
  std::string body = "  %o = call i32 @baker_meta_read(i32 %h, i32 3)\n";
  for (uint32_t bits : {1, 13, 32, 61, 64}) {
    std::string number = std::to_string(bits);
    body += "  %v" + number +
            " = call i64 @baker_packet_read(i32 %h, i32 %o, i32 " + number +
            ")\n  %n" + number + " = xor i64 %v" + number +
            ", -1\n  call void @baker_packet_write(i32 %h, i32 %o, i32 " +
            number + ", i64 %n" + number + ")\n";
  }
  compareRuns([&] { return makeProgram(sendAfter(body)); }, makeNoise(64));
}

TEST(FastRunTest, HeadsLengthsAndMetadataMove) {
  compareRuns(
      [] {
        return makeProgram(sendAfter(R"(
  %d = call i32 @baker_packet_decap(i32 %h, i32 14)
  %e = call i32 @baker_packet_encap(i32 %h, i32 22)
  %t = call i32 @baker_packet_add_tail(i32 %h, i32 9)
  %r = call i32 @baker_packet_remove_tail(i32 %h, i32 2)
  %length = call i32 @baker_packet_length(i32 %h)
  %room = call i32 @baker_packet_headroom(i32 %h)
  %port = call i32 @baker_rx_port(i32 %h)
  call void @baker_set_tx_port(i32 %h, i32 %port)
  %tx = call i32 @baker_tx_port(i32 %h)
  call void @baker_meta_write(i32 %h, i32 5, i32 %room)
  %word = call i32 @baker_meta_read(i32 %h, i32 5)
  %a = shl i32 %length, 16
  %b = or i32 %a, %word
  %c = add i32 %b, %tx
  %wide = zext i32 %c to i64
  call void @baker_packet_write(i32 %h, i32 0, i32 32, i64 %wide)
)"));
      },
      makeNoise(40));
}

TEST(FastRunTest, CopiesAndNewPacketsLeave) {
  compareRuns(
      [] {
        return makeProgram(sendAfter(R"(
  %copy = call i32 @baker_packet_copy(i32 %h)
  call void @baker_packet_write(i32 %copy, i32 0, i32 16, i64 7)
  call void @baker_set_tx_port(i32 %copy, i32 5)
  call void @baker_channel_put(i32 1, i32 %copy)
  %new = call i32 @baker_packet_create(i32 70)
  call void @baker_packet_write(i32 %new, i32 552, i32 8, i64 9)
  call void @baker_channel_put(i32 1, i32 %new)
  %third = call i32 @baker_packet_copy(i32 %h)
  call void @baker_packet_drop(i32 %third, i32 2)
)"));
      },
      makeNoise(3000));
}

TEST(FastRunTest, PacketsToSendMakeRoomForNewOnes) {
  // Each packet sends 300 copies: a burst needs more buffers than there are.
  std::string copies = R"(
define void @in(i32 %h) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %n, %loop ]
  %c = call i32 @baker_packet_copy(i32 %h)
  call void @baker_channel_put(i32 1, i32 %c)
  %n = add i32 %i, 1
  %more = icmp ult i32 %n, 300
  br i1 %more, label %loop, label %end
end:
  call void @baker_channel_put(i32 1, i32 %h)
  ret void
}
)";
  compareRuns([&] { return makeProgram(copies); }, makeTrace(40));
  RunOptions options = fastOptions(32);
  options.keepFrames = false;
  auto result = run(makeProgram(copies), makeTrace(40), {}, options);
  ASSERT_TRUE(bool(result)) << result.error().str();
  EXPECT_EQ(result->packets.transmitted, 40u * 301);
  EXPECT_EQ(result->packets.copied, 40u * 300);
}

/// PPFs on both cores: a called one on the XScale core that calls one of the
/// engines, and a queued one on the XScale core.
HostProgram makeCores() {
  HostProgram program = makeProgram(R"(
define void @in(i32 %h) {
  %port = call i32 @baker_rx_port(i32 %h)
  switch i32 %port, label %drop [ i32 0, label %call
                                  i32 1, label %queue ]
call:
  call void @slow(i32 %h)
  ret void
queue:
  %m = or i32 %h, 33554432
  call void @baker_channel_put(i32 4, i32 %m)
  ret void
drop:
  call void @baker_packet_drop(i32 %h, i32 1)
  ret void
}
define void @slow(i32 %h) {
  %copy = call i32 @baker_packet_copy(i32 %h)
  call void @helper(i32 %copy)
  %n = call i32 @baker_meta_read(i32 %h, i32 3)
  %bit = and i32 %n, 4
  %goes = icmp eq i32 %bit, 0
  br i1 %goes, label %back, label %end
back:
  call void @in_engine(i32 %h)
  ret void
end:
  call void @baker_packet_drop(i32 %h, i32 0)
  ret void
}
define void @helper(i32 %h) {
  call void @baker_packet_drop(i32 %h, i32 2)
  ret void
}
define void @in_engine(i32 %h) {
  call void @baker_packet_drop(i32 %h, i32 2)
  ret void
}
define void @queued(i32 %h) {
  call void @baker_packet_drop(i32 %h, i32 2)
  ret void
}
)");
  program.ppfs = {
      {"in", false}, {"slow", true}, {"in_engine", false}, {"queued", true}};
  program.channels = {{2, "to_queued", "queued"}};
  return program;
}

TEST(FastRunTest, CoresCountTheirPackets) {
  compareRuns(makeCores, makeTrace(64));
  auto fast = run(makeCores(), makeTrace(64), {}, fastOptions(8));
  ASSERT_TRUE(bool(fast));
  EXPECT_EQ(fast->packets.consumed, 8u + 16u);
  EXPECT_EQ(fast->packets.toXScale, 32u);
}

/// Writes the word that `set` changes to each packet.
HostProgram makeSettable() {
  HostProgram program =
      makeProgram("@word = internal global i32 1\n" + sendAfter(R"(
  %w = load i32, ptr @word
  %v = zext i32 %w to i64
  call void @baker_packet_write(i32 %h, i32 0, i32 32, i64 %v)
)") + R"(
define i32 @control.set(ptr %args) {
  %v = load i64, ptr %args
  %w = trunc i64 %v to i32
  store i32 %w, ptr @word
  ret i32 0
}
)");
  program.controls = {{"control.set", {"m.set", {{"word", "u32"}}}}};
  return program;
}

TEST(FastRunTest, BurstsEndWhereControlCallsAreDue) {
  compareRuns(makeSettable, makeNoise(50),
              "set(3)\n@packet 1 set(4)\n@packet 33 set(5)\n"
              "@packet 34 set(6)\n@packet 49 set(7)\n");
}

TEST(FastRunTest, OversizeFramesAreCounted) {
  std::vector<traces::Packet> trace = makeTrace(9);
  trace[4].bytes.resize(1523);
  trace[5].bytes.resize(1522);
  trace[6].bytes.resize(20);
  compareRuns([] { return makeProgram(sendAfter("")); }, trace);
}

TEST(FastRunTest, TheTraceRepeats) {
  RunOptions guarded, fast = fastOptions(32);
  guarded.packets = fast.packets = 10001;
  auto one = run(makeProgram(sendAfter("")), makeTrace(7), {}, guarded);
  auto other = run(makeProgram(sendAfter("")), makeTrace(7), {}, fast);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->packets.received, 10001u);
  expectSame(*other, *one);
}

TEST(FastRunTest, FramesAreKeptOnlyIfAsked) {
  RunOptions options = fastOptions(32);
  options.keepFrames = false;
  auto result = run(makeProgram(sendAfter("")), makeTrace(70), {}, options);
  ASSERT_TRUE(bool(result));
  EXPECT_EQ(result->transmitted.size(), 0u);
  EXPECT_EQ(result->packets.transmitted, 70u);
  EXPECT_EQ(result->packets.forwarded, 70u);
}

TEST(FastRunTest, FaultsSayTheSame) {
  expectSameFault(
      sendAfter(
          "  %v = call i64 @baker_packet_read(i32 %h, i32 15353, i32 8)\n"),
      "packet_read of 8 bits at bit 15353 leaves the packet's buffer");
  expectSameFault(sendAfter("  call void @baker_packet_write(i32 %h, i32 "
                            "15329, i32 32, i64 0)\n"),
                  "packet_write of 32 bits at bit 15329 leaves the packet's "
                  "buffer");
  expectSameFault(
      sendAfter("  %d = call i32 @baker_packet_decap(i32 %h, i32 61)\n"),
      "packet_decap of 61 bytes from a packet of 60");
  expectSameFault(
      sendAfter("  %d = call i32 @baker_packet_encap(i32 %h, i32 129)\n"),
      "packet_encap of 129 bytes where the headroom is 128");
  expectSameFault(
      sendAfter("  %d = call i32 @baker_packet_add_tail(i32 %h, i32 1861)\n"),
      "packet_add_tail of 1861 bytes where the tailroom is 1860");
  expectSameFault(
      sendAfter("  %d = call i32 @baker_packet_remove_tail(i32 %h, i32 61)\n"),
      "packet_remove_tail of 61 bytes from a packet of 60");
  expectSameFault(sendAfter("  %d = call i32 @baker_packet_create(i32 1921)\n"),
                  "packet_create of 1921 bytes");
}

TEST(FastRunTest, AFaultNamesItsPacketOfTheBurst) {
  std::string text = R"(
define void @in(i32 %h) {
  %n = call i32 @baker_meta_read(i32 %h, i32 3)
  %d = call i32 @baker_packet_decap(i32 %h, i32 %n)
  call void @baker_packet_drop(i32 %h, i32 0)
  ret void
}
)";
  auto result = run(makeProgram(text), makeTrace(80), {}, fastOptions(32));
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.error().message,
            "packet 61: packet_decap of 61 bytes from a packet of 60");
}

TEST(FastRunTest, BuffersThatAreKeptAreAnError) {
  std::string keeps = "define void @in(i32 %h) { ret void }\n";
  auto few = run(makeProgram(keeps), makeTrace(3), {}, fastOptions(32));
  ASSERT_FALSE(bool(few));
  EXPECT_EQ(few.error().id, "E-host-005");
  EXPECT_THAT(few.error().message, HasSubstr("keeps 3 packets"));
  auto many = run(makeProgram(keeps), makeTrace(5000), {}, fastOptions(32));
  ASSERT_FALSE(bool(many));
  EXPECT_THAT(many.error().message, HasSubstr("no free buffer"));
  std::string copies =
      sendAfter("  br label %loop\nloop:\n"
                "  %c = call i32 @baker_packet_copy(i32 %h)\n  br label %loop\n"
                "after:\n");
  auto copied = run(makeProgram(copies), makeTrace(1), {}, fastOptions(1));
  ASSERT_FALSE(bool(copied));
  EXPECT_EQ(copied.error().message,
            "packet 0: packet_copy finds no free buffer");
}

} // namespace
