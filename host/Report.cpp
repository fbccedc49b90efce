//===- Report.cpp - a run on x86 for people and for programs ----*- C++ -*-===//

#include "host/Report.h"
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

std::string statisticsJson(const HostRun &run, const std::string &program) {
  Json stats = {{"schema", 1}, {"target", "x86"}, {"program", program}};
  stats["packets"] = toJson(named(run.packets));
  stats["drops"] = toJson(run.drops);
  stats["control_calls"] = run.controlCalls;
  stats["ppfs"] = toJson(run.packetsByPpf);
  if (!run.profile.empty())
    stats["counters"] = toJson(run.profile);
  return stats.dump(2) + "\n";
}

Status writeStatistics(const std::string &path, const HostRun &run,
                       const std::string &program) {
  std::ofstream file(path, std::ios::binary);
  file << statisticsJson(run, program);
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
  return format("  %-32s %12llu\n", name.c_str(), (unsigned long long)count);
}

std::string statisticsTable(const HostRun &run, const std::string &program) {
  std::string text = program + " on x86\n";
  for (const auto &[name, count] : named(run.packets))
    if (count != 0 || name == "received" || name == "forwarded" ||
        name == "dropped" || name == "consumed")
      text += row("packets " + name, count);
  for (const auto &[name, count] : run.drops)
    if (count != 0)
      text += row("dropped: " + name, count);
  text += row("control calls", run.controlCalls);
  text += format("  %-32s %12.3f\n", "compile time (s)", run.compileSeconds);
  if (run.runSeconds > 0)
    text += format("  %-32s %12.3f\n", "speed (million packets/s)",
                   run.packets.received / run.runSeconds / 1e6);
  return text;
}

} // namespace karakal::host
