#include "sim-ixp/RunIxpsim.h"

#include "sim-ixp/report/BreakReport.h"
#include "sim-ixp/report/P4Info.h"
#include "sim-ixp/report/ProfileTable.h"
#include "sim-ixp/report/ResultFiles.h"
#include "sim-ixp/report/StatisticTable.h"
#include "sim-ixp/report/Statistics.h"
#include "sim-ixp/run/RawMicrocodeRun.h"
#include "sim-ixp/run/Simulation.h"
#include "support/HugePages.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/image/Image.h"
#include "traces/ControlFile.h"
#include "traces/TraceReader.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <unistd.h>
#include <vector>

namespace karakal::sim {
namespace {

ExitStatus report(const Error &error) {
  std::fprintf(stderr, "%s\n", error.str().c_str());
  return ExitInputWrong;
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
  if (manifest.contains("tables") && !manifest["tables"].empty())
    std::printf("tables: %s\n", manifest["tables"].dump(2).c_str());
}

/// Reads the image and sets the chip of the run, which the image may name.
Result<target::Image> readImage(CommandLine &line) {
  Result<target::Image> image = target::readImage(line.image);
  if (!image)
    return image;
  auto chip = chooseChip(line, &*image);
  if (!chip)
    return chip.error();
  line.run.parameters = *chip;
  return image;
}

ExitStatus describe(CommandLine &line) {
  Result<target::Image> image = target::Image();
  if (!line.image.empty())
    image = readImage(line);
  if (!image)
    return report(image.error());
  if (line.describe == "json" || line.describe == "p4info") {
    std::string text = line.describe == "json" ? image->manifest.dump(2) + "\n"
                                               : p4Info(image->manifest);
    std::fputs(text.c_str(), stdout);
    return ExitDone;
  }
  std::printf("chip parameters (--set name=value):\n%s",
              target::describeParameters(line.run.parameters).c_str());
  std::printf("configurations (--chip=NAME):\n");
  for (const target::ChipConfiguration &known : target::chipConfigurations())
    std::printf("  %-12s %s\n", known.name, known.meaning);
  std::printf("statistics (--stats=FILE):\n%s",
              describeStatisticTable().c_str());
  if (!line.image.empty())
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

/// Reports what the user should know about a run that succeeded.
void printWarnings(const Simulation &run) {
  for (const Hazard &hazard : run.accounting().hazards())
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
        static_cast<unsigned long long>(*run.options().tracedPacket),
        static_cast<unsigned long long>(run.accounting().counters().received));
}

ExitStatus simulate(CommandLine &line) {
  Result<target::Image> image = readImage(line);
  if (!image)
    return report(image.error());
  SimulationOptions &options = line.run;
  bool showsProgress = line.progress || (!line.quiet && isatty(2));
  if (showsProgress)
    options.onProgress = printProgress;

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
  auto run = Simulation::create(options, *image, std::move(*trace), calls);
  if (!run)
    return report(run.error());
  joinHeapPages(); // the objects of the run are many and small
  Status status = (*run)->run();
  if (showsProgress)
    clearProgress();
  if (const PacketLog *log = (*run)->packetLog())
    std::fputs(log->text().c_str(), stdout);
  if (!status)
    return report(status.error());
  if ((*run)->accounting().breakState()) {
    std::fputs(describeBreak(**run).c_str(), stdout);
    return ExitDone;
  }
  nlohmann::json stats = collectStatistics(**run);
  if (Status written = writeResults(line, stats, **run); !written)
    return report(written.error());
  printWarnings(**run);
  if (!line.quiet)
    std::fputs(describeStatistics(**run, stats).c_str(), stdout);
  if (line.profile == profileTable)
    std::fputs(describeProfile(**run).c_str(), stdout);
  for (const Error &refused : (*run)->control().refusedCalls())
    report(refused);
  return (*run)->control().refusedCalls().empty() ? ExitDone : ExitInputWrong;
}

ExitStatus runUcode(CommandLine &line) {
  RawOptions options;
  options.parameters = line.run.parameters;
  options.threads = line.run.load.threads;
  options.seed = line.run.seed;
  options.maxCycles = line.run.maxCycles;
  options.strict = line.run.strict;
  const auto portCount = static_cast<uint32_t>(options.parameters.portsCount);
  if (!line.trace.empty()) {
    auto trace = traces::readTrace(line.trace, portCount);
    if (!trace)
      return report(trace.error());
    options.trace = std::move(*trace);
    options.traffic.portCount = portCount;
    options.traffic.packetCount = line.run.packets;
    options.traffic.offeredGbps = line.run.offeredGbps;
    options.traffic.keepsTimes = line.run.keepsTimes;
    options.traffic.fcsPorts =
        static_cast<uint32_t>(options.parameters.portsFcs);
    options.stallCycles = line.run.stallCycles;
  }
  for (const std::string &assignment : line.ucode) {
    auto image = readRawImage(assignment, options.parameters.meCount);
    if (!image)
      return report(image.error());
    options.images.push_back(std::move(*image));
  }
  auto result = runRaw(options);
  if (!result)
    return report(result.error());
  if (!line.out.empty())
    if (Status status =
            writeFrames(line.out, options.parameters, 0, result->frames);
        !status)
      return report(status.error());
  const nlohmann::json &stats = result->statistics;
  if (!line.stats.empty())
    if (Status status = writeText(line.stats, stats.dump(2) + "\n"); !status)
      return report(status.error());
  if (!line.quiet)
    std::fputs(describeRaw(stats).c_str(), stdout);
  return ExitDone;
}

} // namespace

ExitStatus runIxpsim(CommandLine line) {
  if (!line.describe.empty())
    return describe(line);
  return line.ucode.empty() ? simulate(line) : runUcode(line);
}

} // namespace karakal::sim
