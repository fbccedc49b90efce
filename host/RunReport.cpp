// The statistics of a run on x86, as JSON and as a table.

#include "host/RunReport.h"
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace karakal::host {

using Json = nlohmann::ordered_json;

static Json toJson(const Counts &counts) {
  Json object = Json::object();
  for (const auto &[name, count] : counts)
    object[name] = count;
  return object;
}

/// The packet counts under the names of stats.json.
static Counts named(const PacketCounts &packets) {
  return {
      {"received", packets.received},       {"forwarded", packets.forwarded},
      {"dropped", packets.dropped},         {"consumed", packets.consumed},
      {"to_xscale", packets.toXScale},      {"rx_overflow", 0},
      {"transmitted", packets.transmitted}, {"copied", packets.copied},
      {"oversize", packets.oversize}};
}

/// Whether specialized code was asked for and any packet came.
static bool wasAsked(const SpecializeReport &report) {
  return report.specializedBursts + report.ownBursts != 0;
}

static double buildMsMedian(const SpecializeReport &report) {
  return report.buildMs.quantile(0.5);
}

std::string statisticsJson(const HostRun &run, const std::string &program,
                           const Counts &events) {
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
  const SpecializeReport &special = run.specialization;
  if (wasAsked(special))
    stats["specialization"] = {
        {"builds", special.builds},
        {"used", special.used},
        {"out_of_date", special.outOfDate},
        {"failed", special.failed},
        {"undone", special.undone},
        {"specialized_bursts", special.specializedBursts},
        {"own_bursts", special.ownBursts},
        {"build_ms_p50", buildMsMedian(special)}};
  stats["ppfs"] = toJson(run.packetsByPpf);
  stats["counters"] = toJson(events);
  return stats.dump(2) + "\n";
}

Status writeStatistics(const std::string &path, const HostRun &run,
                       const std::string &program, const Counts &events) {
  std::ofstream file(path, std::ios::binary);
  file << statisticsJson(run, program, events);
  file.close();
  if (!file)
    return makeFileError("E-host-006", path, "the file cannot be written");
  return success();
}

[[gnu::format(printf, 1, 2)]] static std::string format(const char *form, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, form);
  std::vsnprintf(line, sizeof line, form, arguments);
  va_end(arguments);
  return line;
}

static std::string row(const std::string &name, uint64_t count) {
  return format("  %-32s %llu\n", name.c_str(), (unsigned long long)count);
}

std::string statisticsTable(const HostRun &run, const std::string &program) {
  const PacketCounts &packets = run.packets;
  using Long = unsigned long long;
  std::string text = program + " on x86\n";
  text += format("packets   %llu received, %llu forwarded, %llu dropped, "
                 "%llu consumed\n",
                 Long(packets.received), Long(packets.forwarded),
                 Long(packets.dropped), Long(packets.consumed));
  for (const auto &[name, count] : run.drops)
    if (count != 0)
      text += row("dropped " + name, count);
  const Counts others = {{"to_xscale", packets.toXScale},
                         {"copied", packets.copied},
                         {"oversize", packets.oversize},
                         {"control calls", run.controlCalls},
                         {"control calls not reached", run.controlNotReached}};
  for (const auto &[name, count] : others)
    if (count != 0)
      text += row(name, count);
  for (const traces::ControlValue &value : run.controlValues)
    text += traces::valueText(value);
  const SpecializeReport &special = run.specialization;
  if (wasAsked(special)) {
    text += format(
        "special   %llu of %llu bursts; %llu builds, %llu used, %llu "
        "out of date, %llu failed; undone %llu times; a build "
        "%.1f ms\n",
        Long(special.specializedBursts),
        Long(special.specializedBursts + special.ownBursts),
        Long(special.builds), Long(special.used), Long(special.outOfDate),
        Long(special.failed), Long(special.undone), buildMsMedian(special));
    if (!special.failure.empty())
      text += "          no code: " + special.failure + "\n";
  }
  text += format("speed     %.3f s to compile", run.compileSeconds);
  if (run.runSeconds > 0)
    text += format("; %.3f million packets per second of processor time",
                   packets.received / run.runSeconds / 1e6);
  return text + "\n";
}

} // namespace karakal::host
