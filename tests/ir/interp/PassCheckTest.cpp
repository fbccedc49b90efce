// The check of passes: what it compares with what, and what it says.

#include "ir/interp/PassCheck.h"
#include "ir/dialect/Baker.h"
#include "tests/ir/ModuleText.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <gmock/gmock.h>

#include <functional>

using namespace karakal::ir;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

/// A pass as a name and a function on a module or on a function.
template <typename Op>
class TestPass
    : public mlir::PassWrapper<TestPass<Op>, mlir::OperationPass<Op>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPass)
  using Body = std::function<void(Op)>;

  TestPass(std::string name, Body body)
      : name(std::move(name)), body(std::move(body)) {}
  llvm::StringRef getArgument() const final { return name; }
  llvm::StringRef getName() const final { return name; }
  std::unique_ptr<mlir::Pass> clonePass() const final {
    return std::make_unique<TestPass>(name, body);
  }
  void runOnOperation() final { body(this->getOperation()); }

private:
  std::string name;
  Body body;
};

using ModulePass = TestPass<mlir::ModuleOp>;
using FunctionPass = TestPass<mlir::func::FuncOp>;

/// Sends each packet to port 1 if @table holds 7, else to port 2. A control
/// call sets the word. It is 7 in no random table, as 7 is no constant here.
const char *const program = R"(
  baker.global @table : i32
  baker.global @fixed : i32 init [6] {baker.cache.constant}
  baker.protocol @p min_bytes 4 [#baker.protocol_field<"a" at 0 : 32>]
  baker.channel @rx : "p" from "rx" to @f
  baker.channel @out : "p" from "f" to @tx
  func.func @f(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>} {
    %table = baker.global_ref @table : !baker.ref<i32>
    %word = baker.load %table : !baker.ref<i32>
    %fixed = baker.global_ref @fixed : !baker.ref<i32>
    %six = baker.load %fixed : !baker.ref<i32>
    %three = arith.constant 3 : i32
    %four = arith.constant 4 : i32
    %seven = arith.addi %three, %four : i32
    %is = arith.cmpi eq, %word, %seven : i32
    cf.cond_br %is, ^same, ^different
  ^same:
    %one = arith.constant 1 : i8
    baker.meta_write %one, %ph @tx.port : i8, !baker.packet<"p">
    baker.channel_put @out, %ph : !baker.packet<"p">
    return
  ^different:
    %two = arith.constant 2 : i8
    baker.meta_write %two, %ph @tx.port : i8, !baker.packet<"p">
    baker.channel_put @out, %ph : !baker.packet<"p">
    return
  }
  func.func @set(%n: i32) attributes {baker.kind = #baker.kind<control>} {
    %table = baker.global_ref @table : !baker.ref<i32>
    baker.store %n, %table : !baker.ref<i32>
    return
  })";

/// Replaces the integer constant `from` by `to`.
void replaceConstant(mlir::Operation *in, int64_t from, int64_t to) {
  in->walk([&](mlir::arith::ConstantOp constant) {
    auto value = llvm::dyn_cast<mlir::IntegerAttr>(constant.getValue());
    if (value && value.getInt() == from)
      constant.setValueAttr(mlir::IntegerAttr::get(value.getType(), to));
  });
}

class PassChecks : public ModuleText {
protected:
  PassChecks() {
    context.disableMultithreading();
    module = mlir::parseSourceString<mlir::ModuleOp>(program, &context);
    options.packetCount = 5;
    options.seed = 40;
  }

  void add(const std::string &name, ModulePass::Body body) {
    passes.push_back(std::make_unique<ModulePass>(name, std::move(body)));
  }

  /// Runs the passes that were added, under the check.
  void run() {
    mlir::PassManager manager(&context);
    manager.addInstrumentation(createPassCheck(options));
    for (auto &pass : passes)
      manager.addPass(std::move(pass));
    passes.clear();
    EXPECT_TRUE(mlir::succeeded(manager.run(*module)));
  }

  /// What the passes write on standard error.
  std::string log() {
    options.isVerbose = true;
    testing::internal::CaptureStderr();
    run();
    return testing::internal::GetCapturedStderr();
  }

  PassCheckOptions options;
  std::vector<std::unique_ptr<mlir::Pass>> passes;
};

using PassChecksDeathTest = PassChecks;

void changePortTwo(mlir::ModuleOp module) { replaceConstant(module, 2, 3); }
void changePortOne(mlir::ModuleOp module) { replaceConstant(module, 1, 3); }
void changeNothing(mlir::ModuleOp) {}

TEST_F(PassChecks, CountTheComparedPacketsAndBlocks) {
  add("idle", changeNothing);
  // Of the blocks of @f and @set, no packet enters @set's.
  EXPECT_THAT(log(),
              HasSubstr("check-passes: idle: the same for 20 packets, "));
}

TEST_F(PassChecks, AreSilentUnlessTheyAreVerbose) {
  add("idle", changeNothing);
  testing::internal::CaptureStderr();
  run();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(PassChecks, AllRunsButTheLastBeginWithTheTablesOfTheCalls) {
  // Runs with 7 in the table reach ^same, the last one ^different; @f's entry
  // is the third block. No packet enters @set.
  options.inputs.calls = {{"set", {7}}};
  add("idle", changeNothing);
  EXPECT_THAT(log(),
              HasSubstr("the same for 20 packets, 3 of 4 blocks (75 %)"));
}

TEST_F(PassChecksDeathTest, ADifferenceInTheTablesOfTheCallsIsFoundFirst) {
  options.inputs.calls = {{"set", {7}}};
  add("wrong", changePortOne);
  EXPECT_EXIT(run(), testing::ExitedWithCode(3),
              "the pass wrong changes what the program does \\(seed 40\\)");
}

TEST_F(PassChecksDeathTest, OnlyTheLastRunHasRandomTables) {
  options.inputs.calls = {{"set", {7}}};
  add("wrong", changePortTwo);
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "\\(seed 43\\)");
}

TEST_F(PassChecksDeathTest, WithoutCallsEachRunHasRandomTables) {
  add("wrong", changePortTwo);
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "\\(seed 40\\)");
}

TEST_F(PassChecks, AFailedCallLeavesTheTablesRandom) {
  options.inputs.calls = {{"missing", {7}}};
  add("idle", changeNothing);
  EXPECT_THAT(log(), HasSubstr("check-passes: tables: not set: "));
}

TEST_F(PassChecks, AConstantGlobalHasItsInitialValue) {
  // A pass may replace its load by the value.
  add("folds", [](mlir::ModuleOp in) {
    in.walk([](LoadOp load) {
      auto ref = load.getRef().getDefiningOp<GlobalRefOp>();
      if (!ref || ref.getGlobal() != "fixed")
        return;
      mlir::OpBuilder builder(load);
      load.replaceAllUsesWith(
          mlir::Value(builder.create<mlir::arith::ConstantOp>(
              load.getLoc(), builder.getI32IntegerAttr(6))));
    });
  });
  // Sends the value as the port, so that the fold is visible.
  module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    baker.global @before : !baker.array<3 x i32>
    baker.global @fixed : i32 init [6] {baker.cache.constant}
    baker.protocol @p min_bytes 4 [#baker.protocol_field<"a" at 0 : 32>]
    baker.channel @rx : "p" from "rx" to @f
    baker.channel @out : "p" from "f" to @tx
    func.func @f(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>} {
      %fixed = baker.global_ref @fixed : !baker.ref<i32>
      %six = baker.load %fixed : !baker.ref<i32>
      baker.packet_write %six, %ph "a" : i32, !baker.packet<"p">
      baker.channel_put @out, %ph : !baker.packet<"p">
      return
    })",
                                                   &context);
  ASSERT_TRUE(module);
  EXPECT_THAT(log(), HasSubstr("folds: the same for 20 packets"));
}

TEST_F(PassChecks, APassIsComparedWithTheModuleThatThePassBeforeItLeft) {
  for (const char *name :
       {"baker-lower-channels", "baker-to-llvm", "baker-make-caches"}) {
    module = mlir::parseSourceString<mlir::ModuleOp>(program, &context);
    add(name, changePortTwo);
    add("idle", changeNothing);
    const std::string text = log();
    EXPECT_THAT(text, HasSubstr(std::string("check-passes: ") + name +
                                ": not compared\n"));
    EXPECT_THAT(text, HasSubstr("check-passes: idle: the same for"));
  }
}

TEST_F(PassChecksDeathTest, APassAfterOneThatIsNotComparedIsCompared) {
  add("baker-lower-channels", changePortTwo);
  add("wrong", [](mlir::ModuleOp in) { replaceConstant(in, 3, 2); });
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "the pass wrong changes");
}

TEST_F(PassChecksDeathTest, TheSecondOfTwoPassesIsNamed) {
  add("idle", changeNothing);
  add("wrong", changePortTwo);
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "the pass wrong changes");
}

TEST_F(PassChecks, AModuleWithoutFunctionsIsNotCompared) {
  add("empties", [](mlir::ModuleOp in) {
    for (auto channel : llvm::make_early_inc_range(in.getOps<ChannelOp>()))
      channel.erase();
    for (auto function :
         llvm::make_early_inc_range(in.getOps<mlir::func::FuncOp>()))
      function.erase();
  });
  EXPECT_THAT(log(), HasSubstr("check-passes: empties: not compared"));
}

TEST_F(PassChecksDeathTest, APassOverFunctionsHasItsOwnName) {
  passes.push_back(std::make_unique<FunctionPass>(
      "nested", [](mlir::func::FuncOp in) { replaceConstant(in, 2, 3); }));
  auto runNested = [&] {
    mlir::PassManager manager(&context);
    manager.addInstrumentation(createPassCheck(options));
    manager.addNestedPass<mlir::func::FuncOp>(std::move(passes[0]));
    (void)manager.run(*module);
  };
  EXPECT_EXIT(runNested(), testing::ExitedWithCode(3),
              "the pass nested changes");
}

//===----------------------------------------------------------------------===//
// The first difference
//===----------------------------------------------------------------------===//

Event dropOf(size_t input, const std::string &reason) {
  Event event;
  event.kind = Event::Drop;
  event.input = input;
  event.where = reason;
  return event;
}

RunResult runOf(std::vector<Event> events) {
  RunResult run;
  run.packetCount = events.size();
  run.events = std::move(events);
  return run;
}

TEST(FirstDifference, IsTheFirstOfSeveral) {
  const RunResult before =
      runOf({dropOf(0, "a"), dropOf(1, "b"), dropOf(2, "c")});
  const RunResult after =
      runOf({dropOf(0, "a"), dropOf(1, "x"), dropOf(2, "y")});
  EXPECT_EQ(firstDifference(before, after),
            "before: packet 1: dropped: b\n  after:  packet 1: dropped: x");
  EXPECT_EQ(firstDifference(before, before), "");
}

TEST(FirstDifference, OfAMissingEventIsNothing) {
  const RunResult before = runOf({dropOf(0, "a")});
  EXPECT_EQ(firstDifference(before, runOf({})),
            "before: packet 0: dropped: a\n  after:  nothing");
  EXPECT_EQ(firstDifference(runOf({}), before),
            "before: nothing\n  after:  packet 0: dropped: a");
}

TEST(FirstDifference, OfAnIncompleteRunIsBeforeItsEnd) {
  const RunResult before = runOf({dropOf(0, "a"), dropOf(1, "b")});
  RunResult cut = runOf({dropOf(0, "a")});
  cut.unknown = "an operation";
  EXPECT_EQ(firstDifference(before, cut), "");
  EXPECT_EQ(firstDifference(cut, before), "");
  // Packet 0 was whole in both.
  RunResult wrong = runOf({dropOf(0, "x")});
  wrong.unknown = "an operation";
  EXPECT_NE(firstDifference(before, wrong), "");
  // A complete run that lacks the event has lost it.
  cut.unknown = "";
  EXPECT_NE(firstDifference(before, cut), "");
}

TEST(FirstDifference, EndsAtAnAccessOutsideOfGlobalData) {
  Event outside = dropOf(0, Event::outsideGlobals);
  outside.kind = Event::Trap;
  // A pass may remove the access; one that makes it is wrong.
  EXPECT_EQ(firstDifference(runOf({outside}), runOf({dropOf(0, "a")})), "");
  EXPECT_NE(firstDifference(runOf({dropOf(0, "a")}), runOf({outside})), "");
  Event division = outside;
  division.where = "division by zero";
  EXPECT_NE(firstDifference(runOf({division}), runOf({dropOf(0, "a")})), "");
}

TEST(FirstDifference, OfGlobalDataNamesTheWord) {
  RunResult before = runOf({}), after = runOf({});
  before.globals = {1, 2, 3};
  after.globals = {1, 2, 4};
  EXPECT_EQ(firstDifference(before, after),
            "word 2 of global data\n  before: 3\n  after:  4");
  after.unknown = "an operation";
  EXPECT_EQ(firstDifference(before, after), "");
}

} // namespace
