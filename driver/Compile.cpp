// One run of the compiler.

#include "driver/Compile.h"
#include "aggregation/formation/Dot.h"
#include "aggregation/formation/MappingFile.h"
#include "baker-lang/tables/LowerTables.h"
#include "codegen-me/CodeGenMe.h"
#include "driver/Calibrate.h"
#include "driver/CompileForX86.h"
#include "driver/CountPrefixes.h"
#include "driver/EarlyXScale.h"
#include "driver/ReadProgram.h"
#include "driver/RunProgram.h"
#include "driver/cores/Feedback.h"
#include "driver/cores/Variants.h"
#include "driver/pipeline/LlvmStage.h"
#include "driver/pipeline/RunPasses.h"
#include "driver/pipeline/Threads.h"
#include "driver/report/CompileReport.h"
#include "driver/report/Manifest.h"
#include "driver/report/MappingComparison.h"
#include "driver/report/MinimumRate.h"
#include "ir/analysis/Explain.h"
#include "ir/dialect/Tables.h"
#include "ir/dialect/Target.h"
#include "passes/Passes.h"
#include "support/Files.h"
#include "target-ixp/assembler/Assembler.h"
#include "target-ixp/chip/ChipLayout.h"
#include "target-ixp/image/Image.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;

namespace karakal::driver {

namespace {

/// Adds microcode under a name of the image.
void addMicrocode(target::Image &image, const std::string &name,
                  const target::Microcode &code) {
  image.microcode[name] = code.words;
  image.lines[name] = code.lines;
  if (!code.locals.variables.empty())
    image.locals[name] = code.locals;
}

/// Adds the runtime's microcode of this name. Its source lines name the file
/// without the folder, which differs between machines.
Status addRuntimeMicrocode(target::Image &image, const std::string &name,
                           bool keepsOrder) {
  std::map<std::string, std::string> defines;
  if (keepsOrder)
    defines["ORDER"] = "";
  auto code =
      target::assembleFile(runtimeDirectory() + "/" + name + ".uc", defines);
  if (!code)
    return code.error();
  for (target::SourceLine &line : code->lines)
    if (line.line != 0)
      line.file = line.file.substr(line.file.rfind('/') + 1);
  addMicrocode(image, name, *code);
  return success();
}

Result<target::Image> makeImage(ModuleOp program, const Options &options,
                                const std::vector<AggregateCode> &engines,
                                const XScaleCode &xscale) {
  target::Image image;
  image.manifest = makeManifest(program, options, engines, xscale);
  for (const char *name : {"rx", "tx"})
    if (Status added =
            addRuntimeMicrocode(image, name, options.pipeline.keepsOrder);
        !added)
      return added.error();
  for (const AggregateCode &engine : engines) {
    addMicrocode(image, engine.plan.name, engine.code);
    for (const AggregateCode::Variant &variant : engine.variants)
      addMicrocode(image, variant.nameIn(engine.plan.name), variant.code);
  }
  for (const XScaleCode::Segment &segment : xscale.segments)
    image.xscale.push_back(
        {".xscale" + segment.name, segment.address, segment.bytes});
  return image;
}

std::string printBaker(ModuleOp program) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  program.print(stream);
  stream << "\n";
  return text;
}

/// Returns a heading for the part of one aggregate, or nothing if there is only
/// one.
std::string headingOf(const std::string &aggregate, size_t count) {
  return count > 1 ? "; aggregate " + aggregate + "\n" : "";
}

Result<std::string> printLlvm(ModuleOp planned, const Options &options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto plans = ir::aggregatesOf(planned);
  for (const ir::AggregatePlan &plan : plans) {
    auto engine = makeEngineIr(planned, plan.name, options);
    if (!engine)
      return engine.error();
    stream << headingOf(plan.name, plans.size());
    engine->module->print(stream, nullptr);
  }
  return text;
}

std::string printAsm(const std::vector<AggregateCode> &engines) {
  std::string text;
  for (const AggregateCode &engine : engines)
    text += headingOf(engine.plan.name, engines.size()) +
            codegen::printAsm(engine.code);
  return text;
}

/// Returns the output file of the command line, or its default.
std::string outputPath(const Options &options) {
  if (!options.output.empty())
    return options.output;
  llvm::StringRef stem = llvm::sys::path::stem(options.inputs.front());
  switch (options.emit) {
  case Emit::Ixp:
    return (stem + ".ixp").str();
  case Emit::Object:
    return (stem + ".o").str();
  case Emit::Executable:
    return stem.str();
  default:
    return "-";
  }
}

Status writeResult(const std::string &path, const target::Image &image) {
  if (path != "-")
    return target::writeImage(path, image);
  std::vector<uint8_t> bytes = target::serializeImage(image);
  return writeFile(
      "-", {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
}

/// Returns the options with the XScale PPFs and contexts of the mapping file.
Result<Options> withMapping(const Options &options) {
  Options read = options;
  const std::string &path = options.pipeline.mapping;
  if (path.empty())
    return read;
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return makeFileError("E-driver-032", path,
                         "the mapping cannot be read: " +
                             buffer.getError().message());
  auto mapping = agg::parseMapping((*buffer)->getBuffer().str(), path,
                                   target::appEngineCount(chipOf(options)));
  if (!mapping)
    return mapping.error();
  read.pipeline.mappedXScale = mapping->xscale;
  for (const agg::MappedAggregate &aggregate : mapping->aggregates)
    if (aggregate.contexts != 0)
      read.pipeline.mappedContexts[aggregate.name] = aggregate.contexts;
  return read;
}

/// The minimum rate, and the most cycles that a message takes of an engine, by
/// aggregate, in any code that an engine can get.
struct RateBound {
  MinimumRate minimum;
  std::vector<double> issueMax;
};

/// Computes the minimum rate if the command line asks for it; if the core
/// exchanges code with caches and without, that of the slower. `--wcet` prints
/// it.
Result<std::optional<RateBound>> findRateBound(const PlannedProgram &made,
                                               const Options &options) {
  if (!options.worstCases && options.minRates.empty())
    return std::optional<RateBound>();
  std::optional<RateBound> bound;
  std::string text;
  Status reached = success();
  for (const auto &engines : {made.engines, plainCodeOf(made.engines)}) {
    if (engines.empty())
      continue;
    auto minimum = computeMinimumRate(*made.program, engines);
    if (!minimum)
      return minimum.error();
    if (reached)
      reached = checkMinimumRate(*minimum, engines, options.minRates);
    std::vector<double> issueMax = minimum->issueMax;
    if (bound)
      for (size_t i = 0; i < issueMax.size(); ++i)
        issueMax[i] = std::max(issueMax[i], bound->issueMax[i]);
    bool isSlower = !bound || minimum->packetsPerSecond() <
                                  bound->minimum.packetsPerSecond();
    if (isSlower)
      text = printMinimumRate(*minimum, engines);
    bound = {isSlower ? std::move(*minimum) : std::move(bound->minimum),
             std::move(issueMax)};
  }
  if (options.worstCases)
    (llvm::outs() << text).flush();
  if (!reached)
    return reached.error();
  return bound;
}

/// Compiles the program after the front end and the profile, and writes the
/// result. `line` has the options that no stage sees.
Status emitCode(ModuleOp source, const Options &options,
                const BakercOptions &line, const std::vector<Remark> &remarks) {
  std::string path = outputPath(options);
  if (options.emit == Emit::Dot) {
    auto planned = planProgram(source, options.pipeline);
    return planned ? writeFile(path, agg::printDot(**planned))
                   : Status(planned.error());
  }
  EarlyXScale core(options, line.cacheFolder);
  auto made = [&] {
    StageTime time("engines");
    return planAndCompile(source, options, [&](ModuleOp planned) {
      if (options.emit != Emit::Llvm)
        core.begin(planned);
    });
  }();
  if (!made)
    return made.error();
  auto bound = findRateBound(*made, options);
  if (!bound)
    return bound.error();
  ModuleOp program = *made->program;
  if (options.emit == Emit::Llvm) {
    auto text = printLlvm(program, options);
    return text ? writeFile(path, *text) : Status(text.error());
  }
  auto xscale = [&] {
    StageTime time("xscale");
    return core.finish(program);
  }();
  if (!xscale)
    return xscale.error();
  auto image = makeImage(program, options, made->engines, *xscale);
  if (!image)
    return image.error();
  if (*bound)
    for (size_t i = 0; i < made->engines.size(); ++i)
      image->manifest["aggregates"][i]["iteration_cycles_bound"] =
          uint64_t(std::ceil((*bound)->issueMax[i]));
  // A report asks for all explanations.
  auto mapping = ir::isExplained(program.getContext(), "aggregation")
                     ? costOfMapping(source, *made, options)
                     : std::nullopt;
  if (!options.report.empty()) {
    std::optional<MinimumRate> minimum;
    if (*bound)
      minimum = (*bound)->minimum;
    std::string report = makeReport(program, options, made->engines, *xscale,
                                    remarks, minimum, mapping);
    if (Status written = writeFile(options.report, report); !written)
      return written;
  }
  if (!line.asmOutput.empty())
    if (Status written = writeFile(line.asmOutput, printAsm(made->engines));
        !written)
      return written;
  if (options.emit == Emit::Asm)
    return writeFile(path, printAsm(made->engines));
  return writeResult(path, *image);
}

} // namespace

/// Gives tables their structures.
static Status lowerTables(ModuleOp program, const Options &options) {
  if (program.getOps<ir::TableOp>().empty())
    return success();
  if (Status counted = countPrefixes(program, options.control); !counted)
    return counted;
  lang::LowerTablesOptions lower;
  lower.templates = runtimeDirectory() + "/tables";
  lower.forSpecialization = options.specialize != host::SpecializeWhen::Never;
  // A run with all checks refuses what the chip refuses.
  lower.onHost = options.fast || options.forX86 || lower.forSpecialization;
  return runPasses(program, [&](OpPassManager &passes) {
    passes.addPass(lang::createLowerTables(lower));
  });
}

Status layOutData(ModuleOp program, const Options &options) {
  bool isShown = options.emit == Emit::Baker && !options.run &&
                 options.profileTrace.empty() && options.profiles.empty();
  if (isShown)
    return success();
  if (Status lowered = lowerTables(program, options); !lowered)
    return lowered;
  return runPasses(program, [](OpPassManager &pipeline) {
    pipeline.addPass(passes::createPackArrays());
  });
}

Status compile(const BakercOptions &options) {
  if (options.calibrate)
    return calibrateTo(options.batching.machine);
  setPassTiming(options.timePasses);
  setThreadCount(options.threads);
  // The passes of others are checked where they run.
  if (!options.pipeline.extra.empty() || options.pipeline.checkedPackets != 0)
    verifyEachPass();
  StageTime time("all");
  // If the folder cannot be made, the first file cannot be written.
  if (!options.dumpPasses.empty())
    (void)llvm::sys::fs::create_directories(options.dumpPasses);
  setPassDump(options.dumpPasses);
  if (options.emit == Emit::Ast && !options.run) {
    auto tree = readSyntaxTree(options);
    return tree ? writeFile(outputPath(options), *tree) : Status(tree.error());
  }
  MLIRContext context;
  std::vector<Remark> remarks;
  prepareContext(context, options, remarks);
  auto read = [&] {
    StageTime reading("read");
    return readProgram(options, context);
  }();
  if (!read)
    return read.error();
  ModuleOp program = **read;
  if (Status laid = layOutData(program, options); !laid)
    return laid;
  HostSpeed speed = {options.fast, options.burst, options.subBatch,
                     options.packets};
  speed.cutSeed = options.cutSeed;
  speed.specialize.when = options.specialize;
  speed.specialize.sample = options.sample;
  speed.keepGoing = options.keepGoing;
  speed.cuts = options.cuts;
  if (options.run)
    return runProgram(program, {{options.trace, options.control},
                                speed,
                                options.batching,
                                program.getName().value_or("program").str(),
                                options.out,
                                options.stats});
  Status profiled = [&] {
    StageTime profiling("profile");
    return profileProgram(program, {{options.profileTrace, options.control},
                                    options.profiles,
                                    options.emitProfile});
  }();
  if (!profiled)
    return profiled;
  if (options.emit == Emit::Baker)
    return writeFile(outputPath(options), printBaker(program));
  if (options.forX86)
    return compileForX86(program, options, outputPath(options));
  auto mapped = withMapping(options);
  if (!mapped)
    return mapped.error();
  if (options.pipeline.checkedPackets != 0) {
    auto inputs =
        readCheckInputs(program, {options.profileTrace, options.control});
    if (!inputs)
      return inputs.error();
    mapped->pipeline.checkInputs = std::move(*inputs);
  }
  if (Status emitted = emitCode(program, *mapped, options, remarks); !emitted)
    return emitted;
  return endPassDump();
}

} // namespace karakal::driver
