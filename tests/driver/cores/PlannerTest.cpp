// Plans that continue from what earlier plans of the program have in common.

#include "driver/cores/Planner.h"
#include "driver/cores/Feedback.h"
#include "ir/analysis/Explain.h"
#include "ir/dialect/Attributes.h"
#include "mlir/Parser/Parser.h"
#include "tests/driver/ReadProgramTest.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

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

/// A PPF whose head moves by 4 bytes between its `steps` parts.
std::string movingPpf(int steps) {
  std::string text = "module {\nbaker.protocol @p min_bytes 4 "
                     "[#baker.protocol_field<\"type\" at 0 : 16>]\n"
                     "baker.channel @rx : \"p\" from \"rx\" to @f\n"
                     "baker.channel @out : \"p\" from \"f\" to @tx\n"
                     "func.func @f(%p0: !baker.packet<\"p\">) attributes "
                     "{baker.kind = #baker.kind<ppf>} {\n"
                     "%four = arith.constant 4 : i32\n";
  for (int step = 0; step < steps; ++step) {
    const std::string n = std::to_string(step);
    text += "%t" + n + " = baker.packet_read %p" + n +
            " \"type\" : !baker.packet<\"p\"> -> i16\n%u" + n +
            " = arith.muli %t" + n + ", %t" + n +
            " : i16\nbaker.packet_write %u" + n + ", %p" + n +
            " \"type\" : i16, !baker.packet<\"p\">\n%p" +
            std::to_string(step + 1) + " = baker.packet_decap %p" + n +
            ", %four : !baker.packet<\"p\"> -> !baker.packet<\"p\">\n";
  }
  return text + "baker.channel_put @out, %p" + std::to_string(steps) +
         " : !baker.packet<\"p\">\nreturn\n}\n}\n";
}

/// Cuts elsewhere make other channels of the same names.
TEST_F(PlannerTest, HeadsOfCutPpfsAreThoseOfTheirPlan) {
  program = mlir::parseSourceString<mlir::ModuleOp>(movingPpf(40), &context);
  ASSERT_TRUE(program);
  options.pipeline.level = Level::Swc;
  Planner planner(*program);
  std::set<std::string> seen;
  for (double scale : {1.0, 1.5, 2.0, 2.5, 1.5}) {
    std::string text = textOf(planner.plan(with(0, scale)));
    EXPECT_EQ(text, textOf(planProgram(*program, with(0, scale)))) << scale;
    std::string_view line(text);
    if (size_t cut = line.find("@f.rest2 :"); cut != line.npos) {
      line.remove_prefix(cut);
      line = line.substr(0, line.find('\n'));
      EXPECT_NE(line.find("baker.head"), line.npos) << line;
      seen.insert(std::string(line));
    }
  }
  EXPECT_GT(seen.size(), 1u) << "the cut is at different heads";
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
