// The statistics of a run on x86, as JSON and as a table.

#include "host/RunReport.h"
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace karakal::host {

using Json = nlohmann::ordered_json;

/// Whether specialized code was asked for and any packet came.
static bool wasAsked(const SpecializeReport &report) {
  return report.specializedBursts + report.ownBursts != 0;
}

static double buildMsMedian(const SpecializeReport &report) {
  return report.buildMs.quantile(0.5);
}

std::string statisticsJson(const HostRun &run, const std::string &program,
                           const Counts &events) {
  Json stats = statisticsJson(run, program);
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
        {"observed_bursts", special.observedBursts},
        {"traffic_builds", special.trafficBuilds},
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

std::string statisticsTable(const HostRun &run, const std::string &program) {
  using Long = unsigned long long;
  std::string text = countsTable(run, program);
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
    if (special.observedBursts != 0)
      text += format("          %llu bursts observed; %llu builds for other "
                     "traffic\n",
                     Long(special.observedBursts), Long(special.trafficBuilds));
    if (!special.failure.empty())
      text += "          no code: " + special.failure + "\n";
  }
  text += format("speed     %.3f s to compile", run.compileSeconds);
  std::string rate = rateText(run);
  return text + (rate.empty() ? "" : "; " + rate) + "\n";
}

} // namespace karakal::host
