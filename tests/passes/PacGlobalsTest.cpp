// Bursts of global data: which loads and stores they serve and which keep them
// apart, against words counted by hand.

#include "passes/pac/PacGlobals.h"

#include "tests/passes/FunctionText.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"

#include <gmock/gmock.h>

using namespace mlir;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace karakal::passes::pac {
namespace {

/// `words at` of a burst.
struct Burst {
  size_t words;
  uint32_t at;
  bool operator==(const Burst &other) const {
    return words == other.words && at == other.at;
  }
};

void PrintTo(const Burst &burst, std::ostream *stream) {
  *stream << burst.words << " words at " << burst.at;
}

class Globals : public FunctionText {
protected:
  /// A function whose %x is an element of @table, at an index that is not
  /// known, and %y another. Its words: a 0, b 1, wide 2 and 3, short 4, list 5
  /// to 14.
  void write(const std::string &operations) {
    parse(R"(
!entry = !baker.struct<"entry", a : i32, b : i32, wide : i48, short : i16, list : !baker.array<10 x i32>>
baker.protocol @p min_bytes 14 [#baker.protocol_field<"type" at 96 : 16>]
baker.channel @out : "p" from "f" to @tx
baker.global @table : !baker.array<4 x !entry>
baker.global @other : !baker.array<4 x !entry>
func.func private @g()
func.func @f(%i: i32, %j: i32, %c: i1, %v: i32, %s: i16, %w: i48, %ph: !baker.packet<"p">) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %table = baker.global_ref @table : !baker.ref<!baker.array<4 x !entry>>
  %other = baker.global_ref @other : !baker.ref<!baker.array<4 x !entry>>
  %x = baker.element %table[%i] : !baker.ref<!baker.array<4 x !entry>>
  %y = baker.element %table[%j] : !baker.ref<!baker.array<4 x !entry>>
  %z = baker.element %other[%i] : !baker.ref<!baker.array<4 x !entry>>
  %xa = baker.field %x "a" : !baker.ref<!entry>
  %xb = baker.field %x "b" : !baker.ref<!entry>
  %xw = baker.field %x "wide" : !baker.ref<!entry>
  %xs = baker.field %x "short" : !baker.ref<!entry>
  %xl = baker.field %x "list" : !baker.ref<!entry>
  %x0 = baker.element %xl[%c0] : !baker.ref<!baker.array<10 x i32>>
  %x1 = baker.element %xl[%c1] : !baker.ref<!baker.array<10 x i32>>
  %x2 = baker.element %xl[%c2] : !baker.ref<!baker.array<10 x i32>>
  %x3 = baker.element %xl[%c3] : !baker.ref<!baker.array<10 x i32>>
  %xi = baker.element %xl[%j] : !baker.ref<!baker.array<10 x i32>>
  %ya = baker.field %y "a" : !baker.ref<!entry>
  %yb = baker.field %y "b" : !baker.ref<!entry>
  %za = baker.field %z "a" : !baker.ref<!entry>
)" + operations +
          R"(
  return
}
)");
  }

  /// A function whose %word and %last are single words.
  GlobalCounts combinedLoads(const std::string &operations) {
    write(operations);
    DominanceInfo dominance(function());
    const Frequencies frequencies(function(), dominance);
    return combineLoads(function(), dominance, frequencies);
  }

  std::vector<Burst> loads(const std::string &operations,
                           unsigned accesses = 2) {
    return burstsOf<ir::LoadWordsOp>(combinedLoads(operations), accesses);
  }

  std::vector<Burst> stores(const std::string &operations,
                            unsigned accesses = 2) {
    write(operations);
    return burstsOf<ir::StoreWordsOp>(combineStores(function()), accesses);
  }

private:
  /// The bursts that the pass made. They are as many as counted, and serve
  /// `accesses`.
  template <typename Op>
  std::vector<Burst> burstsOf(const GlobalCounts &counts, unsigned accesses) {
    std::vector<Burst> found;
    function().walk([&](Op op) {
      if (!op->hasAttr("t.own"))
        found.push_back({op.getWords().size(), uint32_t(op.getAt())});
    });
    EXPECT_EQ(counts.commands, found.size());
    EXPECT_EQ(counts.accesses, found.empty() ? 0 : accesses);
    EXPECT_TRUE(succeeded(verify(*module)));
    return found;
  }
};

std::string load(const std::string &ref, const std::string &type = "i32") {
  static unsigned count = 0;
  return "%l" + std::to_string(count++) + " = baker.load " + ref +
         " : !baker.ref<" + type + ">\n";
}

std::string store(const std::string &ref, const std::string &value = "%v",
                  const std::string &type = "i32") {
  return "baker.store " + value + ", " + ref + " : !baker.ref<" + type + ">\n";
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

TEST_F(Globals, AReferenceWithConstantIndicesIsAWordOfItsObject) {
  write("%near = baker.element %table[%c2] : !baker.ref<!baker.array<4 x "
        "!entry>>\n"
        "%field = baker.field %near \"wide\" {t.n = 1} : !baker.ref<!entry>\n"
        "%far = baker.element %xl[%c3] {t.n = 2} : !baker.ref<!baker.array<10 "
        "x i32>>\n"
        "%some = baker.element %xl[%j] {t.n = 3} : !baker.ref<!baker.array<10 "
        "x i32>>\n");
  ir::GlobalRefOp table;
  function().walk([&](ir::GlobalRefOp op) {
    if (op.getGlobal() == "table")
      table = op;
  });
  // Two elements of 15 words, and two words of the third.
  EXPECT_EQ(objectOf(value(1)), (std::pair<Value, uint32_t>{table, 32u}));
  const Value entry = value(2)
                          .getDefiningOp<ir::ElementOp>()
                          .getArray()
                          .getDefiningOp<ir::FieldOp>()
                          .getRecord();
  EXPECT_EQ(objectOf(value(2)), (std::pair<Value, uint32_t>{entry, 5u + 3}));
  // An index that is not known begins an object.
  EXPECT_EQ(objectOf(value(3)), (std::pair<Value, uint32_t>{value(3), 0u}));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

TEST_F(Globals, LoadsOfAnObjectAreOneBurstFromTheFirstWordToTheLast) {
  EXPECT_THAT(loads(load("%xa") + load("%xb")), ElementsAre(Burst{2, 0}));
  EXPECT_THAT(loads(load("%xb") + load("%xa")), ElementsAre(Burst{2, 0}));
  EXPECT_THAT(loads(load("%xb") + load("%xw", "i48")),
              ElementsAre(Burst{3, 1}));
  EXPECT_THAT(loads(load("%xb") + load("%xs", "i16")),
              ElementsAre(Burst{4, 1}));
  EXPECT_THAT(loads(load("%xa") + load("%xb") + load("%x0"), 3),
              ElementsAre(Burst{6, 0}));
  EXPECT_THAT(loads(load("%xa")), IsEmpty());
  EXPECT_THAT(loads(load("%xa") + load("%ya")), IsEmpty());
}

TEST_F(Globals, ABurstOfLoadsHasAtMostEightWords) {
  EXPECT_THAT(loads(load("%xa") + load("%x2")), ElementsAre(Burst{8, 0}));
  EXPECT_THAT(loads(load("%xa") + load("%x3")), IsEmpty());
  EXPECT_THAT(loads(load("%x3") + load("%xb")), ElementsAre(Burst{8, 1}));
  // What does not fit begins another one.
  EXPECT_THAT(loads(load("%xa") + load("%x3") + load("%x2") + load("%x3"), 4),
              ElementsAre(Burst{8, 0}, Burst{1, 8}));
}

TEST_F(Globals, AnAccessThatMayMakeTheMoveVisibleKeepsLoadsApart) {
  for (const std::string &between :
       {store("%xb"), store("%ya"),
        std::string("baker.store_words [%v] to %x at 4 : !baker.ref<!entry>\n"),
        load("%ya"), load("%za"), load("%xi"),
        std::string("%own:2 = baker.load_words %y at 0 {t.own} : "
                    "!baker.ref<!entry> -> i32, i32\n"),
        std::string("baker.lock %za : !baker.ref<i32>\n"),
        std::string("baker.unlock %za : !baker.ref<i32>\n"),
        std::string("baker.atomic addi %v, %za : !baker.ref<i32>\n"),
        std::string("func.call @g() : () -> ()\n"),
        std::string("%copy = baker.packet_copy %ph : !baker.packet<\"p\">\n"
                    "baker.channel_put @out, %copy : !baker.packet<\"p\">\n")})
    EXPECT_THAT(loads(load("%xa") + between + load("%xb")), IsEmpty())
        << between;
}

TEST_F(Globals, AnAccessElsewhereDoesNot) {
  for (const std::string &between :
       {store("%xa"), store("%xs", "%s", "i16"), store("%xw", "%w", "i48"),
        store("%za"),
        std::string("baker.store_words [%v] to %z at 1 : !baker.ref<!entry>\n"),
        std::string("%own:2 = baker.load_words %x at 0 {t.own} : "
                    "!baker.ref<!entry> -> i32, i32\n"),
        std::string("%t = baker.packet_read %ph \"type\" : "
                    "!baker.packet<\"p\"> -> i16\n")})
    EXPECT_THAT(loads(load("%xa") + between + load("%xb")),
                ElementsAre(Burst{2, 0}))
        << between;
  // Before the first load, all is as it was.
  EXPECT_THAT(loads(store("%xb") + load("%xa") + load("%xb")),
              ElementsAre(Burst{2, 0}));
  EXPECT_THAT(loads(load("%xa") + load("%xb") + store("%xb")),
              ElementsAre(Burst{2, 0}));
}

TEST_F(Globals, AStoreOfAPartOfTheLoadedWordsKeepsLoadsApart) {
  // wide is words 2 and 3.
  EXPECT_THAT(
      loads(load("%xb") + store("%xw", "%w", "i48") + load("%xw", "i48")),
      IsEmpty());
  EXPECT_THAT(loads(load("%xw", "i48") + store("%xb") + load("%xs", "i16")),
              ElementsAre(Burst{3, 2}));
}

TEST_F(Globals, AnAccessOnOnePathKeepsLoadsApart) {
  const auto diamond = [](const std::string &on) {
    return load("%xa") + "cf.cond_br %c, ^one, ^end\n^one:\n" + on +
           "cf.br ^end\n^end:\n" + load("%xb");
  };
  EXPECT_THAT(loads(diamond(store("%xb"))), IsEmpty());
  EXPECT_THAT(loads(diamond(store("%za"))), ElementsAre(Burst{2, 0}));
  // A path that is left before the load does not matter.
  EXPECT_THAT(loads(load("%xa") + "cf.cond_br %c, ^one, ^end\n^one:\n" +
                    store("%xb") + "return\n^end:\n" + load("%xb")),
              ElementsAre(Burst{2, 0}));
  // A loop brings its end before its beginning.
  EXPECT_THAT(loads(load("%xa") + "cf.br ^loop\n^loop:\n" + load("%xb") +
                    store("%xb") + "cf.cond_br %c, ^loop, ^end\n^end:\n"),
              IsEmpty());
}

TEST_F(Globals, TheFirstLoadIsOnEveryPathToTheSecond) {
  EXPECT_THAT(loads("cf.cond_br %c, ^one, ^end\n^one:\n" + load("%xa") +
                    "cf.br ^end\n^end:\n" + load("%xb")),
              IsEmpty());
}

TEST_F(Globals, ARareLoadAddsAtMostFourWords) {
  const auto branch = [](const std::string &counts, const std::string &ref) {
    return load("%xa") +
           "cf.cond_br %c, ^one, ^end {baker.branch = array<i64: " + counts +
           ">}\n^one:\n" + load(ref) + "cf.br ^end\n^end:\n";
  };
  EXPECT_THAT(loads(branch("24, 76", "%x0")), IsEmpty()); // 5 more
  EXPECT_THAT(loads(branch("25, 75", "%x0")), ElementsAre(Burst{6, 0}));
  EXPECT_THAT(loads(branch("1, 99", "%xb")), ElementsAre(Burst{2, 0}));
  const auto shortBranch =
      load("%xa") +
      "cf.cond_br %c, ^one, ^end {baker.branch = array<i64: 1, 99>}\n^one:\n" +
      load("%xs", "i16") + "cf.br ^end\n^end:\n";
  EXPECT_THAT(loads(shortBranch), ElementsAre(Burst{5, 0})); // 4 more
}

TEST_F(Globals, ALoadIsReplacedByItsWords) {
  const GlobalCounts counts = combinedLoads(
      "%la = baker.load %xa : !baker.ref<i32>\n"
      "%lb = baker.load %xb : !baker.ref<i32>\n"
      "%lw = baker.load %xw : !baker.ref<i48>\n"
      "%ls = baker.load %xs : !baker.ref<i16>\n"
      "\"t.use\"(%la, %lb, %lw, %ls) {t.n = 1} : (i32, i32, i48, i16) -> ()\n");
  EXPECT_EQ(counts.commands, 1u);
  EXPECT_EQ(counts.accesses, 4u);
  Operation *use = op(1);
  auto burst = use->getOperand(0).getDefiningOp<ir::LoadWordsOp>();
  ASSERT_TRUE(burst);
  ASSERT_EQ(burst.getWords().size(), 5u);
  EXPECT_EQ(use->getOperand(0), burst.getWords()[0]);
  EXPECT_EQ(use->getOperand(1), burst.getWords()[1]);
  auto cut = use->getOperand(2).getDefiningOp<arith::TruncIOp>();
  ASSERT_TRUE(cut);
  auto both = cut.getIn().getDefiningOp<arith::OrIOp>();
  ASSERT_TRUE(both);
  auto high = both.getLhs().getDefiningOp<arith::ShLIOp>();
  ASSERT_TRUE(high);
  EXPECT_EQ(high.getLhs().getDefiningOp<arith::ExtUIOp>().getIn(),
            burst.getWords()[2]);
  APInt by;
  ASSERT_TRUE(matchPattern(high.getRhs(), m_ConstantInt(&by)));
  EXPECT_EQ(by.getZExtValue(), 32u);
  EXPECT_EQ(both.getRhs().getDefiningOp<arith::ExtUIOp>().getIn(),
            burst.getWords()[3]);
  EXPECT_EQ(use->getOperand(3).getDefiningOp<arith::TruncIOp>().getIn(),
            burst.getWords()[4]);
  unsigned left = 0;
  function().walk([&](ir::LoadOp) { ++left; });
  EXPECT_EQ(left, 0u);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

TEST_F(Globals, StoresToAdjacentWordsAreOneBurst) {
  EXPECT_THAT(stores(store("%xa") + store("%xb")), ElementsAre(Burst{2, 0}));
  EXPECT_THAT(stores(store("%xb") + store("%xa")), ElementsAre(Burst{2, 0}));
  EXPECT_THAT(stores(store("%xw", "%w", "i48") + store("%xb") +
                         store("%xs", "%s", "i16"),
                     3),
              ElementsAre(Burst{4, 1}));
  // A burst writes all its words: none may be missing.
  EXPECT_THAT(stores(store("%xa") + store("%xs", "%s", "i16")), IsEmpty());
  EXPECT_THAT(stores(store("%xa") + store("%xb") + store("%x0") +
                         store("%xs", "%s", "i16"),
                     4),
              ElementsAre(Burst{2, 0}, Burst{2, 4}));
  EXPECT_THAT(stores(store("%xa") + store("%ya")), IsEmpty());
  EXPECT_THAT(stores(store("%xa")), IsEmpty());
}

TEST_F(Globals, ABurstOfStoresHasAtMostEightWords) {
  const std::string seven =
      store("%xa") + store("%xb") + store("%xw", "%w", "i48") +
      store("%xs", "%s", "i16") + store("%x0") + store("%x1");
  EXPECT_THAT(stores(seven + store("%x2"), 7), ElementsAre(Burst{8, 0}));
  EXPECT_THAT(stores(seven + store("%x2") + store("%x3"), 7),
              ElementsAre(Burst{8, 0}));
}

TEST_F(Globals, AnAccessThatMayMakeTheDelayVisibleKeepsStoresApart) {
  for (const std::string &between :
       {load("%xa"), load("%ya"), load("%za"), store("%ya"), store("%za"),
        std::string("baker.store_words [%v] to %z at 4 {t.own} : "
                    "!baker.ref<!entry>\n"),
        std::string("%own:2 = baker.load_words %z at 0 : "
                    "!baker.ref<!entry> -> i32, i32\n"),
        std::string("baker.lock %za : !baker.ref<i32>\n"),
        std::string("baker.unlock %za : !baker.ref<i32>\n"),
        std::string("baker.atomic addi %v, %za : !baker.ref<i32>\n"),
        std::string("func.call @g() : () -> ()\n"),
        std::string("%copy = baker.packet_copy %ph : !baker.packet<\"p\">\n"
                    "baker.channel_put @out, %copy : !baker.packet<\"p\">\n"),
        std::string("%copy = baker.packet_copy %ph : !baker.packet<\"p\">\n"
                    "baker.packet_drop %copy : !baker.packet<\"p\">\n"),
        std::string("%copy = baker.packet_copy %ph : !baker.packet<\"p\">\n"
                    "baker.packet_send %copy ring 1 id 0 : "
                    "!baker.packet<\"p\">\n")})
    EXPECT_THAT(stores(store("%xa") + between + store("%xb")), IsEmpty())
        << between;
}

TEST_F(Globals, AnAccessOfOtherWordsDoesNot) {
  for (const std::string &between :
       {load("%xb"), load("%xs", "i16"), load("%xw", "i48"),
        std::string("%t = baker.packet_read %ph \"type\" : "
                    "!baker.packet<\"p\"> -> i16\n")})
    EXPECT_THAT(stores(store("%xa") + between + store("%xb")),
                ElementsAre(Burst{2, 0}))
        << between;
  // Words 2 and 3 are read, of which the first store writes none.
  EXPECT_THAT(stores(store("%xw", "%w", "i48") + load("%xb") +
                     load("%xs", "i16") + store("%xb")),
              ElementsAre(Burst{3, 1}));
}

TEST_F(Globals, AStoreOfTheSameWordsBeginsABurst) {
  // The first value of a is written, too.
  EXPECT_THAT(
      stores(store("%xa") + store("%xb") + store("%xa") + store("%xb"), 4),
      ElementsAre(Burst{2, 0}, Burst{2, 0}));
  EXPECT_THAT(stores(store("%xa") + store("%xa") + store("%xb")),
              ElementsAre(Burst{2, 0}));
  unsigned left = 0;
  function().walk([&](ir::StoreOp) { ++left; });
  EXPECT_EQ(left, 1u);
}

TEST_F(Globals, StoresOfTwoBlocksAreApart) {
  EXPECT_THAT(stores(store("%xa") + "cf.br ^end\n^end:\n" + store("%xb")),
              IsEmpty());
}

TEST_F(Globals, ABurstIsAtTheLastStoreAndHoldsTheValuesInOrder) {
  EXPECT_THAT(stores(store("%xs", "%s", "i16") + store("%xb", "%i") +
                         store("%xw", "%w", "i48") +
                         "\"t.end\"() {t.n = 1} : () -> ()\n",
                     3),
              ElementsAre(Burst{4, 1}));
  auto burst = dyn_cast<ir::StoreWordsOp>(op(1)->getPrevNode());
  ASSERT_TRUE(burst);
  Block &entry = function().getBody().front();
  EXPECT_EQ(burst.getWords()[0], entry.getArgument(0));
  // The upper word of 48 bits, the lower one, and 16 bits extended.
  auto high = burst.getWords()[1].getDefiningOp<arith::TruncIOp>();
  ASSERT_TRUE(high);
  auto shifted = high.getIn().getDefiningOp<arith::ShRUIOp>();
  ASSERT_TRUE(shifted);
  APInt by;
  ASSERT_TRUE(matchPattern(shifted.getRhs(), m_ConstantInt(&by)));
  EXPECT_EQ(by.getZExtValue(), 32u);
  EXPECT_EQ(shifted.getLhs().getDefiningOp<arith::ExtUIOp>().getIn(),
            entry.getArgument(5));
  auto low = burst.getWords()[2].getDefiningOp<arith::TruncIOp>();
  ASSERT_TRUE(low);
  EXPECT_EQ(low.getIn().getDefiningOp<arith::ExtUIOp>().getIn(),
            entry.getArgument(5));
  EXPECT_EQ(burst.getWords()[3].getDefiningOp<arith::ExtUIOp>().getIn(),
            entry.getArgument(4));
}

} // namespace
} // namespace karakal::passes::pac
