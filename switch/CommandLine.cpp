// The command lines of bakersw and bakersw ctl.

#include "switch/CommandLine.h"
#include "support/CommandLine.h"
#include "target-ixp/table/HashSecret.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <unistd.h>

namespace karakal::sw {

namespace {

constexpr uint32_t socketModeDefault = 0660;

const std::map<std::string, x86::SpecializeWhen> specializeModes = {
    {"background", x86::SpecializeWhen::Background},
    {"at-once", x86::SpecializeWhen::AtOnce}};

/// What the command line gives as text and options hold as values.
struct Texts {
  std::string mode, specialize, observe;
  std::vector<std::string> every;
};

void declareProgram(CLI::App &app, SwitchOptions &options) {
  app.add_option("PROGRAM", options.programs,
                 "Baker sources; or ctl, then a command to a running switch "
                 "(bakersw ctl --help)")
      ->required();
  app.add_option("-I,--import", options.importFolders,
                 "a folder that is searched for imported files");
  app.add_option("--port", options.ports,
                 "a port, in order from 0: an interface (veth0), or a driver "
                 "with its keys: af_packet,iface=veth0; "
                 "pcap,rx=FILE,tx=FILE,interface=N,repeat=N,rate=N; null; or "
                 "dpdk: and a device of DPDK: dpdk:net_tap0,iface=tap0")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--hash-key", options.hashKey,
                 "a secret of 1 to 32 hexadecimal digits that chooses the "
                 "multiplier of hash48, hash64 and hash128 (default: a new one "
                 "of the system's randomness at each start)")
      ->check(target::findHashSecretFault);
  app.add_option("--control", options.control,
                 "control file whose calls are made at the start");
}

void declareRun(CLI::App &app, SwitchOptions &options, Texts &texts) {
  app.add_option("--every", texts.every,
                 "SECONDS:CALL, a control call that is made again and again, "
                 "as 1:arp_tick()")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--cores", options.cores,
                 "threads that run the program; a flow stays on one of them")
      ->check(CLI::Range(1, 64));
  app.add_option("--burst", options.core.burst,
                 "the most frames that are taken from a port at once")
      ->check(CLI::Range(1u, CoreBurstMax));
  app.add_option("--sub-batch", options.subBatch,
                 "run so many packets of a burst side by side in stages: while "
                 "one waits for memory, the others go on (default: 1, one by "
                 "one)")
      ->check(CLI::Range(1u, CoreBurstMax));
  app.add_option("--dpdk", options.ealArguments,
                 "arguments for DPDK's EAL, for dpdk: ports, in one word");
  app.add_option("--dpdk-buffers", options.ethdevBuffers,
                 "packet buffers of each dpdk: port (default: as many as its "
                 "queues hold)")
      ->check(CLI::Range(64u, 1u << 20));
  app.add_flag("--poll", options.core.poll,
               "never sleep: lower latency, a whole processor each core");
  app.add_flag(
         "--specialize{background}", texts.specialize,
         "make code for what tables and settings hold, on a thread of its "
         "own while packets run; --specialize=at-once: before the next "
         "packet")
      ->check(CLI::IsMember({"background", "at-once"}));
  app.add_option("--observe", texts.observe,
                 "with --specialize: observe the traffic of one burst in N, "
                 "and conclude from K look-ups of a table on; 0: observe "
                 "nothing (default: 512,256)")
      ->type_name("N[,K]")
      ->needs("--specialize");
  app.add_option(
      "--socket", options.socket,
      "the socket for bakersw ctl, or none (default: " + defaultSocket() + ")");
  app.add_option("--socket-mode", texts.mode,
                 "the permissions of the socket, in octal (default: 0660)");
  app.add_option("--stats", options.stats,
                 "write the statistics at the end to a file, as JSON");
  app.add_flag("--stay", options.stay,
               "go on when no port can bring a frame any more");
  app.add_flag("--quiet", options.quiet, "print no table at the end");
  app.footer("SIGINT and SIGTERM end the switch after what has been received "
             "is sent.\nExit status: 0 done, 1 the input is wrong, 2 the "
             "command line is wrong, 3 a bug.");
}

Status readEvery(const std::string &text, SwitchOptions &options) {
  size_t colon = text.find(':');
  char *end = nullptr;
  double seconds = std::strtod(text.c_str(), &end);
  constexpr double secondsMax = 1e6;
  bool isFine = colon != std::string::npos && end == text.c_str() + colon &&
                seconds >= 0.001 && seconds <= secondsMax;
  if (!isFine)
    return makeError("", "--every takes SECONDS:CALL, such as 1:arp_tick()");
  options.every.push_back({seconds, text.substr(colon + 1)});
  return success();
}

Status finish(const Texts &texts, SwitchOptions &options) {
  options.socketMode = socketModeDefault;
  if (!texts.mode.empty()) {
    char *end = nullptr;
    options.socketMode = uint32_t(std::strtoul(texts.mode.c_str(), &end, 8));
    if (*end != 0 || options.socketMode > 0777)
      return makeError("", "--socket-mode takes an octal number up to 0777");
  }
  if (!texts.specialize.empty())
    options.specialize = specializeModes.at(texts.specialize);
  if (!texts.observe.empty()) {
    auto sample = x86::SampleOptions::read(texts.observe);
    if (!sample)
      return makeError("", x86::SampleOptions::ReadError);
    options.sample = *sample;
  }
  for (const std::string &text : texts.every)
    if (Status read = readEvery(text, options); !read)
      return read;
  if (options.subBatch > options.core.burst)
    return makeError("", "--sub-batch is at most --burst");
  if (options.subBatch > 1 && options.specialize != x86::SpecializeWhen::Never)
    return makeError("", "--specialize makes no code for --sub-batch");
  if (options.ports.empty())
    return makeError("", "no port is given (--port=INTERFACE)");
  if (options.socket.empty())
    options.socket = defaultSocket();
  if (options.socket == "none")
    options.socket.clear();
  return success();
}

ExitStatus usageError(const std::string &message) {
  std::fprintf(stderr, "bakersw: error: %s\nRun with --help for usage.\n",
               message.c_str());
  return ExitUsageWrong;
}

std::variant<SwitchOptions, ClientOptions, ExitStatus>
parseClient(int argc, char **argv) {
  CLI::App app("Asks a running switch.", "bakersw ctl");
  ClientOptions options;
  app.add_option("--socket", options.socket,
                 "the switch's socket (default: " + defaultSocket() + ")");
  app.add_option("--format", options.format,
                 "the form of stats and watch: text, json or prometheus; of "
                 "explain: text or json")
      ->check(CLI::IsMember({"text", "json", "prometheus"}));
  app.add_option("--interval", options.seconds,
                 "seconds between two outputs of watch")
      ->check(CLI::Range(0.01, 1e6));
  app.add_option("COMMAND", options.words, "the command and its arguments")
      ->required();
  app.footer("Commands:\n"
             "  NAME ARGUMENT…  a control function, as in a control file: "
             "routes.add 10.0.0.0/8 hop: 3\n"
             "  load FILE       the calls of a control file, - for standard "
             "input\n"
             "  functions       the control functions of the program\n"
             "  stats           the statistics (--format)\n"
             "  watch           the statistics again and again (--interval)\n"
             "  explain         what specialized code assumes, saves, and what "
             "would undo it\n"
             "  dump            the calls that bring a new switch to this "
             "state, as a control file\n"
             "  dump TABLE      the entries of a table as calls of its 'add'\n"
             "  stop            ends the switch\n"
             "Exit status: 0 done, 1 refused or no switch there, 2 the command "
             "line is wrong.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? ExitDone : ExitUsageWrong;
  }
  if (options.socket.empty())
    options.socket = defaultSocket();
  return options;
}

} // namespace

std::string defaultSocket() {
  if (geteuid() == 0)
    return "/run/bakersw.sock";
  const char *folder = std::getenv("XDG_RUNTIME_DIR");
  return (folder ? std::string(folder) : std::string("/tmp")) +
         (folder ? "/bakersw.sock"
                 : "/bakersw-" + std::to_string(geteuid()) + ".sock");
}

std::variant<SwitchOptions, ClientOptions, ExitStatus>
parseCommandLine(int argc, char **argv) {
  if (std::string empty = findEmptyArgument(argc, argv); !empty.empty())
    return usageError(empty);
  if (argc > 1 && std::strcmp(argv[1], "ctl") == 0)
    return parseClient(argc - 1, argv + 1);
  CLI::App app("Runs a Baker program as a software switch on this computer's "
               "interfaces.",
               "bakersw");
  app.set_version_flag("--version", versionOf("bakersw"), versionHelp);
  SwitchOptions options;
  Texts texts;
  declareProgram(app, options);
  declareRun(app, options, texts);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? ExitDone : ExitUsageWrong;
  }
  if (Status status = finish(texts, options); !status)
    return usageError(status.error().message);
  KARAKAL_ASSERT(!options.programs.empty() && !options.ports.empty(),
                 "there is something to run");
  return options;
}

} // namespace karakal::sw
