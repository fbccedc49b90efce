// Microcode that is begun before it is asked for.

#include "driver/ReadProgram.h"
#include "driver/cores/EngineCode.h"
#include "driver/cores/Feedback.h"
#include "driver/pipeline/Threads.h"
#include "ir/analysis/Explain.h"
#include "mlir/IR/Diagnostics.h"

#include <gtest/gtest.h>

using namespace karakal;
using namespace karakal::driver;

namespace {

class EngineCompilerTest : public testing::Test {
protected:
  void SetUp() override {
    options.inputs = {std::string(KARAKAL_SOURCE_DIR) +
                      "/tests/driver/Inputs/small.baker"};
    prepareContext(context, options, remarks);
    auto read = readProgram(options, context);
    ASSERT_TRUE(bool(read)) << read.error().str();
    planned = planOf(**read);
    // Its global lies elsewhere, so that its code is another.
    other = planned->clone();
    for (auto global : other->getOps<ir::GlobalOp>()) {
      ir::Placement placement = *ir::placementOf(global);
      placement.address += 64;
      ir::setPlacement(global, placement);
    }
  }
  void TearDown() override { setThreadCount(0); }

  mlir::OwningOpRef<mlir::ModuleOp> planOf(mlir::ModuleOp program) {
    auto made = planProgram(program, options.pipeline);
    EXPECT_TRUE(bool(made));
    return std::move(*made);
  }

  /// The words of the only aggregate.
  std::vector<uint64_t> wordsOf(EngineCompiler &compiler,
                                mlir::ModuleOp program) {
    auto engines = compiler.compile(program, options);
    EXPECT_TRUE(bool(engines));
    return engines ? engines->front().code.words : std::vector<uint64_t>();
  }

  /// Counts what is reported while `body` runs.
  template <typename Body> unsigned countReports(Body body) {
    unsigned count = 0;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &) {
      ++count;
      return mlir::success();
    });
    body();
    return count;
  }

  mlir::MLIRContext context;
  Options options;
  std::vector<Remark> remarks;
  mlir::OwningOpRef<mlir::ModuleOp> planned, other;
};

TEST_F(EngineCompilerTest, CodeIsThatOfThePlanThatIsAskedFor) {
  setThreadCount(1);
  EngineCompiler one(options);
  EXPECT_FALSE(one.canBegin());
  const auto expected = wordsOf(one, *planned);
  const auto expectedOther = wordsOf(one, *other);
  ASSERT_NE(expected, expectedOther);
  setThreadCount(2);
  EngineCompiler two(options);
  ASSERT_TRUE(two.canBegin());
  two.begin(*other, options);
  two.begin(*planned, options);
  EXPECT_EQ(wordsOf(two, *planned), expected);
  EXPECT_EQ(wordsOf(two, *other), expectedOther);
  two.begin(*other, options); // for nothing
  EXPECT_EQ(wordsOf(two, *planned), expected);
}

TEST_F(EngineCompilerTest, ABegunPlanIsCompiledOnceAndSpeaksWhenAskedFor) {
  setThreadCount(2);
  ir::askForExplanations(context, {ir::explainAll.str()});
  EngineCompiler compiler(options);
  EXPECT_EQ(countReports([&] { compiler.begin(*planned, options); }), 0u);
  const unsigned said =
      countReports([&] { (void)wordsOf(compiler, *planned); });
  EXPECT_GT(said, 0u);
  EXPECT_EQ(countReports([&] { (void)wordsOf(compiler, *planned); }), said);
}

TEST_F(EngineCompilerTest, NothingIsBegunThatIsCheckedOrWritten) {
  setThreadCount(2);
  options.pipeline.checkedPackets = 1;
  EXPECT_FALSE(EngineCompiler(options).canBegin());
}

} // namespace
