// Plans that continue from what earlier plans of the program have in common.

#include "driver/cores/Planner.h"
#include "ReadProgramTest.h"
#include "driver/cores/Feedback.h"
#include "ir/analysis/Explain.h"
#include "ir/dialect/Attributes.h"
#include "llvm/Support/raw_ostream.h"

using namespace karakal;
using namespace karakal::driver;

namespace {

class PlannerTest : public ReadProgramTest {
protected:
  /// Reads a program with a profile in which two of three PPFs are rare.
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(read("tests/aggregation/split-cores.mlir"));
    options.pipeline.coldShare = 0.5;
  }

  PipelineOptions with(unsigned rare, double scale) const {
    PipelineOptions pipeline = options.pipeline;
    pipeline.rareOnEngines = rare;
    pipeline.wordsScale = scale;
    return pipeline;
  }

  static std::string textOf(Result<mlir::OwningOpRef<mlir::ModuleOp>> planned) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    EXPECT_TRUE(bool(planned));
    if (planned)
      (*planned)->print(stream);
    return text;
  }
};

TEST_F(PlannerTest, EachPlanIsThatOfItsOptions) {
  Planner planner(*program);
  std::vector<PipelineOptions> all;
  for (double scale : {1.0, 0.5})
    for (unsigned rare : {0u, 1u, 2u})
      all.push_back(with(rare, scale));
  all.push_back(with(2, 1));
  all.back().disabled = {"plan-caches"};
  std::vector<std::string> expected;
  for (const PipelineOptions &pipeline : all)
    expected.push_back(textOf(planProgram(*program, pipeline)));
  EXPECT_NE(expected[0], expected[1]);
  EXPECT_NE(expected[1], expected[2]);
  EXPECT_NE(expected[0], expected[3]); // the estimated words
  for (unsigned round = 0; round < 2; ++round)
    for (size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(textOf(planner.plan(all[i])), expected[i]) << i;
}

TEST_F(PlannerTest, AMappingWithTooManyAggregatesIsNoPlan) {
  Planner planner(*program);
  EXPECT_EQ(countReports([&] {
              auto planned = planner.plan(with(0, 1), /*aggregatesMax=*/0);
              ASSERT_FALSE(bool(planned));
              EXPECT_EQ(planned.error().lacking, Resource::None);
            }),
            0u);
  EXPECT_TRUE(bool(planner.plan(with(0, 1), /*aggregatesMax=*/1)));
}

TEST_F(PlannerTest, PassesSayAgainWhatTheySaid) {
  ir::askForExplanations(context, {ir::explainAll.str()});
  Planner planner(*program);
  auto sayings = [&](unsigned rare) {
    std::vector<std::string> texts;
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &diagnostic) {
          auto said = ir::explanationOf(diagnostic);
          texts.push_back(said ? said->pass.str() + ": " + said->text : "");
          for (mlir::Diagnostic &note : diagnostic.getNotes())
            texts.push_back(note.str());
          return llvm::success();
        });
    EXPECT_TRUE(bool(planner.plan(with(rare, 1))));
    return texts;
  };
  auto first = sayings(1);
  EXPECT_GT(first.size(), 2u);
  EXPECT_EQ(sayings(1), first);
  // Continued from what both have in common.
  auto other = sayings(0);
  EXPECT_EQ(Planner(*program).plan(with(0, 1)) ? other.size() : 0,
            sayings(0).size());
}

} // namespace
