//===- Engines.cpp - microcode of the aggregates --------------------------===//

#include "driver/Engines.h"
#include "aggregation/CodeCost.h"
#include "aggregation/Passes.h"
#include "codegen-me/CodeGenMe.h"
#include "driver/LlvmStage.h"
#include "driver/RunPasses.h"
#include "ir/Explain.h"
#include "ir/Profile.h"
#include "swcache/Caches.h"
#include "target-ixp/MemoryMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace karakal::driver {

namespace {

constexpr const char *engineEntry = "me_main";
constexpr const char *doesNotFit = "E-codegen-me-020";
/// The sizes grow by this where the code did not fit, so many times.
constexpr double sizeStep = 1.5;
constexpr unsigned stepsMax = 6;
/// Sizes that are truly below this part of the estimate are taken as new ones.
constexpr double sizeKnown = 0.9;

/// The code of all aggregates, in the plan's order.
Result<std::vector<AggregateCode>> compileEngines(ModuleOp planned,
                                                  const Options &options) {
  std::vector<AggregateCode> engines;
  for (const ir::AggregatePlan &plan : ir::aggregatesOf(planned)) {
    auto core = makeEngineIr(planned, plan.name, options);
    if (!core)
      return core.error();
    codegen::CodeGenOptions codegen;
    codegen.level = options.pipeline.level == Level::Base ? 0 : 2;
    codegen.entry = engineEntry;
    codegen.maxWords = target::ControlStoreWords;
    codegen.stackSramBase = target::StackSramBase;
    codegen.stackSramBytes = target::StackSramBytes;
    auto code = codegen::compileForMe(*core->module, codegen);
    if (!code)
      return code.error();
    engines.push_back({plan, std::move(*code)});
  }
  return engines;
}

/// Packets for each one received; 0 where the profile does not tell.
double perPacket(std::optional<uint64_t> count, double received) {
  return count && received != 0 ? double(*count) / received : 0;
}

/// Commands that a received packet sends to SRAM channel 1.
double sram1Commands(ModuleOp planned, double received) {
  double commands = 0;
  for (auto global : planned.getOps<ir::GlobalOp>()) {
    std::optional<ir::Place> place = ir::placeOf(global);
    auto profile = ir::profileOf(global);
    if (place && place->memory == "sram1" && profile && received != 0)
      commands += double(profile->reads + profile->writes) / received;
  }
  return commands;
}

/// Messages that an aggregate takes from rings for each packet received.
double messagesOf(ModuleOp planned, const std::string &aggregate,
                  double received) {
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
  for (const char *file : {"packet.ll", "services.ll"})
    if (Status linked = linkRuntime(*core->module, file); !linked)
      return linked.error();
  keepEntries(*core->module, {engineEntry});
  optimize(*core->module, pipeline.level,
           /*keepPrimitives=*/!includes(pipeline.level, Level::O2));
  return core;
}

Result<OwningOpRef<ModuleOp>> planProgram(ModuleOp program,
                                          const PipelineOptions &options) {
  OwningOpRef<ModuleOp> planned = program.clone();
  Status done = runPasses(*planned, [&](OpPassManager &passes) {
    addProgramPasses(passes, options);
  });
  if (!done)
    return done.error();
  return planned;
}

namespace {

/// The rate that the model predicts of the code.
double predictedPackets(const PlannedProgram &made) {
  auto stages = stagesOf(*made.program, made.engines);
  return agg::predict(stages, target::ChipParameters()).packetsPerSecond;
}

/// Rates that differ by less are equal: the model is not that exact.
constexpr double sameRate = 0.01;

/// `cached`, unless the model predicts more of `plain`, which keeps less.
PlannedProgram betterOf(PlannedProgram cached, Result<PlannedProgram> plain) {
  if (!plain)
    return cached;
  double with = predictedPackets(cached), without = predictedPackets(*plain);
  if (with >= without * (1 - sameRate))
    return cached;
  swcache::refuseCaches(
      *plain->program, *cached.program,
      llvm::formatv("it does not pay: {0:f2} million packets a second with "
                    "it, {1:f2} without",
                    with / 1e6, without / 1e6)
          .str());
  return std::move(*plain);
}

/// Plans and compiles until the aggregates fit their engines.
Result<PlannedProgram> compileToFit(ModuleOp program, const Options &options) {
  Options tried = options;
  for (unsigned step = 0;; ++step) {
    auto planned = planProgram(program, tried.pipeline);
    if (!planned)
      return planned.error();
    auto engines = compileEngines(**planned, tried);
    if (engines)
      return PlannedProgram{std::move(*planned), std::move(*engines)};
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

/// Gives the engines out anew, by what the code of each aggregate costs.
void shareEngines(PlannedProgram &made) {
  std::vector<agg::Stage> stages = stagesOf(*made.program, made.engines);
  std::vector<agg::Stage> shared = stages;
  size_t left = 0;
  for (agg::Stage &stage : shared) {
    left += stage.engines - 1;
    stage.engines = 1;
  }
  target::ChipParameters chip;
  auto slowness = [&](const agg::Stage &stage) {
    return stage.messages / (agg::engineRate(stage.cost, chip) * stage.engines);
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
        << "map " << plan.name << ": " << plan.engines.size() << " engines for "
        << llvm::formatv("{0:f0}", slowness(shared[i]) * shared[i].engines)
               .str()
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
  again.pipeline.wordsScale *= trueWords(made);
  if (again.pipeline.wordsScale < sizeKnown * options.pipeline.wordsScale)
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
  if (made && swcache::answersOf(*made->program).lookup) {
    fewer.pipeline.keepAnswers = false;
    made = betterOf(std::move(*made), compileToFit(program, fewer));
  }
  if (made && !swcache::cachesOf(*made->program).empty()) {
    fewer.pipeline.disabled.push_back("plan-caches");
    made = betterOf(std::move(*made), compileToFit(program, fewer));
  }
  return made;
}

std::vector<agg::Stage> stagesOf(ModuleOp planned,
                                 const std::vector<AggregateCode> &engines) {
  target::ChipParameters chip;
  auto profile = ir::profileOf(planned);
  double received = profile ? double(profile->received) : 0;
  std::vector<agg::Stage> stages;
  for (const AggregateCode &engine : engines) {
    agg::Stage stage;
    stage.name = engine.plan.name;
    stage.engines = engine.plan.engines.size();
    stage.messages = std::max(messagesOf(planned, stage.name, received), 1e-6);
    double commands = sram1Commands(planned, received) / engines.size();
    stage.cost = agg::costOfCode(engine.code, chip, commands / stage.messages);
    stages.push_back(std::move(stage));
  }
  return stages;
}

} // namespace karakal::driver
