// The main program of a program's executable: bakerc --target=x86 --emit=exe.

#include "host/standalone/Standalone.h"
#include "host/standalone/ControlCalls.h"
#include "host/standalone/RunTable.h"
#include "support/Assert.h"
#include "support/CommandLine.h"
#include "support/Files.h"
#include "target-ixp/table/HashSecret.h"
#include "traces/TableEntries.h"
#include "traces/TraceReader.h"
#include "traces/TraceWriter.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

namespace karakal::host {

namespace {

struct Arguments {
  std::string trace, out, stats, control, batch, hashKey;
  TableRunOptions run;
};

} // namespace

/// The control functions, one a line, for the help.
static std::string listOfControls(const x86::ProgramTable &program) {
  std::string text;
  for (const traces::ControlSignature &signature : signaturesOf(program)) {
    if (traces::isForReaders(signature))
      continue;
    std::string parameters;
    for (const traces::ControlSignature::Param &parameter : signature.params)
      parameters += (parameters.empty() ? "" : ", ") + parameter.type + " " +
                    parameter.name;
    text += "\n  " + signature.name + "(" + parameters + ")";
  }
  return text.empty() ? text : "Control functions:" + text;
}

/// What is wrong with the text of `--batch`, or nothing. Takes B or B,b.
static std::string takeBatch(const x86::ProgramTable &program,
                             Arguments &arguments) {
  arguments.run.burst = uint32_t(program.burst);
  arguments.run.subBatch = uint32_t(program.subBatch);
  const std::string &text = arguments.batch;
  if (text.empty())
    return "";
  unsigned burst = 0, subBatch = 1;
  int end = 0;
  int found =
      std::sscanf(text.c_str(), "%u%n,%u%n", &burst, &end, &subBatch, &end);
  if (found < 1 || size_t(end) != text.size() || text[0] == '-' ||
      text[0] == '+')
    return "--batch: not B or B,b: " + text;
  if (burst < 1 || burst > TableBurstMax)
    return "--batch: B is 1 to " + std::to_string(TableBurstMax);
  if (subBatch < 1 || subBatch > burst)
    return "--batch: b is 1 to B";
  if (subBatch > 1 && !program.hasStages)
    return "--batch: the program was compiled without stages: bakerc "
           "--sub-batch=" +
           std::to_string(subBatch);
  arguments.run.burst = burst;
  arguments.run.subBatch = found == 2 ? subBatch : 1;
  return "";
}

static ExitStatus usageError(const std::string &tool, const std::string &what) {
  std::fprintf(stderr, "%s: error: %s\nRun with --help for usage.\n",
               tool.c_str(), what.c_str());
  return ExitUsageWrong;
}

static std::string nameOf(const char *path) {
  std::string name = path ? path : "";
  return name.substr(name.rfind('/') + 1);
}

/// Reads the command line; nothing else is to be done if it returns a status.
static std::optional<ExitStatus> parse(const x86::ProgramTable &program,
                                       int argc, char **argv,
                                       Arguments &arguments) {
  std::string tool = nameOf(argv[0]);
  if (std::string empty = findEmptyArgument(argc, argv); !empty.empty())
    return usageError(tool, empty);
  CLI::App app(std::string("Runs the packet program ") + program.name +
                   " over a capture.",
               tool);
  app.footer(listOfControls(program));
  app.set_version_flag("--version", versionOf(program.name), versionHelp);
  app.add_option("TRACE", arguments.trace, "packets in: pcap or pcapng")
      ->required();
  app.add_option("--out", arguments.out,
                 "packets out: pcap, or pcapng with their ports");
  app.add_option("--control", arguments.control,
                 "control functions to call, before packets and between them");
  app.add_option(
      "--batch", arguments.batch,
      "B[,b]: packets that enter and leave together, and how many of them run "
      "in stages together (default: " +
          std::to_string(program.burst) + "," +
          std::to_string(program.subBatch) + ")");
  app.add_option("--hash-key", arguments.hashKey,
                 "a secret of 1 to 32 hexadecimal digits that chooses the "
                 "multiplier of hash48, hash64 and hash128 (default: that of "
                 "bakerc)")
      ->check(target::findHashSecretFault);
  app.add_option("--stats", arguments.stats, "statistics as JSON");
  app.add_option("--packets", arguments.run.packets,
                 "repeat or cut the trace to this many packets")
      ->check(CLI::PositiveNumber);
  app.add_flag("--keep-going", arguments.run.keepGoing,
               "go on after a control call that is refused; all are reported, "
               "and the exit status is 1");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() != 0)
      return usageError(tool, error.what());
    app.exit(error); // prints the help
    return ExitDone;
  }
  if (std::string wrong = takeBatch(program, arguments); !wrong.empty())
    return usageError(tool, wrong);
  arguments.run.keepFrames = !arguments.out.empty();
  return std::nullopt;
}

static Status run(const x86::ProgramTable &program,
                  const Arguments &arguments) {
  auto trace = traces::readTrace(arguments.trace, target::PortCount);
  if (!trace)
    return trace.error();
  Result<std::vector<traces::ControlCall>> control =
      std::vector<traces::ControlCall>();
  if (!arguments.control.empty())
    control = traces::readControlFile(arguments.control);
  if (!control)
    return control.error();
  if (auto secret = target::readHashSecret(arguments.hashKey))
    program.setHashKey(secret->high, secret->low);
  auto done = runTable(program, *trace, *control, arguments.run);
  if (!done)
    return done.error();
  if (!arguments.out.empty())
    if (Status written = traces::writeTrace(arguments.out, done->transmitted,
                                            target::PortCount);
        !written)
      return written;
  if (!arguments.stats.empty())
    if (Status written =
            writeFile(arguments.stats,
                      statisticsJson(*done, program.name).dump(2) + "\n");
        !written)
      return written;
  std::fputs(countsTable(*done, program.name).c_str(), stdout);
  std::printf("speed     %s\n", rateText(*done).c_str());
  return reportAll(done->refusedCalls);
}

ExitStatus runStandalone(const x86::ProgramTable &program, int argc,
                         char **argv) {
  KARAKAL_ASSERT(program.size == sizeof(x86::ProgramTable),
                 "the object and the library are of one version");
  Arguments arguments;
  if (auto status = parse(program, argc, argv, arguments))
    return *status;
  Status done = run(program, arguments);
  if (done)
    return ExitDone;
  std::fprintf(stderr, "%s\n", done.error().str().c_str());
  return ExitInputWrong;
}

} // namespace karakal::host
