// The XScale core's code that is begun before the plan is final.

#include "driver/EarlyXScale.h"
#include "ReadProgramTest.h"
#include "driver/cores/Feedback.h"
#include "driver/pipeline/Threads.h"
#include "ir/dialect/Attributes.h"
#include <gtest/gtest.h>

using namespace karakal;
using namespace karakal::driver;

namespace {

class EarlyXScaleTest : public ReadProgramTest {
protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(read("tests/driver/Inputs/small.baker"));
    auto made = planProgram(*program, options.pipeline);
    ASSERT_TRUE(bool(made)) << made.error().str();
    planned = std::move(*made);
  }

  /// The bytes of the core's text with this many threads, if the code of the
  /// plans `likely` is begun and the plan becomes `last`.
  std::vector<uint8_t> codeOf(unsigned threads,
                              const std::vector<mlir::ModuleOp> &likely,
                              mlir::ModuleOp last) {
    setThreadCount(threads);
    EarlyXScale core(options, "");
    for (mlir::ModuleOp plan : likely)
      core.begin(plan);
    auto code = core.finish(last);
    EXPECT_TRUE(bool(code)) << code.error().str();
    for (const XScaleCode::Segment &segment : code->segments)
      if (segment.name == ".text")
        return segment.bytes;
    return {};
  }

  mlir::OwningOpRef<mlir::ModuleOp> otherPlan() {
    return withGlobalsElsewhere(*planned);
  }

  mlir::OwningOpRef<mlir::ModuleOp> planned;
};

} // namespace

TEST_F(EarlyXScaleTest, TheCodeIsThatOfOneThread) {
  auto alone = codeOf(1, {}, *planned);
  EXPECT_FALSE(alone.empty());
  EXPECT_EQ(codeOf(2, {*planned}, *planned), alone);
}

TEST_F(EarlyXScaleTest, CodeForAnotherPlanIsDropped) {
  auto other = otherPlan();
  auto wanted = codeOf(1, {}, *other);
  EXPECT_NE(wanted, codeOf(1, {}, *planned));
  EXPECT_EQ(codeOf(2, {*planned}, *other), wanted);
}

TEST_F(EarlyXScaleTest, AnyOfThePlansMayBeTheLast) {
  auto other = otherPlan();
  for (mlir::ModuleOp last : {*planned, *other})
    EXPECT_EQ(codeOf(2, {*planned, *other, *planned}, last),
              codeOf(1, {}, last));
}
