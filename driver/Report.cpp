//===- Report.cpp - what the compiler decided, and why --------------------===//
//
// Decisions are attributes with a reason beside them; the report lists them in
// the program's order. Sizes come from the code generator. Words of runtime
// functions (packet primitives) are told apart from the program's.
//
//===----------------------------------------------------------------------===//

#include "driver/Report.h"
#include "aggregation/Passes.h"
#include "driver/Manifest.h"
#include "ir/Attributes.h"
#include "ir/Layout.h"

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

json describeAggregate(ModuleOp program, const Options &options,
                       const target::Microcode &engine) {
  json functions = json::array();
  for (const target::FunctionRange &range : engine.functions)
    functions.push_back(
        {{"name", range.name},
         {"words", range.end - range.begin},
         {"runtime", StringRef(range.name).starts_with("baker_")}});
  json engines = json::array();
  for (unsigned i = 0; i < options.engineCount; ++i)
    engines.push_back(target::AppEngineFirst + i);
  return {{"name", mainAggregate},
          {"ppfs", ppfsOn(program, ir::Core::Me)},
          {"engines", engines},
          {"words", engine.words.size()},
          {"words_available", target::ControlStoreWords},
          {"functions", functions},
          {"statistics", engine.statistics}};
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
    std::optional<ir::Place> place = ir::placeOf(global);
    memory.push_back({{"global", global.getSymName().str()},
                      {"memory", place->memory},
                      {"address", place->address},
                      {"bytes", 4 * ir::wordCount(global.getType())}});
  }
  return memory;
}

json listDecisions(ModuleOp program) {
  json decisions = json::array();
  for (auto function : program.getOps<func::FuncOp>())
    if (ir::isPpf(function))
      decisions.push_back(
          {{"subject", function.getSymName().str()},
           {"kind", "core"},
           {"decision", textOf(function, ir::coreAttrName)},
           {"reason", textOf(function, agg::coreReasonAttrName)}});
  for (auto channel : program.getOps<ir::ChannelOp>()) {
    std::string decision = textOf(channel, ir::viaAttrName);
    if (auto ring = ir::numberOf(channel, ir::ringAttrName))
      decision += " " + std::to_string(*ring);
    decisions.push_back({{"subject", channel.getSymName().str()},
                         {"kind", "channel"},
                         {"decision", decision},
                         {"reason", textOf(channel, agg::viaReasonAttrName)}});
  }
  return decisions;
}

/// An explanation reads "what: why"; a clause that gives no reason is all what.
json describeRemark(const Remark &remark) {
  auto [decision, reason] = StringRef(remark.text).split(": ");
  return {{"subject", remark.place},
          {"kind", remark.pass},
          {"decision", decision.str()},
          {"reason", reason.str()}};
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
                       const target::Microcode &engine,
                       const XScaleCode &xscale,
                       const std::vector<Remark> &remarks) {
  json decisions = listDecisions(program);
  for (const Remark &remark : remarks)
    decisions.push_back(describeRemark(remark));
  json report = {{"schema", 1},
                 {"program", program.getName().value_or("program").str()},
                 {"target", "ixp2400"},
                 {"level", levelName(options.pipeline.level)},
                 {"aggregates",
                  json::array({describeAggregate(program, options, engine)})},
                 {"xscale", describeXScale(program, xscale)},
                 {"memory", describeMemory(program)},
                 {"decisions", decisions},
                 {"profile_packets", listProfile(program)}};
  return report.dump(2) + "\n";
}

} // namespace karakal::driver
