// Microcode that is begun before it is asked for.

#include "driver/cores/EngineCode.h"
#include "driver/cores/Feedback.h"
#include "driver/pipeline/Threads.h"
#include "ir/analysis/Explain.h"
#include "tests/driver/ReadProgramTest.h"

using namespace karakal;
using namespace karakal::driver;

namespace {

class EngineCompilerTest : public ReadProgramTest {
protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(read("tests/driver/Inputs/small.baker"));
    planned = planOf(*program);
    other = withGlobalsElsewhere(*planned);
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
