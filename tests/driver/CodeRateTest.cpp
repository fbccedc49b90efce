// What the driver concludes from generated code: stages, engines, the minimum
// rate. The code is written in assembly, so that its cost is counted by hand.

#include "driver/cores/CodePrediction.h"
#include "driver/cores/EngineAssignment.h"
#include "driver/report/MinimumRate.h"

#include "ir/dialect/Attributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Parser/Parser.h"
#include "target-ixp/assembler/Assembler.h"

#include <gmock/gmock.h>

using namespace karakal;
using namespace karakal::driver;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

const target::ChipParameters chip;

/// Words of the dispatch loop around the instructions of a test, and the slots
/// that are lost at its swap and its branch.
constexpr double loopCycles = 3 + 2;
double emptyIssue() { return loopCycles + double(chip.meSwapSlots); }

/// A dispatch loop that polls scratch ring 4, then executes `body`.
target::Microcode codeOf(const std::string &body) {
  std::vector<target::Diagnostic> problems;
  auto program = target::assembleText(
      ".reg a b\n.reg read $r0 $r1\n.xfer_order $r0 $r1\n.sig s\n"
      "turn#:\n    immed[a, 0x10]\n"
      "    scratch[get, $r0, a, 0, 2], ctx_swap[s]\n" +
          body + "    br[turn#]\n",
      "dir/test.uc", {}, problems);
  for (const target::Diagnostic &problem : problems)
    ADD_FAILURE() << problem.str();
  target::Microcode code = *program;
  code.loops.push_back({program->labels.at("turn"), 1, 0});
  code.frequencies.assign(code.words.size(), 1);
  code.taken.assign(code.words.size(), 0);
  code.taken.back() = 1;
  return code;
}

/// So many instructions of one cycle.
std::string cycles(unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += "    alu[b, b, +, 1]\n";
  return text;
}

/// A program of two aggregates: Rx, @f on "front", a ring, @g on "back".
/// Every packet goes on, unless the profile of @c says otherwise.
const char *const twoAggregates = R"(
module attributes {MODULE} {
  baker.global @guard : i32 {baker.placement = #baker.placement<MEMORY at 0>}
  baker.channel @rx : "p" from "rx" to @f {baker.via = #baker.via<ring>, baker.ring = 0 : i32 RX}
  baker.channel @c : "p" from "f" to @g {baker.via = #baker.via<ring>, baker.ring = 4 : i32 C}
  baker.channel @called : "p" from "f" to @g {baker.via = #baker.via<call> C}
  baker.channel @out : "p" from "g" to @tx {baker.via = #baker.via<ring>, baker.ring = 1 : i32 C}
  func.func @f(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>, baker.aggregate = "front"} {
    baker.channel_put @c, %ph : !baker.packet<"p">
    return
  }
  func.func @g(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>, baker.aggregate = "back"} {
    LOCK
    baker.channel_put @out, %ph : !baker.packet<"p">
    return
  }
})";

/// Replaces each `from` by `to`.
std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

class CodeRates : public testing::Test {
protected:
  CodeRates() {
    context
        .loadDialect<ir::BakerDialect, mlir::arith::ArithDialect,
                     mlir::cf::ControlFlowDialect, mlir::func::FuncDialect>();
    read(twoAggregates);
  }

  struct Profile {
    unsigned received, passed;
  };

  void read(std::string text, std::optional<Profile> profile = std::nullopt,
            const std::string &lockIn = "") {
    auto packets = [](unsigned count) {
      return ", baker.profile = {packets = " + std::to_string(count) +
             " : i64}";
    };
    text = replaced(text, "MODULE",
                    profile ? "baker.profile = {received = " +
                                  std::to_string(profile->received) +
                                  " : i64, traces = 1 : i64}"
                            : "");
    text = replaced(text, " RX}",
                    (profile ? packets(profile->received) : "") + "}");
    text =
        replaced(text, " C}", (profile ? packets(profile->passed) : "") + "}");
    text = replaced(text, "MEMORY", lockIn.empty() ? "scratch" : lockIn);
    text = replaced(text, "LOCK",
                    lockIn.empty()
                        ? ""
                        : "%guard = baker.global_ref @guard : !baker.ref<i32>\n"
                          "baker.lock %guard : !baker.ref<i32>\n"
                          "baker.unlock %guard : !baker.ref<i32>");
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
  }

  /// Aggregates with these engines and so many cycles for a message.
  std::vector<AggregateCode> aggregates(std::vector<uint32_t> front,
                                        unsigned frontCycles,
                                        std::vector<uint32_t> back,
                                        unsigned backCycles) {
    std::vector<AggregateCode> engines(2);
    engines[0].plan = {"front", std::move(front)};
    engines[0].code = codeOf(cycles(frontCycles));
    engines[1].plan = {"back", std::move(back)};
    engines[1].code = codeOf(cycles(backCycles));
    return engines;
  }

  std::vector<agg::Stage> stages(const std::vector<AggregateCode> &engines) {
    return stagesOf(*module, engines);
  }
  MinimumRate minimum(const std::vector<AggregateCode> &engines) {
    auto rate = computeMinimumRate(*module, engines);
    EXPECT_TRUE(bool(rate)) << rate.error().str();
    return *rate;
  }
  void reassign(std::vector<AggregateCode> &engines) {
    reassignEngines(*module, engines);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

TEST_F(CodeRates, AStageHasTheCostAndTheEnginesOfItsAggregate) {
  auto engines = aggregates({1, 2}, 10, {3}, 20);
  engines[1].contexts = 4;
  const std::vector<agg::Stage> found = stages(engines);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "front");
  EXPECT_EQ(found[0].engines, 2u);
  EXPECT_EQ(found[0].contexts, 0u);
  EXPECT_EQ(found[0].cost.issue, 10 + emptyIssue());
  EXPECT_EQ(found[1].name, "back");
  EXPECT_EQ(found[1].engines, 1u);
  EXPECT_EQ(found[1].contexts, 4u);
  EXPECT_EQ(found[1].cost.issue, 20 + emptyIssue());
}

TEST_F(CodeRates, WithoutAProfileEachStageTakesEachPacketOnce) {
  for (const agg::Stage &stage : stages(aggregates({1}, 1, {2}, 1)))
    EXPECT_EQ(stage.messages, 1);
}

TEST_F(CodeRates, WithAProfileAStageTakesTheMessagesOfItsRings) {
  read(twoAggregates, Profile{200, 50});
  const auto found = stages(aggregates({1}, 1, {2}, 1));
  EXPECT_EQ(found[0].messages, 1);
  // A channel that is a call and one to Tx bring no messages.
  EXPECT_EQ(found[1].messages, 0.25);
}

TEST_F(CodeRates, AStageThatTakesNoMessageStillHasARate) {
  read(twoAggregates, Profile{200, 0});
  EXPECT_EQ(stages(aggregates({1}, 1, {2}, 1))[1].messages, 1e-6);
}

TEST_F(CodeRates, AnEmptyProfileIsNone) {
  read(twoAggregates, Profile{0, 0});
  EXPECT_EQ(stages(aggregates({1}, 1, {2}, 1))[1].messages, 1);
}

TEST_F(CodeRates, TheSlowestStageLimitsThePrediction) {
  const auto engines = aggregates({1}, 100, {2}, 1000);
  const agg::Prediction found = predictionOf(*module, engines);
  EXPECT_EQ(found.bottleneck, "engines of back");
  EXPECT_NEAR(found.packetsPerSecond / (600e6 / (1000 + emptyIssue())), 1,
              0.02);
}

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

TEST_F(CodeRates, EnginesAreSharedOutByTheCostOfTheCode) {
  // With 3 and 3 engines a packet takes 300 / 3 cycles at the slower stage,
  // with 2 and 4 only 300 / 4.
  auto engines = aggregates({1, 2, 3}, 100, {4, 5, 6}, 300);
  reassign(engines);
  EXPECT_THAT(engines[0].plan.engines, ElementsAre(1, 2));
  EXPECT_THAT(engines[1].plan.engines, ElementsAre(3, 4, 5, 6));
  const auto plans = ir::aggregatesOf(*module);
  ASSERT_EQ(plans.size(), 2u);
  EXPECT_EQ(plans[0].name, "front");
  EXPECT_THAT(plans[0].engines, ElementsAre(1, 2));
  EXPECT_EQ(plans[1].name, "back");
  EXPECT_THAT(plans[1].engines, ElementsAre(3, 4, 5, 6));
}

TEST_F(CodeRates, EnginesStayWhereNoOtherSharesAreFaster) {
  auto engines = aggregates({4, 5, 6}, 200, {1, 2, 3}, 200);
  reassign(engines);
  EXPECT_THAT(engines[0].plan.engines, ElementsAre(4, 5, 6));
  EXPECT_THAT(engines[1].plan.engines, ElementsAre(1, 2, 3));
  EXPECT_TRUE(ir::aggregatesOf(*module).empty());
}

TEST_F(CodeRates, MessagesCountWhereEnginesAreSharedOut) {
  // A tenth of the packets goes to the back: 500 cycles a packet, and 150.
  read(twoAggregates, Profile{100, 10});
  auto engines = aggregates({1, 2, 3}, 500, {4, 5, 6}, 1500);
  reassign(engines);
  EXPECT_EQ(engines[0].plan.engines.size(), 4u);
  EXPECT_EQ(engines[1].plan.engines.size(), 2u);
}

TEST_F(CodeRates, AnAggregateWithALocalLockKeepsItsOneEngine) {
  read(twoAggregates, std::nullopt, "local");
  auto engines = aggregates({1, 2}, 300, {3}, 300);
  reassign(engines);
  EXPECT_EQ(engines[0].plan.engines.size(), 2u);
  EXPECT_EQ(engines[1].plan.engines.size(), 1u);
  // A lock that all engines share does not matter.
  read(twoAggregates, std::nullopt, "scratch");
  auto others = aggregates({1, 2}, 100, {3}, 300);
  reassign(others);
  EXPECT_EQ(others[0].plan.engines.size(), 1u);
  EXPECT_EQ(others[1].plan.engines.size(), 2u);
  // It is slow, yet gets no engine.
  read(twoAggregates, std::nullopt, "local");
  auto slow = aggregates({1, 2}, 100, {3}, 300);
  reassign(slow);
  EXPECT_EQ(slow[0].plan.engines.size(), 2u);
  EXPECT_EQ(slow[1].plan.engines.size(), 1u);
}

//===----------------------------------------------------------------------===//
// The minimum rate
//===----------------------------------------------------------------------===//

TEST_F(CodeRates, MinimumIsInFrameBitsOf64Bytes) {
  MinimumRate rate;
  rate.packetsPerSecond = 1e6;
  EXPECT_DOUBLE_EQ(rate.gbps(), 0.512);
}

TEST_F(CodeRates, MinimumIsThatOfTheLongestPath) {
  // Mostly the branch is taken, so the average is far below the worst case.
  auto engines = aggregates({1}, 100, {2}, 0);
  engines[1].code = codeOf("    alu[--, a, -, b]\n    beq[short#]\n" +
                           cycles(1000) + "short#:\n");
  for (size_t i = 4; i < 1004; ++i)
    engines[1].code.frequencies[i] = 0.001f;
  const MinimumRate rate = minimum(engines);
  ASSERT_EQ(rate.issueMax.size(), 2u);
  EXPECT_EQ(rate.issueMax[0], 100 + emptyIssue());
  EXPECT_EQ(rate.issueMax[1], 1002 + emptyIssue());
  EXPECT_EQ(rate.stages[1].cost.issue, 1002 + emptyIssue());
  EXPECT_EQ(rate.bottleneck, "engines of back");
  // 15 % less than predicted, as the model may be wrong.
  EXPECT_NEAR(rate.packetsPerSecond / (0.85 * 600e6 / rate.issueMax[1]), 1,
              0.02);
}

TEST_F(CodeRates, MinimumTakesEveryPacketThroughEachStage) {
  read(twoAggregates, Profile{100, 10});
  EXPECT_EQ(minimum(aggregates({1}, 1, {2}, 1)).stages[1].messages, 1);
}

TEST_F(CodeRates, MinimumDividesWorstCommandsAsTheAverageDoes) {
  // On average a command on channel 0 and three on channel 1, of equal length;
  // a path to the fifth is seldom taken. Words do not tell the channel.
  const std::string read = "    sram[read, $r0, b, 0, 1], ctx_swap[s]\n";
  auto engines = aggregates({1}, 0, {2}, 0);
  engines[0].code = codeOf("    immed[b, 0x1000]\n" + read +
                           "    immed[b, 0x4000, <<16]\n" + read + read + read);
  const MinimumRate rate = minimum(engines);
  const target::MessageCost &worst = rate.worst[0].cost;
  const target::MessageCost &cost = rate.stages[0].cost;
  const double four = 4 * double(chip.sramOpCycles);
  const auto unit = [](target::SharedUnit of) { return size_t(of); };
  EXPECT_EQ(worst.busy[unit(target::SharedUnit::Sram0)], four);
  EXPECT_DOUBLE_EQ(cost.busy[unit(target::SharedUnit::Sram0)], four / 4);
  EXPECT_DOUBLE_EQ(cost.busy[unit(target::SharedUnit::Sram1)], four * 3 / 4);
  EXPECT_DOUBLE_EQ(cost.commands[unit(target::SharedUnit::Sram0)], 1);
  EXPECT_DOUBLE_EQ(cost.commands[unit(target::SharedUnit::Sram1)], 3);
  EXPECT_DOUBLE_EQ(cost.squares[unit(target::SharedUnit::Sram1)],
                   3 * double(chip.sramOpCycles * chip.sramOpCycles));
  EXPECT_EQ(cost.busy[unit(target::SharedUnit::Sram2)], 0);
}

TEST_F(CodeRates, MinimumCountsTheVariantThatTakesLongest) {
  auto engines = aggregates({1}, 10, {2}, 10);
  engines[0].variants.push_back({false, true, codeOf(cycles(30))});
  engines[0].variants.push_back({true, true, codeOf(cycles(20))});
  EXPECT_EQ(minimum(engines).issueMax[0], 30 + emptyIssue());
  EXPECT_EQ(minimum(engines).issueMax[1], 10 + emptyIssue());
}

TEST_F(CodeRates, MinimumIsThatOfTheLoadedVariants) {
  // Both ends of the link exist, so it is a next-neighbour ring.
  auto engines = aggregates({1}, 10, {2}, 10);
  engines[0].variants.push_back({false, true, codeOf(cycles(30))});
  engines[1].variants.push_back({true, false, codeOf(cycles(5))});
  const MinimumRate rate = minimum(engines);
  EXPECT_EQ(rate.stages[0].cost.issue, 30 + emptyIssue());
  EXPECT_EQ(rate.stages[1].cost.issue, 5 + emptyIssue());
  // Whichever is picked: at most this.
  EXPECT_EQ(rate.issueMax[0], 30 + emptyIssue());
  EXPECT_EQ(rate.issueMax[1], 10 + emptyIssue());
  // With two engines there is no neighbour.
  engines[0].plan.engines = {1, 3};
  EXPECT_EQ(minimum(engines).stages[0].cost.issue, 10 + emptyIssue());
}

TEST_F(CodeRates, ALoopWithoutABoundHasNoMinimum) {
  auto engines = aggregates({1}, 10, {2}, 10);
  target::Microcode loop =
      codeOf("round#:\n    alu[b, b, -, 1]\n    bne[round#]\n");
  loop.loops.push_back({2, 2, 0});
  engines[1].code = loop;
  auto rate = computeMinimumRate(*module, engines);
  ASSERT_FALSE(bool(rate));
  EXPECT_EQ(rate.error().id, "E-target-ixp-147");
  // Nor has it in a variant that is not loaded.
  engines[1].code = codeOf(cycles(1));
  engines[1].variants.push_back({true, true, loop});
  EXPECT_FALSE(bool(computeMinimumRate(*module, engines)));
}

TEST_F(CodeRates, MinimumIsPrintedWithTheLinesOfThePaths) {
  const auto engines = aggregates({1, 2}, 2, {3}, 1);
  const MinimumRate rate = minimum(engines);
  const std::string text = printMinimumRate(rate, engines);
  // Instructions begin in line 6.
  EXPECT_THAT(text, HasSubstr("cycles: test.uc:6, 7, 8, 9, 10\n"));
  EXPECT_THAT(text, HasSubstr("cycles: test.uc:6, 7, 8, 9\n"));
  EXPECT_THAT(text, HasSubstr("Gbit/s"));
  EXPECT_THAT(text, HasSubstr("; limit: " + rate.bottleneck));
}

TEST_F(CodeRates, TheMinimumIsCheckedAgainstARate) {
  const auto engines = aggregates({1}, 10, {2}, 1000);
  const MinimumRate rate = minimum(engines);
  EXPECT_TRUE(bool(checkMinimumRate(rate, engines, rate.gbps())));
  Status missed = checkMinimumRate(rate, engines, rate.gbps() * 1.01);
  ASSERT_FALSE(bool(missed));
  EXPECT_EQ(missed.error().id, "E-driver-040");
  EXPECT_THAT(missed.error().message, HasSubstr("aggregate 'back', on 1 "));
  EXPECT_THAT(missed.error().message, HasSubstr("engines of back"));
  // The first twelve lines of the path, then no more.
  EXPECT_THAT(missed.error().message,
              HasSubstr("test.uc:6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, "
                        "…"));
  EXPECT_THAT(missed.error().message, Not(HasSubstr("18")));
}

TEST_F(CodeRates, TheSlowestAggregateIsNamedByItsEnginesAndMessages) {
  // 1000 cycles on three engines are faster than 500 on one.
  const auto engines = aggregates({1, 2, 3}, 1000, {4}, 500);
  Status missed = checkMinimumRate(minimum(engines), engines, 100);
  ASSERT_FALSE(bool(missed));
  EXPECT_THAT(missed.error().message, HasSubstr("aggregate 'back'"));
}

} // namespace
