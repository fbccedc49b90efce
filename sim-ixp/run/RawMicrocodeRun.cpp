// Runs raw microcode on a bare chip.
//
// See RawMicrocodeRun.h for the idea.

#include "sim-ixp/run/RawMicrocodeRun.h"
#include "sim-ixp/engine/PrepareProgram.h"
#include "sim-ixp/media/Msf.h"
#include "sim-ixp/run/Chip.h"
#include "support/Files.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <sstream>

namespace karakal::sim {
namespace {

using nlohmann::json;

constexpr uint64_t defaultCycles = 1000000;
constexpr uint32_t bytesPerWord = 5;
/// Steps between two checks for the end of the run.
constexpr uint32_t stepsPerCheck = 64;

/// After the trace is received, a run in which no frame moves for so many
/// cycles is over. No packet waits so long inside for anything but the program.
constexpr uint64_t quietCycles = 100000;

/// Keeps the first fault, and when a frame moved last.
class RawObserver : public ChipObserver {
public:
  void onFrameReceived(uint64_t cycle, uint32_t, uint32_t) override {
    lastFrame = std::max(lastFrame, cycle);
  }
  void onFrameLost(uint64_t cycle, uint32_t, uint32_t) override {
    lastFrame = std::max(lastFrame, cycle);
  }
  void onFrameSent(uint64_t cycle, uint32_t, uint32_t) override {
    lastFrame = std::max(lastFrame, cycle);
  }
  void onFault(uint32_t engine, const std::string &what) override {
    if (!fault)
      fault = "engine " + std::to_string(engine) + ": " + what;
  }
  void onHazard(const Hazard &hazard) override {
    hazards.push_back("engine " + std::to_string(hazard.engine) + ", cycle " +
                      std::to_string(hazard.cycle) + ", " + hazard.text);
    if (isStrict)
      onFault(hazard.engine, hazard.text);
  }
  std::optional<std::string> fault;
  std::vector<std::string> hazards;
  bool isStrict = false;
  uint64_t lastFrame = 0;
};

/// The ports of a chip, and the frames that left.
struct Ports {
  Ports(const RawOptions &options, Chip &chip, RawObserver &observer)
      : source(*options.trace, options.traffic),
        media(chip.chassis(), observer, source) {
    media.onSent([this](const SentFrame &frame) { frames.push_back(frame); });
    chip.connectMedia(&media);
    media.start();
  }

  TrafficSource source;
  Msf media;
  std::vector<SentFrame> frames;
};

double part(uint64_t busy, uint64_t cycles) {
  return cycles ? static_cast<double>(busy) / static_cast<double>(cycles) : 0;
}

json unitsOf(Chip &chip, uint64_t cycles) {
  json units = {
      {"scratch",
       {{"utilization", part(chip.scratch().server().busyCycles(), cycles)}}},
      {"sram", json::array()},
      {"dram",
       {{"utilization", part(chip.dram().bus().busyCycles(), cycles)},
        {"bank_utilization", json::array()}}}};
  for (uint32_t i = 0; i < chip.sramChannelCount(); ++i)
    units["sram"].push_back(
        {{"utilization", part(std::max(chip.sram(i).reader().busyCycles(),
                                       chip.sram(i).writer().busyCycles()),
                              cycles)}});
  for (uint32_t i = 0; i < chip.dram().bankCount(); ++i)
    units["dram"]["bank_utilization"].push_back(
        part(chip.dram().bank(i).busyCycles(), cycles));
  return units;
}

json enginesOf(Chip &chip, uint64_t cycles) {
  json engines = json::array();
  for (uint32_t i = 0; i < chip.engineCount(); ++i) {
    EngineCounters counters = chip.engine(i).countersAt(cycles);
    engines.push_back({{"id", i},
                       {"cycles", cycles},
                       {"instructions", counters.issueCycles},
                       {"issue_cycles", counters.issueCycles},
                       {"aborted_cycles", counters.abortedCycles},
                       {"stall_cycles", counters.stallCycles},
                       {"idle_cycles", counters.idleCycles},
                       {"swaps", counters.swaps},
                       {"commands", counters.commands}});
  }
  return engines;
}

Status loadRaw(const RawOptions &options, Chip &chip) {
  uint32_t loaded = 0;
  uint32_t threads = options.threads
                         ? options.threads
                         : static_cast<uint32_t>(options.parameters.meContexts);
  for (const RawImage &image : options.images) {
    std::string who = "engine " + std::to_string(image.engine);
    if (loaded >> image.engine & 1)
      return makeError("E-sim-ixp-014", who + " is given two images");
    loaded |= 1u << image.engine;
    if (image.words.size() > options.parameters.meControlStore)
      return makeError("E-sim-ixp-012",
                       "the image of " + who + " has " +
                           std::to_string(image.words.size()) +
                           " words; the control store of an engine has " +
                           std::to_string(options.parameters.meControlStore));
    Microengine &engine = chip.engine(image.engine);
    engine.load(std::make_shared<MicroProgram>(prepareProgram(image.words)));
    engine.seed(static_cast<uint32_t>(options.seed) * 8 + image.engine);
  }
  for (const RawImage &image : options.images)
    chip.engine(image.engine).start((1u << threads) - 1);
  return success();
}

bool isAnyAlive(Chip &chip) {
  for (uint32_t i = 0; i < chip.engineCount(); ++i)
    if (chip.engine(i).isAlive())
      return true;
  return false;
}

} // namespace

Result<std::vector<uint64_t>> readRawWords(const std::string &path) {
  Result<std::string> bytes = readFile(path);
  if (!bytes)
    return bytes.error();
  if (bytes->empty() || bytes->size() % bytesPerWord != 0)
    return makeFileError("E-sim-ixp-013", path,
                         "has " + std::to_string(bytes->size()) +
                             " bytes; microcode has 5 bytes per word "
                             "(ixp-as --format=bytes)");
  std::vector<uint64_t> words(bytes->size() / bytesPerWord);
  for (size_t i = 0; i < bytes->size(); ++i)
    words[i / bytesPerWord] =
        words[i / bytesPerWord] << 8 | static_cast<unsigned char>((*bytes)[i]);
  return words;
}

Result<RawImage> readRawImage(const std::string &assignment,
                              uint64_t engineCount) {
  size_t colon = assignment.find(':');
  bool isNumber = (colon == 1 || colon == 2) &&
                  assignment.find_first_not_of("0123456789") == colon;
  if (!isNumber || assignment.size() == colon + 1)
    return makeError("E-sim-ixp-014", "'" + assignment +
                                          "' is not of the form ENGINE:FILE, "
                                          "e.g. 1:loop.ucode");
  RawImage image;
  image.engine = static_cast<uint32_t>(std::stoul(assignment));
  if (image.engine >= engineCount)
    return makeError("E-sim-ixp-014", "the chip has no engine " +
                                          assignment.substr(0, colon) +
                                          "; its engines are 0 to " +
                                          std::to_string(engineCount - 1));
  auto words = readRawWords(assignment.substr(colon + 1));
  if (!words)
    return words.error();
  image.words = std::move(*words);
  return image;
}

/// Splits a text into lines, without their leading spaces.
static std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream >> std::ws, line);)
    lines.push_back(line);
  return lines;
}

/// Runs until every context has stopped or sleeps for good, the traffic is
/// over, `stop` is reached or a fault occurs; returns which, as `ended` says.
static Result<std::string> runChip(const RawOptions &options, uint64_t stop,
                                   Chip &chip, const Ports *ports,
                                   const RawObserver &observer) {
  while (!observer.fault) {
    // Engines that do not wait for anything run up to this cycle at once.
    uint64_t until =
        ports ? std::min(stop, chip.scheduler().now() + quietCycles) : stop;
    bool moved = true;
    for (uint32_t i = 0; i < stepsPerCheck && moved; ++i)
      moved = chip.stepBefore(until);
    if (observer.fault)
      break;
    if (!moved && until < stop && chip.isPending()) {
      chip.runTo(until);
      moved = true;
    }
    if (!isAnyAlive(chip) && !(ports && moved))
      return std::string("stopped");
    bool isOver =
        ports && ports->media.isReceiveDone() && ports->media.isTransmitDone();
    if (!moved)
      return std::string(chip.isPending() ? "cycles"
                         : isOver         ? "traffic"
                                          : "asleep");
    uint64_t now = chip.scheduler().now();
    if (!ports || now < observer.lastFrame + quietCycles)
      continue;
    if (isOver)
      return std::string("traffic");
    if (now >= observer.lastFrame + options.stallCycles)
      return makeError(
          "E-sim-ixp-031",
          "no frame has moved for " + std::to_string(options.stallCycles) +
              " cycles at cycle " + std::to_string(now) + " after " +
              std::to_string(ports->media.arrivedCount()) +
              " have arrived and " + std::to_string(ports->frames.size()) +
              " have left; the contexts:\n" + chip.describeContexts());
  }
  return makeError("E-sim-ixp-030", "the program fails at cycle " +
                                        std::to_string(chip.scheduler().now()) +
                                        ": " + *observer.fault);
}

Result<RawResult> runRaw(const RawOptions &options) {
  RawObserver observer;
  observer.isStrict = options.strict;
  Chip chip(options.parameters, observer);
  std::unique_ptr<Ports> ports;
  if (options.trace)
    ports = std::make_unique<Ports>(options, chip, observer);
  if (Status status = loadRaw(options, chip); !status)
    return status.error();
  uint64_t stop = options.maxCycles ? options.maxCycles
                  : ports           ? Scheduler::never
                                    : defaultCycles;
  auto ended = runChip(options, stop, chip, ports.get(), observer);
  if (!ended)
    return ended.error();
  uint64_t end = stop;
  if (*ended != "cycles") {
    end = chip.scheduler().now();
    for (uint32_t i = 0; i < chip.engineCount(); ++i)
      end = std::max(end, chip.engine(i).localTime());
  }
  end = chip.align(end);
  RawResult result;
  result.statistics = {{"schema", 1},
                       {"cycles", end},
                       {"clock_hz", options.parameters.meClockHz},
                       {"seconds", part(end, options.parameters.meClockHz)},
                       {"ended", *ended},
                       {"contexts", *ended == "asleep"
                                        ? linesOf(chip.describeContexts())
                                        : std::vector<std::string>()},
                       {"units", unitsOf(chip, end)},
                       {"hazards", observer.hazards},
                       {"microengines", enginesOf(chip, end)}};
  if (ports) {
    const ReceiveStatistics &receive = ports->media.receiveStatistics();
    result.statistics["packets"] = {{"arrived", receive.framesArrived},
                                    {"rx_overflow", receive.framesLost},
                                    {"transmitted", ports->frames.size()}};
    result.frames = std::move(ports->frames);
  }
  return result;
}

std::string describeRaw(const json &stats) {
  const std::string ended = stats["ended"];
  std::string text =
      "ended     " +
      std::string(ended == "stopped"   ? "every context stopped"
                  : ended == "asleep"  ? "every context sleeps "
                                         "for good"
                  : ended == "traffic" ? "no frame moves any more"
                                       : "the cycle limit is reached") +
      " at cycle " + std::to_string(stats["cycles"].get<uint64_t>()) + "\n" +
      (stats.contains("packets")
           ? "packets   " +
                 std::to_string(stats["packets"]["arrived"].get<uint64_t>()) +
                 " arrived, " +
                 std::to_string(
                     stats["packets"]["transmitted"].get<uint64_t>()) +
                 " transmitted, " +
                 std::to_string(
                     stats["packets"]["rx_overflow"].get<uint64_t>()) +
                 " lost for lack of space\n"
           : "") +
      "engine     issue  abort  stall   idle   commands\n";
  for (const json &engine : stats["microengines"]) {
    if (engine["instructions"] == 0)
      continue;
    char line[128];
    auto percent = [&](const char *key) {
      return 100 * part(engine[key], engine["cycles"]);
    };
    std::snprintf(
        line, sizeof line, "%6u    %5.1f%% %5.1f%% %5.1f%% %5.1f%% %10llu\n",
        engine["id"].get<unsigned>(), percent("issue_cycles"),
        percent("aborted_cycles"), percent("stall_cycles"),
        percent("idle_cycles"), engine["commands"].get<unsigned long long>());
    text += line;
  }
  for (const json &context : stats["contexts"])
    text += "  " + context.get<std::string>() + "\n";
  for (const json &hazard : stats["hazards"])
    text += "warning: " + hazard.get<std::string>() + "\n";
  return text;
}

} // namespace karakal::sim
