// The plan of commands for a packet's bytes, against costs computed by hand.
//
// A command of up to 32 bytes of DRAM takes 36 + 4 * 2 = 44 cycles, one of up
// to 64 bytes 36 + 8 * 2 = 52; one of n words of SRAM 9 + 3 * (n - 1).

#include "passes/pac/PacPlan.h"

#include "tests/passes/FunctionText.h"

#include <gmock/gmock.h>

using namespace mlir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

namespace karakal::passes::pac {
namespace {

/// The bytes of a command, relative to its anchor.
struct Range {
  int32_t begin, end;
  bool operator==(const Range &other) const {
    return begin == other.begin && end == other.end;
  }
};

void PrintTo(const Range &range, std::ostream *stream) {
  *stream << "[" << range.begin << ", " << range.end << ")";
}

constexpr double upTo32Bytes = 44, upTo64Bytes = 52;
constexpr double words(unsigned count) { return 9 + 3 * (count - 1); }

class Planned : public FunctionText {
protected:
  /// The plan of the first packet of a function. Field "N" is 32 bits at byte
  /// N, "half" the first 4 bits; "mN" is a word of metadata.
  Plan plan(const std::string &operations, Bytes bytes = Bytes::Data) {
    std::string fields = "#baker.protocol_field<\"half\" at 0 : 4>";
    for (unsigned byte = 0; byte < 80; ++byte)
      fields += ", #baker.protocol_field<\"" + std::to_string(byte) + "\" at " +
                std::to_string(8 * byte) + " : 32>";
    std::string metadata;
    for (unsigned word = 6; word < 16; ++word)
      metadata += "baker.metadata @m" + std::to_string(word) +
                  " : i32 {baker.word = " + std::to_string(word) + " : i32}\n";
    parse(metadata + "baker.protocol @p min_bytes 84 [" + fields + "]\n" +
          "baker.channel @out : \"p\" from \"f\" to @tx\n" +
          "!p = !baker.packet<\"p\">\n"
          "func.func @f(%m: i32, %n: i32, %c: i1, %v: i32, %h: i4) {\n"
          "  %c16 = arith.constant 16 : i32\n" +
          operations + "\n  return\n}");
    dominance = std::make_unique<DominanceInfo>(function());
    const Frequencies frequencies(function(), *dominance);
    anchors = findAnchors(function(), bytes);
    EXPECT_FALSE(anchors.empty());
    if (anchors.empty())
      return {};
    EXPECT_FALSE(anchors[0].blocker);
    Plan made = makePlan(anchors[0], *dominance, frequencies);
    EXPECT_FALSE(made.blocker);
    return made;
  }

  std::unique_ptr<DominanceInfo> dominance;
  std::vector<Anchor> anchors;
};

template <typename Command>
std::vector<Range> rangesOf(const std::vector<Command> &commands) {
  std::vector<Range> ranges;
  for (const Command &command : commands)
    ranges.push_back({command.begin, command.end});
  return ranges;
}

std::vector<std::string> reasonsOf(const Plan &plan) {
  std::vector<std::string> reasons;
  for (const Refusal &refusal : plan.refusals)
    reasons.push_back(refusal.why);
  return reasons;
}

/// The bytes that a store writes.
std::vector<int> writtenBy(const PlannedStore &store, const Window &window) {
  std::vector<int> bytes;
  for (unsigned byte : store.written.set_bits())
    bytes.push_back(int(byte) + window.low);
  return bytes;
}

/// A packet whose alignment is not known, and one from Rx.
const std::string taken = "%ph = baker.packet_take %m, %n : !p\n";
const std::string received = "%ph = baker.packet_take %m, %n from_rx : !p\n";
const std::string dropped = "baker.packet_drop %ph : !p\n";
const std::string sent = "baker.channel_put @out, %ph : !p\n";

std::string read(unsigned byte, unsigned tag = 0) {
  static unsigned count = 0;
  return "%r" + std::to_string(count++) + " = baker.packet_read %ph \"" +
         std::to_string(byte) + "\" {t.n = " + std::to_string(tag) +
         "} : !p -> i32\n";
}

std::string write(unsigned byte) {
  return "baker.packet_write %v, %ph \"" + std::to_string(byte) +
         "\" : i32, !p\n";
}

std::string metaRead(unsigned word) {
  static unsigned count = 0;
  return "%x" + std::to_string(count++) + " = baker.meta_read %ph @m" +
         std::to_string(word) + " : !p -> i32\n";
}

//===----------------------------------------------------------------------===//
// Frequencies
//===----------------------------------------------------------------------===//

class BlockFrequencies : public FunctionText {
protected:
  /// The frequencies of the blocks in their order.
  std::vector<double> of(const std::string &operations) {
    parse("func.func @f(%c: i1, %ph: !baker.packet<\"p\">) {\n" + operations +
          "\n}");
    DominanceInfo dominance(function());
    const Frequencies frequencies(function(), dominance);
    std::vector<double> found;
    for (Block &block : function().getBody())
      found.push_back(frequencies.of(&block));
    return found;
  }
};

TEST_F(BlockFrequencies, OfABranchWithoutAProfileAreEqual) {
  EXPECT_THAT(of("  cf.cond_br %c, ^a, ^b\n^a:\n  cf.br ^end\n"
                 "^b:\n  cf.br ^end\n^end:\n  return"),
              ElementsAre(1, 0.5, 0.5, 1));
}

TEST_F(BlockFrequencies, OfABranchWithAProfileAreItsShares) {
  EXPECT_THAT(of("  cf.cond_br %c, ^a, ^b {baker.branch = array<i64: 30, 10>}\n"
                 "^a:\n  cf.br ^end\n^b:\n  cf.br ^end\n^end:\n  return"),
              ElementsAre(1, 0.75, 0.25, 1));
}

TEST_F(BlockFrequencies, FewPacketsAreDropped) {
  EXPECT_THAT(of("  cf.cond_br %c, ^a, ^b\n"
                 "^a:\n  baker.packet_drop %ph : !baker.packet<\"p\">\n"
                 "  return\n^b:\n  return"),
              ElementsAre(1, 0.1, 0.9));
}

TEST_F(BlockFrequencies, ALoopHasEightIterations) {
  const std::vector<double> found =
      of("  cf.br ^head\n^head:\n  cf.cond_br %c, ^body, ^end\n"
         "^body:\n  cf.br ^head\n^end:\n  return");
  EXPECT_EQ(found[1], 8);
  EXPECT_EQ(found[2], 4);
  EXPECT_LE(found[3], 1);
}

//===----------------------------------------------------------------------===//
// The state of bits
//===----------------------------------------------------------------------===//

TEST_F(Planned, BitsAreDirtyOnSomePathAndAssignedOnEvery) {
  plan(taken + "cf.cond_br %c, ^one, ^other\n^one:\n" + write(0) + write(4) +
       "cf.br ^end\n^other:\n" + write(4) + "cf.br ^end\n^end:\n" + read(8, 1) +
       "%x = baker.packet_length %ph {t.n = 2} : !p\n" + dropped);
  const Anchor &anchor = anchors[0];
  const BitFlow flow(anchor, *dominance);
  const BitState state = flow.before(op(2));
  for (int bit : {0, 31})
    EXPECT_TRUE(anchor.window.hasBit(state.dirty, bit) &&
                !anchor.window.hasBit(state.assigned, bit));
  for (int bit : {32, 63})
    EXPECT_TRUE(anchor.window.hasBit(state.dirty, bit) &&
                anchor.window.hasBit(state.assigned, bit));
  for (int bit : {64, 95})
    EXPECT_TRUE(!anchor.window.hasBit(state.dirty, bit) &&
                !anchor.window.hasBit(state.assigned, bit));
}

TEST_F(Planned, ABlockThatWritesMeetsOneThatDoesNot) {
  plan(taken + "cf.cond_br %c, ^one, ^other\n^one:\n" + write(0) +
       "cf.br ^end\n^other:\ncf.br ^end\n^end:\n" + read(8, 1) + dropped);
  const BitFlow flow(anchors[0], *dominance);
  std::vector<bool> meets;
  for (Block &block : function().getBody())
    meets.push_back(flow.meetsUnwritten(&block));
  EXPECT_THAT(meets, ElementsAre(false, true, false, false));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

TEST_F(Planned, OneCommandServesReadsThatAreClose) {
  const Plan one = plan(taken + read(0) + dropped);
  EXPECT_THAT(rangesOf(one.loads), ElementsAre(Range{0, 4}));
  EXPECT_EQ(one.loads[0].reads, 1u);
  EXPECT_EQ(one.cost, upTo32Bytes);
  const Plan two = plan(taken + read(0) + read(28) + dropped);
  EXPECT_THAT(rangesOf(two.loads), ElementsAre(Range{0, 32}));
  EXPECT_EQ(two.loads[0].reads, 2u);
  EXPECT_EQ(two.cost, upTo32Bytes);
  const Plan longer = plan(taken + read(0) + read(29) + dropped);
  EXPECT_THAT(rangesOf(longer.loads), ElementsAre(Range{0, 36}));
  EXPECT_EQ(longer.cost, upTo64Bytes);
  EXPECT_THAT(two.stores, IsEmpty());
}

TEST_F(Planned, ACommandLoadsAtMost56Bytes) {
  const Plan most = plan(taken + read(0) + read(52) + dropped);
  EXPECT_THAT(rangesOf(most.loads), ElementsAre(Range{0, 56}));
  const Plan more = plan(taken + read(0) + read(56) + dropped);
  EXPECT_THAT(rangesOf(more.loads), ElementsAre(Range{0, 4}, Range{56, 60}));
  EXPECT_EQ(more.cost, 2 * upTo32Bytes);
  EXPECT_THAT(reasonsOf(more),
              ElementsAre("more bytes than one command moves"));
}

TEST_F(Planned, AReadOnARarePathHasACommandOfItsOwn) {
  // One command costs 52; two cost 44 (1 + f), which is more if f > 8 / 44.
  const auto withShare = [](const std::string &counts) {
    return taken + read(0) +
           "cf.cond_br %c, ^rare, ^end {baker.branch = array<i64: " + counts +
           ">}\n^rare:\n" + read(40) + "cf.br ^end\n^end:\n" + dropped;
  };
  const Plan together = plan(withShare("19, 81"));
  EXPECT_THAT(rangesOf(together.loads), ElementsAre(Range{0, 44}));
  EXPECT_EQ(together.cost, upTo64Bytes);
  const Plan apart = plan(withShare("18, 82"));
  EXPECT_THAT(rangesOf(apart.loads), ElementsAre(Range{0, 4}, Range{40, 44}));
  EXPECT_NEAR(apart.cost, upTo32Bytes * 1.18, 1e-9);
  EXPECT_THAT(reasonsOf(apart),
              ElementsAre("one command for both would execute too often"));
}

TEST_F(Planned, ReadsOfBothPathsAreLoadedBeforeTheBranch) {
  const Plan made = plan(taken + "cf.cond_br %c, ^one, ^other {t.n = 1}\n" +
                         "^one:\n" + read(0) + "cf.br ^end\n^other:\n" +
                         read(8) + "cf.br ^end\n^end:\n" + dropped);
  EXPECT_THAT(rangesOf(made.loads), ElementsAre(Range{0, 12}));
  EXPECT_EQ(made.loads[0].before, op(1));
  EXPECT_EQ(made.cost, upTo32Bytes);
}

TEST_F(Planned, AReadInALoopIsLoadedBeforeIt) {
  const Plan made = plan(taken + "cf.br ^loop {t.n = 1}\n^loop:\n" + read(0) +
                         "cf.cond_br %c, ^loop, ^end\n^end:\n" + dropped);
  EXPECT_THAT(rangesOf(made.loads), ElementsAre(Range{0, 4}));
  EXPECT_EQ(made.loads[0].before, op(1));
  EXPECT_EQ(made.cost, upTo32Bytes);
}

TEST_F(Planned, ALoadIsBeforeTheFirstOfItsReads) {
  const Plan made = plan(taken + "%x = arith.addi %m, %n : i32\n" + read(8, 1) +
                         read(0, 2) + dropped);
  EXPECT_THAT(rangesOf(made.loads), ElementsAre(Range{0, 12}));
  EXPECT_EQ(made.loads[0].before, op(1));
  EXPECT_EQ(made.loads[0].handle, anchors[0].value);
}

TEST_F(Planned, QuadwordsAreLoadedWholeIfTheirAlignmentIsKnown) {
  EXPECT_THAT(rangesOf(plan(received + read(4) + dropped).loads),
              ElementsAre(Range{0, 8}));
  EXPECT_THAT(rangesOf(plan(received + read(6) + dropped).loads),
              ElementsAre(Range{0, 16}));
  EXPECT_THAT(rangesOf(plan(taken + read(6) + dropped).loads),
              ElementsAre(Range{6, 10}));
}

TEST_F(Planned, ALoadIsNotBeforeAHeaderIsPutInFront) {
  const Plan made =
      plan(taken + "%oh = baker.packet_encap %ph, %c16 {t.n = 1} : !p -> !p\n" +
           "%outer = baker.packet_read %oh \"0\" {t.n = 2} : !p -> i32\n" +
           "baker.packet_drop %oh : !p\n");
  ASSERT_THAT(rangesOf(made.loads), ElementsAre(Range{-16, -12}));
  EXPECT_EQ(made.loads[0].before, op(2));
  EXPECT_EQ(made.loads[0].handle, value(1));
  // Together with a read before, it is two commands.
  const Plan two =
      plan(taken + read(0) + "%oh = baker.packet_encap %ph, %c16 : !p -> !p\n" +
           "%outer = baker.packet_read %oh \"0\" : !p -> i32\n" +
           "baker.packet_drop %oh : !p\n");
  EXPECT_THAT(rangesOf(two.loads),
              UnorderedElementsAre(Range{-16, -12}, Range{0, 4}));
  EXPECT_THAT(
      reasonsOf(two),
      ElementsAre("the common point is before a header was put in front"));
  // With a known head, the buffer's bytes in front are loaded, too.
  const Plan known = plan(received + read(0) +
                          "%oh = baker.packet_encap %ph, %c16 : !p -> !p\n" +
                          "%outer = baker.packet_read %oh \"0\" : !p -> i32\n" +
                          "baker.packet_drop %oh : !p\n");
  EXPECT_THAT(rangesOf(known.loads), ElementsAre(Range{-16, 8}));
}

TEST_F(Planned, BytesThatMayBeWrittenAreLoadedBeforeTheWrite) {
  // At the read, the bytes are written on one of two paths.
  const Plan made =
      plan(taken + "cf.cond_br %c, ^one, ^end {t.n = 1}\n^one:\n" + write(0) +
           "cf.br ^end\n^end:\n" + read(0, 2) + dropped);
  ASSERT_THAT(rangesOf(made.loads), ElementsAre(Range{0, 4}));
  EXPECT_EQ(made.loads[0].before, op(1));
  // Other bytes are loaded where they are read.
  const Plan other =
      plan(taken + "cf.cond_br %c, ^one, ^end {t.n = 1}\n^one:\n" + write(0) +
           "cf.br ^end\n^end:\n" + read(8, 2) + dropped);
  ASSERT_THAT(rangesOf(other.loads), ElementsAre(Range{8, 12}));
  EXPECT_EQ(other.loads[0].before, op(2));
}

TEST_F(Planned, AReadOfWrittenBytesNeedsNoLoad) {
  const Plan made = plan(taken + write(0) + read(0) + dropped);
  EXPECT_THAT(made.loads, IsEmpty());
  EXPECT_THAT(made.stores, IsEmpty());
  EXPECT_EQ(made.cost, 0);
  // Half of the bytes are written.
  EXPECT_THAT(rangesOf(plan(taken + write(0) + read(2) + dropped).loads),
              ElementsAre(Range{4, 8}));
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

TEST_F(Planned, AWriteOfWholeBytesReadsNothing) {
  const Plan made = plan(taken + write(0) + write(8) + sent);
  EXPECT_THAT(made.loads, IsEmpty());
  ASSERT_THAT(rangesOf(made.stores), ElementsAre(Range{0, 12}));
  EXPECT_THAT(writtenBy(made.stores[0], anchors[0].window),
              ElementsAre(0, 1, 2, 3, 8, 9, 10, 11));
  EXPECT_EQ(made.cost, upTo32Bytes);
}

TEST_F(Planned, AWriteOfAPartOfAByteReadsTheByte) {
  const Plan made =
      plan(taken + "baker.packet_write %h, %ph \"half\" : i4, !p\n" + sent);
  EXPECT_THAT(rangesOf(made.loads), ElementsAre(Range{0, 4}));
  EXPECT_THAT(rangesOf(made.stores), ElementsAre(Range{0, 4}));
  EXPECT_EQ(made.cost, 2 * upTo32Bytes);
}

TEST_F(Planned, AStoreSpansAGapOfFewerThan31Bytes) {
  // From byte 3 to byte 34 are 31, to byte 35 are 32.
  const Plan one = plan(taken + write(0) + write(34) + sent);
  EXPECT_THAT(rangesOf(one.stores), ElementsAre(Range{0, 40}));
  EXPECT_EQ(one.cost, upTo64Bytes);
  const Plan two = plan(taken + write(0) + write(35) + sent);
  EXPECT_THAT(rangesOf(two.stores), ElementsAre(Range{0, 4}, Range{35, 39}));
  EXPECT_EQ(two.cost, 2 * upTo32Bytes);
}

TEST_F(Planned, QuadwordsAreWrittenWholeIfTheirAlignmentIsKnown) {
  // The other half of the quadword is read.
  const Plan half = plan(received + write(0) + sent);
  EXPECT_THAT(rangesOf(half.loads), ElementsAre(Range{0, 8}));
  ASSERT_THAT(rangesOf(half.stores), ElementsAre(Range{0, 8}));
  EXPECT_THAT(writtenBy(half.stores[0], anchors[0].window),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(half.cost, 2 * upTo32Bytes);
  const Plan whole = plan(received + write(0) + write(4) + sent);
  EXPECT_THAT(whole.loads, IsEmpty());
  EXPECT_EQ(whole.cost, upTo32Bytes);
}

TEST_F(Planned, AlignedStoresHave64BytesAndOthers56) {
  std::string all;
  for (unsigned byte = 0; byte < 64; byte += 4)
    all += write(byte);
  EXPECT_THAT(rangesOf(plan(received + all + sent).stores),
              ElementsAre(Range{0, 64}));
  EXPECT_THAT(rangesOf(plan(taken + all + sent).stores),
              ElementsAre(Range{0, 56}, Range{56, 64}));
}

TEST_F(Planned, AWriteOnOnePathIsWrittenThere) {
  const Plan made = plan(taken + "cf.cond_br %c, ^one, ^end\n^one:\n" +
                         write(0) + "cf.br ^end {t.n = 1}\n^end:\n" + sent);
  ASSERT_THAT(rangesOf(made.stores), ElementsAre(Range{0, 4}));
  EXPECT_EQ(made.stores[0].before, op(1));
  EXPECT_THAT(made.loads, IsEmpty());
  EXPECT_EQ(made.cost, upTo32Bytes / 2);
}

TEST_F(Planned, AWriteOnEachPathIsWrittenAfterThem) {
  const Plan made =
      plan(taken + "cf.cond_br %c, ^one, ^other\n^one:\n" + write(0) +
           "cf.br ^end\n^other:\n" + write(0) + "cf.br ^end\n^end:\n" + sent);
  ASSERT_THAT(rangesOf(made.stores), ElementsAre(Range{0, 4}));
  EXPECT_TRUE(isa<ir::ChannelPutOp>(made.stores[0].before));
  EXPECT_EQ(made.cost, upTo32Bytes);
}

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

TEST_F(Planned, WordsOfTheDescriptorCostByTheirNumber) {
  const auto reads = [](unsigned one, unsigned other) {
    return taken + metaRead(one) + metaRead(other) + dropped;
  };
  const Plan next = plan(reads(6, 7), Bytes::Descriptor);
  EXPECT_EQ(next.loads.size(), 1u);
  EXPECT_EQ(next.loads[0].end - next.loads[0].begin, 8);
  EXPECT_EQ(next.cost, words(2));
  // Four words cost as much as two commands, five cost more.
  const Plan four = plan(reads(6, 9), Bytes::Descriptor);
  EXPECT_EQ(four.loads.size(), 1u);
  EXPECT_EQ(four.cost, words(4));
  const Plan five = plan(reads(6, 10), Bytes::Descriptor);
  EXPECT_EQ(five.loads.size(), 2u);
  EXPECT_EQ(five.cost, 2 * words(1));
}

TEST_F(Planned, ACommandOfTheDescriptorMovesAtMostEightWords) {
  std::string eight, nine;
  for (unsigned word = 6; word < 14; ++word)
    eight += metaRead(word);
  nine = eight + metaRead(14);
  const Plan one = plan(taken + eight + dropped, Bytes::Descriptor);
  EXPECT_EQ(one.cost, words(8));
  EXPECT_EQ(one.loads.size(), 1u);
  const Plan two = plan(taken + nine + dropped, Bytes::Descriptor);
  EXPECT_EQ(two.loads.size(), 2u);
  EXPECT_EQ(two.cost, words(8) + words(1));
}

} // namespace
} // namespace karakal::passes::pac
