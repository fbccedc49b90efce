// The positions of handles relative to their anchors, and the accesses of an
// anchor's bytes, by hand.

#include "passes/pac/PacPackets.h"

#include "tests/passes/FunctionText.h"

#include <gmock/gmock.h>

using namespace mlir;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace karakal::passes::pac {
namespace {

class Anchors : public FunctionText {
protected:
  /// A function that gets %ph from a ring and receives %rx. Field "N" is 32
  /// bits at byte N, "word" 4 of them from byte 0; a header has 16 bytes.
  void write(const std::string &operations) {
    std::string fields = "#baker.protocol_field<\"half\" at 4 : 4>, "
                         "#baker.protocol_field<\"word\" at 0 : 32 x 4>";
    for (unsigned byte = 0; byte < 40; byte += 2)
      fields += ", #baker.protocol_field<\"" + std::to_string(byte) + "\" at " +
                std::to_string(8 * byte) + " : 32>";
    parse("baker.metadata @m6 : i16 {baker.word = 6 : i32}\n"
          "baker.metadata @m7 : i48 {baker.word = 7 : i32}\n"
          "baker.protocol @p min_bytes 16 [" +
          fields +
          "]\n"
          "baker.channel @out : \"p\" from \"f\" to @tx\n"
          "!p = !baker.packet<\"p\">\n"
          "func.func @f(%m: i32, %n: i32, %c: i1, %v: i32) {\n"
          "  %c16 = arith.constant 16 : i32\n"
          "  %c4 = arith.constant 4 : i32\n"
          "  %ph = baker.packet_take %m, %n {t.n = 1} : !p\n"
          "  %rx = baker.packet_take %m, %n from_rx {t.n = 2} : !p\n" +
          operations + "\n  return\n}");
  }

  /// The distance of a value from the anchor, which must be `anchor`.
  int32_t delta(unsigned handle, unsigned anchor, Bytes bytes = Bytes::Data) {
    const AnchorOffset offset =
        AnchorOffsets(function(), bytes).of(value(handle));
    EXPECT_EQ(offset.anchor, value(anchor));
    return offset.delta;
  }

  /// The anchor of a value made by the operation `number`.
  Anchor anchorOf(unsigned number, Bytes bytes = Bytes::Data) {
    for (Anchor &anchor : findAnchors(function(), bytes))
      if (anchor.value == value(number))
        return anchor;
    ADD_FAILURE() << "no anchor " << number;
    return Anchor();
  }

  /// "r32 at 0" for each access, "flush" and "drop".
  static std::vector<std::string> eventsOf(const Anchor &anchor) {
    std::vector<std::string> found;
    for (const auto &[block, events] : anchor.events)
      for (const Event &event : events)
        found.push_back(event.kind == Event::Flush ? "flush"
                        : event.kind == Event::Drop
                            ? "drop"
                            : (event.kind == Event::Read ? "r" : "w") +
                                  std::to_string(event.width) + " at " +
                                  std::to_string(event.bit));
    return found;
  }
};

const std::string decap4 =
    "%in = baker.packet_decap %ph, %c4 {t.n = 3} : !p -> !p\n";
const std::string encap16 =
    "%oh = baker.packet_encap %ph, %c16 {t.n = 3} : !p -> !p\n";

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

TEST_F(Anchors, AHandleIsAsFarAsItsHeadersAreLong) {
  write(decap4 + "%on = baker.packet_decap %in, %c16 {t.n = 4} : !p -> !p\n"
                 "%up = baker.packet_encap %on, %c4 {t.n = 5} : !p -> !p\n"
                 "baker.packet_drop %up : !p\n");
  EXPECT_EQ(delta(1, 1), 0);
  EXPECT_EQ(delta(3, 1), 4);
  EXPECT_EQ(delta(4, 1), 20);
  EXPECT_EQ(delta(5, 1), 16);
  write(encap16);
  EXPECT_EQ(delta(3, 1), -16);
}

TEST_F(Anchors, AHeaderOfVariableSizeBeginsAnAnchor) {
  write("%in = baker.packet_decap %ph, %n {t.n = 3} : !p -> !p\n"
        "%on = baker.packet_decap %in, %c4 {t.n = 4} : !p -> !p\n");
  EXPECT_EQ(delta(3, 3), 0);
  EXPECT_EQ(delta(4, 3), 4);
  // All handles have the same descriptor.
  EXPECT_EQ(delta(3, 1, Bytes::Descriptor), 0);
  EXPECT_EQ(delta(4, 1, Bytes::Descriptor), 0);
}

TEST_F(Anchors, AppendedBytesBeginAnAnchorAndRemovedOnesDoNot) {
  write(decap4 +
        "%long = baker.packet_add_tail %in, %n {t.n = 4} : !p\n"
        "%short = baker.packet_remove_tail %long, %n {t.n = 5} : !p\n");
  EXPECT_EQ(delta(4, 4), 0);
  EXPECT_EQ(delta(5, 4), 0);
  EXPECT_EQ(delta(4, 1, Bytes::Descriptor), 0);
  write(decap4 + "%short = baker.packet_remove_tail %in, %n {t.n = 4} : !p\n");
  EXPECT_EQ(delta(4, 1), 4);
}

TEST_F(Anchors, HandlesThatMeetAtOneDistanceKeepIt) {
  write("cf.cond_br %c, ^one, ^other\n^one:\n" + decap4 +
        "cf.br ^end(%in : !p)\n^other:\n"
        "%other = baker.packet_decap %ph, %c4 : !p -> !p\n"
        "cf.br ^end(%other : !p)\n^end(%p: !p):\n"
        "%on = baker.packet_decap %p, %c4 {t.n = 4} : !p -> !p\n");
  EXPECT_EQ(delta(4, 1), 8);
}

TEST_F(Anchors, HandlesThatMeetAtTwoDistancesBeginAnAnchor) {
  write("cf.cond_br %c, ^one, ^end(%ph : !p)\n^one:\n" + decap4 +
        "cf.br ^end(%in : !p)\n^end(%p: !p):\n"
        "%on = baker.packet_decap %p, %c4 {t.n = 4} : !p -> !p\n");
  const AnchorOffset offset =
      AnchorOffsets(function(), Bytes::Data).of(value(4));
  EXPECT_TRUE(isa<BlockArgument>(offset.anchor));
  EXPECT_EQ(offset.delta, 4);
}

TEST_F(Anchors, TheHeadOfAReceivedPacketIsAfterTheHeadroom) {
  write("%made = baker.packet_create %n {t.n = 3} : !p\n");
  EXPECT_EQ(headOf(value(1)), std::nullopt);
  EXPECT_EQ(headOf(value(2)), 128);
  EXPECT_EQ(headOf(value(3)), 128);
}

TEST_F(Anchors, TheHeadOfAMessageIsThatOfItsChannelIfItHasOne) {
  write("%one = baker.packet_take %m, %n {t.n = 3, baker.head = "
        "#baker.head<offset 142>} : !p\n"
        "%many = baker.packet_take %m, %n {t.n = 4, baker.head = "
        "#baker.head<mod 8 is 6>} : !p\n"
        "%a = baker.packet_read %one \"2\" : !p -> i32\n");
  EXPECT_EQ(headOf(value(3)), 142);
  EXPECT_EQ(headOf(value(4)), std::nullopt);
  const Anchor anchor = anchorOf(3);
  EXPECT_EQ(anchor.grain, 8);
  EXPECT_EQ(anchor.floorTo(2, 8), 2); // byte 144 of the buffer
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

TEST_F(Anchors, AccessesAreRelativeToTheAnchor) {
  write("%a = baker.packet_read %ph \"2\" : !p -> i32\n" + decap4 +
        "baker.packet_write %v, %in \"6\" : i32, !p\n"
        "%h = baker.packet_read %in \"half\" : !p -> i4\n"
        "baker.channel_put @out, %in : !p\n");
  const Anchor anchor = anchorOf(1);
  EXPECT_THAT(eventsOf(anchor),
              ElementsAre("r32 at 16", "w32 at 80", "r4 at 36", "flush"));
  EXPECT_FALSE(anchor.head);
  EXPECT_FALSE(anchor.isZero);
  // Bytes 2 to 13. Words begin where the first access does.
  EXPECT_EQ(anchor.grain, 1);
  EXPECT_EQ(anchor.phase, 2);
  EXPECT_LE(anchor.window.low, 2);
  EXPECT_GE(anchor.window.high, 14);
}

const std::string readWord =
    "%w = baker.packet_read %ph \"word\"[%n] : !p -> i32\n";

TEST_F(Anchors, AReadWithAVariableIndexNeedsWhatIsWrittenBefore) {
  write("baker.packet_write %v, %ph \"4\" : i32, !p\n" + readWord +
        "%a = baker.packet_read %ph \"4\" : !p -> i32\n"
        "baker.packet_drop %ph : !p\n");
  EXPECT_THAT(eventsOf(anchorOf(1)),
              ElementsAre("w32 at 32", "flush", "r32 at 32", "drop"));
}

TEST_F(Anchors, AReadWithAVariableIndexIsNoFlushOfOtherBytes) {
  write("baker.packet_write %v, %ph \"16\" : i32, !p\n" + readWord +
        "%a = baker.packet_read %ph \"4\" : !p -> i32\n"
        "baker.packet_drop %ph : !p\n");
  EXPECT_THAT(eventsOf(anchorOf(1)),
              ElementsAre("w32 at 128", "r32 at 32", "drop"));
}

TEST_F(Anchors, AReadInALoopFindsWhatIsWrittenBeforeTheLoop) {
  write("baker.packet_write %v, %ph \"4\" : i32, !p\n"
        "cf.br ^loop\n^loop:\n" +
        readWord +
        "cf.cond_br %c, ^loop, ^end\n^end:\nbaker.packet_drop %ph : !p\n");
  const Anchor anchor = anchorOf(1);
  EXPECT_THAT(eventsOf(anchor), ElementsAre("w32 at 32", "flush", "drop"));
  for (const auto &[block, events] : anchor.events)
    for (const Event &event : events)
      if (event.kind == Event::Flush)
        EXPECT_TRUE(block->isEntryBlock());
}

TEST_F(Anchors, AReadInALoopThatWritesIsAFlushThere) {
  write("cf.br ^loop\n^loop:\n"
        "baker.packet_write %v, %ph \"4\" : i32, !p\n" +
        readWord +
        "cf.cond_br %c, ^loop, ^end\n^end:\nbaker.packet_drop %ph : !p\n");
  EXPECT_THAT(eventsOf(anchorOf(1)), ElementsAre("w32 at 32", "flush", "drop"));
}

TEST_F(Anchors, AWriteWithAVariableIndexKeepsItsBytesApart) {
  write("%a = baker.packet_read %ph \"4\" : !p -> i32\n"
        "%b = baker.packet_read %ph \"16\" : !p -> i32\n"
        "baker.packet_write %v, %ph \"word\"[%n] : i32, !p\n"
        "baker.packet_drop %ph : !p\n");
  const Anchor anchor = anchorOf(1);
  EXPECT_THAT(eventsOf(anchor), ElementsAre("r32 at 128", "drop"));
  EXPECT_TRUE(anchor.isVolatile(0, 16));
  EXPECT_FALSE(anchor.isVolatile(16, 20));
}

TEST_F(Anchors, AccessesInFrontOfTheAnchorAreNegative) {
  write(encap16 + "baker.packet_write %v, %oh \"4\" : i32, !p\n"
                  "baker.packet_drop %oh : !p\n");
  EXPECT_THAT(eventsOf(anchorOf(1)), ElementsAre("w32 at -96", "drop"));
}

TEST_F(Anchors, AReceivedPacketHasItsHeadAndItsQuadwords) {
  write("%a = baker.packet_read %rx \"2\" : !p -> i32\n"
        "baker.packet_drop %rx : !p\n");
  const Anchor anchor = anchorOf(2);
  EXPECT_EQ(anchor.head, 128);
  EXPECT_EQ(anchor.grain, 8);
  EXPECT_EQ(anchor.phase, 0);
  EXPECT_FALSE(anchor.isZero);
  write("%made = baker.packet_create %n {t.n = 3} : !p\n"
        "%a = baker.packet_read %made \"2\" : !p -> i32\n"
        "baker.packet_drop %made : !p\n");
  EXPECT_TRUE(anchorOf(3).isZero);
}

TEST_F(Anchors, WordsOfTheDescriptorAreBytesOfIt) {
  write("%a = baker.meta_read %ph @m6 : !p -> i16\n"
        "%w = arith.extui %v : i32 to i48\n"
        "baker.meta_write %w, %ph @m7 : i48, !p\n"
        "baker.packet_drop %ph : !p\n");
  const Anchor anchor = anchorOf(1, Bytes::Descriptor);
  // The program's words follow four words of the runtime. An access is one of
  // whole words: of word 6, and of words 7 and 8.
  EXPECT_THAT(eventsOf(anchor),
              ElementsAre("r32 at " + std::to_string(32 * (4 + 6)),
                          "w64 at " + std::to_string(32 * (4 + 7)), "drop"));
  EXPECT_EQ(anchor.grain, 4);
}

TEST_F(Anchors, RoundingIsByTheAlignment) {
  Anchor anchor;
  anchor.grain = 8;
  anchor.phase = 2;
  // Quadwords begin at -6, 2, 10.
  EXPECT_EQ(anchor.floorTo(2, 8), 2);
  EXPECT_EQ(anchor.floorTo(9, 8), 2);
  EXPECT_EQ(anchor.floorTo(1, 8), -6);
  EXPECT_EQ(anchor.ceilTo(2, 8), 2);
  EXPECT_EQ(anchor.ceilTo(3, 8), 10);
  EXPECT_EQ(anchor.ceilTo(-6, 8), -6);
  EXPECT_EQ(anchor.ceilTo(-5, 8), 2);
}

TEST_F(Anchors, BytesNextToAVolatileRangeAreNotVolatile) {
  Anchor anchor;
  anchor.volatileRanges = {{4, 8}};
  EXPECT_TRUE(anchor.isVolatile(4, 8));
  EXPECT_TRUE(anchor.isVolatile(0, 5));
  EXPECT_TRUE(anchor.isVolatile(7, 9));
  EXPECT_FALSE(anchor.isVolatile(0, 4));
  EXPECT_FALSE(anchor.isVolatile(8, 12));
}

TEST(AccessedBytes, EnclosePartsOfBytes) {
  Event event{Event::Read, nullptr, {}, 12, 6, nullptr};
  EXPECT_EQ(event.byteBegin(), 1);
  EXPECT_EQ(event.bitEnd(), 18);
  EXPECT_EQ(event.byteEnd(), 3);
  event.bit = -4;
  EXPECT_EQ(event.byteBegin(), -1);
  EXPECT_EQ(event.byteEnd(), 1);
  event.width = 4;
  EXPECT_EQ(event.byteEnd(), 0);
}

} // namespace
} // namespace karakal::passes::pac
