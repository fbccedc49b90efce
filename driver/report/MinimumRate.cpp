// The minimum rate of generated code.

#include "driver/report/MinimumRate.h"
#include "driver/cores/NextNeighbourRings.h"
#include "ir/dialect/ProfileAttributes.h"
#include "ir/dialect/Target.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace karakal::driver {

namespace {

/// Source lines of a path that an error names.
constexpr size_t linesMax = 12;

/// Divides the worst case between the SRAM channels in the proportion of the
/// average cost, because instruction words do not contain the channel.
void divideByChannel(target::MessageCost &worst,
                     const target::MessageCost &average) {
  auto averageOf = [&](uint32_t channel) {
    return average.busy[size_t(target::readPort(channel))];
  };
  double all = 0;
  for (uint32_t channel = 0; channel < target::SramChannelsMax; ++channel)
    all += averageOf(channel);
  if (all <= 0)
    return;
  for (auto *figures : {&worst.busy, &worst.commands, &worst.squares}) {
    double &unshared = (*figures)[size_t(target::readPort(0))];
    double total = unshared;
    for (uint32_t channel = 1; channel < target::SramChannelsMax; ++channel) {
      double moved = total * averageOf(channel) / all;
      unshared -= moved;
      (*figures)[size_t(target::readPort(channel))] += moved;
    }
  }
}

/// The source lines of a path, at most `most`: "a.baker:10, 12, b.baker:4".
std::string linesOf(const target::WorstCase &worst,
                    const target::Microcode &code, size_t most) {
  std::string text, file;
  uint32_t line = 0;
  size_t count = 0;
  for (uint32_t word : worst.path) {
    const target::SourceLine &location = code.lines[word];
    if (location.line == 0 || (location.file == file && location.line == line))
      continue;
    if (++count > most)
      return text + ", …";
    text += text.empty() ? "" : ", ";
    if (location.file != file)
      text += llvm::sys::path::filename(location.file).str() + ":";
    text += std::to_string(location.line);
    file = location.file;
    line = location.line;
  }
  return text.empty() ? "the dispatch loop" : text;
}

} // namespace

double MinimumRate::gbps() const {
  return packetsPerSecond * predictedFrameBytes * 8 / 1e9;
}

Result<MinimumRate>
computeMinimumRate(ModuleOp planned,
                   const std::vector<AggregateCode> &engines) {
  target::ChipParameters chip = ir::chipOf(planned);
  MinimumRate minimum;
  minimum.stages = stagesOf(planned, engines);
  KARAKAL_ASSERT(minimum.stages.size() == engines.size(),
                 "each aggregate is a stage");
  for (size_t i = 0; i < engines.size(); ++i) {
    auto worst = target::worstCaseOf(loadedCode(engines, i), chip);
    if (!worst)
      return worst.error();
    agg::Stage &stage = minimum.stages[i];
    target::MessageCost cost = worst->cost;
    divideByChannel(cost, stage.cost);
    stage.cost = cost;
    stage.messages = std::max(stage.messages, 1.0);
    double issueMax = worst->cost.issue;
    std::vector<const target::Microcode *> others = {&engines[i].code};
    for (const AggregateCode::Variant &variant : engines[i].variants)
      others.push_back(&variant.code);
    for (const target::Microcode *code : others) {
      if (code == &loadedCode(engines, i))
        continue;
      auto other = target::worstCaseOf(*code, chip);
      if (!other)
        return other.error();
      issueMax = std::max(issueMax, other->cost.issue);
    }
    minimum.issueMax.push_back(issueMax);
    minimum.worst.push_back(std::move(*worst));
  }
  agg::Prediction prediction =
      agg::predict(minimum.stages, chip, predictedFrameBytes);
  minimum.packetsPerSecond =
      (1 - agg::modelError) * prediction.packetsPerSecond;
  minimum.bottleneck = prediction.bottleneck;
  KARAKAL_ASSERT(minimum.packetsPerSecond > 0,
                 "a program with bounded paths has a minimum rate");
  return minimum;
}

std::string printMinimumRate(const MinimumRate &minimum,
                             const std::vector<AggregateCode> &engines) {
  std::string text =
      llvm::formatv("{0,-24}{1,8}{2,8}{3,9}{4,9}\n", "worst case of a message",
                    "engines", "words", "engine", "memory");
  for (size_t i = 0; i < engines.size(); ++i) {
    const target::WorstCase &worst = minimum.worst[i];
    text += llvm::formatv("{0,-24}{1,8}{2,8}{3,9:f0}{4,9:f0}\n",
                          engines[i].plan.name, engines[i].plan.engines.size(),
                          loadedCode(engines, i).words.size(), worst.cost.issue,
                          worst.cost.latency);
    text += llvm::formatv(
        "  path of {0:f0} and {1:f0} cycles: {2}\n", worst.pathCost.issue,
        worst.pathCost.latency,
        linesOf(worst, loadedCode(engines, i), worst.path.size()));
  }
  text += llvm::formatv("guaranteed: {0:f3} Gbit/s, {1:f3} million packets of "
                        "{2} bytes per second; limit: {3}\n",
                        minimum.gbps(), minimum.packetsPerSecond / 1e6,
                        predictedFrameBytes, minimum.bottleneck);
  return text;
}

Status checkMinimumRate(const MinimumRate &minimum,
                        const std::vector<AggregateCode> &engines,
                        double gbps) {
  if (minimum.gbps() >= gbps)
    return success();
  size_t slow = 0;
  auto rateOf = [&](size_t i) {
    const agg::Stage &stage = minimum.stages[i];
    return stage.engines * agg::engineRate(stage.cost, {}) / stage.messages;
  };
  for (size_t i = 1; i < engines.size(); ++i)
    if (rateOf(i) < rateOf(slow))
      slow = i;
  const target::WorstCase &worst = minimum.worst[slow];
  return makeError(
      "E-driver-040",
      llvm::formatv(
          "{0:f3} Gbit/s cannot be guaranteed, only {1:f3}: the limit is {2}; "
          "the slowest path of aggregate '{3}', on {4} engines, takes {5:f0} "
          "engine cycles and {6:f0} of memory: {7}",
          gbps, minimum.gbps(), minimum.bottleneck, engines[slow].plan.name,
          engines[slow].plan.engines.size(), worst.pathCost.issue,
          worst.pathCost.latency,
          linesOf(worst, loadedCode(engines, slow), linesMax))
          .str());
}

} // namespace karakal::driver
