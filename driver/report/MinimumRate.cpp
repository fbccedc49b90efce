// The rate that generated code promises.

#include "driver/report/MinimumRate.h"
#include "driver/cores/NextNeighbourRings.h"
#include "ir/dialect/ProfileAttributes.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace karakal::driver {

namespace {

/// Source lines of a path that an error names.
constexpr size_t linesMax = 12;

/// Words do not tell the SRAM channel: the worst case is shared out as the
/// average is.
void shareChannels(target::MessageCost &worst,
                   const target::MessageCost &average) {
  double first = average.busy[size_t(target::SharedUnit::Sram0)];
  double second = average.busy[size_t(target::SharedUnit::Sram1)];
  if (second <= 0)
    return;
  for (auto *figures : {&worst.busy, &worst.commands, &worst.squares}) {
    double &from = (*figures)[size_t(target::SharedUnit::Sram0)];
    double moved = from * second / (first + second);
    from -= moved;
    (*figures)[size_t(target::SharedUnit::Sram1)] += moved;
  }
}

/// The source lines of a path: "a.baker:10, 12, b.baker:4".
std::string linesOf(const target::WorstCase &worst,
                    const target::Microcode &code, size_t most) {
  std::string text, file;
  uint32_t line = 0;
  size_t count = 0;
  for (uint32_t word : worst.path) {
    const target::SourceLine &place = code.lines[word];
    if (place.line == 0 || (place.file == file && place.line == line))
      continue;
    if (++count > most)
      return text + ", …";
    text += text.empty() ? "" : ", ";
    if (place.file != file)
      text += llvm::sys::path::filename(place.file).str() + ":";
    text += std::to_string(place.line);
    file = place.file;
    line = place.line;
  }
  return text.empty() ? "the dispatch loop" : text;
}

} // namespace

double Promise::gbps() const { return packets * predictedFrameBytes * 8 / 1e9; }

Result<Promise> findPromise(ModuleOp planned,
                            const std::vector<AggregateCode> &engines) {
  target::ChipParameters chip;
  Promise promise;
  promise.stages = stagesOf(planned, engines);
  for (size_t i = 0; i < engines.size(); ++i) {
    auto worst = target::worstCaseOf(loadedCode(engines, i), chip);
    if (!worst)
      return worst.error();
    agg::Stage &stage = promise.stages[i];
    target::MessageCost cost = worst->cost;
    shareChannels(cost, stage.cost);
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
    promise.issueMax.push_back(issueMax);
    promise.worst.push_back(std::move(*worst));
  }
  promise.packets =
      (1 - agg::modelError) *
      agg::predict(promise.stages, chip, predictedFrameBytes).packetsPerSecond;
  promise.bottleneck =
      agg::predict(promise.stages, chip, predictedFrameBytes).bottleneck;
  return promise;
}

std::string printPromise(const Promise &promise,
                         const std::vector<AggregateCode> &engines) {
  std::string text =
      llvm::formatv("{0,-24}{1,8}{2,8}{3,9}{4,9}\n", "worst case of a message",
                    "engines", "words", "engine", "memory");
  for (size_t i = 0; i < engines.size(); ++i) {
    const target::WorstCase &worst = promise.worst[i];
    text += llvm::formatv("{0,-24}{1,8}{2,8}{3,9:f0}{4,9:f0}\n",
                          engines[i].plan.name, engines[i].plan.engines.size(),
                          loadedCode(engines, i).words.size(), worst.cost.issue,
                          worst.cost.latency);
    text += llvm::formatv(
        "  path of {0:f0} and {1:f0} cycles: {2}\n", worst.pathCost.issue,
        worst.pathCost.latency,
        linesOf(worst, loadedCode(engines, i), worst.path.size()));
  }
  text += llvm::formatv("promised: {0:f3} Gbit/s, {1:f3} million packets a "
                        "second of {2} bytes; limit: {3}\n",
                        promise.gbps(), promise.packets / 1e6,
                        predictedFrameBytes, promise.bottleneck);
  return text;
}

Status checkMinRate(const Promise &promise,
                    const std::vector<AggregateCode> &engines, double gbps) {
  if (promise.gbps() >= gbps)
    return success();
  size_t slow = 0;
  auto rateOf = [&](size_t i) {
    const agg::Stage &stage = promise.stages[i];
    return stage.engines * agg::engineRate(stage.cost, {}) / stage.messages;
  };
  for (size_t i = 1; i < engines.size(); ++i)
    if (rateOf(i) < rateOf(slow))
      slow = i;
  const target::WorstCase &worst = promise.worst[slow];
  return makeError(
      "E-driver-040",
      llvm::formatv(
          "{0:f3} Gbit/s cannot be promised, only {1:f3}: the limit is {2}; "
          "the slowest path of aggregate '{3}', on {4} engines, takes {5:f0} "
          "engine cycles and {6:f0} of memory: {7}",
          gbps, promise.gbps(), promise.bottleneck, engines[slow].plan.name,
          engines[slow].plan.engines.size(), worst.pathCost.issue,
          worst.pathCost.latency,
          linesOf(worst, loadedCode(engines, slow), linesMax))
          .str());
}

} // namespace karakal::driver
