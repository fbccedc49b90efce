//===- Compile.cpp - one run of the compiler ------------------------------===//

#include "driver/Compile.h"
#include "codegen-me/CodeGenMe.h"
#include "driver/CoreProgram.h"
#include "driver/FrontEnd.h"
#include "driver/LlvmStage.h"
#include "driver/Manifest.h"
#include "driver/Report.h"
#include "driver/Run.h"
#include "driver/WriteFile.h"
#include "driver/XScale.h"
#include "target-ixp/Assembler.h"
#include "target-ixp/Image.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace karakal::driver {

namespace {

constexpr const char *engineEntry = "me_main";

/// LLVM IR of the aggregate, linked with the packet primitives and optimized.
Result<CoreProgram> makeEngineIr(ModuleOp program, const Options &options) {
  auto core = makeCoreProgram(program, CoreTarget::Me, options.pipeline);
  if (!core)
    return core.error();
  core->module->setDataLayout(
      "E-p:32:32-p1:32:32-p2:32:32-p3:32:32-p4:32:32-i64:32-n32-S32");
  if (Status linked = linkRuntime(*core->module, "packet.ll"); !linked)
    return linked.error();
  keepEntries(*core->module, {engineEntry});
  optimize(*core->module, options.pipeline.level,
           /*keepPrimitives=*/!includes(options.pipeline.level, Level::O2));
  return core;
}

Result<target::Microcode> compileEngine(ModuleOp program,
                                        const Options &options) {
  auto core = makeEngineIr(program, options);
  if (!core)
    return core.error();
  codegen::CodeGenOptions codegen;
  codegen.level = options.pipeline.level == Level::Base ? 0 : 2;
  codegen.entry = engineEntry;
  codegen.maxWords = target::ControlStoreWords;
  codegen.stackSramBase = target::StackSramBase;
  codegen.stackSramBytes = target::StackSramBytes;
  return codegen::compileForMe(*core->module, codegen);
}

Result<XScaleCode> compileXScale(ModuleOp program, const Options &options) {
  auto core = makeCoreProgram(program, CoreTarget::XScale, options.pipeline);
  if (!core)
    return core.error();
  return compileForXScale(*core->module, xscaleEntries(program),
                          options.pipeline.level);
}

/// Adds a piece of the runtime's microcode.
Status addRuntimeMicrocode(target::Image &image, const std::string &name) {
  auto code = target::assembleFile(runtimeDirectory() + "/" + name + ".uc");
  if (!code)
    return code.error();
  image.microcode[name] = code->words;
  return success();
}

Result<target::Image> makeImage(ModuleOp program, const Options &options,
                                const target::Microcode &engine,
                                const XScaleCode &xscale) {
  target::Image image;
  image.manifest = makeManifest(program, options, engine.words.size(), xscale);
  for (const char *name : {"rx", "tx"})
    if (Status added = addRuntimeMicrocode(image, name); !added)
      return added.error();
  image.microcode[mainAggregate] = engine.words;
  image.lines[mainAggregate] = engine.lines;
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

Result<std::string> printLlvm(ModuleOp program, const Options &options) {
  auto engine = makeEngineIr(program, options);
  if (!engine)
    return engine.error();
  std::string text;
  llvm::raw_string_ostream stream(text);
  engine->module->print(stream, nullptr);
  return text;
}

/// Where the result goes if the command line does not say.
std::string outputPath(const Options &options) {
  if (!options.output.empty())
    return options.output;
  if (options.emit != Emit::Ixp)
    return "-";
  return (llvm::sys::path::stem(options.inputs.front()) + ".ixp").str();
}

Status writeResult(const std::string &path, const target::Image &image) {
  if (path != "-")
    return target::writeImage(path, image);
  std::vector<uint8_t> bytes = target::serializeImage(image);
  return writeFile(
      "-", {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
}

/// Everything behind the front end and the plan.
Status emitCode(ModuleOp program, const Options &options,
                const std::vector<Remark> &remarks) {
  std::string path = outputPath(options);
  if (options.emit == Emit::Llvm) {
    auto text = printLlvm(program, options);
    return text ? writeFile(path, *text) : Status(text.error());
  }
  auto engine = compileEngine(program, options);
  if (!engine)
    return engine.error();
  auto xscale = compileXScale(program, options);
  if (!xscale)
    return xscale.error();
  auto image = makeImage(program, options, *engine, *xscale);
  if (!image)
    return image.error();
  if (!options.report.empty()) {
    std::string report =
        makeReport(program, options, *engine, *xscale, remarks);
    if (Status written = writeFile(options.report, report); !written)
      return written;
  }
  if (options.emit == Emit::Asm)
    return writeFile(path, codegen::printAsm(*engine));
  return writeResult(path, *image);
}

} // namespace

Status compile(const Options &options) {
  if (options.emit == Emit::Ast && !options.run) {
    auto tree = readSyntaxTree(options);
    return tree ? writeFile(outputPath(options), *tree) : Status(tree.error());
  }
  MLIRContext context;
  std::vector<Remark> remarks;
  prepareContext(context, options, remarks);
  auto read = readProgram(options, context);
  if (!read)
    return read.error();
  ModuleOp program = **read;
  if (options.run)
    return runProgram(program, {{options.trace, options.control},
                                program.getName().value_or("program").str(),
                                options.out,
                                options.stats});
  Status profiled =
      profileProgram(program, {{options.profileTrace, options.control},
                               options.profiles,
                               options.emitProfile});
  if (!profiled)
    return profiled;
  if (options.emit == Emit::Baker)
    return writeFile(outputPath(options), printBaker(program));
  Status planned = runPasses(program, [&](OpPassManager &passes) {
    addProgramPasses(passes, options.pipeline);
  });
  if (!planned)
    return planned;
  return emitCode(program, options, remarks);
}

} // namespace karakal::driver
