// What became of the packets and calls of a run on x86.

#include "host/standalone/RunStatistics.h"
#include <cstdio>
#include <nlohmann/json.hpp>

namespace karakal::host {

using Json = nlohmann::ordered_json;

Json toJson(const Counts &counts) {
  Json object = Json::object();
  for (const auto &[name, count] : counts)
    object[name] = count;
  return object;
}

/// The packet counts under the names of stats.json.
static Counts named(const PacketCounts &packets) {
  return {{"received", packets.received},
          {"forwarded", packets.forwarded},
          {"dropped", packets.dropped},
          {"consumed", packets.consumed},
          {"waiting", packets.waiting},
          {"to_xscale", packets.toXScale},
          {"rx_overflow", 0},
          {"transmitted", packets.transmitted},
          {"copied", packets.copied},
          {"oversize", packets.oversize}};
}

Json statisticsJson(const RunStatistics &run, const std::string &program) {
  Json stats = {{"schema", 1}, {"target", "x86"}, {"program", program}};
  stats["packets"] = toJson(named(run.packets));
  stats["drops"] = toJson(run.drops);
  stats["control"] = {{"calls", run.controlCalls},
                      {"not_reached", run.controlNotReached},
                      {"values", Json::array()}};
  for (const traces::ControlValue &value : run.controlValues) {
    Json each = {{"line", value.line}, {"call", value.call}};
    if (value.entries)
      each["entries"] = *value.entries;
    else
      each["value"] = value.value;
    stats["control"]["values"].push_back(std::move(each));
  }
  for (const traces::TimerCounts &timer : run.timers)
    stats["control"]["timers"].push_back({{"name", timer.name},
                                          {"interval_us", timer.intervalUs},
                                          {"calls", timer.calls},
                                          {"late", timer.late},
                                          {"missed", timer.missed}});
  return stats;
}

static std::string row(const std::string &name, uint64_t count) {
  char line[256];
  std::snprintf(line, sizeof line, "  %-32s %llu\n", name.c_str(),
                (unsigned long long)count);
  return line;
}

std::string countsTable(const RunStatistics &run, const std::string &program) {
  const PacketCounts &packets = run.packets;
  std::string text = program + " on x86\n";
  text += "packets   " + std::to_string(packets.received) + " received, " +
          std::to_string(packets.forwarded) + " forwarded, " +
          std::to_string(packets.dropped) + " dropped, " +
          std::to_string(packets.consumed) + " consumed\n";
  for (const auto &[name, count] : run.drops)
    if (count != 0)
      text += row("dropped " + name, count);
  const Counts others = {{"waiting", packets.waiting},
                         {"to_xscale", packets.toXScale},
                         {"copied", packets.copied},
                         {"oversize", packets.oversize},
                         {"control calls", run.controlCalls},
                         {"control calls not reached", run.controlNotReached}};
  for (const auto &[name, count] : others)
    if (count != 0)
      text += row(name, count);
  for (const traces::ControlValue &value : run.controlValues)
    text += traces::valueText(value);
  return text;
}

std::string rateText(const RunStatistics &run) {
  if (run.runSeconds <= 0)
    return "";
  char text[128];
  std::snprintf(text, sizeof text,
                "%.3f million packets per second of processor time",
                double(run.packets.received) / run.runSeconds / 1e6);
  return text;
}

} // namespace karakal::host
