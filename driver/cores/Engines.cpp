// Microcode of the aggregates.

#include "driver/cores/Engines.h"
#include "aggregation/Passes.h"
#include "aggregation/model/PpfCost.h"
#include "codegen-me/CodeGenMe.h"
#include "driver/cores/NextNeighbourRings.h"
#include "driver/pipeline/LlvmStage.h"
#include "driver/pipeline/RunPasses.h"
#include "ir/analysis/Explain.h"
#include "ir/analysis/References.h"
#include "ir/dialect/ProfileAttributes.h"
#include "ir/dialect/Services.h"
#include "passes/packets/Stoppable.h"
#include "swcache/Caches.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/RuntimeNames.h"
#include "target-ixp/microcode/AverageCost.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace karakal::driver {

namespace {

constexpr const char *doesNotFit = "E-codegen-me-020";
/// The sizes grow by this where the code did not fit, so many times.
constexpr double sizeStep = 1.5;
constexpr unsigned stepsMax = 6;
/// They shrink by this where they leave no mapping.
constexpr double sizeShrink = 0.6;
constexpr unsigned shrinksMax = 5;
constexpr const char *noMapping = "no mapping: ";
/// Sizes that are truly below this part of the estimate are taken as new ones.
constexpr double sizeKnown = 0.9;

/// Where the functions of the program begin in its source.
std::vector<target::SourceFunction> sourcesOf(ModuleOp program) {
  std::vector<target::SourceFunction> sources;
  for (auto function : program.getOps<func::FuncOp>())
    if (auto place = function.getLoc()->findInstanceOf<FileLineColLoc>())
      sources.push_back({place.getFilename().str(), function.getSymName().str(),
                         place.getLine()});
  return sources;
}

/// The code of all aggregates, in the plan's order.
Result<std::vector<AggregateCode>> compileEngines(ModuleOp planned,
                                                  const Options &options) {
  std::vector<AggregateCode> engines;
  for (const ir::AggregatePlan &plan : ir::aggregatesOf(planned)) {
    auto code = compileEngine(planned, plan.name, options);
    if (!code)
      return code.error();
    AggregateCode made;
    made.plan = plan;
    made.code = std::move(*code);
    if (auto wished = options.pipeline.mappedContexts.find(plan.name);
        wished != options.pipeline.mappedContexts.end())
      made.contexts = wished->second;
    engines.push_back(std::move(made));
  }
  return engines;
}

/// Packets for each one received; 0 where the profile does not tell.
double perPacket(std::optional<uint64_t> count, double received) {
  return count && received != 0 ? double(*count) / received : 0;
}

/// Messages that an aggregate takes from rings for each packet received.
/// Without a profile a packet is thought to come by once, as aggregation
/// thinks.
double messagesOf(ModuleOp planned, const std::string &aggregate,
                  double received) {
  if (received == 0)
    return 1;
  double messages = 0;
  for (auto channel : planned.getOps<ir::ChannelOp>()) {
    if (channel.goesToTx() || ir::viaOf(channel) != ir::Via::Ring)
      continue;
    auto consumer = planned.lookupSymbol<func::FuncOp>(channel.getConsumer());
    if (ir::aggregateOf(consumer) == aggregate)
      messages += channel.comesFromRx()
                      ? 1
                      : perPacket(ir::profileOf(channel), received);
  }
  return messages;
}

} // namespace

Result<CoreProgram> makeEngineIr(ModuleOp planned, const std::string &aggregate,
                                 const Options &options) {
  PipelineOptions pipeline = options.pipeline;
  pipeline.aggregate = aggregate;
  auto core = makeCoreProgram(planned, CoreTarget::Me, pipeline);
  if (!core)
    return core.error();
  core->module->setDataLayout(
      "E-p:32:32-p1:32:32-p2:32:32-p3:32:32-p4:32:32-i64:32-n32-S32");
  for (const char *file : {"packet.ll", "services.ll", "locks.ll", "rings.ll"})
    if (Status linked = linkRuntime(*core->module, file); !linked)
      return linked.error();
  keepEntries(*core->module, {target::runtime::EngineEntry});
  optimize(*core->module, pipeline.level,
           /*keepPrimitives=*/!includes(pipeline.level, Level::O2));
  return core;
}

Result<target::Microcode> compileEngine(ModuleOp planned,
                                        const std::string &aggregate,
                                        const Options &options) {
  auto core = makeEngineIr(planned, aggregate, options);
  if (!core)
    return core.error();
  codegen::CodeGenOptions codegen;
  codegen.level = options.pipeline.level == Level::Base ? 0 : 2;
  codegen.entry = target::runtime::EngineEntry;
  codegen.maxWords = target::ControlStoreWords;
  codegen.sources = sourcesOf(planned);
  codegen.stackSramBase =
      uint32_t(options.pipeline.sramBytes) - target::StackSramBytes;
  codegen.stackSramBytes = target::StackSramBytes;
  return codegen::compileForMe(*core->module, codegen);
}

Result<OwningOpRef<ModuleOp>> planProgram(ModuleOp program,
                                          const PipelineOptions &options) {
  OwningOpRef<ModuleOp> planned = program.clone();
  Status done = runPasses(*planned, [&](OpPassManager &passes) {
    addProgramPasses(passes, options);
  });
  if (!done)
    return done.error();
  if (options.isStoppable)
    planned.get()->setAttr(passes::stoppableAttrName,
                           UnitAttr::get(program.getContext()));
  return planned;
}

namespace {

double predictedPackets(const PlannedProgram &made) {
  return predictionOf(made).packetsPerSecond;
}

/// Rates that differ by less are equal: the model is not that exact.
constexpr double sameRate = 0.01;

/// What is kept must gain so much where engines have no time to spare.
constexpr double leastGain = 0.005;

/// `cached`, unless `plain`, which keeps less, is predicted to run so fast that
/// `cached` does not reach `least` of its rate.
PlannedProgram betterOf(PlannedProgram cached, Result<PlannedProgram> plain,
                        double least = 1 - sameRate) {
  if (!plain)
    return cached;
  const agg::Prediction kept = predictionOf(cached);
  if (StringRef(kept.bottleneck).starts_with(agg::enginesLimit))
    least = std::max(least, 1 + leastGain);
  double with = kept.packetsPerSecond, without = predictedPackets(*plain);
  if (with >= without * least)
    return cached;
  swcache::refuseCaches(
      *plain->program, *cached.program,
      llvm::formatv("it does not pay: {0:f2} million packets a second with "
                    "it, {1:f2} without",
                    with / 1e6, without / 1e6)
          .str());
  return std::move(*plain);
}

/// Plans; where no mapping has room for the sizes estimated, with smaller ones:
/// only code shows what it takes. `tried` says at last which sizes were taken.
Result<OwningOpRef<ModuleOp>> planToFit(ModuleOp program, Options &tried) {
  double asked = tried.pipeline.wordsScale;
  for (unsigned step = 0;; ++step) {
    bool isRefused = false;
    ScopedDiagnosticHandler quiet(
        program.getContext(), [&](mlir::Diagnostic &diagnostic) {
          isRefused |= step < shrinksMax &&
                       diagnostic.getSeverity() == DiagnosticSeverity::Error &&
                       StringRef(diagnostic.str()).starts_with(noMapping);
          return llvm::success(isRefused);
        });
    auto planned = planProgram(program, tried.pipeline);
    if (planned || !isRefused)
      return planned;
    tried.pipeline.wordsScale *= sizeShrink;
    if (step + 1 == shrinksMax) // the error is told by the first estimate
      tried.pipeline.wordsScale = asked;
  }
}

/// Plans and compiles until the aggregates fit their engines.
Result<PlannedProgram> compileToFit(ModuleOp program, const Options &options) {
  Options tried = options;
  for (unsigned step = 0;; ++step) {
    auto planned = step == 0 ? planToFit(program, tried)
                             : planProgram(program, tried.pipeline);
    if (!planned)
      return planned.error();
    auto engines = compileEngines(**planned, tried);
    if (engines)
      return PlannedProgram{std::move(*planned), std::move(*engines),
                            tried.pipeline.wordsScale};
    if (engines.error().id != doesNotFit || step == stepsMax)
      return engines.error();
    tried.pipeline.wordsScale *= sizeStep;
  }
}

/// Words of code for one that aggregation estimated.
double trueWords(const PlannedProgram &made) {
  auto estimate = made.program.get()->getAttrOfType<DictionaryAttr>(
      agg::predictionAttrName);
  if (!estimate)
    return 1;
  double words = 0;
  for (const AggregateCode &engine : made.engines)
    words += double(engine.code.words.size());
  return words / cast<FloatAttr>(estimate.get("words")).getValueAsDouble();
}

/// The aggregates with a lock that holds on one engine alone.
llvm::StringSet<> aggregatesWithLocalLock(ModuleOp program) {
  llvm::StringSet<> found;
  for (auto ppf : program.getOps<func::FuncOp>()) {
    if (!ir::isPpf(ppf) || ir::coreOf(ppf) != ir::Core::Me)
      continue;
    for (func::FuncOp function : ir::reachableFrom({ppf}))
      function.walk([&](ir::LockOp taken) {
        ir::GlobalOp lock = ir::globalOf(taken.getRef());
        if (lock && ir::placeOf(lock)->memory == "local")
          found.insert(ir::aggregateOf(ppf));
      });
  }
  return found;
}

/// Gives the engines out anew, by what the code of each aggregate costs; one
/// that a lock holds to its engine keeps it.
void shareEngines(PlannedProgram &made) {
  std::vector<agg::Stage> stages = stagesOf(*made.program, made.engines);
  llvm::StringSet<> staying = aggregatesWithLocalLock(*made.program);
  if (staying.size() == stages.size())
    return;
  std::vector<agg::Stage> shared = stages;
  size_t left = 0;
  for (agg::Stage &stage : shared) {
    left += stage.engines - 1;
    stage.engines = 1;
  }
  target::ChipParameters chip;
  auto cyclesOf = [&](const agg::Stage &stage) {
    return stage.messages / agg::engineRate(stage.cost, chip);
  };
  auto slowness = [&](const agg::Stage &stage) {
    return staying.contains(stage.name) ? 0 : cyclesOf(stage) / stage.engines;
  };
  for (; left > 0; --left)
    ++std::max_element(shared.begin(), shared.end(),
                       [&](const agg::Stage &a, const agg::Stage &b) {
                         return slowness(a) < slowness(b);
                       })
          ->engines;
  if (agg::predict(shared, chip).packetsPerSecond <=
      agg::predict(stages, chip).packetsPerSecond)
    return;
  uint32_t next = target::AppEngineFirst;
  std::vector<ir::AggregatePlan> plans;
  for (size_t i = 0; i < shared.size(); ++i) {
    ir::AggregatePlan &plan = made.engines[i].plan;
    plan.engines.clear();
    for (unsigned n = 0; n < shared[i].engines; ++n)
      plan.engines.push_back(next++);
    plans.push_back(plan);
    ir::explain(*made.program, "aggregation")
        << "map " << plan.name << ": " << plan.engines.size()
        << (plan.engines.size() == 1 ? " engine for " : " engines for ")
        << llvm::formatv("{0:f0}", cyclesOf(shared[i])).str()
        << " cycles a packet received of the code itself";
  }
  ir::setAggregates(*made.program, plans);
}

/// Aggregation once more with the true sizes, where the estimate was so much
/// too large that it may have kept aggregates apart.
PlannedProgram withTrueFigures(PlannedProgram made, ModuleOp program,
                               const Options &options) {
  if (made.engines.size() < 2 || !options.pipeline.mapping.empty())
    return made;
  Options again = options;
  again.pipeline.wordsScale = made.wordsScale * trueWords(made);
  if (again.pipeline.wordsScale < sizeKnown * made.wordsScale)
    if (auto smaller = compileToFit(program, again);
        smaller && predictedPackets(*smaller) > predictedPackets(made))
      made = std::move(*smaller);
  shareEngines(made);
  return made;
}

} // namespace

Result<PlannedProgram> planAndCompile(ModuleOp program,
                                      const Options &options) {
  auto made = compileToFit(program, options);
  if (made)
    made = withTrueFigures(std::move(*made), program, options);
  Options fewer = options;
  if (made && !swcache::arrayCachesOf(*made->program).empty()) {
    // Asking takes about the time of the command that a hit saves: lines pay
    // where a memory is the limit.
    fewer.pipeline.cacheArrays = false;
    made =
        betterOf(std::move(*made), compileToFit(program, fewer), 1 + sameRate);
  }
  if (made && !swcache::lookupCachesOf(*made->program).empty()) {
    fewer.pipeline.cacheLookups = false;
    made = betterOf(std::move(*made), compileToFit(program, fewer));
  }
  if (made && !swcache::globalCopiesOf(*made->program).empty()) {
    fewer.pipeline.disabled.push_back("plan-caches");
    made = betterOf(std::move(*made), compileToFit(program, fewer));
  }
  if (made)
    if (Status added = addNeighbourVariants(*made, options); !added)
      return added.error();
  return made;
}

std::vector<agg::Stage> stagesOf(ModuleOp planned,
                                 const std::vector<AggregateCode> &engines) {
  target::ChipParameters chip;
  auto profile = ir::profileOf(planned);
  double received = profile ? double(profile->received) : 0;
  double lockShare = agg::PpfCosts(planned, chip).busiestLockShare();
  std::vector<agg::Stage> stages;
  for (size_t i = 0; i < engines.size(); ++i) {
    const AggregateCode &engine = engines[i];
    agg::Stage stage;
    stage.name = engine.plan.name;
    stage.engines = engine.plan.engines.size();
    stage.contexts = engine.contexts;
    stage.messages = std::max(messagesOf(planned, stage.name, received), 1e-6);
    stage.cost = target::averageCost(loadedCode(engines, i), chip);
    stage.cost.shareLocks(lockShare);
    stages.push_back(std::move(stage));
  }
  return stages;
}

agg::Prediction predictionOf(const PlannedProgram &made) {
  return agg::predict(stagesOf(*made.program, made.engines),
                      target::ChipParameters());
}

} // namespace karakal::driver
