// Packets on rings: the engine's program takes those of the rings that it
// reads.

#include "ir/dialect/Baker.h"
#include "ir/interp/Interpreter.h"
#include "target-ixp/chip/Rings.h"
#include "target-ixp/table/HashFunction.h"
#include "tests/ir/ModuleText.h"

#include <gmock/gmock.h>

using namespace karakal::ir;

namespace {

/// An engine's program that reads ring 0 and ring 5 and drops each packet.
const char *const program = R"(
  baker.protocol @p min_bytes 4 []
  func.func private @__ixp_scratch_get2(i32) -> (i32, i32)
  func.func private @__ixp_sleep(i32)
  func.func @me_main() {
    %zero = arith.constant 0 : i32
    %five = arith.constant 5 : i32
    %cycles = arith.constant 32 : i32
    cf.br ^loop
  ^loop:
    %a:2 = func.call @__ixp_scratch_get2(%zero) : (i32) -> (i32, i32)
    %no = arith.cmpi eq, %a#0, %zero : i32
    cf.cond_br %no, ^other, ^first
  ^first:
    %ph = baker.packet_take %a#0, %a#1 from_rx : !baker.packet<"p">
    baker.packet_drop %ph : !baker.packet<"p">
    cf.br ^loop
  ^other:
    %b:2 = func.call @__ixp_scratch_get2(%five) : (i32) -> (i32, i32)
    %none = arith.cmpi eq, %b#0, %zero : i32
    cf.cond_br %none, ^idle, ^second
  ^idle:
    func.call @__ixp_sleep(%cycles) : (i32) -> ()
    cf.br ^loop
  ^second:
    %qh = baker.packet_take %b#0, %b#1 : !baker.packet<"p">
    baker.packet_drop %qh : !baker.packet<"p">
    cf.br ^loop
  })";

class Arrivals : public ModuleText {
protected:
  Arrivals() {
    module = mlir::parseSourceString<mlir::ModuleOp>(program, &context);
  }

  /// The run of a packet on each of these rings.
  RunResult run(const std::vector<uint32_t> &rings) {
    Stimulus stimulus;
    for (uint32_t ring : rings) {
      Arrival arrival;
      arrival.ring = ring;
      arrival.packet.bytes = std::vector<uint8_t>(60, 1);
      stimulus.packets.push_back(arrival);
    }
    return interpret(*module, stimulus);
  }
};

TEST_F(Arrivals, OnTheRingsOfTheProgramAreTaken) {
  ASSERT_TRUE(module);
  const RunResult result = run({0, 5, 0});
  EXPECT_EQ(result.unknown, "");
  EXPECT_EQ(result.packetCount, 3u);
  EXPECT_EQ(result.events.size(), 3u);
}

TEST_F(Arrivals, OnOtherRingsAreSkippedAndNotCounted) {
  const RunResult result = run({0, 6, 1});
  EXPECT_EQ(result.unknown, "");
  EXPECT_EQ(result.packetCount, 1u);
  EXPECT_EQ(result.events.size(), 1u);
}

/// An engine's program that sends each packet from ring 0 to `ring`, and drops
/// those of ring 5.
std::string forwarding(unsigned ring) {
  std::string text = program;
  const std::string drop = "baker.packet_drop %ph : !baker.packet<\"p\">";
  text.replace(text.find(drop), drop.size(),
               "baker.packet_send %ph ring " + std::to_string(ring) +
                   " id 3 : !baker.packet<\"p\">");
  return text;
}

TEST_F(Arrivals, AMessageToARingOfTheProgramStaysInIt) {
  module = mlir::parseSourceString<mlir::ModuleOp>(forwarding(5), &context);
  ASSERT_TRUE(module);
  const RunResult result = run({0});
  ASSERT_EQ(result.events.size(), 1u);
  EXPECT_EQ(result.events[0].kind, Event::Drop);
}

TEST_F(Arrivals, AMessageToAnotherRingLeaves) {
  module = mlir::parseSourceString<mlir::ModuleOp>(forwarding(6), &context);
  ASSERT_TRUE(module);
  const RunResult result = run({0});
  ASSERT_EQ(result.events.size(), 1u);
  EXPECT_EQ(result.events[0].kind, Event::Put);
}

TEST_F(Arrivals, AMessageToTheNextEngineLeaves) {
  // The engine gets from the next-neighbour ring of the engine before it.
  std::string text = forwarding(karakal::target::RingNeighbour);
  const std::string get = "func.call @__ixp_scratch_get2(%five) : (i32)";
  text.replace(text.find(get), get.size(),
               "func.call @baker_neighbour_get() : ()");
  text.insert(text.find("func.func private"),
              "func.func private @baker_neighbour_get() -> (i32, i32)\n");
  module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module) << text;
  const RunResult result = run({0, karakal::target::RingNeighbour});
  EXPECT_EQ(result.unknown, "");
  ASSERT_EQ(result.events.size(), 2u);
  EXPECT_EQ(result.events[0].kind, Event::Put);
  EXPECT_EQ(result.events[1].kind, Event::Drop);
}

TEST_F(Arrivals, AMessageThatAPacketLeavesIsGoneForTheNextPacket) {
  // Each packet looks at ring 5 first, then goes there and ends the call.
  module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    baker.protocol @p min_bytes 4 []
    func.func private @__ixp_scratch_get2(i32) -> (i32, i32)
    func.func @me_main() {
      %zero = arith.constant 0 : i32
      %five = arith.constant 5 : i32
      %b:2 = func.call @__ixp_scratch_get2(%five) : (i32) -> (i32, i32)
      %none = arith.cmpi eq, %b#0, %zero : i32
      cf.cond_br %none, ^first, ^second
    ^first:
      %a:2 = func.call @__ixp_scratch_get2(%zero) : (i32) -> (i32, i32)
      %ph = baker.packet_take %a#0, %a#1 from_rx : !baker.packet<"p">
      baker.packet_send %ph ring 5 id 3 : !baker.packet<"p">
      return
    ^second:
      %qh = baker.packet_take %b#0, %b#1 : !baker.packet<"p">
      baker.packet_drop %qh : !baker.packet<"p">
      return
    })",
                                                   &context);
  ASSERT_TRUE(module);
  EXPECT_TRUE(run({0, 0}).events.empty());
  EXPECT_EQ(run({5, 5}).events.size(), 2u);
}

TEST_F(Arrivals, ACloneHasTheBytesAndNoWordOfTheDescriptor) {
  module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    baker.protocol @p min_bytes 4 []
    func.func private @__ixp_scratch_get2(i32) -> (i32, i32)
    func.func @me_main() {
      %zero = arith.constant 0 : i32
      %length = arith.constant 60 : i32
      %a:2 = func.call @__ixp_scratch_get2(%zero) : (i32) -> (i32, i32)
      %ph = baker.packet_take %a#0, %a#1 from_rx : !baker.packet<"p">
      %copy = baker.packet_clone %ph head %zero length %length : !baker.packet<"p">
      baker.packet_send %copy ring 6 id 3 : !baker.packet<"p">
      baker.packet_send %ph ring 6 id 3 : !baker.packet<"p">
      return
    })",
                                                   &context);
  ASSERT_TRUE(module);
  const RunResult result = run({0});
  ASSERT_EQ(result.events.size(), 2u);
  // A fresh descriptor is all zeros, so an undefined one has all bits set.
  const PacketImage &clone = result.events[0].packet;
  EXPECT_EQ(clone.rxPort, 0xff);
  EXPECT_EQ(clone.txPort, 0xff);
  EXPECT_EQ(clone.sequence, 0xffffffffu);
  const PacketImage &original = result.events[1].packet;
  EXPECT_EQ(original.sequence, 0u);
  EXPECT_EQ(original.bytes, std::vector<uint8_t>(60, 1));
}

//===----------------------------------------------------------------------===//
// Operations of other dialects, and services
//===----------------------------------------------------------------------===//

class Operations : public Arrivals {
protected:
  /// The global @out after a control call with 7 executes these operations.
  uint32_t out(const std::string &operations) {
    context.allowUnregisteredDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(
        R"(
      baker.global @out : i32
      func.func @f(%n: i32) attributes {baker.kind = #baker.kind<control>} {
        %out = baker.global_ref @out : !baker.ref<i32>
        )" + operations +
            R"(
        baker.store %r, %out : !baker.ref<i32>
        return
      })",
        &context);
    EXPECT_TRUE(module);
    if (!module)
      return 0;
    const RunResult result = callControl(*module, {{"f", {7}}});
    EXPECT_EQ(result.unknown, "");
    return result.globals.at(0);
  }
};

TEST_F(Operations, PoisonIsZeroAndAnAssumptionIsNothing) {
  EXPECT_EQ(out(R"(%p = "ub.poison"() : () -> i32
        %r = arith.addi %p, %n : i32)"),
            7u);
  EXPECT_EQ(out(R"(%c = arith.cmpi eq, %n, %n : i32
        "llvm.intr.assume"(%c) : (i1) -> ()
        %r = arith.addi %n, %n : i32)"),
            14u);
}

TEST_F(Operations, HashIsThatOfTheHashUnit) {
  const uint32_t expected =
      uint32_t(karakal::target::hashKey({0xabcdef0000000007, 0}, 64).low);
  EXPECT_EQ(out(R"(%high = arith.constant 0xabcdef0000000000 : i64
        %wide = arith.extui %n : i32 to i64
        %key = arith.ori %high, %wide : i64
        %hash = baker.hash %key : i64
        %r = arith.trunci %hash : i64 to i32)"),
            expected);
}

TEST_F(Operations, APacketAndItsHandleAreCastToEachOther) {
  module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    baker.protocol @p min_bytes 4 []
    baker.channel @rx : "p" from "rx" to @f
    func.func @f(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>} {
      %handle = builtin.unrealized_conversion_cast %ph : !baker.packet<"p"> to i32
      %same = builtin.unrealized_conversion_cast %handle : i32 to !baker.packet<"p">
      baker.packet_drop %same : !baker.packet<"p">
      return
    })",
                                                   &context);
  ASSERT_TRUE(module);
  const RunResult result = run({karakal::target::RingRx});
  EXPECT_EQ(result.unknown, "");
  ASSERT_EQ(result.events.size(), 1u);
  EXPECT_EQ(result.events[0].kind, Event::Drop);
}

TEST_F(Operations, AnUnknownOperationEndsTheRun) {
  context.allowUnregisteredDialects();
  module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    func.func @f() attributes {baker.kind = #baker.kind<control>} {
      "other.thing"() : () -> ()
      return
    })",
                                                   &context);
  ASSERT_TRUE(module);
  EXPECT_EQ(callControl(*module, {{"f", {}}}).unknown,
            "the operation other.thing");
}

} // namespace
