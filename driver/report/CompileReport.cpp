// The report of decisions and their reasons.
//
// Decisions are attributes, each with an attribute for its reason. The report
// lists them in the program's order. Sizes come from the code generator. Words
// of runtime functions (packet primitives) are marked.

#include "driver/report/CompileReport.h"
#include "aggregation/Passes.h"
#include "ir/analysis/GlobalsEnd.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/Target.h"
#include "target-ixp/chip/RuntimeNames.h"

#include <nlohmann/json.hpp>

using namespace mlir;
using nlohmann::json;

namespace karakal::driver {

namespace {

std::string textOf(Operation *op, StringRef name) {
  auto text = op->getAttrOfType<StringAttr>(name);
  return text ? text.str() : "";
}

json ppfsOn(ModuleOp program, ir::Core core) {
  json names = json::array();
  for (auto function : program.getOps<func::FuncOp>())
    if (ir::isPpf(function) && ir::coreOf(function) == core)
      names.push_back(function.getSymName().str());
  return names;
}

/// A stage of the throughput model, for one message.
json describeStage(const agg::Stage &stage, double utilization,
                   const target::ChipParameters &chip) {
  const target::MessageCost &cost = stage.cost;
  auto byUnit = [&](const auto &figures) {
    json units = json::object();
    for (target::SharedUnit unit : target::unitsOf(chip))
      units[target::sharedUnitName(unit)] = figures[size_t(unit)];
    return units;
  };
  return {{"messages_per_packet", stage.messages},
          {"contexts", stage.contexts},
          {"issue_cycles", cost.issue},
          {"latency_cycles", cost.latency},
          {"segments", cost.segments},
          {"segment_squares", cost.segmentSquares},
          {"locked_cycles", cost.locked},
          {"locked_swaps", cost.lockedSwaps},
          {"sent", cost.sent},
          {"sent_without_head", cost.sentWithoutHead},
          {"unit_cycles", byUnit(cost.busy)},
          {"unit_commands", byUnit(cost.commands)},
          {"unit_squares", byUnit(cost.squares)},
          {"utilization", utilization}};
}

json describeAggregate(ModuleOp program, const AggregateCode &engine) {
  json functions = json::array(), ppfs = json::array();
  for (auto function : program.getOps<func::FuncOp>())
    if (ir::aggregateOf(function) == engine.plan.name)
      ppfs.push_back(function.getSymName().str());
  for (const target::FunctionRange &range : engine.code.functions)
    functions.push_back(
        {{"name", range.name},
         {"words", range.end - range.begin},
         {"runtime",
          StringRef(range.name).starts_with(target::runtime::Prefix)}});
  return {{"name", engine.plan.name},
          {"ppfs", ppfs},
          {"engines", engine.plan.engines},
          {"words", engine.code.words.size()},
          {"words_available", ir::chipOf(program).meControlStore},
          {"functions", functions},
          {"statistics", engine.code.statistics}};
}

json describeXScale(ModuleOp program, const XScaleCode &code) {
  size_t bytes = 0;
  for (const XScaleCode::Segment &segment : code.segments)
    bytes += segment.bytes.size();
  return {{"ppfs", ppfsOn(program, ir::Core::XScale)}, {"bytes", bytes}};
}

json describeMemory(ModuleOp program) {
  json memory = json::array();
  for (auto global : program.getOps<ir::GlobalOp>()) {
    std::optional<ir::Placement> placement = ir::placementOf(global);
    if (!placement) // a local variable of the XScale core
      continue;
    memory.push_back({{"global", global.getSymName().str()},
                      {"memory", target::memoryName(placement->memory)},
                      {"address", placement->address},
                      {"bytes", 4 * ir::placedWords(global)},
                      {"reason", textOf(global, ir::placementReasonAttrName)}});
  }
  return memory;
}

std::string coreNameOf(func::FuncOp function) {
  std::optional<ir::Core> core = ir::coreOf(function);
  return core ? ir::stringifyCore(*core).str() : "";
}

json listDecisions(ModuleOp program) {
  json decisions = json::array();
  for (auto function : program.getOps<func::FuncOp>())
    if (ir::isPpf(function))
      decisions.push_back(
          {{"subject", function.getSymName().str()},
           {"kind", "core"},
           {"decision", coreNameOf(function)},
           {"reason", textOf(function, agg::coreReasonAttrName)}});
  for (auto channel : program.getOps<ir::ChannelOp>()) {
    std::optional<ir::Via> via = ir::viaOf(channel);
    std::string decision = via ? ir::stringifyVia(*via).str() : "";
    if (auto ring = ir::numberOf(channel, ir::ringAttrName))
      decision += " " + std::to_string(*ring);
    decisions.push_back({{"subject", channel.getSymName().str()},
                         {"kind", "channel"},
                         {"decision", decision},
                         {"reason", textOf(channel, agg::viaReasonAttrName)}});
  }
  return decisions;
}

/// Divides an explanation "decision: reason". The reason may be missing.
json describeRemark(const Remark &remark) {
  auto [decision, reason] = StringRef(remark.text).split(": ");
  return {{"subject", remark.location},
          {"kind", remark.pass},
          {"decision", decision.str()},
          {"reason", reason.str()}};
}

/// The steps of aggregation, in order.
json listSteps(ModuleOp program) {
  json steps = json::array();
  auto list = program->getAttrOfType<ArrayAttr>(agg::stepsAttrName);
  if (!list)
    return steps;
  for (auto step : list.getAsRange<ir::FormationStepAttr>())
    steps.push_back(
        {{"subject", step.getSubject().str()},
         {"kind", "aggregation"},
         {"decision", ir::stringifyFormationStepKind(step.getKind()).str()},
         {"reason", step.getReason().str()}});
  return steps;
}

/// Returns the stages when only `count` of the image's engines run. The choice
/// is that of the simulator's loader: one engine for each aggregate, then the
/// others by number.
std::vector<agg::Stage> withEngines(std::vector<agg::Stage> stages,
                                    size_t count) {
  size_t left = count - stages.size();
  for (agg::Stage &stage : stages) {
    size_t more = std::min<size_t>(left, stage.engines - 1);
    stage.engines = unsigned(1 + more);
    left -= more;
  }
  return stages;
}

json describePrediction(const agg::Prediction &prediction, size_t engines) {
  return {{"engines", engines},
          {"mpps", prediction.packetsPerSecond / 1e6},
          {"gbps", prediction.gbps(predictedFrameBytes)},
          {"bottleneck", prediction.bottleneck}};
}

/// Aggregates with their stages, and the rates that the model predicts for the
/// image on each number of engines.
void addPrediction(json &report, ModuleOp program,
                   const std::vector<AggregateCode> &engines) {
  target::ChipParameters chip = ir::chipOf(program);
  std::vector<agg::Stage> stages = stagesOf(program, engines);
  agg::Frames frames = framesOf(program);
  agg::Prediction prediction = agg::predict(stages, chip, frames);
  for (size_t i = 0; i < engines.size(); ++i) {
    json aggregate = describeAggregate(program, engines[i]);
    aggregate["model"] =
        describeStage(stages[i], prediction.stageUtilization[i], chip);
    report["aggregates"].push_back(std::move(aggregate));
  }
  json units = json::object();
  for (target::SharedUnit unit : target::unitsOf(chip))
    units[target::sharedUnitName(unit)] =
        prediction.unitUtilization[size_t(unit)];
  size_t all = 0;
  for (const agg::Stage &stage : stages)
    all += stage.engines;
  report["predicted"] = describePrediction(prediction, all);
  report["predicted"]["frame_bytes"] = predictedFrameBytes;
  report["predicted"]["unit_utilization"] = units;
  for (size_t count = stages.size(); count <= all; ++count)
    report["predicted"]["by_engines"].push_back(describePrediction(
        agg::predict(withEngines(stages, count), chip, frames), count));
}

/// The classes of traffic with their bounds and rates.
json describeClasses(const MinimumRate &minimum) {
  json classes = json::array();
  for (const ClassRate &rate : minimum.classes) {
    json aggregates = json::array();
    for (size_t i = 0; i < rate.worst.size(); ++i)
      if (const auto &worst = rate.worst[i])
        aggregates.push_back({{"name", rate.stages[i].name},
                              {"messages", rate.traffic.passages[i].messages},
                              {"issue_cycles", worst->cost.issue},
                              {"latency_cycles", worst->cost.latency}});
    classes.push_back(
        {{"kind", trafficKindName(rate.traffic.kind)},
         {"name", rate.traffic.name},
         {"mpps", rate.packetsPerSecond / 1e6},
         {"gbps", rate.gbps()},
         {"bottleneck", rate.bottleneck},
         {"packets_per_second_max", rate.traffic.packetsPerSecondMax},
         {"bytes_added", rate.traffic.bytesAdded},
         {"aggregates", aggregates}});
  }
  return classes;
}

/// The worst case of each aggregate and the minimum rate.
void addMinimumRate(json &report, const MinimumRate &minimum) {
  for (size_t i = 0; i < minimum.worst.size(); ++i)
    report["aggregates"][i]["worst_case"] = {
        {"issue_cycles", minimum.worst[i].cost.issue},
        {"latency_cycles", minimum.worst[i].cost.latency}};
  report["promised"] = {{"mpps", minimum.packetsPerSecond() / 1e6},
                        {"gbps", minimum.gbps()},
                        {"frame_bytes", predictedFrameBytes},
                        {"bottleneck", minimum.bottleneck()},
                        {"punts_per_second", minimum.puntsPerSecond},
                        {"punt_share", minimum.puntShare},
                        {"gbps_beside_punts", minimum.gbpsBesidePunts()},
                        {"class", minimum.slowest},
                        {"classes", describeClasses(minimum)}};
}

/// The cost of the mapping file, compared with the mapping that the compiler
/// chooses.
json describeCost(const MappingCost &cost, const std::string &file) {
  json chosen = json::array();
  for (const ir::AggregatePlan &plan : cost.chosen)
    chosen.push_back({{"name", plan.name}, {"engines", plan.engines}});
  return {{"file", file},
          {"mpps", cost.packets / 1e6},
          {"lost", cost.lost()},
          {"chosen",
           {{"mpps", cost.chosenPackets / 1e6},
            {"bottleneck", cost.chosenBottleneck},
            {"aggregates", chosen}}}};
}

json listProfile(ModuleOp program) {
  json profile = json::object();
  for (auto function : program.getOps<func::FuncOp>())
    if (auto packets = ir::profilePacketsOf(function))
      profile[function.getSymName().str()] = *packets;
  return profile;
}

} // namespace

std::string makeReport(ModuleOp program, const Options &options,
                       const std::vector<AggregateCode> &engines,
                       const XScaleCode &xscale,
                       const std::vector<Remark> &remarks,
                       const std::optional<MinimumRate> &minimum,
                       const std::optional<MappingCost> &mapping) {
  json decisions = listSteps(program);
  for (json &decision : listDecisions(program))
    decisions.push_back(std::move(decision));
  for (const Remark &remark : remarks)
    decisions.push_back(describeRemark(remark));
  json report = {{"schema", 1},
                 {"program", program.getName().value_or("program").str()},
                 {"target", ir::targetOf(program).str()},
                 {"level", levelName(options.pipeline.level)},
                 {"aggregates", json::array()},
                 {"xscale", describeXScale(program, xscale)},
                 {"memory", describeMemory(program)},
                 {"decisions", decisions},
                 {"profile_packets", listProfile(program)}};
  addPrediction(report, program, engines);
  if (minimum)
    addMinimumRate(report, *minimum);
  if (mapping)
    report["mapping"] = describeCost(*mapping, options.pipeline.mapping);
  return report.dump(2) + "\n";
}

} // namespace karakal::driver
