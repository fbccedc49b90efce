// Costs of small PPFs agree with values added up by hand.
//
// An engine waits 60 cycles for a word of scratch, 90 for one of SRAM; these
// occupy the unit for 2 and 9 cycles. Instructions are those of
// ir/analysis/OperationCost.cpp.

#include "aggregation/model/PpfCost.h"
#include "tests/ir/ModuleText.h"
#include "gtest/gtest.h"

using namespace karakal;
using namespace karakal::agg;

namespace {

class PpfCostTest : public ir::ModuleText {
protected:
  /// The cost of `@m.work.in_cc`, whose body is `body`.
  PpfCost costOf(const std::string &body, const std::string &others = "") {
    parse(body, others);
    return PpfCosts(*module, chip).of(work());
  }

  void parse(const std::string &body, const std::string &others = "") {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        globals + others +
            "func.func @m.work.in_cc(%ph: !baker.packet<\"ether\">)\n"
            "    attributes {baker.kind = #baker.kind<ppf>} {\n" +
            body + "  return\n}\n",
        &context);
    ASSERT_TRUE(module);
  }

  mlir::func::FuncOp work() {
    return module->lookupSymbol<mlir::func::FuncOp>("m.work.in_cc");
  }

  target::ChipParameters chip;
  std::string globals = "baker.protocol @ether min_bytes 14 "
                        "[#baker.protocol_field<\"type\" at 96 : 16>]\n"
                        "baker.global @count : i32\n"
                        "baker.global @guard : i32\n"
                        "baker.global @guards : !baker.array<4 x i32>\n";
};

constexpr const char *loadCount =
    "  %count = baker.global_ref @count : !baker.ref<i32>\n"
    "  %v = baker.load %count : !baker.ref<i32>\n";

double busyOf(const PpfCost &cost, SharedUnit unit) {
  return cost.cost.busy[size_t(unit)];
}

} // namespace

TEST_F(PpfCostTest, ALoadWaitsForItsMemory) {
  PpfCost empty = costOf("");
  EXPECT_EQ(empty.cost.issue, 2); // the return
  EXPECT_EQ(empty.cost.latency, 0);
  PpfCost load = costOf(loadCount);
  EXPECT_EQ(load.cost.issue, 2 + 3);
  EXPECT_EQ(load.words, 2 + 3);
  EXPECT_EQ(load.cost.latency, 90);
  EXPECT_EQ(busyOf(load, SharedUnit::Sram0), 9);
  EXPECT_EQ(load.cost.commands[size_t(SharedUnit::Sram0)], 1);
  EXPECT_EQ(busyOf(load, SharedUnit::Scratch), 0);
}

TEST_F(PpfCostTest, ABranchCountsByItsFrequency) {
  std::string body = std::string("  %t = arith.constant true\n") +
                     "  cf.cond_br %t, ^a, ^b BRANCH\n^a:\n" + loadCount +
                     "  cf.br ^b\n^b:\n";
  auto withBranch = [&](const std::string &attribute) {
    std::string text = body;
    return costOf(text.replace(text.find("BRANCH"), 6, attribute));
  };
  // 2 for the branch, 2 for the return, 3 + 1 on one side.
  PpfCost seldom = withBranch("{baker.branch = array<i64: 1, 3>}");
  EXPECT_DOUBLE_EQ(seldom.cost.issue, 4 + 0.25 * 4);
  EXPECT_DOUBLE_EQ(seldom.cost.latency, 0.25 * 90);
  EXPECT_EQ(seldom.words, 8) << "words do not depend on the profile";
  PpfCost unknown = withBranch("");
  EXPECT_DOUBLE_EQ(unknown.cost.issue, 4 + 0.5 * 4);
}

TEST_F(PpfCostTest, ALoopCountsByItsIterations) {
  parse("  %t = arith.constant true\n  cf.br ^loop\n^loop:\n"
        "  cf.cond_br %t, ^loop, ^done {baker.branch = array<i64: 9, 1>}\n"
        "^done:\n");
  auto times = blockFrequencies(work());
  auto block = work().getBody().begin();
  EXPECT_DOUBLE_EQ(times.lookup(&*block++), 1);
  EXPECT_NEAR(times.lookup(&*block++), 10, 1e-3);
  EXPECT_NEAR(times.lookup(&*block++), 1, 1e-3);
}

TEST_F(PpfCostTest, ACalledFunctionIsPartOfTheCost) {
  PpfCost cost = costOf("  func.call @m.help() : () -> ()\n",
                        std::string("func.func @m.help() {\n") + loadCount +
                            "  return\n}\n");
  // The call 3, the function 3 + 2, the return 2.
  EXPECT_EQ(cost.cost.issue, 10);
  EXPECT_EQ(cost.words, 10);
  EXPECT_EQ(cost.cost.latency, 90);
}

TEST_F(PpfCostTest, ALockIsHeldUntilItIsReleased) {
  PpfCost cost =
      costOf(std::string("  %g = baker.global_ref @guard : !baker.ref<i32>\n") +
             "  baker.lock %g : !baker.ref<i32>\n" + loadCount +
             "  baker.unlock %g : !baker.ref<i32>\n");
  // The lock 12 + 60, the load 3 + 90, the unlock 6 + 60.
  EXPECT_EQ(cost.cost.locked, 72 + 93 + 66);
  EXPECT_EQ(cost.cost.lockedSwaps, 3);
  ASSERT_EQ(cost.held.size(), 1u);
  EXPECT_EQ(cost.held.front().second, 72 + 93 + 66);
  EXPECT_EQ(costOf(loadCount).cost.locked, 0);
}

TEST_F(PpfCostTest, LocksOfAnArrayAreHeldAtTheSameTime) {
  parse("  %g = baker.global_ref @guard : !baker.ref<i32>\n"
        "  baker.lock %g : !baker.ref<i32>\n"
        "  baker.unlock %g : !baker.ref<i32>\n"
        "  %c0 = arith.constant 0 : i32\n"
        "  %gs = baker.global_ref @guards : !baker.ref<!baker.array<4 x i32>>\n"
        "  %one = baker.element %gs[%c0] : !baker.ref<!baker.array<4 x i32>>\n"
        "  baker.lock %one : !baker.ref<i32>\n"
        "  baker.unlock %one : !baker.ref<i32>\n");
  // Each is held for 72 + 66 cycles; one of four elements for a quarter.
  PpfCosts costs(*module, chip);
  PpfCost cost = costs.of(work());
  EXPECT_EQ(cost.cost.locked, 2 * 138);
  ASSERT_EQ(cost.held.size(), 2u);
  EXPECT_DOUBLE_EQ(cost.held.back().second, 138 / 4.0);
  EXPECT_DOUBLE_EQ(costs.busiestLockShare(), 0.5);
}

TEST_F(PpfCostTest, LocksAreCountedAtTheStartOfEachBlock) {
  parse("  %t = arith.constant true\n"
        "  %g = baker.global_ref @guard : !baker.ref<i32>\n"
        "  baker.lock %g : !baker.ref<i32>\n  cf.cond_br %t, ^a, ^b\n"
        "^a:\n  cf.br ^b\n^b:\n"
        "  baker.unlock %g : !baker.ref<i32>\n  cf.br ^c\n^c:\n");
  auto held = locksHeld(work());
  std::vector<int> depths;
  for (mlir::Block &block : work().getBody())
    depths.push_back(held.lookup(&block));
  EXPECT_EQ(depths, (std::vector<int>{0, 1, 1, 0}));
}

TEST_F(PpfCostTest, ALoadWaitsForTheMemoryOfItsGlobal) {
  struct Case {
    const char *memory, *type;
    SharedUnit unit;
    double latency, busy;
  };
  // A second word of scratch takes a cycle of the unit and two of the push bus,
  // one of SRAM three cycles of its port.
  const Case cases[] = {
      {"scratch", "i32", SharedUnit::Scratch, 60, 2},
      {"scratch", "i64", SharedUnit::Scratch, 62, 3},
      {"sram0", "i32", SharedUnit::Sram0, 90, 9},
      {"sram1", "i64", SharedUnit::Sram1, 93, 12},
      {"sram3", "i32", SharedUnit::Sram3, 90, 9},
      {"dram", "i32", SharedUnit::Sram0, 90, 9},
      {"local", "i32", SharedUnit::Sram0, 90, 9},
  };
  for (const Case &c : cases) {
    std::string type = c.type, place = "{baker.placement = #baker.placement<";
    PpfCost cost = costOf(
        "  %r = baker.global_ref @there : !baker.ref<" + type +
            ">\n  %v = baker.load %r : !baker.ref<" + type + ">\n",
        "baker.global @there : " + type + " " + place + c.memory + " at 0>}\n");
    EXPECT_EQ(cost.cost.issue, type == "i32" ? 5 : 6) << c.memory;
    EXPECT_EQ(cost.cost.latency, c.latency) << c.memory;
    EXPECT_EQ(busyOf(cost, c.unit), c.busy) << c.memory;
    EXPECT_EQ(cost.cost.commands[size_t(c.unit)], 1) << c.memory;
  }
}

TEST_F(PpfCostTest, AnElementIsInTheMemoryOfItsArray) {
  PpfCost cost = costOf(
      "  %c0 = arith.constant 0 : i32\n"
      "  %r = baker.global_ref @all : !baker.ref<!baker.array<4 x i32>>\n"
      "  %one = baker.element %r[%c0] : !baker.ref<!baker.array<4 x i32>>\n"
      "  baker.store %c0, %one : !baker.ref<i32>\n",
      "baker.global @all : !baker.array<4 x i32> {baker.placement = "
      "#baker.placement<scratch at 16>}\n");
  // The element 2, the store 3, the return 2.
  EXPECT_EQ(cost.cost.issue, 7);
  EXPECT_EQ(cost.cost.latency, 60);
  EXPECT_EQ(busyOf(cost, SharedUnit::Scratch), 2);
}

TEST_F(PpfCostTest, ALockOfACalledFunctionIsHeldAsOftenAsItIsCalled) {
  std::string help = "func.func @m.help() {\n"
                     "  %g = baker.global_ref @guard : !baker.ref<i32>\n"
                     "  baker.lock %g : !baker.ref<i32>\n"
                     "  baker.unlock %g : !baker.ref<i32>\n  return\n}\n";
  PpfCost cost =
      costOf("  %t = arith.constant true\n"
             "  cf.cond_br %t, ^a, ^b {baker.branch = array<i64: 1, 3>}\n"
             "^a:\n  func.call @m.help() : () -> ()\n  cf.br ^b\n^b:\n",
             help);
  EXPECT_DOUBLE_EQ(cost.cost.locked, 138 / 4.0);
  EXPECT_DOUBLE_EQ(cost.cost.lockedSwaps, 2 / 4.0);
  ASSERT_EQ(cost.held.size(), 1u);
  EXPECT_DOUBLE_EQ(cost.held.front().second, 138 / 4.0);
  // The branches 2 + 2 + 1/4, and a quarter of 3 + 12 + 6 + 2.
  EXPECT_DOUBLE_EQ(cost.cost.issue, 4.25 + 23 / 4.0);
  EXPECT_EQ(PpfCosts(*module, chip).busiestLockShare(), 1);
}

TEST_F(PpfCostTest, WithoutLocksTheBusiestHasTheWholeShare) {
  parse(loadCount);
  EXPECT_EQ(PpfCosts(*module, chip).busiestLockShare(), 1);
}
