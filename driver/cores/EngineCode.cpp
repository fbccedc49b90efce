// The microcode of one aggregate.

#include "driver/cores/EngineCode.h"
#include "codegen-me/CodeGenMe.h"
#include "driver/pipeline/LlvmStage.h"
#include "driver/pipeline/RunPasses.h"
#include "ir/dialect/Target.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/RuntimeNames.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace karakal::driver {

namespace {

/// Returns the source lines at which the program's functions begin. Files have
/// the names of the line table, without folders.
std::vector<target::SourceFunction> sourcesOf(ModuleOp program) {
  std::vector<target::SourceFunction> sources;
  for (auto function : program.getOps<func::FuncOp>())
    if (auto location = function.getLoc()->findInstanceOf<FileLineColLoc>())
      sources.push_back(
          {llvm::sys::path::filename(location.getFilename()).str(),
           function.getSymName().str(), location.getLine()});
  return sources;
}

} // namespace

Result<CoreProgram> makeEngineIr(ModuleOp planned, const std::string &aggregate,
                                 const Options &options) {
  PipelineOptions pipeline = options.pipeline;
  pipeline.aggregate = aggregate;
  auto core = makeCoreProgram(planned, ir::Core::Me, pipeline);
  if (!core)
    return core.error();
  core->module->setDataLayout(
      "E-p:32:32-p1:32:32-p2:32:32-p3:32:32-p4:32:32-i64:32-n32-S32");
  for (const char *file :
       {"packet.ll", "services.ll", "locks.ll", "rings.ll", "punts.ll",
        pipeline.keepsOrder ? "order.ll" : "unordered.ll"})
    if (Status linked = linkRuntime(*core->module, file); !linked)
      return linked.error();
  keepEntries(*core->module, {target::runtime::EngineEntry});
  optimize(*core->module, pipeline.level, ir::chipOf(planned),
           /*keepPrimitives=*/!includes(pipeline.level, Level::O2));
  KARAKAL_ASSERT(core->module->getFunction(target::runtime::EngineEntry),
                 "the engine's entry function is still in its program");
  return core;
}

Result<target::Microcode> compileEngine(ModuleOp planned,
                                        const std::string &aggregate,
                                        const Options &options) {
  auto core = makeEngineIr(planned, aggregate, options);
  if (!core)
    return core.error();
  codegen::CodeGenOptions codegen;
  codegen.level = options.pipeline.level == Level::Base ? 0 : 2;
  codegen.entry = target::runtime::EngineEntry;
  codegen.chip = ir::chipOf(planned);
  codegen.sources = sourcesOf(planned);
  StageTime time("llvm-codegen");
  auto code = codegen::compileForMe(*core->module, codegen);
  KARAKAL_ASSERT(!code || code->words.size() <= codegen.chip.meControlStore,
                 "code that is not refused fits the control store");
  return code;
}

Result<std::vector<AggregateCode>> compileEngines(ModuleOp planned,
                                                  const Options &options) {
  std::vector<AggregateCode> engines;
  for (const ir::AggregatePlan &plan : ir::aggregatesOf(planned)) {
    auto code = compileEngine(planned, plan.name, options);
    if (!code)
      return code.error();
    AggregateCode made;
    made.plan = plan;
    made.code = std::move(*code);
    if (auto mapped = options.pipeline.mappedContexts.find(plan.name);
        mapped != options.pipeline.mappedContexts.end())
      made.contexts = mapped->second;
    engines.push_back(std::move(made));
  }
  return engines;
}

} // namespace karakal::driver
