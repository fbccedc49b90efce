// Which bytes of a global the functions of a program touch.

#include "codegen-x86/specialize/GlobalAccesses.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"
#include <gmock/gmock.h>
#include <tuple>

using namespace karakal::x86;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

namespace {

/// First byte, step, bytes, whether it is a write.
using Place = std::tuple<uint64_t, uint64_t, uint64_t, bool>;

class GlobalAccessesTest : public testing::Test {
protected:
  /// The accesses to @g of a function with these instructions, which has the
  /// arguments i32 %i and ptr %p.
  GlobalAccesses of(const std::string &body) {
    read("@g = global [80 x i32] zeroinitializer\n"
         "declare void @keep(ptr)\n"
         "define void @f(i32 %i, ptr %p) {\n" +
         body + "\n  ret void\n}\n");
    return accessesOf(*module->getNamedGlobal("g"),
                      reachableFrom(*module, {"f"}));
  }
  std::vector<Place> placesOf(const std::string &body) {
    GlobalAccesses found = of(body);
    EXPECT_FALSE(found.escapes);
    std::vector<Place> places;
    for (const GlobalAccess &each : found.all)
      places.emplace_back(each.firstByte, each.stepBytes, each.bytes,
                          each.isWrite);
    return places;
  }
  /// Reads a word after the element of @g whose number is made of %i so.
  std::vector<Place> placesAtIndex(const std::string &number,
                                   unsigned wordsAfter) {
    return placesOf("  %word = " + number + R"(
  %wide = zext i32 %word to i64
  %slot = getelementptr i32, ptr @g, i64 %wide
  %at = getelementptr i32, ptr %slot, i64 )" +
                    std::to_string(wordsAfter) + "\n  %a = load i32, ptr %at");
  }
  void read(const std::string &text) {
    llvm::SMDiagnostic diagnostic;
    module = llvm::parseAssemblyString(
        "target datalayout = \"e-m:e-i64:64-n8:16:32:64-S128\"\n" + text,
        diagnostic, context);
    ASSERT_TRUE(module) << diagnostic.getMessage().str();
  }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
};

TEST_F(GlobalAccessesTest, ConstantPlaces) {
  EXPECT_THAT(
      placesOf(R"(
  %at = getelementptr i32, ptr @g, i64 3
  %a = load i16, ptr %at
  store i64 7, ptr @g)"),
      UnorderedElementsAre(Place(12, 0, 2, false), Place(0, 0, 8, true)));
}

TEST_F(GlobalAccessesTest, AFactorOfAnIndexIsAStep) {
  EXPECT_THAT(placesAtIndex("mul i32 %i, 10", 3),
              ElementsAre(Place(12, 40, 4, false)));
  EXPECT_THAT(placesAtIndex("shl i32 %i, 3", 0),
              ElementsAre(Place(0, 32, 4, false)));
}

TEST_F(GlobalAccessesTest, OtherOperationsOfAnIndexAreNoFactor) {
  EXPECT_THAT(placesAtIndex("add i32 %i, 10", 0),
              ElementsAre(Place(0, 4, 4, false)));
}

TEST_F(GlobalAccessesTest, TwoIndexesHaveTheirCommonStep) {
  EXPECT_THAT(placesOf(R"(
  %word = mul i32 %i, 10
  %wide = zext i32 %word to i64
  %slot = getelementptr i32, ptr @g, i64 %wide
  %more = shl i32 %i, 2
  %widemore = zext i32 %more to i64
  %at = getelementptr i32, ptr %slot, i64 %widemore
  %a = load i32, ptr %at)"),
              ElementsAre(Place(0, 8, 4, false)));
}

TEST_F(GlobalAccessesTest, AnAtomicUpdateIsAWrite) {
  EXPECT_THAT(placesOf("  %old = atomicrmw add ptr @g, i32 1 monotonic"),
              ElementsAre(Place(0, 0, 4, true)));
}

TEST_F(GlobalAccessesTest, AComparedPointerGoesNowhere) {
  EXPECT_THAT(placesOf("  %same = icmp eq ptr @g, %p"), IsEmpty());
}

TEST_F(GlobalAccessesTest, PointersThatGoSomewhereElseEscape) {
  for (const char *body :
       {"  store ptr @g, ptr %p", "  call void @keep(ptr @g)",
        "  %any = select i1 true, ptr @g, ptr %p",
        "  %at = getelementptr i32, ptr @g, i64 1\n  store ptr %at, ptr %p"}) {
    GlobalAccesses found = of(body);
    EXPECT_TRUE(found.escapes) << body;
    EXPECT_TRUE(found.writes()) << body;
  }
}

TEST_F(GlobalAccessesTest, ReadsAloneWriteNothing) {
  EXPECT_FALSE(of("  %a = load i32, ptr @g").writes());
  EXPECT_TRUE(of("  store i32 1, ptr @g").writes());
}

TEST_F(GlobalAccessesTest, ACallerReachesWhatItCalls) {
  read(R"(
@g = global i32 0
@h = global i32 0
define void @leaf() {
  store i32 1, ptr @g
  ret void
}
define void @f() {
  call void @leaf()
  ret void
}
define void @other() {
  store i32 1, ptr @h
  ret void
}
)");
  AccessMap found = accessesOf(*module, reachableFrom(*module, {"f", "none"}));
  EXPECT_TRUE(found[module->getNamedGlobal("g")].writes());
  EXPECT_FALSE(found[module->getNamedGlobal("h")].writes());
}

/// Whether 4 bytes at `first` and 4 at `other` may be the same.
bool overlap(uint64_t first, uint64_t step, uint64_t other,
             uint64_t otherStep) {
  GlobalAccess one{nullptr, first, step, 4, false};
  GlobalAccess two{nullptr, other, otherStep, 4, true};
  EXPECT_EQ(one.mayOverlap(two), two.mayOverlap(one));
  return one.mayOverlap(two);
}

TEST(GlobalAccess, PlacesWithoutStepsAreCompared) {
  EXPECT_TRUE(overlap(8, 0, 8, 0));
  EXPECT_TRUE(overlap(8, 0, 11, 0));
  EXPECT_FALSE(overlap(8, 0, 12, 0));
}

TEST(GlobalAccess, FieldsOfSlotsOfOneSizeDiffer) {
  EXPECT_FALSE(overlap(12, 40, 16, 40));
  EXPECT_TRUE(overlap(12, 40, 52, 40));
  EXPECT_TRUE(overlap(12, 40, 15, 40));
  EXPECT_FALSE(overlap(0, 40, 36, 40));
  EXPECT_TRUE(overlap(0, 40, 38, 40)); // into the next slot
}

TEST(GlobalAccess, AnElementOfAnyPlaceMayBeEachField) {
  EXPECT_TRUE(overlap(12, 40, 0, 4));
  EXPECT_FALSE(overlap(12, 40, 16, 0));
  EXPECT_TRUE(overlap(12, 40, 92, 0));
}

} // namespace
