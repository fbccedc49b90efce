// The microcode of one aggregate.
//
// One thread runs the dialect's passes for one aggregate after another. With
// more threads, LLVM compiles those that are lowered meanwhile, each in a
// context of its own. Whether code was begun early or not, it is the same.

#include "driver/cores/EngineCode.h"
#include "codegen-me/CodeGenMe.h"
#include "driver/pipeline/LlvmStage.h"
#include "driver/pipeline/RunPasses.h"
#include "driver/pipeline/Threads.h"
#include "ir/analysis/GlobalsEnd.h"
#include "ir/dialect/Target.h"
#include "mlir/IR/Diagnostics.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/RuntimeNames.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ThreadPool.h"
#include <future>
#include <memory>
#include <optional>

using namespace mlir;

namespace karakal::driver {

namespace {

constexpr uint32_t bytesPerWord = 4;

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

/// What LLVM makes microcode of, apart from MLIR's context, which one thread
/// uses.
struct EngineInput {
  CoreProgram core;
  PipelineOptions pipeline;
  codegen::CodeGenOptions codegen;
};

/// Runs the dialect's passes for one aggregate.
Result<EngineInput> lowerEngine(ModuleOp planned, const std::string &aggregate,
                                const Options &options) {
  EngineInput input;
  input.pipeline = options.pipeline;
  input.pipeline.aggregate = aggregate;
  auto core = makeCoreProgram(planned, ir::Core::Me, input.pipeline);
  if (!core)
    return core.error();
  input.core = std::move(*core);
  input.codegen.level = options.pipeline.level == Level::Base ? 0 : 2;
  input.codegen.entry = target::runtime::EngineEntry;
  input.codegen.chip = ir::chipOf(planned);
  input.codegen.localWords =
      ir::globalsEnd(planned, target::Memory::Local) / bytesPerWord;
  input.codegen.sources = sourcesOf(planned);
  return input;
}

/// Links the runtime and runs LLVM's passes.
Status finishIr(EngineInput &input) {
  llvm::Module &module = *input.core.module;
  module.setDataLayout(
      "E-p:32:32-p1:32:32-p2:32:32-p3:32:32-p4:32:32-i64:32-n32-S32");
  for (const char *file :
       {"packet.ll", "services.ll", "locks.ll", "rings.ll", "punts.ll",
        input.pipeline.keepsOrder ? "order.ll" : "unordered.ll"})
    if (Status linked = linkRuntime(module, file); !linked)
      return linked;
  keepEntries(module, {target::runtime::EngineEntry});
  optimize(module, input.pipeline.level, input.codegen.chip,
           /*keepPrimitives=*/!includes(input.pipeline.level, Level::O2));
  KARAKAL_ASSERT(module.getFunction(target::runtime::EngineEntry),
                 "the engine's entry function is still in its program");
  return success();
}

Result<target::Microcode> compileInput(EngineInput &input) {
  if (Status finished = finishIr(input); !finished)
    return finished.error();
  StageTime time("llvm-codegen");
  auto code = codegen::compileForMe(*input.core.module, input.codegen);
  KARAKAL_ASSERT(!code ||
                     code->words.size() <= input.codegen.chip.meControlStore,
                 "code that is not refused fits the control store");
  return code;
}

/// The code of an aggregate that is compiled later or by another thread, and
/// what its passes had to say.
struct Pending {
  std::vector<mlir::Diagnostic> said;
  std::optional<Error> refused; ///< by the passes
  unsigned uncopied = 0;        ///< as in CoreProgram
  std::shared_future<Result<target::Microcode>> code;
};

/// Lowers an aggregate, and lets `pool` compile it; without one, finish() does.
Pending start(ModuleOp planned, const std::string &aggregate,
              const Options &options, llvm::ThreadPoolInterface *pool) {
  Pending pending;
  auto input = lowerEngine(planned, aggregate, options);
  if (!input) {
    pending.refused = input.error();
    return pending;
  }
  pending.uncopied = input->core.uncopied;
  auto shared = std::make_shared<EngineInput>(std::move(*input));
  auto compile = [shared] { return compileInput(*shared); };
  pending.code = pool ? pool->async(compile)
                      : std::async(std::launch::deferred, compile).share();
  return pending;
}

/// The same, and keeps what the passes say.
Pending startSilently(ModuleOp planned, const std::string &aggregate,
                      const Options &options, llvm::ThreadPoolInterface &pool) {
  std::vector<mlir::Diagnostic> said;
  ScopedDiagnosticHandler keep(planned.getContext(),
                               [&](mlir::Diagnostic &diagnostic) {
                                 said.push_back(std::move(diagnostic));
                                 return llvm::success();
                               });
  Pending pending = start(planned, aggregate, options, &pool);
  pending.said = std::move(said);
  return pending;
}

/// Says what the passes said, and waits for the code.
Result<target::Microcode> finish(Pending &pending, MLIRContext *context) {
  for (mlir::Diagnostic &diagnostic : pending.said)
    context->getDiagEngine().emit(std::move(diagnostic));
  if (pending.refused)
    return *pending.refused;
  return pending.code.get();
}

} // namespace

Result<CoreProgram> makeEngineIr(ModuleOp planned, const std::string &aggregate,
                                 const Options &options) {
  auto input = lowerEngine(planned, aggregate, options);
  if (!input)
    return input.error();
  if (Status finished = finishIr(*input); !finished)
    return finished.error();
  return std::move(input->core);
}

Result<target::Microcode> compileEngine(ModuleOp planned,
                                        const std::string &aggregate,
                                        const Options &options) {
  auto input = lowerEngine(planned, aggregate, options);
  if (!input)
    return input.error();
  return compileInput(*input);
}

/// A plan and the code of its aggregates.
struct EngineCompiler::Begun {
  OwningOpRef<ModuleOp> planned; ///< null if it is not kept
  std::vector<std::string> disabled;
  unsigned rareCopies = 0;
  std::vector<Pending> engines;
};

// What passes report is held while other threads work. A plugin's pass may end
// the process, so it runs where all is printed at once.
EngineCompiler::EngineCompiler(const Options &options)
    : isParallel(threadCount() > 1 && options.pipeline.extra.empty()),
      canBeginPlans(isParallel && !isDumpingPasses() &&
                    options.pipeline.checkedPackets == 0),
      pool(std::make_unique<llvm::DefaultThreadPool>(
          llvm::hardware_concurrency(threadCount()))) {
  if (isParallel) // LLVM's list of targets has no lock
    codegen::registerTarget();
}

EngineCompiler::~EngineCompiler() = default;

EngineCompiler::Begun EngineCompiler::lower(ModuleOp planned,
                                            const Options &options) {
  Begun made;
  made.disabled = options.pipeline.disabled;
  made.rareCopies = options.pipeline.rareCopies;
  for (const ir::AggregatePlan &plan : ir::aggregatesOf(planned))
    made.engines.push_back(startSilently(planned, plan.name, options, *pool));
  return made;
}

void EngineCompiler::begin(ModuleOp planned, const Options &options) {
  KARAKAL_ASSERT(canBegin(), "plans are begun only where they may be");
  begun.push_back(lower(planned, options));
  begun.back().planned = planned.clone();
}

Result<std::vector<AggregateCode>>
EngineCompiler::compile(ModuleOp planned, const Options &options,
                        llvm::function_ref<void()> meanwhile) {
  std::vector<ir::AggregatePlan> plans = ir::aggregatesOf(planned);
  Begun now;
  auto same = llvm::find_if(begun, [&](Begun &other) {
    return other.disabled == options.pipeline.disabled &&
           other.rareCopies == options.pipeline.rareCopies &&
           OperationEquivalence::isEquivalentTo(
               *other.planned, planned, OperationEquivalence::Flags::None);
  });
  if (same != begun.end()) {
    now = std::move(*same);
    begun.erase(same);
  } else if (isParallel) {
    now = lower(planned, options);
  }
  if (meanwhile)
    meanwhile();
  std::vector<AggregateCode> engines;
  for (size_t i = 0; i < plans.size(); ++i) {
    AggregateCode made;
    made.plan = plans[i];
    Pending pending = isParallel
                          ? std::move(now.engines[i])
                          : start(planned, plans[i].name, options, nullptr);
    auto code = finish(pending, planned.getContext());
    if (!code)
      return code.error();
    made.uncopied = pending.uncopied;
    made.code = std::move(*code);
    if (auto mapped = options.pipeline.mappedContexts.find(plans[i].name);
        mapped != options.pipeline.mappedContexts.end())
      made.contexts = mapped->second;
    engines.push_back(std::move(made));
  }
  return engines;
}

} // namespace karakal::driver
