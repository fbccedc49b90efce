// The command line of bakerc.
//
// Declares every option and its help text, and checks the options together.

#include "driver/CommandLine.h"
#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "driver/pipeline/Plugins.h"
#include "driver/report/MinimumRate.h"
#include "host/FastPackets.h"
#include "ir/analysis/Explain.h"
#include "ir/dialect/Target.h"
#include "support/CommandLine.h"
#include "target-ixp/chip/CheckTarget.h"
#include "target-ixp/chip/ChipLayout.h"
#include "target-ixp/table/HashSecret.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <map>
#include <string>

namespace karakal::driver {

namespace {

const std::map<std::string, Level> levels = {
    {"base", Level::Base}, {"o1", Level::O1},     {"o2", Level::O2},
    {"pac", Level::Pac},   {"soar", Level::Soar}, {"phr", Level::Phr},
    {"swc", Level::Swc}};

const std::map<std::string, Emit> forms = {
    {"ast", Emit::Ast},    {"baker", Emit::Baker},   {"dot", Emit::Dot},
    {"llvm", Emit::Llvm},  {"asm", Emit::Asm},       {"ixp", Emit::Ixp},
    {"obj", Emit::Object}, {"header", Emit::Header}, {"exe", Emit::Executable}};

const std::map<std::string, host::SpecializeWhen> specializeModes = {
    {"background", host::SpecializeWhen::Background},
    {"at-once", host::SpecializeWhen::AtOnce}};

/// The options, and the text of values that are checked later.
struct CommandLine {
  BakercOptions options;
  std::string level = "swc", form, target, policy, order, updates, specialize,
              observe;
  std::string burst, subBatch;
  std::vector<std::string> cuts;
  std::vector<std::string> settings;
  std::vector<std::string> warnings; ///< each without its `-W`
  std::vector<std::string> plugins, extraPasses;
};

/// Returns the names of a table in the form in which CLI11 checks and lists
/// them.
template <typename Value>
CLI::IsMember oneOf(const std::map<std::string, Value> &table) {
  std::vector<std::string> names;
  for (const auto &[name, value] : table)
    names.push_back(name);
  return CLI::IsMember(names);
}

/// One argument, which may hold several values with commas between them.
CLI::Option *takeList(CLI::Option *option) {
  return option->delimiter(',')->allow_extra_args(false);
}

void declareInputs(CLI::App &app, CommandLine &line) {
  Options &options = line.options;
  app.add_option("FILE", options.inputs,
                 "Baker sources of one program (or one module of the baker "
                 "dialect, .mlir)");
  app.add_option("-o", options.output,
                 "output file; - is standard output (default: FILE's name "
                 "with .ixp, or standard output for text)");
  app.add_option("-I", options.importFolders,
                 "also look for imports in this folder (repeatable)")
      ->allow_extra_args(false);
  app.add_option("-W", line.warnings,
                 "warnings: -Wflag, -Wno-flag, -Weverything, -Werror, "
                 "-Werror=flag")
      ->allow_extra_args(false);
  std::map<std::string, bool> diagnosticForms = {{"text", false},
                                                 {"json", true}};
  app.add_option("--diagnostics", options.jsonDiagnostics,
                 "format of errors and warnings: text (the default), json")
      ->transform(CLI::CheckedTransformer(diagnosticForms));
  app.add_option("--max-rounds", options.maxRounds,
                 "drop a packet that goes round a cycle of channels more often "
                 "(default: 1000; 0: never)")
      ->check(CLI::Range(0, 65535));
  app.add_option("--level", line.level,
                 "optimization: base, o1 (scalar), o2 (packet primitives "
                 "inlined), pac (packet access combining), soar (static "
                 "offsets), phr (packet handling removal), swc (software "
                 "caches; the default)")
      ->check(oneOf(levels));
  app.add_flag("-g", options.keepVariables,
               "keep where local variables lie, for ixpsim --break; at level "
               "base more of them than above");
  app.add_option("--emit", line.form,
                 "output form: ast, baker (dialect), dot (PPF graph with "
                 "aggregates), llvm (IR of the "
                 "microengines), asm (microcode), ixp (image; the default); "
                 "with --target=x86: ast, baker, obj (object; the default), "
                 "header (in C), exe (a program that runs over a trace)")
      ->check(oneOf(forms));
}

void declareThreads(CLI::App &app, BakercOptions &options) {
  app.add_option(
         "-j,--threads", options.threads,
         "compile on this many threads; the result is the same with any "
         "number (default: the machine's cores)")
      ->check(CLI::Range(1, 1024));
  app.add_option(
      "--cache-dir", options.cacheFolder,
      "keep the XScale core's code in this folder, which is made, and "
      "take it from there when the same is compiled again");
}

void declareProfile(CLI::App &app, CommandLine &line) {
  Options &options = line.options;
  app.add_option("--profile-trace", options.profileTrace,
                 "collect the profile from this trace");
  app.add_option("--profile", options.profiles,
                 "read the profile from this file; several are added up")
      ->allow_extra_args(false);
  app.add_option("--emit-profile", options.emitProfile,
                 "write the profile to this file");
  app.add_option("--control", options.control,
                 "control functions to call before the profile or the run");
}

/// The value of an option that leaves the choice to the model of rates.
constexpr const char *modelChooses = "auto";
/// The value of `--cuts` that names no globals.
constexpr const char *largeGlobals = "large";

/// The name of the target that is no chip of the table.
constexpr const char *x86Target = "x86";

std::vector<std::string> targetNames() {
  std::vector<std::string> names;
  for (const target::ChipConfiguration &chip : target::chipConfigurations())
    names.push_back(chip.name);
  names.push_back(x86Target);
  return names;
}

void declareMapping(CLI::App &app, CommandLine &line) {
  Options &options = line.options;
  app.add_option("--mes", options.pipeline.engineCount,
                 "programmable microengines, 1 to 6 on the IXP2400 (default: "
                 "all)")
      ->check(CLI::PositiveNumber);
  app.add_option("--target", line.target,
                 "the chip: ixp2400 (600 MHz; the default), ixp2400-400, "
                 "ixp2800; or x86, a library for C programs")
      ->check(CLI::IsMember(targetNames()));
  app.add_option("--mapping", options.pipeline.mapping,
                 "file that fixes which PPFs share engines, or a part of it");
  app.add_option("--report", options.report,
                 "write the compiler's decisions and their reasons as JSON");
  app.add_option("--asm", line.options.asmOutput,
                 "besides the image, write the microcode in Intel's syntax");
  app.add_option("--cold-share", options.pipeline.coldShare,
                 "a PPF that receives less than this share of the profile's "
                 "packets runs on the XScale core if the engines' control "
                 "stores have no room (default: 0.001)")
      ->check(CLI::Range(0.0, 1.0));
  takeList(app.add_option(
      "--punt-rate", options.pipeline.puntRates,
      "packets a second that channels towards the XScale core pass: "
      "PACKETS for each (default: 100000), CHANNEL=PACKETS for one; "
      "packets beyond are dropped and counted. none: nothing is "
      "dropped, engines wait for the core"));
}

void declarePasses(CLI::App &app, CommandLine &line) {
  Options &options = line.options;
  takeList(app.add_option("--disable-pass", options.pipeline.disabled,
                          "do not run the passes with these names"));
  takeList(app.add_option(
      "--explain", options.explained,
      "print the decisions of the passes with these names and their "
      "reasons; all is every pass"));
  app.add_option("--check-passes", options.pipeline.checkedPackets,
                 "run the microengines' program on this many random packets "
                 "before and after each pass, and compare");
  app.add_option("--dump-passes", options.dumpPasses,
                 "write the module after each pass into this folder, which is "
                 "made: PROGRAM-NN-PASS.mlir, with source locations");
  app.add_flag("--time-passes", options.timePasses,
               "print how long each pass over the baker dialect took, and each "
               "stage with "
               "LLVM's");
  app.add_option("--pass-plugin", line.plugins,
                 "load a shared library with passes")
      ->allow_extra_args(false);
  app.add_option("--run-pass", line.extraPasses,
                 "also run PASS{options}[,...] over the microengines' program: "
                 "before the pass NAME if the argument begins with NAME:, else "
                 "before to-llvm")
      ->allow_extra_args(false);
}

void declareTarget(CLI::App &app, CommandLine &line) {
  Options &options = line.options;
  app.add_option("--set", line.settings,
                 "a chip parameter to compile for, name=value, such as "
                 "sram.size=BYTES of a channel; ixpsim --describe lists them");
  app.add_option("--hash-key", options.hashKey,
                 "a secret of 1 to 32 hexadecimal digits that chooses the "
                 "multiplier of hash48, hash64 and hash128, so that nobody "
                 "else can compute keys of a table that collide")
      ->check(target::findHashSecretFault);
  app.add_option("--policy", line.policy,
                 "power: the XScale core can stop engines while traffic is "
                 "low (ixpsim --policy=power)")
      ->check(CLI::IsMember({"power"}));
  app.add_option("--order", line.order,
                 "order in which received packets leave the chip: port, that "
                 "of their arrival (the default); none, as contexts are done "
                 "with them")
      ->check(CLI::IsMember({"port", "none"}));
  takeList(
      app.add_option("--min-rate", options.minRates,
                     "[CLASS=]GBPS: reject the program unless its code sends "
                     "the smallest frames at this rate in Gbit/s on any path, "
                     "or handles those of a class of --wcet, a kind of classes "
                     "or a channel of a route at this rate")
          ->check([](const std::string &text) {
            return parseRateDemand(text) ? "" : "not [CLASS=]GBPS: " + text;
          }));
  app.add_flag("--wcet", options.worstCases,
               "print the most cycles that packets of each class of traffic "
               "can take, and the rates that follow");
  app.add_option("--max-error-rate", options.pipeline.maxErrorRate,
                 "share of packets that may use a cached value after it was "
                 "replaced (default: 0.001)")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--updates", line.updates,
                 "what control functions do to caches of the engines: delayed, "
                 "engines read a new value late (the default); exchange, the "
                 "XScale core first gives the engines code without caches, so "
                 "no packet uses a replaced value")
      ->check(CLI::IsMember({"delayed", "exchange"}));
}

/// Accepts `auto` beside the sizes of a burst.
const CLI::Validator sizeOrAuto(
    [](std::string &text) {
      return text == modelChooses
                 ? std::string()
                 : CLI::Range(1u, host::FastPackets::BurstMax)(text);
    },
    "UINT or auto");

void declareBatching(CLI::App &app, CommandLine &line, CLI::Option *fast) {
  BakercOptions &options = line.options;
  app.add_option("--burst", line.burst,
                 "with --fast or --target=x86: packets that enter and leave "
                 "together; auto: the model of rates chooses (default: 32)")
      ->check(sizeOrAuto);
  CLI::Option *subBatch = app.add_option(
      "--sub-batch", line.subBatch,
      "with --fast or --target=x86: packets of a burst that run in stages "
      "together, 1 to --burst; auto: the model of rates chooses (default: 1, "
      "one after the other)");
  subBatch->check(sizeOrAuto);
  takeList(app.add_option(
               "--cuts", line.cuts,
               "with --sub-batch: stages begin at loads of these globals; "
               "large: of those of 256 KiB and more (the default with a "
               "number), auto: where the model gains (the default with "
               "--sub-batch=auto)"))
      ->needs(subBatch);
  app.add_option("--machine", options.batching.machine,
                 "with auto or --sweep: the figures of the machine, as "
                 "--calibrate keeps them (default: those of this machine)");
  app.add_flag("--calibrate", options.calibrate,
               "measure this machine for about 2 seconds and keep the figures "
               "for the model of rates, in --machine or in the cache folder");
  app.add_option("--sweep", options.batching.sweep,
                 "with --fast: also measure all bursts and sub-batches, and "
                 "write their rates and the model's as JSON")
      ->needs(fast);
  app.add_option("--cut-seed", options.cutSeed,
                 "with --sub-batch, for tests: stages begin at loads chosen "
                 "by this number")
      ->needs(subBatch)
      ->check(CLI::PositiveNumber);
}

void declareRun(CLI::App &app, CommandLine &line) {
  Options &options = line.options;
  app.add_flag("--run", options.run,
               "run the program on this computer over --trace");
  app.add_flag("--print-traces", options.printTraces,
               "with --run: print the output of the program's 'trace' "
               "statements");
  app.add_option("--trace", options.trace, "with --run: packets in");
  app.add_option("--out", options.out, "with --run: packets out");
  app.add_option("--stats", options.stats, "with --run: statistics as JSON");
  CLI::Option *fast = app.add_flag(
      "--fast", options.fast,
      "with --run: at full speed, without counters of PPFs and without the "
      "limit on endless loops");
  declareBatching(app, line, fast);
  app.add_flag("--specialize{background}", line.specialize,
               "with --fast: make code for what tables and settings hold, on a "
               "second thread while packets run; --specialize=at-once: before "
               "the next packet")
      ->needs(fast)
      ->check(oneOf(specializeModes));
  app.add_option(
         "--observe", line.observe,
         "with --specialize: observe the traffic of one burst in N, and "
         "conclude from K look-ups of a table on; 0: observe nothing "
         "(default: 512,256)")
      ->type_name("N[,K]")
      ->needs("--specialize");
  app.add_flag("--keep-going", options.keepGoing,
               "with --run: go on after a control call that is refused; all "
               "are reported, and the exit status is 1")
      ->needs("--run");
  app.add_option("--packets", options.packets,
                 "with --run: repeat or cut the trace to this many packets")
      ->check(CLI::PositiveNumber);
}

/// Describes options that --target=x86 excludes or that need it, or returns an
/// empty string.
std::string findX86Conflict(const BakercOptions &options) {
  bool isX86Form = isForX86(options.emit);
  bool isText = options.emit == Emit::Ast || options.emit == Emit::Baker;
  if (isX86Form && !options.forX86)
    return "--emit=obj, header and exe need --target=x86";
  if (options.forX86 && options.run)
    return "--run runs on this computer without --target=x86";
  if (options.forX86 && options.batching.usesModel())
    return "auto needs --run --fast: the model of rates chooses for a trace";
  if (options.forX86 && !isX86Form && !isText)
    return "--target=x86 emits ast, baker, obj, header or exe";
  if (options.emit == Emit::Executable && options.output == "-")
    return "--emit=exe writes a file, not standard output";
  if (options.forX86 &&
      (!options.pipeline.mapping.empty() || options.pipeline.engineCount != 0))
    return "--mes and --mapping are for chips, not for --target=x86";
  return "";
}

/// Describes options that exclude or need each other, or returns an empty
/// string.
std::string findConflict(const BakercOptions &options) {
  if (options.inputs.empty() != options.calibrate)
    return options.calibrate ? "--calibrate takes no FILE" : "FILE is required";
  if (options.pipeline.isStoppable && options.pipeline.exchangesCode)
    return "--policy=power and --updates=exchange cannot be combined: both "
           "stop engines";
  if (options.pipeline.exchangesCode &&
      llvm::is_contained(options.pipeline.puntRates, "none"))
    return "--updates=exchange needs limits of --punt-rate: without them an "
           "engine can wait for the XScale core while the core waits for it";
  if (options.run && options.trace.empty())
    return "--run needs --trace";
  if (!options.run &&
      !(options.trace.empty() && options.out.empty() && options.stats.empty()))
    return "--trace, --out and --stats need --run";
  if (!options.run && (options.fast || options.packets != 0))
    return "--fast and --packets need --run";
  if (options.hasBatching && !options.fast && !options.forX86)
    return "--burst and --sub-batch need --fast or --target=x86";
  bool usesModel = options.batching.usesModel();
  if (!options.batching.machine.empty() && !usesModel && !options.calibrate)
    return "--machine needs a value auto, --sweep or --calibrate";
  if (usesModel && options.cutSeed != 0)
    return "--cut-seed excludes auto and --sweep";
  if (options.subBatch > options.burst && !options.batching.modelBurst)
    return "--sub-batch is at most --burst";
  if ((options.subBatch > 1 || options.batching.modelSubBatch) &&
      options.specialize != host::SpecializeWhen::Never)
    return "--specialize makes no code for --sub-batch";
  if (!options.run && options.printTraces)
    return "--print-traces needs --run";
  if (options.run && !(options.output.empty() && options.report.empty() &&
                       options.profileTrace.empty() &&
                       options.profiles.empty() && options.emitProfile.empty()))
    return "-o, --report and the options of the profile exclude --run";
  if (!options.emitProfile.empty() && options.profileTrace.empty() &&
      options.profiles.empty())
    return "--emit-profile needs --profile-trace or --profile";
  if (!options.run && !options.control.empty() && options.profileTrace.empty())
    return "--control needs --profile-trace or --run";
  if (!options.report.empty() && options.emit != Emit::Ixp &&
      options.emit != Emit::Asm)
    return "--report needs --emit=ixp or --emit=asm";
  if ((options.worstCases || !options.minRates.empty()) &&
      (options.run || options.emit != Emit::Ixp || options.output == "-"))
    return "--wcet and --min-rate need an image in a file";
  return findX86Conflict(options);
}

/// The pass that gives variables and lines their scopes.
constexpr const char *scopesPass = "debug-scopes";

/// Loads plugins and checks the names of passes. E-driver-005 to -008, -051.
Status findPasses(CommandLine &line) {
  if (Status loaded = loadPassPlugins(line.plugins); !loaded)
    return loaded;
  Options &options = line.options;
  for (const std::string &text : line.extraPasses) {
    auto extra = parseExtraPasses(text);
    if (!extra)
      return extra.error();
    options.pipeline.extra.push_back(*extra);
  }
  std::vector<std::string> explained = options.explained;
  llvm::erase(explained, ir::explainAll);
  llvm::erase(explained, "tables");         // decided before the pipeline
  llvm::erase(explained, "pack-arrays");    // as well
  llvm::erase(explained, "batching");       // the pipeline for x86
  llvm::erase(explained, "specialization"); // decided after it
  if (Status known = checkPassNames(explained); !known)
    return known;
  if (options.keepVariables &&
      llvm::is_contained(options.pipeline.disabled, scopesPass))
    return makeError("E-driver-051", "-g needs the pass '" +
                                         std::string(scopesPass) +
                                         "', which --disable-pass leaves out");
  return checkCanBeDisabled(options.pipeline.disabled);
}

/// Takes the chip of `--target` with the settings of `--set`. E-driver-033:
/// it has fewer engines than `--mes` asks for.
Status takeTarget(CommandLine &line) {
  const std::string name = line.target.empty() || line.options.forX86
                               ? ir::defaultTargetName.str()
                               : line.target;
  std::string description = name;
  for (const std::string &setting : line.settings)
    description += " " + setting;
  auto chip = target::parseChip(description);
  if (!chip)
    return chip.error();
  if (Status possible = target::checkIsTarget(*chip); !possible)
    return possible;
  uint32_t engines = target::appEngineCount(*chip);
  if (line.options.pipeline.engineCount > engines)
    return makeError("E-driver-033", "--mes: the " + name + " has 1 to " +
                                         std::to_string(engines) +
                                         " engines for a program");
  bool isNamed = !line.target.empty() && !line.options.forX86;
  if (isNamed || !line.settings.empty())
    line.options.target = description;
  return success();
}

ExitStatus usageError(const std::string &what) {
  std::fprintf(stderr, "bakerc: error: %s\nRun with --help for usage.\n",
               what.c_str());
  return ExitUsageWrong;
}

/// Takes sizes, or that the model chooses them.
void takeBatching(CommandLine &line) {
  BakercOptions &options = line.options;
  BatchingRequest &request = options.batching;
  options.hasBatching = !line.burst.empty() || !line.subBatch.empty();
  if (line.burst.empty())
    line.burst = "32";
  if (line.subBatch.empty())
    line.subBatch = "1";
  request.modelBurst = line.burst == modelChooses;
  request.modelSubBatch = line.subBatch == modelChooses;
  if (!request.modelBurst)
    request.asked.burst = options.burst = uint32_t(std::stoul(line.burst));
  if (!request.modelSubBatch)
    request.asked.subBatch = options.subBatch =
        uint32_t(std::stoul(line.subBatch));
  if (line.cuts.empty())
    line.cuts = {request.modelSubBatch ? modelChooses : largeGlobals};
  request.modelCuts = line.cuts == std::vector<std::string>{modelChooses};
  if (!request.modelCuts && line.cuts != std::vector<std::string>{largeGlobals})
    options.cuts = line.cuts;
}

/// Checks options whose values are names, loads plugins and finds conflicts.
/// The error returned has only a message.
Status finishOptions(CommandLine &line) {
  BakercOptions &options = line.options;
  options.pipeline.level = levels.at(line.level);
  options.forX86 = line.target == x86Target;
  if (line.form.empty())
    line.form = options.forX86 ? "obj" : "ixp";
  options.emit = forms.at(line.form);
  options.pipeline.isStoppable = line.policy == "power";
  options.pipeline.keepsOrder = line.order != "none";
  options.pipeline.exchangesCode = line.updates == "exchange";
  takeBatching(line);
  if (!line.specialize.empty())
    options.specialize = specializeModes.at(line.specialize);
  if (!line.observe.empty()) {
    auto sample = x86::SampleOptions::read(line.observe);
    if (!sample)
      return makeError("", x86::SampleOptions::ReadError);
    options.sample = *sample;
  }
  if (Status set = takeTarget(line); !set)
    return set;
  auto policy = lang::warningPolicy(line.warnings);
  if (!policy)
    return policy.error();
  options.warnings = *policy;
  if (std::string conflict = findConflict(options); !conflict.empty())
    return makeError("", conflict);
  return findPasses(line);
}

} // namespace

std::variant<BakercOptions, ExitStatus> parseCommandLine(int argc,
                                                         char **argv) {
  if (std::string empty = findEmptyArgument(argc, argv); !empty.empty())
    return usageError(empty);
  CLI::App app("Compiles Baker programs for the Intel IXP2400.", "bakerc");
  app.set_version_flag("--version",
                       versionOf("bakerc") + "\nLLVM " LLVM_VERSION_STRING,
                       versionHelp);
  CommandLine line;
  declareInputs(app, line);
  declareThreads(app, line.options);
  declareProfile(app, line);
  declareMapping(app, line);
  declarePasses(app, line);
  declareTarget(app, line);
  declareRun(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() != 0)
      return usageError(error.what());
    app.exit(error); // prints the help
    return ExitDone;
  }
  if (Status done = finishOptions(line); !done) {
    const Error &error = done.error();
    return usageError(error.file.empty() ? error.message
                                         : error.file + ": " + error.message);
  }
  return line.options;
}

} // namespace karakal::driver
