// Bursts, sub-batches and cuts for x86, chosen by the model of rates.

#include "driver/Batching.h"
#include "ir/analysis/Explain.h"
#include "ir/dialect/Layout.h"
#include "mlir/IR/Diagnostics.h"
#include "support/Files.h"
#include "support/NearestName.h"
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace karakal::driver {

using namespace mlir;

/// The name by which `--explain` knows the choice.
static constexpr const char *batchingName = "batching";

/// The sub-batch for which cuts are weighed.
static constexpr uint32_t usualSubBatch = host::WorkObservation::Burst;

static std::string formatted(const char *format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

Status checkCuts(ModuleOp baker, const std::vector<std::string> &cuts) {
  std::vector<std::string> names;
  for (ir::GlobalOp global : baker.getOps<ir::GlobalOp>())
    names.push_back(global.getSymName().str());
  for (const std::string &cut : cuts) {
    if (std::find(names.begin(), names.end(), cut) != names.end())
      continue;
    std::string near = nearestName(cut, names);
    return makeError("E-driver-043",
                     "--cuts: the program has no global '" + cut + "'" +
                         (near.empty() ? "" : "; is '" + near + "' meant?"));
  }
  return success();
}

/// Runs the program with observers. The explanations of its passes are those of
/// the run that follows, and are not printed twice.
static Result<host::WorkObservation> observe(ModuleOp baker,
                                             const HostTraffic &traffic,
                                             HostSpeed speed,
                                             std::vector<std::string> cuts) {
  ScopedDiagnosticHandler silent(
      baker.getContext(), [](mlir::Diagnostic &said) {
        return mlir::success(ir::explanationOf(said).has_value());
      });
  host::WorkObservation observation;
  speed.observation = &observation;
  speed.keepFrames = false;
  speed.burst = usualSubBatch;
  speed.subBatch = 1;
  speed.specialize = {};
  speed.withStages = true;
  speed.cuts = std::move(cuts);
  auto run = runTraffic(baker, traffic, speed);
  if (!run)
    return run.error();
  return observation;
}

static x86::ProgramWork workOf(const host::WorkObservation &observation) {
  x86::ProgramWork work;
  work.oneByOne = observation.counts.work(x86::Schedule::OneByOne);
  if (observation.hasStages)
    work.staged = observation.counts.work(x86::Schedule::Staged);
  return work;
}

/// Takes the cuts that bring more than they cost, and notes why.
static std::vector<std::string>
worthwhileCuts(ModuleOp baker, const host::WorkObservation &observation,
               BatchingChoice &choice) {
  std::vector<std::string> cuts;
  // Less is neither a gain nor a reason.
  constexpr double leastNs = 0.5;
  for (const auto &[object, accesses] : observation.counts.byObject()) {
    const std::string &name = observation.objects[object];
    if (!baker.lookupSymbol<ir::GlobalOp>(name))
      continue;
    x86::CutGain gain = x86::gainOfCut(choice.machine, choice.work.oneByOne,
                                       accesses, usualSubBatch);
    if (gain.without < leastNs)
      continue;
    bool isCut = gain.with + leastNs < gain.without;
    if (isCut)
      cuts.push_back(name);
    choice.reasons.push_back(
        "@" + name + ": packets wait " + formatted("%.1f", gain.without) +
        " ns for its lines, with a cut " + formatted("%.1f", gain.with) +
        " ns: " + (isCut ? "cut" : "no cut"));
  }
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

static Result<x86::Machine> machineFor(const std::string &path) {
  if (!path.empty())
    return x86::readMachine(path);
  std::string own = x86::machinePath(x86::processorName());
  if (own.empty())
    return makeError("E-driver-042",
                     "neither XDG_CACHE_HOME nor HOME tells where the figures "
                     "of this machine are; name a file with --machine");
  return x86::readMachine(own);
}

Result<BatchingChoice> chooseForTraffic(ModuleOp baker,
                                        const HostTraffic &traffic,
                                        const HostSpeed &speed,
                                        const BatchingRequest &request) {
  auto machine = machineFor(request.machine);
  if (!machine)
    return machine.error();
  BatchingChoice choice;
  choice.machine = std::move(*machine);
  choice.cuts = speed.cuts;
  auto observation = observe(baker, traffic, speed, choice.cuts);
  if (!observation)
    return observation.error();
  choice.work = workOf(*observation);
  if (request.modelCuts) {
    choice.cuts = worthwhileCuts(baker, *observation, choice);
    if (choice.cuts.empty()) {
      choice.work.staged.reset();
    } else {
      observation = observe(baker, traffic, speed, choice.cuts);
      if (!observation)
        return observation.error();
      choice.work = workOf(*observation);
    }
  }
  choice.chosen =
      x86::chooseBatching(choice.machine, choice.work, request.asked);
  return choice;
}

static std::string partsText(const x86::PacketTime &time) {
  return formatted("%.1f ns a packet: ", time.total()) +
         formatted("%.1f to enter and leave, ", time.burst) +
         formatted("%.1f instructions, ", time.instructions) +
         formatted("%.1f mispredicted branches, ", time.mispredictions) +
         formatted("%.1f cuts, ", time.cuts) +
         formatted("%.1f lines missed, ", time.lines) +
         formatted("%.1f waits for them", time.waits);
}

static std::string nameOf(x86::Batching batching) {
  return "bursts of " + std::to_string(batching.burst) +
         (batching.subBatch == 1
              ? ", packet by packet"
              : " in stages of " + std::to_string(batching.subBatch));
}

/// The fastest point on the other side: stages for a choice without.
static std::optional<x86::Batching> otherSide(const BatchingChoice &choice) {
  if (!choice.work.staged)
    return std::nullopt;
  uint32_t burst = choice.chosen.burst;
  if (choice.chosen.subBatch > 1)
    return x86::Batching{burst, 1};
  burst = std::max(burst, usualSubBatch);
  return x86::Batching{burst, std::min(burst, usualSubBatch)};
}

void explainChoice(ModuleOp baker, const BatchingChoice &choice) {
  if (!ir::isExplained(baker.getContext(), batchingName))
    return;
  auto explain = [&](const std::string &text) {
    ir::explain(baker, batchingName) << text;
  };
  for (const std::string &reason : choice.reasons)
    explain(reason);
  auto time = [&](x86::Batching batching) {
    return x86::timeOf(choice.machine, choice.work, batching);
  };
  explain("the model chooses " + nameOf(choice.chosen) + " on " +
          choice.machine.processor + ": " + partsText(time(choice.chosen)));
  if (auto other = otherSide(choice))
    explain(nameOf(*other) + " would take " + partsText(time(*other)));
  else
    explain("no stages: no load is worth waiting for");
  explain("million packets a second by burst B and sub-batch b:\n" +
          x86::gridText(choice.machine, choice.work));
}

Status sweepGrid(ModuleOp baker, const HostTraffic &traffic,
                 const HostSpeed &speed, const BatchingChoice &choice,
                 const std::string &path) {
  HostSpeed sweep = speed;
  sweep.keepFrames = false;
  sweep.burst = usualSubBatch;
  sweep.subBatch = 1;
  sweep.specialize = {};
  sweep.withStages = choice.work.staged.has_value();
  sweep.cuts = choice.cuts;
  for (uint32_t burst : x86::gridSizes())
    for (uint32_t subBatch : x86::gridSizes())
      if (subBatch == 1 || (sweep.withStages && subBatch <= burst))
        sweep.sweep.push_back({burst, subBatch});
  auto run = runTraffic(baker, traffic, sweep);
  if (!run)
    return run.error();
  using nlohmann::json;
  constexpr double nsPerMpps = 1000;
  json points = json::array();
  for (size_t i = 0; i < sweep.sweep.size(); ++i) {
    x86::Batching point = sweep.sweep[i];
    double modelled = x86::timeOf(choice.machine, choice.work, point).total();
    points.push_back({{"burst", point.burst},
                      {"sub_batch", point.subBatch},
                      {"measured_mpps", nsPerMpps / run->sweepNs[i]},
                      {"model_mpps", nsPerMpps / modelled}});
  }
  json text = {
      {"processor", x86::processorName()},
      {"machine", choice.machine.processor},
      {"chosen",
       {{"burst", choice.chosen.burst}, {"sub_batch", choice.chosen.subBatch}}},
      {"cuts", choice.cuts},
      {"points", points}};
  return writeFile(path, text.dump(1) + "\n");
}

} // namespace karakal::driver
