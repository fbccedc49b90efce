// Remarks of plans that are taken and of plans that are dropped.

#include "driver/cores/HeldRemarks.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gmock/gmock.h"

#include <string>
#include <vector>

using namespace karakal::driver;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

class HeldRemarksTest : public ::testing::Test {
protected:
  HeldRemarksTest()
      : listener(&context, [this](mlir::Diagnostic &diagnostic) {
          said.push_back(diagnostic.str());
          return mlir::success();
        }) {}
  mlir::Location at(unsigned line) {
    return mlir::FileLineColLoc::get(&context, "a.baker", line, 1);
  }

  mlir::MLIRContext context;
  std::vector<std::string> said;
  mlir::ScopedDiagnosticHandler listener;
};

TEST_F(HeldRemarksTest, ThoseThatNobodyTakesAreDropped) {
  {
    HeldRemarks held(&context);
    mlir::emitRemark(at(1)) << "of a dropped plan";
  }
  mlir::emitRemark(at(1)) << "later";
  EXPECT_THAT(said, ElementsAre("later"));
}

TEST_F(HeldRemarksTest, WarningsAndErrorsAreNotHeld) {
  HeldRemarks held(&context);
  mlir::emitWarning(at(1)) << "a warning";
  mlir::emitError(at(1)) << "an error";
  EXPECT_THAT(said, ElementsAre("a warning", "an error"));
  EXPECT_THAT(held.take(), IsEmpty());
}

TEST_F(HeldRemarksTest, ReportedOnesComeInOrderAndNoMoreAreHeld) {
  HeldRemarks held(&context);
  mlir::emitRemark(at(1)) << "first";
  mlir::emitRemark(at(2)) << "second";
  EXPECT_THAT(said, IsEmpty());
  held.report();
  mlir::emitRemark(at(1)) << "third";
  EXPECT_THAT(said, ElementsAre("first", "second", "third"));
}

TEST_F(HeldRemarksTest, InnerOnesReportToOuterOnes) {
  HeldRemarks outer(&context);
  {
    HeldRemarks inner(&context);
    mlir::emitRemark(at(1)) << "inner";
    inner.report();
  }
  EXPECT_THAT(said, IsEmpty());
  Remarks taken = outer.take();
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].str(), "inner");
}

TEST_F(HeldRemarksTest, ThoseThatAreTakenCanBeSaidLater) {
  Remarks taken;
  {
    HeldRemarks held(&context);
    mlir::emitRemark(at(1)) << "first";
    mlir::emitRemark(at(2)) << "second";
    taken = held.take();
    mlir::emitRemark(at(3)) << "dropped";
  }
  say(&context, std::move(taken));
  EXPECT_THAT(said, ElementsAre("first", "second"));
}

} // namespace
