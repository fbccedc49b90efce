// Random packets and tables: they fit the program, in the shares that
// Stimulus.cpp names. The generator is the same with every library, so a share
// is the same in every run; the bounds are the expected share and about four
// times its standard deviation.

#include "ir/interp/Stimulus.h"
#include "ir/dialect/Baker.h"
#include "tests/ir/ModuleText.h"

#include <gmock/gmock.h>

#include <functional>
#include <set>

using namespace karakal::ir;
using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t packetCount = 2000;

class Stimuli : public ModuleText {
protected:
  Stimulus make(const std::string &text, const CheckInputs &inputs = {},
                uint64_t seed = 1, size_t count = packetCount) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    return makeStimulus(*module, inputs, seed, count);
  }
};

/// The share of packets for which `is` holds.
double share(const Stimulus &stimulus,
             const std::function<bool(const Arrival &)> &is) {
  size_t count = 0;
  for (const Arrival &arrival : stimulus.packets)
    count += is(arrival);
  return double(count) / double(stimulus.packets.size());
}

/// A share of so many packets: four standard deviations of at most 0.5.
auto isAbout(double expected) {
  return AllOf(Ge(expected - 0.045), Le(expected + 0.045));
}

uint32_t numberAt(const Bytes &bytes, size_t at, size_t count) {
  uint32_t number = 0;
  for (size_t i = 0; i < count; ++i)
    number = number << 8 | (at + i < bytes.size() ? bytes[at + i] : 0);
  return number;
}

/// A program that looks into a header for `type` and, in it, into another.
const char *const twoHeaders = R"(
  baker.protocol @inner min_bytes 4 [#baker.protocol_field<"kind" at 0 : 8>, #baker.protocol_field<"rest" at 8 : 24>]
  baker.protocol @outer min_bytes 6 [#baker.protocol_field<"dst" at 0 : 32>, #baker.protocol_field<"type" at 32 : 16>]
  baker.channel @rx : "outer" from "rx" to @f
  func.func @f(%ph: !baker.packet<"outer">) attributes {baker.kind = #baker.kind<ppf>} {
    %type = baker.packet_read %ph "type" : !baker.packet<"outer"> -> i16
    %wide = arith.extui %type : i16 to i32
    %c = arith.constant 48879 : i32
    %is = arith.cmpi eq, %wide, %c : i32
    cf.cond_br %is, ^in, ^out
  ^in:
    %size = arith.constant 6 : i32
    %ih = baker.packet_decap %ph, %size : !baker.packet<"outer"> -> !baker.packet<"inner">
    %kind = baker.packet_read %ih "kind" : !baker.packet<"inner"> -> i8
    cf.switch %kind : i8, [default: ^end, 171: ^end]
  ^end:
    baker.packet_drop %ih : !baker.packet<"inner">
    return
  ^out:
    baker.packet_drop %ph : !baker.packet<"outer">
    return
  })";

//===----------------------------------------------------------------------===//
// Packets
//===----------------------------------------------------------------------===//

TEST_F(Stimuli, AreTheSameForTheSameSeed) {
  const Stimulus one = make(twoHeaders, {}, 7, 50);
  const Stimulus again = make(twoHeaders, {}, 7, 50);
  const Stimulus other = make(twoHeaders, {}, 8, 50);
  size_t differing = 0;
  for (size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(one.packets[i].packet.bytes, again.packets[i].packet.bytes);
    differing += one.packets[i].packet.bytes != other.packets[i].packet.bytes;
  }
  EXPECT_GE(differing, 49u);
}

TEST_F(Stimuli, WithoutProtocolsAreFramesOfRandomBytes) {
  const Stimulus stimulus = make("baker.drop_reason @none");
  size_t least = SIZE_MAX, most = 0, zeros = 0, bytes = 0;
  for (const Arrival &arrival : stimulus.packets) {
    least = std::min(least, arrival.packet.bytes.size());
    most = std::max(most, arrival.packet.bytes.size());
    bytes += arrival.packet.bytes.size();
    zeros += llvm::count(arrival.packet.bytes, 0);
  }
  EXPECT_EQ(least, 60u);
  EXPECT_EQ(most, 299u);
  // Half of the bytes are zero on purpose, one in 256 of the others by chance.
  EXPECT_NEAR(double(zeros) / double(bytes), 0.5 + 0.5 / 256, 0.005);
}

TEST_F(Stimuli, AreNumberedAndComeFromAllPorts) {
  const Stimulus stimulus = make(twoHeaders);
  ASSERT_EQ(stimulus.packets.size(), packetCount);
  std::set<uint8_t> ports;
  for (size_t i = 0; i < packetCount; ++i) {
    EXPECT_EQ(stimulus.packets[i].packet.sequence, i);
    EXPECT_EQ(stimulus.packets[i].ring, karakal::target::RingRx);
    EXPECT_EQ(stimulus.packets[i].head, 128u);
    ports.insert(stimulus.packets[i].packet.rxPort);
  }
  EXPECT_EQ(ports, (std::set<uint8_t>{0, 1, 2, 3}));
}

TEST_F(Stimuli, HoldTheConstantsThatFieldsAreComparedWith) {
  // 95 % of packets have headers; of 16 bits, 30 % of fields are the length;
  // 75 % of the others are constants of the comparison, and few by chance.
  const Stimulus stimulus = make(twoHeaders);
  const double compared = 0.95 * 0.7 * 0.75;
  EXPECT_THAT(share(stimulus,
                    [](const Arrival &a) {
                      return numberAt(a.packet.bytes, 4, 2) == 0xbeef;
                    }),
              AllOf(Ge(compared - 0.03), Le(compared + 0.12)));
  // Cuts come after the length was written.
  EXPECT_THAT(share(stimulus,
                    [](const Arrival &a) {
                      const size_t length = numberAt(a.packet.bytes, 4, 2);
                      return length >= a.packet.bytes.size() && length >= 60 &&
                             length < 300;
                    }),
              isAbout(0.95 * 0.3));
}

TEST_F(Stimuli, HoldTheHeadersThatTheProgramDecapsulates) {
  // 80 % and, of the rest, half: there are two protocols. Three quarters of
  // its fields are compared with 171; some of the others draw it, too.
  const Stimulus stimulus = make(twoHeaders);
  const double inner = 0.95 * (0.8 + 0.2 / 2);
  EXPECT_THAT(share(stimulus,
                    [](const Arrival &a) {
                      return numberAt(a.packet.bytes, 6, 1) == 0xab;
                    }),
              AllOf(Ge(inner * 0.75 - 0.1), Le(inner * 0.75 + 0.12)));
}

TEST_F(Stimuli, ACutLeavesTheFirstHeader) {
  const Stimulus stimulus = make(twoHeaders);
  size_t least = SIZE_MAX;
  for (const Arrival &arrival : stimulus.packets)
    least = std::min(least, arrival.packet.bytes.size());
  EXPECT_GE(least, 6u);
  EXPECT_LT(least, 14u);
  // A quarter of those with headers is cut, to a uniform part of its length:
  // a mean of 54 in 174 bytes above the first header is lost below 60.
  EXPECT_THAT(
      share(stimulus,
            [](const Arrival &a) { return a.packet.bytes.size() < 60; }),
      AllOf(Ge(0.05), Le(0.11)));
}

TEST_F(Stimuli, FieldsAreBigEndianAndBelowTheirWidth) {
  // The upper nibble is compared with 9, the rest of the byte with 5.
  const Stimulus stimulus = make(R"(
    baker.protocol @p min_bytes 1 [#baker.protocol_field<"high" at 0 : 4>, #baker.protocol_field<"low" at 4 : 4>]
    baker.channel @rx : "p" from "rx" to @f
    func.func @f(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>} {
      %high = baker.packet_read %ph "high" : !baker.packet<"p"> -> i4
      %low = baker.packet_read %ph "low" : !baker.packet<"p"> -> i4
      %nine = arith.constant 9 : i4
      %five = arith.constant 5 : i4
      %a = arith.cmpi eq, %high, %nine : i4
      %b = arith.cmpi eq, %low, %five : i4
      baker.packet_drop %ph : !baker.packet<"p">
      return
    })");
  EXPECT_THAT(share(stimulus,
                    [](const Arrival &a) { return a.packet.bytes[0] == 0x95; }),
              AllOf(Ge(0.95 * 0.75 * 0.75 - 0.03), Le(0.95 * 0.9 * 0.9)));
}

/// The sum of the 16-bit words of a header as RFC 1071 adds them.
uint32_t onesSum(const Bytes &bytes, size_t count) {
  uint32_t sum = 0;
  for (size_t i = 0; i < count; i += 2)
    sum += numberAt(bytes, i, 2);
  while (sum > 0xffff)
    sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

TEST_F(Stimuli, MostChecksumsAreRight) {
  const Stimulus stimulus = make(R"(
    baker.protocol @p min_bytes 8 [#baker.protocol_field<"word" at 0 : 32>, #baker.protocol_field<"checksum" at 32 : 16>, #baker.protocol_field<"half" at 48 : 16>]
    baker.channel @rx : "p" from "rx" to @f
    func.func @f(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>} {
      baker.packet_drop %ph : !baker.packet<"p">
      return
    })");
  EXPECT_THAT(share(stimulus,
                    [](const Arrival &a) {
                      return onesSum(a.packet.bytes, 8) == 0xffff;
                    }),
              isAbout(0.95 * 0.8));
}

TEST_F(Stimuli, AnArrayOfAFieldIsFilled) {
  const Stimulus stimulus = make(R"(
    baker.protocol @p min_bytes 3 [#baker.protocol_field<"each" at 0 : 8 x 3>]
    baker.channel @rx : "p" from "rx" to @f
    func.func @f(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>} {
      %i = arith.constant 2 : i32
      %v = baker.packet_read %ph "each"[%i] : !baker.packet<"p"> -> i8
      %c = arith.constant 77 : i8
      %is = arith.cmpi eq, %v, %c : i8
      baker.packet_drop %ph : !baker.packet<"p">
      return
    })");
  for (size_t at : {0, 1, 2})
    EXPECT_THAT(
        share(stimulus,
              [&](const Arrival &a) { return a.packet.bytes[at] == 77; }),
        AllOf(Ge(0.95 * 0.75 - 0.03), Le(0.95 * 0.9)))
        << at;
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

/// Frames whose bytes are their numbers; frame `n` came from port 10 + n.
CheckInputs threeFrames() {
  CheckInputs inputs;
  for (uint8_t n = 0; n < 3; ++n) {
    PacketImage frame;
    frame.bytes = Bytes(100 + n, uint8_t(0x10 * (n + 1)));
    frame.rxPort = uint8_t(10 + n);
    inputs.frames.push_back(frame);
  }
  return inputs;
}

TEST_F(Stimuli, SamplesComeInTurnHalfOfThemUnchanged) {
  const CheckInputs inputs = threeFrames();
  const Stimulus stimulus = make(twoHeaders, inputs);
  size_t unchanged = 0;
  int last = -1;
  for (const Arrival &arrival : stimulus.packets) {
    // The port is that of the last sample, also for a packet that is none.
    EXPECT_GE(arrival.packet.rxPort, 10);
    EXPECT_LT(arrival.packet.rxPort, 13);
    const int port = arrival.packet.rxPort - 10;
    if (last >= 0)
      EXPECT_TRUE(port == last || port == (last + 1) % 3);
    last = port;
    unchanged += arrival.packet.bytes == inputs.frames[port].bytes;
  }
  // 80 % are samples, of which half are unchanged and 90 % not cut. A change
  // of a quarter of the others finds no header or no field, or no difference.
  EXPECT_THAT(double(unchanged) / packetCount,
              AllOf(Ge(0.8 * 0.5 * 0.9 - 0.03), Le(0.8 * 0.65 * 0.9)));
}

TEST_F(Stimuli, TheFirstSampleDependsOnTheSeed) {
  std::set<uint8_t> first;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const Stimulus stimulus = make(twoHeaders, threeFrames(), seed, 1);
    first.insert(stimulus.packets[0].packet.rxPort);
  }
  for (uint8_t port : {10, 11, 12})
    EXPECT_TRUE(first.count(port)) << int(port);
}

TEST_F(Stimuli, ChangedSamplesHoldComparedConstantsAndTheirNeighbours) {
  const Stimulus stimulus = make(twoHeaders, threeFrames());
  auto withType = [&](uint32_t type) {
    return share(stimulus, [&](const Arrival &a) {
      return a.packet.bytes.size() > 50 && a.packet.bytes[0] >= 0x10 &&
             numberAt(a.packet.bytes, 4, 2) == type;
    });
  };
  EXPECT_GT(withType(0xbeef), 0.01);
  EXPECT_GT(withType(0xbef0), 0.005);
  EXPECT_GT(withType(0xbeee), 0.005);
}

TEST_F(Stimuli, SomeSamplesTakeTheHeaderOrTheRestOfAnother) {
  // The headers have six bytes, or four, and there are at most three of them
  // before the change.
  const CheckInputs inputs = threeFrames();
  const Stimulus stimulus = make(twoHeaders, inputs);
  size_t inserted = 0, replaced = 0;
  for (const Arrival &arrival : stimulus.packets) {
    const Bytes &bytes = arrival.packet.bytes;
    const size_t length =
        inputs.frames[arrival.packet.rxPort - 10].bytes.size();
    inserted += bytes.size() == length + 4 || bytes.size() == length + 6;
    const uint8_t last = bytes.back();
    replaced += bytes.size() >= 100 && bytes.size() <= 102 &&
                bytes[0] == 0x10 * (arrival.packet.rxPort - 9) &&
                last != bytes[0] && last % 0x10 == 0 && last <= 0x30 &&
                bytes[bytes.size() - 2] == last;
  }
  EXPECT_GT(inserted, packetCount / 50);
  EXPECT_GT(replaced, packetCount / 100);
}

TEST_F(Stimuli, SomeSamplesAreCutWithinTheFirstHeaders) {
  const Stimulus stimulus = make(twoHeaders, threeFrames());
  size_t least = SIZE_MAX;
  for (const Arrival &arrival : stimulus.packets)
    if (arrival.packet.bytes[0] == arrival.packet.bytes.back())
      least = std::min(least, arrival.packet.bytes.size());
  EXPECT_GE(least, 6u);
  // 14 to 27 bytes stay: a tenth of the samples, and few packets without one.
  EXPECT_THAT(share(stimulus,
                    [](const Arrival &a) {
                      return a.packet.bytes.size() >= 14 &&
                             a.packet.bytes.size() < 28;
                    }),
              AllOf(Ge(0.8 * 0.1 - 0.02), Le(0.8 * 0.1 + 0.04)));
}

//===----------------------------------------------------------------------===//
// Messages on rings
//===----------------------------------------------------------------------===//

std::string withRing(const std::string &attributes) {
  return R"(
    baker.metadata @hop : i16
    baker.metadata @wide : i48
    baker.protocol @outer min_bytes 6 [#baker.protocol_field<"type" at 32 : 16>]
    baker.channel @rx : "outer" from "rx" to @f {baker.via = #baker.via<ring>, baker.ring = 0 : i32, baker.id = 0 : i32}
    baker.channel @c : "outer" from "f" to @g {baker.via = #baker.via<ring>, )" +
         attributes + R"(}
    baker.channel @t : "outer" from "g" to @tx {baker.via = #baker.via<ring>, baker.ring = 2 : i32}
    baker.channel @call : "outer" from "f" to @g {baker.via = #baker.via<call>, baker.ring = 8 : i32}
    func.func @f(%ph: !baker.packet<"outer">) attributes {baker.kind = #baker.kind<ppf>} {
      baker.channel_put @c, %ph : !baker.packet<"outer">
      return
    }
    func.func @g(%ph: !baker.packet<"outer">) attributes {baker.kind = #baker.kind<ppf>} {
      baker.channel_put @t, %ph : !baker.packet<"outer">
      return
    })";
}

bool isMessage(const Arrival &arrival) {
  return arrival.ring != karakal::target::RingRx;
}

TEST_F(Stimuli, AFifthAreMessagesOfTheRingWithTheirMetadata) {
  const Stimulus stimulus =
      make(withRing("baker.ring = 5 : i32, baker.id = 3 : i32"));
  EXPECT_THAT(share(stimulus, isMessage), isAbout(0.2));
  std::set<uint32_t> heads;
  for (const Arrival &arrival : stimulus.packets) {
    if (!isMessage(arrival)) {
      EXPECT_TRUE(arrival.packet.metadata.empty());
      continue;
    }
    EXPECT_EQ(arrival.ring, 5u);
    EXPECT_EQ(arrival.channel, 3u);
    EXPECT_EQ(arrival.packet.metadata.size(), 3u); // 16 and 48 bits
    heads.insert(arrival.head);
  }
  // Where the program does not tell the head, it is anywhere after the
  // headroom.
  EXPECT_EQ(*heads.begin(), 128u);
  EXPECT_EQ(*heads.rbegin(), 128u + 39);
}

TEST_F(Stimuli, AMessageHasTheHeadOfItsChannel) {
  const Stimulus exact = make(
      withRing("baker.ring = 5 : i32, baker.head = #baker.head<offset 142>"));
  for (const Arrival &arrival : exact.packets)
    if (isMessage(arrival))
      EXPECT_EQ(arrival.head, 142u);
  const Stimulus aligned = make(
      withRing("baker.ring = 5 : i32, baker.head = #baker.head<mod 8 is 6>"));
  std::set<uint32_t> heads;
  for (const Arrival &arrival : aligned.packets)
    if (isMessage(arrival))
      heads.insert(arrival.head);
  EXPECT_EQ(heads, (std::set<uint32_t>{134, 142, 150, 158, 166}));
}

TEST_F(Stimuli, AnAggregateGetsOnlyTheMessagesToItsPpfs) {
  std::string text = withRing("baker.ring = 16 : i32, baker.id = 3 : i32");
  const std::string kind = "baker.kind = #baker.kind<ppf>";
  text.insert(text.rfind(kind), "baker.aggregate = \"two\", "
                                "baker.core = #baker.core<me>, ");
  CheckInputs inputs;
  inputs.aggregate = "two";
  EXPECT_THAT(share(make(text, inputs), isMessage), isAbout(0.2));
  inputs.aggregate = "one";
  EXPECT_EQ(share(make(text, inputs), isMessage), 0);
}

TEST_F(Stimuli, WithoutANumberAChannelBringsNoMessages) {
  const Stimulus stimulus = make(withRing("baker.id = 3 : i32"));
  EXPECT_EQ(share(stimulus, isMessage), 0);
}

//===----------------------------------------------------------------------===//
// Global data
//===----------------------------------------------------------------------===//

TEST_F(Stimuli, GlobalsHaveTheirWordsWithinTheirWidths) {
  const char *const text = R"(
    baker.global @a : !baker.array<500 x i48>
    baker.global @b : !baker.array<500 x !baker.struct<"s", flag : i1, port : i8>>
  )";
  const Stimulus stimulus = make(text, {}, 1, 0);
  EXPECT_TRUE(stimulus.packets.empty());
  ASSERT_EQ(stimulus.globals.size(), globalWordCount(*module));
  ASSERT_EQ(stimulus.globals.size(), 500u * 2 + 500u * 2);
  size_t high = 0, low = 0, flags = 0, ports = 0;
  for (size_t i = 0; i < 1000; i += 2) {
    EXPECT_LE(stimulus.globals[i], 0xffffu);
    high += stimulus.globals[i] != 0;
    low += stimulus.globals[i + 1] > 0xffff;
    EXPECT_LE(stimulus.globals[1000 + i], 1u);
    flags += stimulus.globals[1000 + i];
    EXPECT_LE(stimulus.globals[1001 + i], 255u);
    ports += stimulus.globals[1001 + i] > 3;
  }
  for (size_t count : {high, low, flags, ports})
    EXPECT_THAT(count, AllOf(Ge(50u), Le(480u)));
}

TEST_F(Stimuli, GlobalsOftenHoldConstantsOfTheProgram) {
  const Stimulus stimulus = make(R"(
    baker.global @a : !baker.array<2000 x i32>
    func.func @f(%x: i8) -> i32 {
      %c = arith.constant 123456 : i32
      cf.switch %x : i8, [default: ^end, 77: ^end]
    ^end:
      return %c : i32
    })",
                                 {}, 1, 0);
  auto shareOf = [&](uint32_t number) {
    return double(llvm::count(stimulus.globals, number)) /
           double(stimulus.globals.size());
  };
  // Four numbers in ten are constants, here one of two; three in ten are one of
  // two that occur often; one in ten is below 4; one in ten is 1 or, an eighth
  // of them, all bits.
  EXPECT_THAT(shareOf(123456), isAbout(0.2));
  EXPECT_THAT(shareOf(77), isAbout(0.2));
  EXPECT_THAT(shareOf(1), isAbout(0.1 / 4 + 0.1 * 7 / 8));
  EXPECT_THAT(shareOf(0xffffffff), AllOf(Ge(0.005), Le(0.025)));
  for (uint32_t small : {0, 2, 3})
    EXPECT_THAT(shareOf(small), AllOf(Ge(0.0125), Le(0.0375)));
  std::map<uint32_t, size_t> times;
  for (uint32_t word : stimulus.globals)
    ++times[word];
  size_t common = 0;
  for (auto [word, count] : times)
    if (word > 123456 && word != 0xffffffff && count > 100)
      ++common;
  EXPECT_EQ(common, 2u);
}

} // namespace
