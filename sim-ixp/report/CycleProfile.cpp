// A profile of a program's cycles.
//
// See CycleProfile.h for the idea.

#include "sim-ixp/report/CycleProfile.h"
#include "sim-ixp/run/Simulation.h"
#include "target-ixp/table/InstructionTable.h"
#include "target-ixp/table/Printer.h"

#include <algorithm>
#include <map>

namespace karakal::sim {
namespace {

using nlohmann::json;

constexpr const char *counted[] = {"issued", "aborted", "stalled",
                                   "waited", "waits",   "commands"};

/// Adds one engine to the rows of its microcode, one row per instruction.
void addEngine(const MicroProgram &program, const EngineProfile &profile,
               json &rows) {
  if (rows.empty())
    for (size_t i = 0; i < program.ops.size(); ++i)
      rows.push_back(
          {{"pc", i},
           {"location",
            i < program.locations.size() ? program.locations[i] : ""},
           {"text", target::print(program.instructions[i])}});
  const std::vector<uint64_t> counts = profile.issued();
  for (size_t i = 0; i < program.ops.size(); ++i) {
    uint64_t issued = counts[i];
    bool isCommand = target::row(program.ops[i].op).isCommand();
    uint64_t values[] = {issued,
                         profile.aborted[i],
                         profile.stalled[i],
                         profile.waited[i],
                         profile.waits[i],
                         isCommand ? issued : 0};
    for (size_t k = 0; k < std::size(counted); ++k)
      rows[i][counted[k]] = rows[i].value(counted[k], uint64_t{0}) + values[k];
  }
}

/// Adds an engine's waits for locks, by the location of the call.
void addLocks(const MicroProgram &program, const EngineProfile &profile,
              std::map<std::string, json> &locks) {
  for (const auto &[call, waits] : profile.lockWaits) {
    std::string location =
        call < program.locations.size() ? program.locations[call] : "";
    json &lock = locks[location];
    lock["location"] = location;
    lock["waited"] = lock.value("waited", uint64_t{0}) + waits.waited;
    lock["waits"] = lock.value("waits", uint64_t{0}) + waits.waits;
  }
}

uint64_t cyclesOf(const json &row) {
  return row["issued"].get<uint64_t>() + row["aborted"].get<uint64_t>() +
         row["stalled"].get<uint64_t>();
}

/// One row per source line, the most expensive first.
json linesOf(const json &rows) {
  std::map<std::string, json> byLocation;
  for (const json &row : rows) {
    json &line = byLocation[row["location"]];
    line["location"] = row["location"];
    for (const char *key : counted)
      line[key] =
          line.value(key, uint64_t{0}) + row[key].template get<uint64_t>();
  }
  json lines = json::array();
  for (auto &[location, line] : byLocation)
    if (line["issued"] != 0)
      lines.push_back(std::move(line));
  std::stable_sort(
      lines.begin(), lines.end(),
      [](const json &a, const json &b) { return cyclesOf(a) > cyclesOf(b); });
  return lines;
}

} // namespace

json collectProfile(Simulation &run) {
  json all = json::object();
  std::map<std::string, std::map<std::string, json>> locks;
  for (uint32_t i = 0; i < run.chip().engineCount(); ++i) {
    const EnginePlan &plan = run.engines()[i];
    if (plan.role == EngineRole::Idle)
      continue;
    run.chip().engine(i).forEachProfile(
        [&](const MicroProgram &program, const EngineProfile &profile) {
          json &one = all[program.name];
          one["role"] = roleName(plan.role);
          one["engines"].push_back(i);
          if (!one.contains("instructions"))
            one["instructions"] = json::array();
          addEngine(program, profile, one["instructions"]);
          addLocks(program, profile, locks[program.name]);
        });
  }
  for (auto &[name, one] : all.items()) {
    one["lines"] = linesOf(one["instructions"]);
    // Instructions that never ran carry no information.
    json ran = json::array();
    for (json &row : one["instructions"])
      if (row["issued"] != 0)
        ran.push_back(std::move(row));
    one["instructions"] = std::move(ran);
    one["locks"] = json::array();
    for (auto &[location, lock] : locks[name])
      one["locks"].push_back(std::move(lock));
    std::stable_sort(
        one["locks"].begin(), one["locks"].end(),
        [](const json &a, const json &b) { return a["waited"] > b["waited"]; });
  }
  return {{"schema", 1}, {"microcode", std::move(all)}};
}

std::string collapseProfile(const json &profile) {
  std::string text;
  for (const auto &[name, one] : profile["microcode"].items())
    for (const json &row : one["instructions"]) {
      const std::string location = row["location"];
      text += one["role"].get<std::string>() + ";" + name + ";" +
              (location.empty() ? "?" : location) + ";" +
              std::to_string(row["pc"].get<unsigned>()) + " " +
              row["text"].get<std::string>() + " " +
              std::to_string(cyclesOf(row)) + "\n";
    }
  return text;
}

} // namespace karakal::sim
