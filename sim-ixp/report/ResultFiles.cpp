// The files that a run writes.

#include "sim-ixp/report/ResultFiles.h"
#include "sim-ixp/report/CycleProfile.h"
#include "sim-ixp/report/ProfileTable.h"
#include "sim-ixp/report/RunPage.h"
#include "sim-ixp/report/RunRecord.h"
#include "traces/TraceWriter.h"

#include <fstream>

namespace karakal::sim {
namespace {

Status writeTimeline(const std::string &path, const nlohmann::json &stats,
                     Simulation &run) {
  Timeline::Names names;
  for (const nlohmann::json &engine : stats["microengines"])
    names.roles.push_back(engine["role"]);
  names.wait = [&run](uint32_t engine, uint32_t pc) {
    return run.waitName(engine, pc);
  };
  return run.timeline().write(path, run.options().parameters.meClockHz, names);
}

Status writeProfile(const std::string &path, Simulation &run) {
  nlohmann::json profile = collectProfile(run);
  if (Status status = writeText(path, profile.dump(1) + "\n"); !status)
    return status;
  return writeText(path + ".folded", collapseProfile(profile));
}

} // namespace

Status writeFrames(const std::string &path, const target::ChipParameters &chip,
                   uint64_t startCycle, const std::vector<SentFrame> &frames) {
  auto writer =
      traces::TraceWriter::create(path, static_cast<uint32_t>(chip.portsCount));
  if (!writer)
    return writer.error();
  double nsPerCycle = 1e9 / static_cast<double>(chip.meClockHz);
  for (const SentFrame &frame : frames) {
    KARAKAL_ASSERT(frame.cycle >= startCycle,
                   "a frame left before traffic started");
    traces::Packet packet;
    packet.timeNs = static_cast<uint64_t>(
        static_cast<double>(frame.cycle - startCycle) * nsPerCycle);
    packet.port = frame.port;
    packet.bytes = frame.bytes;
    if (Status status = (*writer)->write(packet); !status)
      return status;
  }
  return (*writer)->close();
}

Status writeText(const std::string &path, const std::string &text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    return makeFileError("E-sim-ixp-040", path, "cannot be written");
  return success();
}

Status writeResults(const CommandLine &line, const nlohmann::json &stats,
                    Simulation &run) {
  const SimulationOptions &options = run.options();
  KARAKAL_ASSERT(line.out.empty() || options.keepFrames,
                 "the run did not keep the frames to be written");
  KARAKAL_ASSERT(line.timeline.empty() || options.recordTimeline,
                 "the run did not record the timeline to be written");
  KARAKAL_ASSERT(line.profile.empty() || options.profile,
                 "the run did not count the cycles to be written");
  if (!line.out.empty())
    if (Status status = writeFrames(line.out, options.parameters,
                                    run.startCycle(), run.sentFrames());
        !status)
      return status;
  if (!line.stats.empty())
    if (Status status = writeText(line.stats, stats.dump(2) + "\n"); !status)
      return status;
  if (!line.timeline.empty())
    if (Status status = writeTimeline(line.timeline, stats, run); !status)
      return status;
  if (!line.html.empty())
    if (Status status =
            writeText(line.html, makeRunPage(line.command, stats, run));
        !status)
      return status;
  if (!line.record.empty())
    if (Status status = writeRecord(line.record, run); !status)
      return status;
  if (!line.journey.empty())
    if (Status status =
            writeText(line.journey, run.packetLog()->json().dump(1) + "\n");
        !status)
      return status;
  if (!line.profile.empty() && line.profile != profileTable)
    return writeProfile(line.profile, run);
  return success();
}

} // namespace karakal::sim
