// The cost of a mapping file.

#include "driver/report/MappingComparison.h"
#include "driver/cores/CodePrediction.h"
#include "ir/analysis/Explain.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace karakal::driver {

namespace {

Options withoutMapping(Options options) {
  options.pipeline.mapping.clear();
  options.pipeline.mappedXScale.clear();
  options.pipeline.mappedContexts.clear();
  return options;
}

/// "main on 4 engines, back on 2".
std::string describe(const std::vector<ir::AggregatePlan> &plans) {
  std::string text;
  for (const ir::AggregatePlan &plan : plans)
    text += llvm::formatv("{0}{1} on {2}{3}", text.empty() ? "" : ", ",
                          plan.name, plan.engines.size(),
                          !text.empty()              ? ""
                          : plan.engines.size() == 1 ? " engine"
                                                     : " engines")
                .str();
  return text;
}

} // namespace

std::optional<MappingCost> costOfMapping(ModuleOp source,
                                         const PlannedProgram &made,
                                         const Options &options) {
  const std::string &file = options.pipeline.mapping;
  if (file.empty())
    return std::nullopt;
  auto free = [&] {
    // Diagnostics of the other mapping would confuse the user.
    ScopedDiagnosticHandler quiet(source.getContext(), [](mlir::Diagnostic &) {
      return llvm::success();
    });
    return planAndCompile(source, withoutMapping(options));
  }();
  if (!free)
    return std::nullopt;
  agg::Prediction chosen = predictionOf(*free->program, free->engines);
  MappingCost cost{predictionOf(*made.program, made.engines).packetsPerSecond,
                   chosen.packetsPerSecond, chosen.bottleneck,
                   ir::aggregatesOf(*free->program)};
  double lost = cost.lost();
  ir::explain(*made.program, "aggregation")
      << "mapping " << llvm::sys::path::filename(file) << " "
      << llvm::formatv("{0} {1:f1} %: {2:f3} million packets per second are "
                       "predicted, {3:f3} for {4}, which the compiler chooses",
                       lost < 0 ? "gains" : "costs", 100 * std::abs(lost),
                       cost.packets / 1e6, cost.chosenPackets / 1e6,
                       describe(cost.chosen))
             .str();
  return cost;
}

} // namespace karakal::driver
