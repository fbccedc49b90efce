// Planning again with what the generated code shows.

#include "driver/cores/Feedback.h"
#include "driver/ReadProgram.h"

#include "ir/analysis/Explain.h"
#include "ir/dialect/Attributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

#include <cmath>

using namespace karakal;
using namespace karakal::driver;

namespace {

class Feedback : public testing::Test {
protected:
  Feedback() {
    options.inputs = {std::string(KARAKAL_SOURCE_DIR) +
                      "/tests/driver/Inputs/small.baker"};
    options.pipeline.level = Level::O1;
    // A PPF is one piece, however large it is.
    options.pipeline.disabled = {"split-ppfs"};
    prepareContext(context, options, remarks);
    auto read = readProgram(options, context);
    EXPECT_TRUE(bool(read));
    if (read)
      program = std::move(*read);
  }

  static constexpr int squareCount = 12;
  /// %s0 to the power of 2^squareCount.
  static std::string squares() {
    std::string text;
    for (int i = 1; i <= squareCount; ++i) {
      const std::string from = "%s" + std::to_string(i - 1);
      text += "%s" + std::to_string(i) + " = arith.muli " + from + ", " + from +
              " : i16\n";
    }
    return text;
  }

  /// Eight PPFs one after another: if none merge, they need eight engines. Each
  /// computes so much that engines, not DRAM, limit the rate.
  void chain() {
    std::string text = "module {\nbaker.protocol @p min_bytes 14 "
                       "[#baker.protocol_field<\"type\" at 96 : 16>]\n";
    for (int i = 0; i <= 8; ++i)
      text += "baker.channel @" + (i ? "c" + std::to_string(i) : "rx") +
              " : \"p\" from \"" + (i ? "p" + std::to_string(i) : "rx") +
              "\" to @" + (i < 8 ? "p" + std::to_string(i + 1) : "tx") + "\n";
    for (int i = 1; i <= 8; ++i) {
      const std::string n = std::to_string(i);
      text += "func.func @p" + n +
              "(%ph: !baker.packet<\"p\">) attributes {baker.kind = "
              "#baker.kind<ppf>} {\n%t = baker.packet_read %ph \"type\" : "
              "!baker.packet<\"p\"> -> i16\n%c = arith.constant " +
              n + " : i16\n%s0 = arith.addi %t, %c : i16\n" + squares() +
              "baker.packet_write %s" + std::to_string(squareCount) +
              ", "
              "%ph \"type\" : i16, !baker.packet<\"p\">\n"
              "baker.channel_put @c" +
              n + ", %ph : !baker.packet<\"p\">\nreturn\n}\n";
    }
    program = mlir::parseSourceString<mlir::ModuleOp>(text + "}\n", &context);
    ASSERT_TRUE(program) << text;
  }

  /// Whether a mapping fits estimates times `scale`.
  bool fits(double scale) {
    PipelineOptions pipeline = options.pipeline;
    pipeline.wordsScale = scale;
    return bool(planProgram(*program, pipeline));
  }

  /// The largest factor on estimates that a mapping fits.
  double largestThatFits() {
    double low = 1, high = 1e6;
    errorsOf([&] {
      while (high > 1.001 * low) {
        const double middle = std::sqrt(low * high);
        (fits(middle) ? low : high) = middle;
      }
    });
    return low;
  }

  /// Errors that are reported while `body` runs.
  template <typename Body> std::vector<std::string> errorsOf(Body body) {
    std::vector<std::string> errors;
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
            errors.push_back(diagnostic.str());
          return mlir::success();
        });
    body();
    return errors;
  }

  mlir::MLIRContext context;
  Options options;
  std::vector<Remark> remarks;
  mlir::OwningOpRef<mlir::ModuleOp> program;
};

TEST_F(Feedback, AProgramThatFitsIsPlannedOnce) {
  auto made = planAndCompile(*program, options);
  ASSERT_TRUE(bool(made)) << made.error().str();
  EXPECT_EQ(made->wordsScale, options.pipeline.wordsScale);
  ASSERT_EQ(made->engines.size(), 1u);
  EXPECT_EQ(made->engines[0].plan.engines.size(), 6u);
  EXPECT_FALSE(made->engines[0].code.words.empty());
  EXPECT_EQ(ir::aggregatesOf(*made->program).size(), 1u);
  // The program itself has no plan.
  EXPECT_TRUE(ir::aggregatesOf(*program).empty());
}

TEST_F(Feedback, AnExplanationIsKeptOncePerPlace) {
  ir::askForExplanations(context, {"pac"});
  auto at = [&](unsigned line) {
    program->getOperation()->setLoc(
        mlir::FileLineColLoc::get(&context, "a.baker", line, 1));
    return program->getOperation();
  };
  for (unsigned line : {1, 2, 1})
    for (const char *text : {"combined", "not combined"})
      ir::explain(at(line), "pac") << text;
  std::vector<std::string> kept;
  for (const Remark &remark : remarks)
    kept.push_back(remark.location + " " + remark.text);
  EXPECT_THAT(kept, testing::ElementsAre(
                        "a.baker:1:1 combined", "a.baker:1:1 not combined",
                        "a.baker:2:1 combined", "a.baker:2:1 not combined"));
}

TEST_F(Feedback, RemarksOfAProgramWithoutCodeAreSaid) {
  chain();
  ir::askForExplanations(context, {"aggregation"});
  unsigned remarkCount = 0;
  mlir::ScopedDiagnosticHandler count(
      &context, [&](mlir::Diagnostic &diagnostic) {
        remarkCount +=
            diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark;
        return mlir::success();
      });
  options.pipeline.wordsScale = 1e6;
  EXPECT_FALSE(planAndCompile(*program, options));
  EXPECT_GT(remarkCount, 0u);
}

TEST_F(Feedback, APlanThatNoMappingFitsLacksEngines) {
  chain();
  const auto errors = errorsOf([&] {
    EXPECT_FALSE(fits(1e6));
    PipelineOptions pipeline = options.pipeline;
    pipeline.wordsScale = 1e6;
    EXPECT_EQ(planProgram(*program, pipeline).error().lacking,
              Resource::Engines);
  });
  EXPECT_EQ(errors.size(), 2u);
  EXPECT_TRUE(fits(1));
}

TEST_F(Feedback, EstimatesThatNoMappingFitsShrinkFourTimes) {
  chain();
  const double largest = largestThatFits();
  // Four times three fifths of it, and a little less or more.
  const double most = largest / std::pow(0.6, 4);
  for (bool isTooLarge : {false, true}) {
    Options again = options;
    again.pipeline.wordsScale = most * (isTooLarge ? 1.01 : 0.99);
    const auto errors = errorsOf([&] {
      auto made = planAndCompile(*program, again);
      EXPECT_EQ(bool(made), !isTooLarge);
      if (!made)
        EXPECT_EQ(made.error().lacking, Resource::Engines);
    });
    // Only the first error is reported, and only if nothing fits.
    EXPECT_EQ(errors.size(), isTooLarge ? 1u : 0u);
  }
}

TEST_F(Feedback, LargeEstimatesAreReplacedByTrueSizes) {
  // Estimates that keep PPFs apart: the code of all fits one engine, and one
  // aggregate on six engines is faster.
  chain();
  Options again = options;
  again.pipeline.wordsScale = largestThatFits();
  auto planned = planProgram(*program, again.pipeline);
  ASSERT_TRUE(bool(planned));
  ASSERT_GT(ir::aggregatesOf(**planned).size(), 1u);
  auto made = planAndCompile(*program, again);
  ASSERT_TRUE(bool(made));
  EXPECT_EQ(made->engines.size(), 1u);
  EXPECT_LT(made->wordsScale, 0.9 * again.pipeline.wordsScale);
}

} // namespace
