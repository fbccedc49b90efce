// Which aggregates have variants for next-neighbour rings, and which of these a
// loader picks.

#include "driver/ReadProgram.h"
#include "driver/cores/Feedback.h"
#include "driver/cores/Variants.h"

#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

#include <fstream>

using namespace karakal;
using namespace karakal::driver;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

namespace {

/// "takes", "puts" or both.
std::vector<std::string> variantsOf(const AggregateCode &engine) {
  std::vector<std::string> found;
  for (const AggregateCode::Variant &variant : engine.variants)
    found.push_back(std::string(variant.takes ? "takes" : "") +
                    (variant.puts ? "puts" : ""));
  return found;
}

class NextNeighbour : public testing::Test {
protected:
  NextNeighbour() {
    options.pipeline.level = Level::O1;
    options.pipeline.mapping =
        testing::TempDir() + "/next-neighbour-" +
        testing::UnitTest::GetInstance()->current_test_info()->name() +
        ".mapping";
    std::ofstream(options.pipeline.mapping)
        << "aggregate a 1\n  m.p1\naggregate b 1\n  m.p2\n"
           "aggregate c 1\n  m.p3\n";
    prepareContext(context, options, remarks);
  }
  ~NextNeighbour() override { std::remove(options.pipeline.mapping.c_str()); }

  /// Three PPFs in three aggregates: each passes packets to the next, and the
  /// first one to `other` as well. With `isCycle`, the second one also passes
  /// packets to the XScale core, which passes them to the first.
  PlannedProgram compile(const std::string &other, bool isCycle = false) {
    auto ppf = [](int number, const std::string &out,
                  const std::string &otherwise, const char *mark = "") {
      return "func.func @m.p" + std::to_string(number) +
             ".in_cc(%ph: !baker.packet<\"p\">) attributes {" + mark +
             "baker.kind = #baker.kind<ppf>} {\n"
             "%t = baker.packet_read %ph \"type\" : !baker.packet<\"p\"> -> "
             "i16\n"
             "%c = arith.constant " +
             std::to_string(number) +
             " : i16\n%is = arith.cmpi eq, %t, %c : i16\n"
             "cf.cond_br %is, ^a, ^b\n^a:\n"
             "baker.channel_put @" +
             out +
             ", %ph : !baker.packet<\"p\">\nreturn\n^b:\n"
             "baker.channel_put @" +
             otherwise + ", %ph : !baker.packet<\"p\">\nreturn\n}\n";
    };
    const std::string text =
        "module {\nbaker.protocol @p min_bytes 14 "
        "[#baker.protocol_field<\"type\" at 96 : 16>]\n"
        "baker.channel @rx : \"p\" from \"rx\" to @m.p1.in_cc\n"
        "baker.channel @one : \"p\" from \"m.p1\" to @m.p2.in_cc\n"
        "baker.channel @two : \"p\" from \"m.p2\" to @m.p3.in_cc\n"
        "baker.channel @other : \"p\" from \"m.p1\" to @" +
        other + "\nbaker.channel @out : \"p\" from \"m.p3\" to @tx\n" +
        (isCycle
             ? "baker.channel @down : \"p\" from \"m.p2\" to @m.p4.in_cc\n"
               "baker.channel @up : \"p\" from \"m.p4\" to @m.p1.in_cc\n" +
                   ppf(2, "two", "down") + ppf(4, "up", "up", "baker.cold, ")
             : ppf(2, "two", "two")) +
        ppf(1, "one", "other") + ppf(3, "out", "out") + "}\n";
    auto program = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(program) << text;
    auto made = planAndCompile(*program, options);
    EXPECT_TRUE(bool(made)) << made.error().str();
    EXPECT_EQ(made->engines.size(), 3u);
    return std::move(*made);
  }

  mlir::MLIRContext context;
  Options options;
  std::vector<Remark> remarks;
};

TEST_F(NextNeighbour, EachEndOfALinkHasItsVariants) {
  const PlannedProgram made = compile("tx");
  EXPECT_THAT(variantsOf(made.engines[0]), UnorderedElementsAre("puts"));
  EXPECT_THAT(variantsOf(made.engines[1]),
              UnorderedElementsAre("takes", "puts", "takesputs"));
  EXPECT_THAT(variantsOf(made.engines[2]), UnorderedElementsAre("takes"));
}

TEST_F(NextNeighbour, MessagesFromElsewhereKeepTheScratchRing) {
  // @m.p3 gets messages of @m.p1, too, which is no neighbour.
  const PlannedProgram made = compile("m.p3.in_cc");
  EXPECT_THAT(variantsOf(made.engines[0]), UnorderedElementsAre("puts"));
  EXPECT_THAT(variantsOf(made.engines[1]), UnorderedElementsAre("takes"));
  EXPECT_THAT(variantsOf(made.engines[2]), IsEmpty());
}

TEST_F(NextNeighbour, ARingThatMayRefusePacketsStays) {
  // Where packets go round, a put does not wait for ever.
  const PlannedProgram made = compile("tx", /*isCycle=*/true);
  EXPECT_THAT(variantsOf(made.engines[0]), IsEmpty());
  EXPECT_THAT(variantsOf(made.engines[1]), UnorderedElementsAre("puts"));
  EXPECT_THAT(variantsOf(made.engines[2]), UnorderedElementsAre("takes"));
}

/// Aggregates with so many engines each, and all variants.
std::vector<AggregateCode> withEngines(const std::vector<unsigned> &counts) {
  std::vector<AggregateCode> engines;
  uint32_t next = 1, words = 1;
  for (unsigned count : counts) {
    AggregateCode code;
    for (unsigned i = 0; i < count; ++i)
      code.plan.engines.push_back(next++);
    code.code.words.resize(words++);
    for (bool takes : {false, true})
      for (bool puts : {false, true})
        if (takes || puts)
          code.variants.push_back({takes, puts, {}});
    engines.push_back(code);
  }
  return engines;
}

TEST(LoadedVariant, LinksNeighboursOfOneEngineEach) {
  const auto engines = withEngines({1, 1, 2, 1});
  EXPECT_TRUE(putsToNextNeighbour(engines, 0));
  EXPECT_TRUE(takesFromNextNeighbour(engines, 1));
  for (size_t index : {1, 2, 3})
    EXPECT_FALSE(putsToNextNeighbour(engines, index)) << index;
  for (size_t index : {0, 2, 3})
    EXPECT_FALSE(takesFromNextNeighbour(engines, index)) << index;
}

TEST(LoadedVariant, NeedsBothEnds) {
  auto engines = withEngines({1, 1});
  EXPECT_EQ(&loadedCode(engines, 0), &engines[0].variants[0].code);
  EXPECT_EQ(&loadedCode(engines, 1), &engines[1].variants[1].code);
  engines[1].variants.clear();
  EXPECT_FALSE(putsToNextNeighbour(engines, 0));
  EXPECT_EQ(&loadedCode(engines, 0), &engines[0].code);
  EXPECT_EQ(&loadedCode(engines, 1), &engines[1].code);
}

TEST(LoadedVariant, AnAggregateInTheMiddleMayTakeAndPut) {
  auto engines = withEngines({1, 1, 1});
  EXPECT_EQ(&loadedCode(engines, 1), &engines[1].variants[2].code);
  // Without that variant it takes, as the first link is decided first.
  engines[1].variants.pop_back();
  EXPECT_EQ(&loadedCode(engines, 1), &engines[1].variants[1].code);
  EXPECT_EQ(&loadedCode(engines, 2), &engines[2].code);
}

TEST(LoadedVariant, HasItsNameInTheImage) {
  AggregateCode::Variant variant;
  EXPECT_EQ(variant.nameIn("main"), "main");
  variant.takes = true;
  EXPECT_EQ(variant.nameIn("main"), "main.takes");
  variant.puts = true;
  EXPECT_EQ(variant.nameIn("main"), "main.takes.puts");
  variant.isPlain = true;
  EXPECT_EQ(variant.nameIn("main"), "main.takes.puts.plain");
}

} // namespace
