// Runs an image on a simulated IXP2400.
//
// ixpsim IMAGE.ixp --trace=PCAP: reads image, trace and control file, runs them
// and writes the requested results. ixpsim --ucode=ENGINE:FILE…: runs raw
// control stores on a bare chip. Exit status: 0 done, 1 the input is wrong or
// the program fails on the chip, 2 the command line is wrong.

#include "sim-ixp/report/CycleProfile.h"
#include "sim-ixp/report/StatisticTable.h"
#include "sim-ixp/report/Statistics.h"
#include "sim-ixp/run/RawMicrocodeRun.h"
#include "sim-ixp/run/Simulation.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/image/Image.h"
#include "traces/ControlFile.h"
#include "traces/TraceReader.h"
#include "traces/TraceWriter.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

using namespace karakal;

namespace {

struct CommandLine {
  std::string image, trace, control, out, stats, timeline, profile, chip;
  std::vector<std::string> assignments, ucode;
  sim::SimulationOptions run;
  bool describe = false;
  std::string policy;
  bool quiet = false;
  bool progress = false;
};

void declareOptions(CLI::App &app, CommandLine &line) {
  app.add_option("IMAGE", line.image, "image made by bakerc (.ixp)");
  app.add_option("--trace", line.trace, "packets to offer (pcap, pcapng)");
  app.add_option("--control", line.control, "calls of control functions");
  app.add_option("--ucode", line.ucode,
                 "ENGINE:FILE, microcode of 5-byte words for one engine of a "
                 "bare chip, instead of an image; once per engine")
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--rate", line.run.offeredGbps,
                 "offered load in Gbit/s of frame bits (default: as fast as "
                 "the ports take it)")
      ->check(CLI::PositiveNumber);
  app.add_option("--packets", line.run.packets,
                 "number of packets; repeats or cuts the trace")
      ->check(CLI::PositiveNumber);
  app.add_option("--warmup", line.run.warmup,
                 "packets that leave the chip before measuring begins");
  app.add_option("--mes", line.run.load.engines, "application engines (1 to 6)")
      ->check(CLI::Range(1, 6));
  app.add_option("--threads", line.run.load.threads,
                 "contexts of each application engine (1 to 8)")
      ->check(CLI::Range(1, 8));
  app.add_option("--out", line.out, "write the frames sent (.pcap or .pcapng)");
  app.add_option("--stats", line.stats, "write statistics as JSON");
  app.add_option("--timeline", line.timeline,
                 "write segments and waits of contexts as a Chrome trace");
  app.add_option("--profile", line.profile,
                 "write cycles by instruction and source line as JSON, and "
                 "collapsed stacks for flame graphs to FILE.folded");
  app.add_option("--trace-packet", line.run.tracedPacket,
                 "print everything that happens to packet N, counted from 0 "
                 "in the order of arrival");
  app.add_option("--break", line.run.load.breaks,
                 "stop at PC, MICROCODE:PC or FILE:LINE and print the state")
      ->allow_extra_args(false)
      ->take_all();
  app.add_flag("--strict", line.run.strict,
               "end the run at the first hazard (early read, ...)");
  app.add_option("--policy", line.policy,
                 "power: stop engines while traffic is low; the image must be "
                 "compiled with --policy=power")
      ->check(CLI::IsMember({"power"}));
  app.add_option("--seed", line.run.seed, "seed of the pseudo-random numbers");
  app.add_option("--chip", line.chip,
                 "configuration: ixp2400, ixp2400-400, ixp2800, ixp1200, or a "
                 "file of name=value settings");
  app.add_option("--set", line.assignments,
                 "set a chip parameter, name=value; --describe lists them");
  app.add_option("--max-cycles", line.run.maxCycles,
                 "end the run with an error after N cycles");
  app.add_option("--stall-cycles", line.run.stallCycles,
                 "cycles without packet movement that count as a deadlock")
      ->check(CLI::PositiveNumber);
  app.add_flag("--describe", line.describe,
               "print the chip's parameters, and the image if given");
  app.add_flag("--quiet", line.quiet, "print no table and no progress");
  app.add_flag("--progress", line.progress,
               "print progress even if stderr is not a terminal");
}

int report(const Error &error) {
  std::fprintf(stderr, "%s\n", error.str().c_str());
  return ExitInputWrong;
}

int usage(const std::string &what) {
  std::fprintf(stderr, "ixpsim: error: %s\nRun with --help for usage.\n",
               what.c_str());
  return ExitUsageWrong;
}

/// Program, microcode and buffers of an image, one line each.
void describeImage(const target::Image &image) {
  const nlohmann::json &manifest = image.manifest;
  std::printf("image: program %s, level %s\n",
              manifest["program"].get<std::string>().c_str(),
              manifest["level"].get<std::string>().c_str());
  for (const nlohmann::json &engine : manifest["engines"]) {
    const std::string code = engine["ucode"];
    std::printf("  engine %u: %s, microcode %s (%zu words)\n",
                engine["engine"].get<unsigned>(),
                engine["role"].get<std::string>().c_str(), code.c_str(),
                image.microcode.at(code).size());
  }
  for (const nlohmann::json &global : manifest["globals"])
    std::printf("  global %s: %s 0x%x, %u bytes\n",
                global["name"].get<std::string>().c_str(),
                global["memory"].get<std::string>().c_str(),
                global["address"].get<unsigned>(),
                global["bytes"].get<unsigned>());
}

int describe(const CommandLine &line) {
  std::printf("chip parameters (--set name=value):\n%s",
              target::describeParameters(line.run.parameters).c_str());
  std::printf("configurations (--chip=NAME):\n");
  for (const target::ChipConfiguration &known : target::chipConfigurations())
    std::printf("  %-12s %s\n", known.name, known.meaning);
  std::printf("statistics (--stats=FILE):\n%s",
              sim::describeStatisticTable().c_str());
  if (line.image.empty())
    return ExitDone;
  Result<target::Image> image = target::readImage(line.image);
  if (!image)
    return report(image.error());
  describeImage(*image);
  return ExitDone;
}

void printProgress(uint64_t arrived, uint64_t total) {
  constexpr int width = 40;
  int done =
      total ? static_cast<int>(width * std::min(arrived, total) / total) : 0;
  std::fprintf(stderr, "\r[%.*s%.*s] %llu of %llu packets", done,
               "########################################", width - done,
               "                                        ",
               static_cast<unsigned long long>(arrived),
               static_cast<unsigned long long>(total));
}

void clearProgress() { std::fprintf(stderr, "\r%78s\r", ""); }

Status writeFrames(const std::string &path, sim::Simulation &run) {
  const target::ChipParameters &chip = run.options().parameters;
  auto writer =
      traces::TraceWriter::create(path, static_cast<uint32_t>(chip.portsCount));
  if (!writer)
    return writer.error();
  double nsPerCycle = 1e9 / static_cast<double>(chip.meClockHz);
  for (const sim::SentFrame &frame : run.sentFrames()) {
    traces::Packet packet;
    packet.timeNs = static_cast<uint64_t>(
        static_cast<double>(frame.cycle - run.startCycle()) * nsPerCycle);
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

Status writeResults(const CommandLine &line, sim::Simulation &run) {
  nlohmann::json stats = sim::collectStatistics(run);
  if (!line.out.empty())
    if (Status status = writeFrames(line.out, run); !status)
      return status;
  if (!line.stats.empty())
    if (Status status = writeText(line.stats, stats.dump(2) + "\n"); !status)
      return status;
  if (!line.timeline.empty()) {
    sim::Timeline::Names names;
    for (const nlohmann::json &engine : stats["microengines"])
      names.roles.push_back(engine["role"]);
    names.wait = [&run](uint32_t engine, uint32_t pc) {
      return run.waitName(engine, pc);
    };
    if (Status status = run.timeline().write(
            line.timeline, run.options().parameters.meClockHz, names);
        !status)
      return status;
  }
  if (!line.profile.empty()) {
    nlohmann::json profile = sim::collectProfile(run);
    if (Status status = writeText(line.profile, profile.dump(1) + "\n");
        !status)
      return status;
    if (Status status =
            writeText(line.profile + ".folded", sim::collapseProfile(profile));
        !status)
      return status;
  }
  for (const sim::Hazard &hazard : run.accounting().hazards())
    std::fprintf(stderr, "warning: engine %u, cycle %llu, %s\n", hazard.engine,
                 static_cast<unsigned long long>(hazard.cycle),
                 hazard.text.c_str());
  if (run.control().waitingCount() != 0)
    std::fprintf(stderr,
                 "warning: %llu control calls were not run: their packet or "
                 "cycle was not reached\n",
                 static_cast<unsigned long long>(run.control().waitingCount()));
  if (run.packetLog() && run.packetLog()->text().empty())
    std::fprintf(
        stderr,
        "warning: --trace-packet=%llu: no packet has this number; "
        "the first is 0, and %llu were received\n",
        static_cast<unsigned long long>(*line.run.tracedPacket),
        static_cast<unsigned long long>(run.accounting().counters().received));
  if (!line.quiet)
    std::fputs(sim::describeStatistics(run, stats).c_str(), stdout);
  return success();
}

int simulate(CommandLine &line) {
  sim::SimulationOptions &options = line.run;
  options.keepFrames = !line.out.empty();
  options.recordTimeline = !line.timeline.empty();
  options.profile = !line.profile.empty();
  options.savePower = line.policy == "power";
  bool showsProgress = line.progress || (!line.quiet && isatty(2));
  if (showsProgress)
    options.onProgress = printProgress;

  Result<target::Image> image = target::readImage(line.image);
  if (!image)
    return report(image.error());
  auto trace = traces::readTrace(
      line.trace, static_cast<uint32_t>(options.parameters.portsCount));
  if (!trace)
    return report(trace.error());
  std::vector<traces::ControlCall> calls;
  if (!line.control.empty()) {
    auto read = traces::readControlFile(line.control);
    if (!read)
      return report(read.error());
    calls = std::move(*read);
  }
  auto run = sim::Simulation::create(options, *image, std::move(*trace), calls);
  if (!run)
    return report(run.error());
  Status status = (*run)->run();
  if (showsProgress)
    clearProgress();
  if (const sim::PacketLog *log = (*run)->packetLog())
    std::fputs(log->text().c_str(), stdout);
  if (!status)
    return report(status.error());
  if (const auto &state = (*run)->accounting().breakState()) {
    std::printf("%s%s", state->c_str(),
                (*run)->chip().describeContexts().c_str());
    return ExitDone;
  }
  if (Status written = writeResults(line, **run); !written)
    return report(written.error());
  return ExitDone;
}

int runUcode(CommandLine &line) {
  sim::RawOptions options;
  options.parameters = line.run.parameters;
  options.threads = line.run.load.threads;
  options.seed = line.run.seed;
  options.maxCycles = line.run.maxCycles;
  options.strict = line.run.strict;
  for (const std::string &assignment : line.ucode) {
    auto image = sim::readRawImage(assignment, options.parameters.meCount);
    if (!image)
      return report(image.error());
    options.images.push_back(std::move(*image));
  }
  auto stats = sim::runRaw(options);
  if (!stats)
    return report(stats.error());
  if (!line.stats.empty())
    if (Status status = writeText(line.stats, stats->dump(2) + "\n"); !status)
      return report(status.error());
  if (!line.quiet)
    std::fputs(sim::describeRaw(*stats).c_str(), stdout);
  return ExitDone;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Runs a program image on a simulated Intel IXP2400.", "ixpsim");
  CommandLine line;
  declareOptions(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    int status = app.exit(error);
    return status == 0 ? ExitDone : ExitUsageWrong;
  }
  if (!line.chip.empty())
    if (Status status =
            target::setConfiguration(line.run.parameters, line.chip);
        !status)
      return usage(status.error().message);
  for (const std::string &assignment : line.assignments)
    if (Status status = target::setParameter(line.run.parameters, assignment);
        !status)
      return usage(status.error().message);
  if (line.describe)
    return describe(line);
  if (!line.ucode.empty() && !(line.image.empty() && line.trace.empty() &&
                               line.control.empty() && line.out.empty()))
    return usage("--ucode runs on a bare chip: it goes with --threads, "
                 "--seed, --set, --max-cycles, --stats and --quiet");
  if (!line.ucode.empty())
    return runUcode(line);
  if (line.image.empty())
    return usage("no image is given");
  if (line.trace.empty())
    return usage("no trace is given (--trace=PCAP)");
  return simulate(line);
}
