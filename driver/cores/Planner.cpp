// Plans of a program.

#include "driver/cores/Planner.h"
#include "aggregation/Passes.h"
#include "driver/pipeline/RunPasses.h"
#include "ir/analysis/KeptOrder.h"
#include "ir/dialect/Attributes.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/packets/Stoppable.h"

using namespace mlir;

namespace karakal::driver {

namespace {

/// The last pass before the number of rare PPFs matters.
constexpr const char *startEnd = "init-globals";
constexpr const char *aggregationEnd = "aggregation";

/// Tells whether passes report anything meanwhile. A module is kept only if
/// they do not: otherwise they have to run again to say it again.
class Listener {
public:
  explicit Listener(MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &) {
          isQuiet = false;
          return llvm::failure(); // the next handler prints it
        }) {}
  /// Nothing was reported, and no module is written after its pass.
  bool mayKeep() const { return isQuiet && !isDumpingPasses(); }

private:
  bool isQuiet = true;
  ScopedDiagnosticHandler handler;
};

Status runRows(ModuleOp module, const PipelineOptions &options, StringRef after,
               StringRef last) {
  return runPasses(module, [&](OpPassManager &passes) {
    addProgramPasses(passes, options, after, last);
  });
}

} // namespace

Planner::Start *Planner::findStart(const PipelineOptions &options) {
  for (Start &start : starts)
    if (start.wordsScale == options.wordsScale &&
        start.cacheLookups == options.cacheLookups &&
        start.cacheArrays == options.cacheArrays &&
        start.disabled == options.disabled)
      return &start;
  return nullptr;
}

/// Runs the passes before split-cores, or takes what they made before.
Result<OwningOpRef<ModuleOp>> Planner::start(const PipelineOptions &options) {
  if (Start *found = findStart(options))
    return OwningOpRef<ModuleOp>(found->module->clone());
  Listener listener(program.getContext());
  OwningOpRef<ModuleOp> module = program.clone();
  if (options.keepsOrder)
    module.get()->setAttr(ir::orderAttrName,
                          UnitAttr::get(program.getContext()));
  if (Status done = runRows(*module, options, "", startEnd); !done)
    return done.error();
  if (listener.mayKeep())
    starts.push_back({options.wordsScale,
                      options.cacheLookups,
                      options.cacheArrays,
                      options.disabled,
                      module->clone(),
                      {}});
  return module;
}

Result<OwningOpRef<ModuleOp>>
Planner::aggregate(const PipelineOptions &options) {
  if (Start *found = findStart(options))
    if (auto kept = found->aggregated.find(options.rareOnEngines);
        kept != found->aggregated.end())
      return OwningOpRef<ModuleOp>(kept->second->clone());
  auto module = start(options);
  if (!module)
    return module;
  Listener listener(program.getContext());
  Status done = runRows(**module, options, startEnd, aggregationEnd);
  if (!done) {
    Error error = done.error();
    if (module->get()->hasAttr(agg::noMappingAttrName))
      error.lacking = Resource::Engines;
    return error;
  }
  KARAKAL_ASSERT(!ir::aggregatesOf(**module).empty(),
                 "a planned program has an aggregate");
  if (Start *found = findStart(options); found && listener.mayKeep())
    found->aggregated[options.rareOnEngines] = (*module)->clone();
  return module;
}

Result<OwningOpRef<ModuleOp>> Planner::plan(const PipelineOptions &options,
                                            size_t aggregatesMax) {
  beginPassDump(wholeProgram);
  auto module = aggregate(options);
  if (!module)
    return module;
  if (ir::aggregatesOf(**module).size() > aggregatesMax)
    return makeError("E-driver-002", "");
  if (Status done = runRows(**module, options, aggregationEnd, ""); !done)
    return done.error();
  if (options.isStoppable)
    module->get()->setAttr(passes::stoppableAttrName,
                           UnitAttr::get(program.getContext()));
  return module;
}

} // namespace karakal::driver
