// The command line of ixpsim.

#include "sim-ixp/run/CommandLine.h"
#include "support/CommandLine.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/table/HashSecret.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>

namespace karakal::sim {
namespace {

/// What runs, and with which traffic.
void declareInputs(CLI::App &app, CommandLine &line) {
  app.add_option("IMAGE", line.image, "image made by bakerc (.ixp)");
  app.add_option("--trace", line.trace, "packets to offer (pcap, pcapng)");
  app.add_option("--control", line.control, "calls of control functions");
  app.add_flag("--keep-going", line.run.keepGoing,
               "go on after a control call that is refused; all are reported, "
               "and the exit status is 1")
      ->needs("--control");
  app.add_option("--ucode", line.ucode,
                 "ENGINE:FILE, microcode of 5-byte words for one engine of a "
                 "bare chip, instead of an image; once per engine; with "
                 "--trace the chip has ports")
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--rate", line.run.offeredGbps,
                 "offered load in Gbit/s of frame bits (default: as fast as "
                 "the ports take it)")
      ->check(CLI::PositiveNumber);
  app.add_flag("--trace-times", line.run.keepsTimes,
               "packets arrive at the times of the trace")
      ->excludes("--rate");
  app.add_option("--packets", line.run.packets,
                 "number of packets; repeats or cuts the trace")
      ->check(CLI::PositiveNumber);
  app.add_option(
      "--warmup", line.run.warmup,
      "packets forwarded, dropped or consumed before measuring begins");
  app.add_option("--mes", line.run.load.engines,
                 "application engines (1 to as many as the image is made for)")
      ->check(CLI::PositiveNumber);
  app.add_option("--threads", line.run.load.threads,
                 "contexts of each application engine (1 to 8)")
      ->check(CLI::Range(1, 8));
}

/// What is written and observed.
void declareResults(CLI::App &app, CommandLine &line) {
  app.add_option(
      "--out", line.out,
      "write the frames sent (.pcap or .pcapng, or either with .gz)");
  app.add_option("--stats", line.stats, "write statistics as JSON");
  app.add_option("--timeline", line.timeline,
                 "write segments and waits of contexts as a Chrome trace, "
                 "which Perfetto opens; compressed if FILE ends in .gz");
  app.add_option("--timeline-window", line.timelineWindow,
                 "FROM:TO, the cycles that --timeline shows (default: all)")
      ->needs("--timeline");
  app.add_option("--html", line.html,
                 "write the run as one HTML page: the chip over time, the "
                 "statistics, the slowest and the dropped packets");
  app.add_flag("--profile{table}", line.profile,
               "print the most expensive source lines with their "
               "instructions; --profile=FILE: write cycles by instruction and "
               "source line as JSON, and collapsed stacks for flame graphs to "
               "FILE.folded");
  app.add_option("--sources", line.run.sourceFolders,
                 "folder of the program's source files, whose lines "
                 "--trace-packet, --break and --profile show; may be given "
                 "several times (default: as the image names them)")
      ->allow_extra_args(false)
      ->take_all()
      ->check(CLI::ExistingDirectory);
  app.add_option("--trace-packet", line.run.tracedPacket,
                 "print everything that happens to packet N, counted from 0 "
                 "in the order of arrival: the source lines that run, rings, "
                 "accesses, why it is dropped");
  app.add_option("--journey", line.journey,
                 "with --trace-packet: write it as JSON, with the "
                 "instructions of the contexts that hold the packet");
  app.add_option("--record", line.record,
                 "write a row for each packet to FILE.packets.csv, for each "
                 "timed control call to FILE.calls.csv, and the "
                 "segments and waits at the begin of each window of --html "
                 "to FILE.spans.csv");
  app.add_option("--break", line.run.load.breaks,
                 "stop at PC, MICROCODE:PC or FILE:LINE and print the "
                 "packet, the globals and the registers; with --trace-packet "
                 "when packet N is there")
      ->allow_extra_args(false)
      ->take_all();
  app.add_flag("--describe{text}", line.describe,
               "print the chip's parameters, and the image if given; =json: "
               "the image's manifest; =p4info: its tables for P4Runtime")
      ->check(CLI::IsMember({"text", "json", "p4info"}));
  app.add_flag("--quiet", line.quiet, "print no table and no progress");
  app.add_flag("--progress", line.progress,
               "print progress even if stderr is not a terminal");
}

/// The chip, and how the run ends.
void declareChip(CLI::App &app, CommandLine &line, std::string &policy) {
  app.add_flag("--strict", line.run.strict,
               "end the run at the first hazard (early read, ...)");
  app.add_option("--policy", policy,
                 "power: stop engines while traffic is low; the image must be "
                 "compiled with --policy=power")
      ->check(CLI::IsMember({"power"}));
  app.add_option("--seed", line.run.seed, "seed of the pseudo-random numbers");
  app.add_option("--hash-key", line.run.load.hashKey,
                 "a secret of 1 to 32 hexadecimal digits that chooses the "
                 "multiplier of the hash unit, for an image that is compiled "
                 "with --hash-key")
      ->check(target::findHashSecretFault);
  app.add_option("--chip", line.chip,
                 "configuration: ixp2400, ixp2400-400, ixp2800, ixp1200, or a "
                 "file of name=value settings (default: the chip that the "
                 "image is made for)");
  app.add_option("--set", line.settings,
                 "set a chip parameter, name=value; --describe lists them");
  app.add_option("--max-cycles", line.run.maxCycles,
                 "end the run with an error after N cycles");
  app.add_option("--stall-cycles", line.run.stallCycles,
                 "cycles without packet movement that count as a deadlock")
      ->check(CLI::PositiveNumber);
}

/// As below, for raw microcode.
std::string findRawConflict(const CommandLine &line) {
  const SimulationOptions &run = line.run;
  bool needsImage = !line.image.empty() || !line.control.empty() ||
                    !line.timeline.empty() || !line.html.empty() ||
                    !line.record.empty() || !line.journey.empty() ||
                    !line.profile.empty() || run.tracedPacket ||
                    !run.load.breaks.empty() || !run.load.hashKey.empty() ||
                    run.load.engines != 0 || run.warmup != 0 || run.savePower;
  if (needsImage)
    return "--ucode runs on a bare chip: it goes with --trace, --packets, "
           "--rate, --trace-times, --out, --threads, --seed, --chip, --set, "
           "--strict, --max-cycles, --stall-cycles, --stats and --quiet";
  bool isPaced = run.packets != 0 || run.offeredGbps > 0 || run.keepsTimes;
  if (line.trace.empty() && (!line.out.empty() || isPaced))
    return "without --trace=PCAP the chip of --ucode has no ports";
  return "";
}

/// Why the arguments do not go together, or an empty string.
std::string findConflict(const CommandLine &line) {
  if (!line.describe.empty())
    return line.describe != "text" && line.image.empty()
               ? "--describe=" + line.describe + " needs an image"
               : "";
  if (!line.ucode.empty())
    return findRawConflict(line);
  if (!line.journey.empty() && !line.run.tracedPacket)
    return "--journey goes with --trace-packet=N";
  if (line.image.empty())
    return "no image is given";
  if (line.trace.empty())
    return "no trace is given (--trace=PCAP)";
  return "";
}

/// The command as a shell takes it: words of other than plain characters are
/// quoted.
std::string joinForShell(int argc, char **argv) {
  std::string command = "ixpsim";
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    bool isPlain = !word.empty() &&
                   std::all_of(word.begin(), word.end(), [](unsigned char c) {
                     return std::isalnum(c) || std::strchr("-_=./:,+@%", c);
                   });
    if (!isPlain) {
      std::string quoted = "'";
      for (char c : word)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
      word = quoted + "'";
    }
    command += " " + word;
  }
  return command;
}

/// The cycles of --timeline-window.
Status readWindow(CommandLine &line) {
  if (line.timelineWindow.empty())
    return success();
  uint64_t from = 0, to = 0;
  int end = 0;
  const char *text = line.timelineWindow.c_str();
  bool isRead =
      std::isdigit(static_cast<unsigned char>(*text)) &&
      std::sscanf(text, "%" SCNu64 ":%" SCNu64 "%n", &from, &to, &end) == 2 &&
      static_cast<size_t>(end) == line.timelineWindow.size();
  if (!isRead || from >= to)
    return makeError("", "--timeline-window=" + line.timelineWindow +
                             ": give two cycles, FROM:TO, such as "
                             "100000:120000; --trace-packet prints cycles");
  line.run.timelineWindow.emplace(from, to);
  return success();
}

/// Shows an option whose value may follow an equals sign as it is typed.
class HelpFormatter : public CLI::Formatter {
  std::string make_option_name(const CLI::Option *option,
                               bool isPositional) const override {
    std::string name = CLI::Formatter::make_option_name(option, isPositional);
    size_t brace = name.find('{');
    if (brace == std::string::npos)
      return name;
    bool isFile = !option->check_lname("describe");
    return name.substr(0, brace) + (isFile ? "[=FILE]" : "[=FORM]");
  }
};

ExitStatus usageError(const std::string &what) {
  std::fprintf(stderr, "ixpsim: error: %s\nRun with --help for usage.\n",
               what.c_str());
  return ExitUsageWrong;
}

Status finishOptions(const std::string &policy, CommandLine &line) {
  if (Status status = readWindow(line); !status)
    return status;
  auto chip = chooseChip(line, nullptr);
  if (!chip)
    return chip.error();
  line.run.parameters = *chip;
  line.run.keepFrames = !line.out.empty();
  line.run.recordTimeline = !line.timeline.empty();
  line.run.sample = !line.html.empty() || !line.record.empty();
  line.run.profile = !line.profile.empty();
  line.run.savePower = policy == "power";
  if (std::string conflict = findConflict(line); !conflict.empty())
    return makeError("", conflict);
  return success();
}

} // namespace

Result<target::ChipParameters> chooseChip(const CommandLine &line,
                                          const target::Image *image) {
  target::ChipParameters chip;
  if (!line.chip.empty()) {
    if (Status status = target::setConfiguration(chip, line.chip); !status)
      return status.error();
  } else if (image) {
    auto made = target::parseChip(image->manifest["target"].get<std::string>());
    KARAKAL_ASSERT(bool(made), "the schema has checked the image's chip");
    chip = *made;
  }
  for (const std::string &setting : line.settings)
    if (Status status = target::setParameter(chip, setting); !status)
      return status.error();
  return chip;
}

std::variant<CommandLine, ExitStatus> parseCommandLine(int argc, char **argv) {
  if (std::string empty = findEmptyArgument(argc, argv); !empty.empty())
    return usageError(empty);
  CLI::App app("Runs a program image on a simulated Intel IXP2400.", "ixpsim");
  app.set_version_flag("--version", versionOf("ixpsim"), versionHelp);
  app.formatter(std::make_shared<HelpFormatter>());
  CommandLine line;
  line.command = joinForShell(argc, argv);
  std::string policy;
  declareInputs(app, line);
  declareResults(app, line);
  declareChip(app, line, policy);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? ExitDone : ExitUsageWrong;
  }
  if (Status status = finishOptions(policy, line); !status)
    return usageError(status.error().message);
  KARAKAL_ASSERT(!line.describe.empty() || !line.ucode.empty() ||
                     !line.trace.empty(),
                 "an accepted command line gives nothing to run");
  return line;
}

} // namespace karakal::sim
