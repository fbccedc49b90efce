// What interpreted programs do, against values worked out by hand.

#include "ir/interp/Interpreter.h"
#include "ir/dialect/Baker.h"
#include "ir/interp/PassCheck.h"
#include "tests/ir/ModuleText.h"

#include <gmock/gmock.h>

using namespace karakal::ir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

class Interpreted : public ModuleText {
protected:
};

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

class Arithmetic : public Interpreted {
protected:
  /// The result of `op` on two numbers of 32 bits.
  uint32_t of(const std::string &op, uint32_t a, uint32_t b) {
    return run("%r = " + op + " %a, %b : i32", a, b);
  }

  /// Whether a comparison of two numbers of 32 bits is true.
  bool compared(const std::string &predicate, uint32_t a, uint32_t b) {
    return run("%c = arith.cmpi " + predicate + ", %a, %b : i32\n" +
                   "%r = arith.extui %c : i1 to i32",
               a, b);
  }

  /// `%r` after these operations on `%a` and `%b`.
  uint32_t run(const std::string &operations, uint32_t a, uint32_t b) {
    parse(R"(
      baker.global @out : i32
      func.func @f(%a: i32, %b: i32) attributes {baker.kind = #baker.kind<control>} {
        )" +
          operations + R"(
        %out = baker.global_ref @out : !baker.ref<i32>
        baker.store %r, %out : !baker.ref<i32>
        return
      })");
    result = callControl(*module, {{"f", {a, b}}});
    EXPECT_EQ(result.unknown, "");
    return result.globals.empty() ? 0 : result.globals[0];
  }

  RunResult result;
};

constexpr uint32_t minus(uint32_t value) { return -value; }

TEST_F(Arithmetic, WrapsAtTheWidth) {
  EXPECT_EQ(of("arith.addi", 0xfffffffe, 5), 3u);
  EXPECT_EQ(of("arith.subi", 3, 5), minus(2));
  EXPECT_EQ(of("arith.muli", 0x10001, 0x10003), 0x40003u);
}

TEST_F(Arithmetic, WorksBitByBit) {
  EXPECT_EQ(of("arith.andi", 0b1100, 0b1010), 0b1000u);
  EXPECT_EQ(of("arith.ori", 0b1100, 0b1010), 0b1110u);
  EXPECT_EQ(of("arith.xori", 0b1100, 0b1010), 0b0110u);
}

TEST_F(Arithmetic, MinimumAndMaximumKnowTheSign) {
  EXPECT_EQ(of("arith.minui", 7, minus(1)), 7u);
  EXPECT_EQ(of("arith.minui", minus(1), 7), 7u);
  EXPECT_EQ(of("arith.maxui", 7, minus(1)), minus(1));
  EXPECT_EQ(of("arith.maxui", minus(1), 7), minus(1));
  EXPECT_EQ(of("arith.minsi", 7, minus(1)), minus(1));
  EXPECT_EQ(of("arith.minsi", minus(1), 7), minus(1));
  EXPECT_EQ(of("arith.maxsi", 7, minus(1)), 7u);
  EXPECT_EQ(of("arith.maxsi", minus(1), 7), 7u);
}

TEST_F(Arithmetic, ShiftsByTheWidthOrMoreGiveZero) {
  EXPECT_EQ(of("arith.shli", 3, 31), 0x80000000u);
  EXPECT_EQ(of("arith.shli", 3, 32), 0u);
  EXPECT_EQ(of("arith.shrui", 0xc0000000, 31), 1u);
  EXPECT_EQ(of("arith.shrui", 0xc0000000, 32), 0u);
  EXPECT_EQ(of("arith.shrsi", 0xc0000000, 30), minus(1));
  EXPECT_EQ(of("arith.shrsi", 0xc0000000, 33), 0u);
}

TEST_F(Arithmetic, DivisionKnowsTheSign) {
  EXPECT_EQ(of("arith.divui", minus(7), 2), 0x7ffffffcu);
  EXPECT_EQ(of("arith.divsi", minus(7), 2), minus(3));
  EXPECT_EQ(of("arith.remui", 17, 5), 2u);
  EXPECT_EQ(of("arith.remsi", minus(17), 5), minus(2));
}

TEST_F(Arithmetic, ADivisionByZeroStopsTheProgram) {
  for (const char *op :
       {"arith.divui", "arith.divsi", "arith.remui", "arith.remsi"}) {
    of(op, 1, 0);
    ASSERT_EQ(result.events.size(), 1u) << op;
    EXPECT_EQ(result.events[0].kind, Event::Trap);
    EXPECT_EQ(result.globals[0], 0u); // the store does not run
  }
  of("arith.addi", 1, 0);
  EXPECT_TRUE(result.events.empty());
}

TEST_F(Arithmetic, Compares) {
  struct Case {
    const char *predicate;
    bool isLess, isEqual, isGreater; ///< of unsigned 3 and 3 ± 1
    bool isMinusLess;                ///< of -1 and 3
  };
  const Case cases[] = {
      {"eq", false, true, false, false},  {"ne", true, false, true, true},
      {"ult", true, false, false, false}, {"ule", true, true, false, false},
      {"ugt", false, false, true, true},  {"uge", false, true, true, true},
      {"slt", true, false, false, true},  {"sle", true, true, false, true},
      {"sgt", false, false, true, false}, {"sge", false, true, true, false},
  };
  for (const Case &c : cases) {
    EXPECT_EQ(compared(c.predicate, 2, 3), c.isLess) << c.predicate;
    EXPECT_EQ(compared(c.predicate, 3, 3), c.isEqual) << c.predicate;
    EXPECT_EQ(compared(c.predicate, 4, 3), c.isGreater) << c.predicate;
    EXPECT_EQ(compared(c.predicate, minus(1), 3), c.isMinusLess) << c.predicate;
  }
}

TEST_F(Arithmetic, ExtendsTruncatesAndSelects) {
  const std::string low = "%n = arith.trunci %a : i32 to i8\n";
  EXPECT_EQ(run(low + "%r = arith.extui %n : i8 to i32", 0x1f0, 0), 0xf0u);
  EXPECT_EQ(run(low + "%r = arith.extsi %n : i8 to i32", 0x1f0, 0), minus(16));
  const std::string select = "%z = arith.constant 0 : i32\n"
                             "%c = arith.cmpi ne, %a, %z : i32\n"
                             "%r = arith.select %c, %b, %z : i32";
  EXPECT_EQ(run(select, 1, 7), 7u);
  EXPECT_EQ(run(select, 0, 7), 0u);
}

//===----------------------------------------------------------------------===//
// Control calls and global data
//===----------------------------------------------------------------------===//

TEST_F(Interpreted, InitFunctionsRunBeforeControlCalls) {
  // The compiler's own first: (5 * 2 + 1) * 10 + 3.
  parse(R"(
    baker.global @g : i32 init [5]
    func.func @later(%n: i32) attributes {baker.kind = #baker.kind<control>} {
      %ten = arith.constant 10 : i32
      %ref = baker.global_ref @g : !baker.ref<i32>
      %old = baker.load %ref : !baker.ref<i32>
      %product = arith.muli %old, %ten : i32
      %new = arith.addi %product, %n : i32
      baker.store %new, %ref : !baker.ref<i32>
      return
    }
    func.func @program() attributes {baker.kind = #baker.kind<init>} {
      %one = arith.constant 1 : i32
      %ref = baker.global_ref @g : !baker.ref<i32>
      %old = baker.load %ref : !baker.ref<i32>
      %new = arith.addi %old, %one : i32
      baker.store %new, %ref : !baker.ref<i32>
      return
    }
    func.func @karakal.own() attributes {baker.kind = #baker.kind<init>} {
      %two = arith.constant 2 : i32
      %ref = baker.global_ref @g : !baker.ref<i32>
      %old = baker.load %ref : !baker.ref<i32>
      %new = arith.muli %old, %two : i32
      baker.store %new, %ref : !baker.ref<i32>
      return
    })");
  EXPECT_THAT(callControl(*module, {}).globals, ElementsAre(11));
  EXPECT_THAT(callControl(*module, {{"later", {3}}}).globals, ElementsAre(113));
  RunResult missing = callControl(*module, {{"none", {}}});
  EXPECT_THAT(missing.unknown, HasSubstr("@none"));
}

TEST_F(Interpreted, GlobalsLieOneAfterAnotherHighWordFirst) {
  parse(R"(
    baker.global @a : i64
    baker.global @b : !baker.array<2 x !baker.struct<"s", x : i8, y : i48>>
    func.func @f(%a: i64, %i: i32) attributes {baker.kind = #baker.kind<control>} {
      %ra = baker.global_ref @a : !baker.ref<i64>
      baker.store %a, %ra : !baker.ref<i64>
      %back = baker.load %ra : !baker.ref<i64>
      %y = arith.trunci %back : i64 to i48
      %rb = baker.global_ref @b : !baker.ref<!baker.array<2 x !baker.struct<"s", x : i8, y : i48>>>
      %re = baker.element %rb[%i] : !baker.ref<!baker.array<2 x !baker.struct<"s", x : i8, y : i48>>>
      %ry = baker.field %re "y" : !baker.ref<!baker.struct<"s", x : i8, y : i48>>
      baker.store %y, %ry : !baker.ref<i48>
      return
    })");
  EXPECT_EQ(globalWordCount(*module), 8u);
  RunResult result = callControl(*module, {{"f", {0x123456789abcdef0, 1}}});
  EXPECT_THAT(result.globals, ElementsAre(0x12345678, 0x9abcdef0, 0, 0, 0, 0,
                                          0x5678, 0x9abcdef0));
  // Element 2 is outside of all global data.
  result = callControl(*module, {{"f", {1, 2}}});
  ASSERT_EQ(result.events.size(), 1u);
  EXPECT_EQ(result.events[0].kind, Event::Trap);
}

TEST_F(Interpreted, AnAccessJustAfterTheLastWordStopsTheProgram) {
  parse(R"(
    baker.global @g : !baker.array<3 x i32> init [5, 6, 7]
    func.func @f(%i: i32) attributes {baker.kind = #baker.kind<control>} {
      %r = baker.global_ref @g : !baker.ref<!baker.array<3 x i32>>
      %e = baker.element %r[%i] : !baker.ref<!baker.array<3 x i32>>
      %one = arith.constant 1 : i32
      baker.store %one, %e : !baker.ref<i32>
      return
    })");
  EXPECT_THAT(callControl(*module, {{"f", {2}}}).globals, ElementsAre(5, 6, 1));
  RunResult result = callControl(*module, {{"f", {3}}});
  EXPECT_THAT(result.globals, ElementsAre(5, 6, 7));
  ASSERT_EQ(result.events.size(), 1u);
  EXPECT_EQ(result.events[0].kind, Event::Trap);
}

TEST_F(Interpreted, BurstsOfWordsStartAtTheirOffset) {
  parse(R"(
    baker.global @other : i32
    baker.global @g : !baker.struct<"s", a : i32, b : i32, c : i32, d : i32> init [1, 2, 3, 4]
    func.func @f() attributes {baker.kind = #baker.kind<control>} {
      %r = baker.global_ref @g : !baker.ref<!baker.struct<"s", a : i32, b : i32, c : i32, d : i32>>
      %w:2 = baker.load_words %r at 1 : !baker.ref<!baker.struct<"s", a : i32, b : i32, c : i32, d : i32>> -> i32, i32
      baker.store_words [%w#1, %w#0] to %r at 2 : !baker.ref<!baker.struct<"s", a : i32, b : i32, c : i32, d : i32>>
      return
    })");
  EXPECT_THAT(callControl(*module, {{"f", {}}}).globals,
              ElementsAre(0, 1, 2, 3, 2));
}

TEST_F(Interpreted, AnAtomicAddChangesTheWord) {
  parse(R"(
    baker.global @g : i32 init [40]
    func.func @f(%n: i32) attributes {baker.kind = #baker.kind<control>} {
      %r = baker.global_ref @g : !baker.ref<i32>
      baker.atomic addi %n, %r : !baker.ref<i32>
      return
    })");
  EXPECT_THAT(callControl(*module, {{"f", {2}}}).globals, ElementsAre(42));
}

TEST_F(Interpreted, AnAtomicOperationGivesTheWordBefore) {
  parse(R"(
    baker.global @g : i32 init [12]
    baker.global @old : !baker.array<3 x i32>
    func.func @f(%n: i32) attributes {baker.kind = #baker.kind<control>} {
      %r = baker.global_ref @g : !baker.ref<i32>
      %olds = baker.global_ref @old : !baker.ref<!baker.array<3 x i32>>
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %o0 = baker.element %olds[%zero] : !baker.ref<!baker.array<3 x i32>>
      %o1 = baker.element %olds[%one] : !baker.ref<!baker.array<3 x i32>>
      %o2 = baker.element %olds[%two] : !baker.ref<!baker.array<3 x i32>>
      %a = baker.atomic ori %n, %r : !baker.ref<i32>
      baker.store %a, %o0 : !baker.ref<i32>
      %b = baker.atomic andi %n, %r : !baker.ref<i32>
      baker.store %b, %o1 : !baker.ref<i32>
      %c = baker.atomic assign %two, %r : !baker.ref<i32>
      baker.store %c, %o2 : !baker.ref<i32>
      return
    })");
  EXPECT_THAT(callControl(*module, {{"f", {3}}}).globals,
              ElementsAre(2, 12, 15, 3));
}

TEST_F(Interpreted, EndlessRecursionAndLoopsLeaveTheRunIncomplete) {
  parse(R"(
    baker.protocol @ether min_bytes 14 constant_size []
    baker.channel @rx : "ether" from "rx" to @loop
    func.func @recurse() attributes {baker.kind = #baker.kind<control>} {
      func.call @recurse() : () -> ()
      return
    }
    func.func @loop(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
      cf.br ^again
    ^again:
      %one = arith.constant 1 : i32
      cf.br ^again
    })");
  EXPECT_THAT(callControl(*module, {{"recurse", {}}}).unknown,
              HasSubstr("400 nested calls"));
  Stimulus stimulus;
  stimulus.packets.resize(2);
  RunResult result = interpret(*module, stimulus);
  EXPECT_EQ(result.packetCount, 0u);
  EXPECT_THAT(result.unknown, HasSubstr("1000000 operations"));
  EXPECT_TRUE(result.events.empty());
}

TEST_F(Interpreted, AnEndlessLoopOfBranchesLeavesTheRunIncomplete) {
  parse(R"(
    func.func @loop() attributes {baker.kind = #baker.kind<control>} {
      cf.br ^again
    ^again:
      cf.br ^again
    })");
  EXPECT_THAT(callControl(*module, {{"loop", {}}}).unknown,
              HasSubstr("30000000 operations"));
}

TEST_F(Interpreted, BranchesGoWhereTheValueSays) {
  parse(R"(
    baker.global @out : i32
    func.func @f(%n: i32) attributes {baker.kind = #baker.kind<control>} {
      %ref = baker.global_ref @out : !baker.ref<i32>
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %nine = arith.constant 9 : i32
      cf.switch %n : i32, [
        default: ^end(%nine : i32),
        4: ^end(%one : i32),
        7: ^end(%two : i32)
      ]
    ^end(%value: i32):
      baker.store %value, %ref : !baker.ref<i32>
      return
    })");
  EXPECT_THAT(callControl(*module, {{"f", {4}}}).globals, ElementsAre(1));
  EXPECT_THAT(callControl(*module, {{"f", {7}}}).globals, ElementsAre(2));
  EXPECT_THAT(callControl(*module, {{"f", {5}}}).globals, ElementsAre(9));
}

//===----------------------------------------------------------------------===//
// Packets
//===----------------------------------------------------------------------===//

class Packets : public Interpreted {
protected:
  /// The events of a program that gets the bytes 1, 2, … of a frame on port 2.
  /// `operations` have the packet as %ph and end with its last use.
  std::vector<Event> run(const std::string &operations, unsigned bytes = 16) {
    parse(R"(
      baker.protocol @ether min_bytes 14 constant_size
        [#baker.protocol_field<"dst" at 0 : 48>,
         #baker.protocol_field<"bytes" at 48 : 8 x 6>,
         #baker.protocol_field<"type" at 96 : 16>]
      baker.metadata @mark : i16
      baker.metadata @wide : i48
      baker.drop_reason @bad
      baker.channel @rx : "ether" from "rx" to @take
      baker.channel @out : "ether" from "take" to @tx
      func.func @take(%ph: !baker.packet<"ether">) attributes {baker.kind = #baker.kind<ppf>} {
        %c2 = arith.constant 2 : i32
        %c14 = arith.constant 14 : i32
      )" + operations +
          "\nreturn }");
    Stimulus stimulus;
    Arrival arrival;
    for (unsigned byte = 1; byte <= bytes; ++byte)
      arrival.packet.bytes.push_back(uint8_t(byte));
    arrival.packet.rxPort = 2;
    arrival.packet.sequence = 40;
    stimulus.packets = {arrival};
    RunResult result = interpret(*module, stimulus);
    EXPECT_EQ(result.unknown, "");
    EXPECT_EQ(result.packetCount, 1u);
    return result.events;
  }

  /// The one packet that the program puts on `out`.
  PacketImage sent(const std::string &operations, unsigned bytes = 16) {
    std::vector<Event> events = run(operations, bytes);
    EXPECT_EQ(events.size(), 1u);
    if (events.empty() || events[0].kind != Event::Put)
      return {};
    EXPECT_EQ(events[0].where, "tx");
    return events[0].packet;
  }

  const std::string put =
      "\nbaker.channel_put @out, %ph : !baker.packet<\"ether\">";
};

TEST_F(Packets, FieldsAreReadAndWrittenInNetworkOrder) {
  PacketImage image = sent(R"(
    %type = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
    %dst = baker.packet_read %ph "dst" : !baker.packet<"ether"> -> i48
    %low = arith.trunci %dst : i48 to i16
    baker.packet_write %low, %ph "type" : i16, !baker.packet<"ether">
    %long = arith.extui %type : i16 to i48
    baker.packet_write %long, %ph "dst" : i48, !baker.packet<"ether">)" +
                           put);
  EXPECT_THAT(image.bytes, ElementsAre(0, 0, 0, 0, 13, 14, 7, 8, 9, 10, 11, 12,
                                       5, 6, 15, 16));
  EXPECT_EQ(image.rxPort, 2);
  EXPECT_EQ(image.txPort, 0);
  EXPECT_EQ(image.sequence, 40u);
}

TEST_F(Packets, AnElementIsFoundByItsIndex) {
  PacketImage image = sent(R"(
    %byte = baker.packet_read %ph "bytes"[%c2] : !baker.packet<"ether"> -> i8
    %c5 = arith.constant 5 : i32
    baker.packet_write %byte, %ph "bytes"[%c5] : i8, !baker.packet<"ether">)" +
                           put);
  EXPECT_THAT(image.bytes, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 9, 13,
                                       14, 15, 16));
}

TEST_F(Packets, MetadataKeepsItsWidth) {
  PacketImage image = sent(R"(
    %port = baker.meta_read %ph @rx.port : !baker.packet<"ether"> -> i8
    baker.meta_write %port, %ph @tx.port : i8, !baker.packet<"ether">
    %type = baker.packet_read %ph "type" : !baker.packet<"ether"> -> i16
    baker.meta_write %type, %ph @mark : i16, !baker.packet<"ether">
    %dst = baker.packet_read %ph "dst" : !baker.packet<"ether"> -> i48
    baker.meta_write %dst, %ph @wide : i48, !baker.packet<"ether">
    %wide = baker.meta_read %ph @wide : !baker.packet<"ether"> -> i48
    %one = arith.constant 1 : i48
    %more = arith.addi %wide, %one : i48
    baker.packet_write %more, %ph "dst" : i48, !baker.packet<"ether">)" +
                           put);
  EXPECT_EQ(image.txPort, 2);
  EXPECT_EQ(image.rxPort, 2);
  EXPECT_THAT(image.metadata, ElementsAre(0x0d0e, 0x0102, 0x03040506));
  EXPECT_EQ(image.bytes[5], 7);
}

TEST_F(Packets, DecapsulationMovesTheHeadAndEncapsulationMovesItBack) {
  PacketImage inner = sent(R"(
    %in = baker.packet_decap %ph, %c14 : !baker.packet<"ether"> -> !baker.packet<"ether">
    baker.channel_put @out, %in : !baker.packet<"ether">)");
  EXPECT_THAT(inner.bytes, ElementsAre(15, 16));
  PacketImage outer = sent(R"(
    %in = baker.packet_decap %ph, %c14 : !baker.packet<"ether"> -> !baker.packet<"ether">
    %outer = baker.packet_encap %in, %c2 : !baker.packet<"ether"> -> !baker.packet<"ether">
    baker.channel_put @out, %outer : !baker.packet<"ether">)");
  EXPECT_THAT(outer.bytes, ElementsAre(13, 14, 15, 16));
}

TEST_F(Packets, TheHeadroomOf128BytesCanBeUsedUp) {
  auto encapsulated = [&](unsigned bytes) {
    return run("%n = arith.constant " + std::to_string(bytes) + " : i32\n" + R"(
      %more = baker.packet_encap %ph, %n : !baker.packet<"ether"> -> !baker.packet<"ether">
      baker.channel_put @out, %more : !baker.packet<"ether">)");
  };
  std::vector<Event> all = encapsulated(128);
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].kind, Event::Put);
  EXPECT_EQ(all[0].packet.bytes.size(), 128u + 16);
  // No packet wrote these bytes.
  EXPECT_EQ(all[0].packet.bytes[0], 0xa5);
  std::vector<Event> tooMany = encapsulated(129);
  ASSERT_EQ(tooMany.size(), 1u);
  EXPECT_EQ(tooMany[0].kind, Event::Trap);
}

TEST_F(Packets, ATailGrowsWithZerosUpToTheEndOfTheBuffer) {
  auto grown = [&](unsigned bytes) {
    return run("%n = arith.constant " + std::to_string(bytes) + " : i32\n" + R"(
      %more = baker.packet_add_tail %ph, %n : !baker.packet<"ether">
      baker.channel_put @out, %more : !baker.packet<"ether">)");
  };
  std::vector<Event> events = grown(2);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].packet.bytes.size(), 18u);
  EXPECT_EQ(events[0].packet.bytes[15], 16);
  EXPECT_EQ(events[0].packet.bytes[16], 0);
  // 2,048 bytes of buffer, 128 of headroom and 16 of frame leave 1,904.
  EXPECT_EQ(grown(1904)[0].kind, Event::Put);
  EXPECT_EQ(grown(1905)[0].kind, Event::Trap);
}

TEST_F(Packets, ATailCannotLoseMoreThanThereIs) {
  auto cut = [&](unsigned bytes) {
    return run("%n = arith.constant " + std::to_string(bytes) + " : i32\n" + R"(
      %less = baker.packet_remove_tail %ph, %n : !baker.packet<"ether">
      baker.channel_put @out, %less : !baker.packet<"ether">)")[0];
  };
  EXPECT_THAT(cut(14).packet.bytes, ElementsAre(1, 2));
  EXPECT_EQ(cut(16).kind, Event::Put);
  EXPECT_EQ(cut(17).kind, Event::Trap);
}

TEST_F(Packets, ACopyHasItsOwnBytes) {
  std::vector<Event> events = run(R"(
    %copy = baker.packet_copy %ph : !baker.packet<"ether">
    %type = arith.constant 0x0800 : i16
    baker.packet_write %type, %copy "type" : i16, !baker.packet<"ether">
    baker.channel_put @out, %copy : !baker.packet<"ether">)" +
                                  put);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].packet.bytes[12], 8);
  EXPECT_EQ(events[1].packet.bytes[12], 13);
}

TEST_F(Packets, ACreatedPacketHoldsZeros) {
  std::vector<Event> events = run(R"(
    baker.packet_drop %ph reason @bad : !baker.packet<"ether">
    %made = baker.packet_create %c2 : !baker.packet<"ether">
    baker.channel_put @out, %made : !baker.packet<"ether">)");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, Event::Drop);
  EXPECT_EQ(events[0].where, "bad");
  EXPECT_THAT(events[1].packet.bytes, ElementsAre(0, 0));
}

TEST_F(Packets, LengthAndHeadroomFollowTheHead) {
  PacketImage image = sent(R"(
    %in = baker.packet_decap %ph, %c2 : !baker.packet<"ether"> -> !baker.packet<"ether">
    %length = baker.packet_length %in : !baker.packet<"ether">
    %room = baker.packet_headroom %in : !baker.packet<"ether">
    %l = arith.trunci %length : i32 to i16
    baker.packet_write %l, %in "type" : i16, !baker.packet<"ether">
    %r = arith.extui %room : i32 to i48
    baker.packet_write %r, %in "dst" : i48, !baker.packet<"ether">
    baker.channel_put @out, %in : !baker.packet<"ether">)");
  EXPECT_THAT(image.bytes,
              ElementsAre(0, 0, 0, 0, 0, 130, 9, 10, 11, 12, 13, 14, 0, 14));
}

TEST_F(Packets, APacketThatHasEndedIsNotUsed) {
  std::vector<Event> events = run(R"(
    baker.packet_drop %ph : !baker.packet<"ether">
    %length = baker.packet_length %ph : !baker.packet<"ether">)");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, Event::Drop);
  EXPECT_EQ(events[0].where, "unspecified");
  EXPECT_EQ(events[1].kind, Event::Trap);
}

//===----------------------------------------------------------------------===//
// Comparison of two runs
//===----------------------------------------------------------------------===//

Event dropped(size_t input, const char *reason) {
  Event event;
  event.kind = Event::Drop;
  event.input = input;
  event.where = reason;
  return event;
}

TEST(FirstDifference, IsThatOfEventsThenOfGlobals) {
  RunResult before;
  before.packetCount = 2;
  before.events = {dropped(0, "bad"), dropped(1, "bad")};
  before.globals = {1, 2};
  RunResult after = before;
  EXPECT_EQ(firstDifference(before, after), "");
  after.globals[1] = 3;
  EXPECT_EQ(firstDifference(before, after),
            "word 1 of global data\n  before: 2\n  after:  3");
  after.events.pop_back();
  EXPECT_EQ(firstDifference(before, after),
            "before: packet 1: dropped: bad\n  after:  nothing");
  EXPECT_EQ(firstDifference(after, before),
            "before: nothing\n  after:  packet 1: dropped: bad");
  after.events[0].where = "other";
  EXPECT_EQ(firstDifference(before, after),
            "before: packet 0: dropped: bad\n"
            "  after:  packet 0: dropped: other");
}

TEST(FirstDifference, AnIncompleteRunIsComparedUpToItsLastWholePacket) {
  RunResult before;
  before.packetCount = 2;
  before.events = {dropped(0, "bad"), dropped(1, "bad")};
  before.globals = {1};
  RunResult after;
  after.packetCount = 1;
  after.events = {dropped(0, "bad"), dropped(1, "other")};
  after.globals = {2};
  after.unknown = "a call of @f";
  EXPECT_EQ(firstDifference(before, after), "");
  EXPECT_EQ(firstDifference(after, before), "");
  after.events.pop_back();
  EXPECT_EQ(firstDifference(before, after), "");
  after.events[0].where = "other";
  EXPECT_NE(firstDifference(before, after), "");
}

TEST(EventText, NamesAllOfAPacket) {
  Event event;
  event.input = 3;
  event.where = "tx";
  event.packet = {{0x0a, 0xff}, 1, 2, 7, {5, 6}};
  EXPECT_EQ(event.str(), "packet 3: put on tx, rx.port 1, tx.port 2, sequence "
                         "7, metadata 5 6, bytes 0aff");
  event.kind = Event::Trap;
  event.where = "division by zero";
  EXPECT_EQ(event.str(), "packet 3: stop: division by zero");
}

} // namespace
