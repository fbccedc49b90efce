//===- bakerc.cpp - the compiler's command line ---------------------------===//
//
// Options stand here and nowhere else. Exit status: 0 done, 1 the input is
// wrong, 2 the command line is wrong, 3 a bug of ours.
//
//===----------------------------------------------------------------------===//

#include "driver/Compile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;
using karakal::driver::Emit;
using karakal::driver::Level;
using karakal::driver::Options;

static cl::OptionCategory category("Options");

static cl::list<std::string> inputs(cl::Positional, cl::OneOrMore,
                                    cl::desc("FILE.baker…"), cl::cat(category));
static cl::opt<std::string> output("o", cl::value_desc("FILE"),
                                   cl::desc("Write to FILE (- is standard "
                                            "output)"),
                                   cl::cat(category));
static cl::opt<Level> level(
    "level", cl::desc("Optimization level, each includes those before it:"),
    cl::values(clEnumValN(Level::Base, "base", "none"),
               clEnumValN(Level::O1, "o1", "scalar optimization, inlining"),
               clEnumValN(Level::O2, "o2", "packet primitives inlined"),
               clEnumValN(Level::Pac, "pac", "packet access combining"),
               clEnumValN(Level::Soar, "soar",
                          "static offset and alignment resolution"),
               clEnumValN(Level::Phr, "phr", "packet handling removal"),
               clEnumValN(Level::Swc, "swc",
                          "software-controlled caching (default)")),
    cl::init(Level::Swc), cl::cat(category));
static cl::opt<Emit> emit(
    "emit", cl::desc("Form of the result:"),
    cl::values(clEnumValN(Emit::Ast, "ast", "syntax tree"),
               clEnumValN(Emit::Baker, "baker", "baker dialect"),
               clEnumValN(Emit::Llvm, "llvm", "LLVM IR of the microengines"),
               clEnumValN(Emit::Asm, "asm", "microcode as text"),
               clEnumValN(Emit::Ixp, "ixp", "image (default)")),
    cl::init(Emit::Ixp), cl::cat(category));
static cl::opt<std::string>
    profileTrace("profile-trace", cl::value_desc("PCAP"),
                 cl::desc("Take the profile over this trace"),
                 cl::cat(category));
static cl::opt<std::string>
    control("control", cl::value_desc("FILE"),
            cl::desc("Control functions to call before the profile or the run"),
            cl::cat(category));
static cl::opt<unsigned>
    mes("mes", cl::value_desc("N"), cl::init(karakal::target::AppEngineCount),
        cl::desc("Programmable microengines, 1 to 6 (default: 6)"),
        cl::cat(category));
static cl::opt<std::string> targetName("target", cl::value_desc("NAME"),
                                       cl::init("ixp2400"),
                                       cl::desc("Chip: ixp2400"),
                                       cl::cat(category));
static cl::opt<std::string> report("report", cl::value_desc("FILE.json"),
                                   cl::desc("Write what was decided, and why"),
                                   cl::cat(category));
static cl::opt<double>
    coldShare("cold-share", cl::value_desc("S"), cl::init(0.001),
              cl::desc("PPFs that take in less than this share of the "
                       "profile's packets run on the XScale core "
                       "(default: 0.001)"),
              cl::cat(category));
static cl::opt<double> minRate("min-rate", cl::value_desc("GBPS"),
                               cl::desc("Wanted rate (no effect in this "
                                        "version)"),
                               cl::cat(category));
static cl::opt<double> maxErrorRate("max-error-rate", cl::value_desc("R"),
                                    cl::desc("Tolerated rate of errors by "
                                             "delayed updates (no effect in "
                                             "this version)"),
                                    cl::cat(category));
static cl::opt<bool> runProgram("run",
                                cl::desc("Run the program on this computer "
                                         "over --trace"),
                                cl::cat(category));
static cl::opt<std::string> trace("trace", cl::value_desc("PCAP"),
                                  cl::desc("With --run: packets in"),
                                  cl::cat(category));
static cl::opt<std::string> out("out", cl::value_desc("PCAP"),
                                cl::desc("With --run: packets out"),
                                cl::cat(category));
static cl::opt<std::string> stats("stats", cl::value_desc("FILE.json"),
                                  cl::desc("With --run: statistics"),
                                  cl::cat(category));

static int usageError(const std::string &what) {
  errs() << "bakerc: " << what << "\nTry: bakerc --help\n";
  return karakal::ExitUsageWrong;
}

static void note(const std::string &what) {
  errs() << "bakerc: note: " << what << "\n";
}

/// What the options say that LLVM's parser cannot check; empty if nothing.
static std::string findUsageError() {
  if (targetName != "ixp2400")
    return "there is no target '" + targetName + "'; there is ixp2400";
  if (mes < 1 || mes > karakal::target::AppEngineCount)
    return "--mes must be 1 to 6, not " + std::to_string(mes);
  if (coldShare < 0 || coldShare > 1)
    return "--cold-share must lie between 0 and 1";
  if (runProgram && trace.empty())
    return "--run needs --trace";
  if (!runProgram && !(trace.empty() && out.empty() && stats.empty()))
    return "--trace, --out and --stats go with --run";
  if (runProgram && !(output.empty() && report.empty() && profileTrace.empty()))
    return "-o, --report and --profile-trace do not go with --run";
  if (!runProgram && !control.empty() && profileTrace.empty())
    return "--control needs --profile-trace or --run";
  if (!report.empty() && emit != Emit::Ixp && emit != Emit::Asm)
    return "--report needs --emit=ixp or --emit=asm";
  return "";
}

static Options readOptions() {
  Options options;
  options.inputs = inputs;
  options.output = output;
  options.emit = emit;
  options.level = level;
  options.engineCount = mes;
  options.profileTrace = profileTrace;
  options.control = control;
  options.report = report;
  options.coldShare = coldShare;
  options.run = runProgram;
  options.trace = trace;
  options.out = out;
  options.stats = stats;
  return options;
}

static void noteWhatHasNoEffect() {
  using karakal::driver::effectiveLevel;
  using karakal::driver::levelName;
  bool isCode = emit != Emit::Ast && emit != Emit::Baker && !runProgram;
  if (isCode && effectiveLevel(level) != level && level.getNumOccurrences())
    note(std::string("--level=") + levelName(level) +
         " equals o1 in this "
         "version");
  if (minRate.getNumOccurrences())
    note("--min-rate has no effect in this version");
  if (maxErrorRate.getNumOccurrences())
    note("--max-error-rate has no effect in this version");
}

static void reportFatalError(void *, const char *what, bool) {
  errs() << "internal error: " << what
         << "\nThis is a bug of Karakal, not of your input. Please report it "
            "with the command line\nand the input files.\n";
  std::_Exit(karakal::ExitInternalError);
}

static void reportSignal(void *) { reportFatalError(nullptr, "crash", true); }

int main(int argc, char **argv) {
  sys::AddSignalHandler(reportSignal, nullptr);
  install_fatal_error_handler(reportFatalError);
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Compiles Baker programs for the Intel IXP2400.\n",
          &errs()))
    return karakal::ExitUsageWrong;
  if (std::string what = findUsageError(); !what.empty())
    return usageError(what);
  noteWhatHasNoEffect();
  karakal::Status done = karakal::driver::compile(readOptions());
  if (done)
    return karakal::ExitDone;
  if (!done.error().message.empty())
    errs() << done.error().str() << "\n";
  return karakal::ExitInputWrong;
}
