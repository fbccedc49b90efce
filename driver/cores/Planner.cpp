// Plans of a program.

#include "driver/cores/Planner.h"
#include "aggregation/Passes.h"
#include "driver/pipeline/RunPasses.h"
#include "ir/analysis/CoreTimers.h"
#include "ir/analysis/KeptOrder.h"
#include "ir/dialect/Attributes.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/packets/StopChecks.h"
#include "swcache/Caches.h"
#include "target-ixp/chip/RuntimeNames.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace karakal::driver {

namespace {

/// The last pass before the number of rare PPFs matters.
constexpr const char *startEnd = "init-globals";
constexpr const char *aggregationEnd = "aggregation";
constexpr const char *headsPass = "channel-heads";

/// Returns a diagnostic that says the same.
mlir::Diagnostic copyOf(mlir::Diagnostic &said) {
  auto copyArguments = [](mlir::Diagnostic &from, mlir::Diagnostic &to) {
    for (DiagnosticArgument &argument : from.getArguments()) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      argument.print(stream);
      to << text;
    }
  };
  mlir::Diagnostic copy(said.getLocation(), said.getSeverity());
  copyArguments(said, copy);
  for (mlir::Diagnostic &note : said.getNotes())
    copyArguments(note, copy.attachNote(note.getLocation()));
  return copy;
}

/// Keeps what passes say meanwhile, and lets it through.
class Listener {
public:
  explicit Listener(MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          said.push_back(copyOf(diagnostic));
          return llvm::failure(); // the next handler prints it
        }) {}

  std::vector<mlir::Diagnostic> said;

private:
  ScopedDiagnosticHandler handler;
};

/// `before` is the same module if the planner keeps it.
Status runRows(ModuleOp module, const PipelineOptions &options, StringRef after,
               StringRef last, ModuleOp before = {}) {
  return runPasses(
      module,
      [&](OpPassManager &passes) {
        addProgramPasses(passes, options, after, last);
      },
      {}, before);
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

/// Returns a copy of a module that was kept, and says what its passes said.
OwningOpRef<ModuleOp> Planner::continueFrom(Kept &kept) {
  for (mlir::Diagnostic &diagnostic : kept.said)
    kept.module->getContext()->getDiagEngine().emit(copyOf(diagnostic));
  return kept.module->clone();
}

ModuleOp Planner::keptStart(const PipelineOptions &options) {
  Start *found = findStart(options);
  return found ? *found->kept.module : ModuleOp();
}

ModuleOp Planner::keptAggregation(const PipelineOptions &options) {
  Start *found = findStart(options);
  if (!found)
    return {};
  auto kept = found->aggregated.find(options.rareOnEngines);
  return kept == found->aggregated.end() ? ModuleOp() : *kept->second.module;
}

/// Runs the passes before split-cores, or takes what they made before.
Result<OwningOpRef<ModuleOp>> Planner::start(const PipelineOptions &options) {
  if (Start *found = findStart(options))
    return continueFrom(found->kept);
  Listener listener(program.getContext());
  OwningOpRef<ModuleOp> module = program.clone();
  if (options.keepsOrder)
    module.get()->setAttr(ir::orderAttrName,
                          UnitAttr::get(program.getContext()));
  if (Status done = runRows(*module, options, "", startEnd); !done)
    return done.error();
  // Passes whose modules are written run each time.
  if (!isDumpingPasses())
    starts.push_back({options.wordsScale,
                      options.cacheLookups,
                      options.cacheArrays,
                      options.disabled,
                      {module->clone(), std::move(listener.said)},
                      {}});
  return module;
}

Result<OwningOpRef<ModuleOp>>
Planner::aggregate(const PipelineOptions &options) {
  if (Start *found = findStart(options))
    if (auto kept = found->aggregated.find(options.rareOnEngines);
        kept != found->aggregated.end())
      return continueFrom(kept->second);
  Listener listener(program.getContext());
  auto module = start(options);
  if (!module)
    return module;
  Status done =
      runRows(**module, options, startEnd, aggregationEnd, keptStart(options));
  if (!done) {
    Error error = done.error();
    if (module->get()->hasAttr(agg::noMappingAttrName))
      error.lacking = Resource::Engines;
    return error;
  }
  KARAKAL_ASSERT(!ir::aggregatesOf(**module).empty(),
                 "a planned program has an aggregate");
  if (Start *found = findStart(options))
    found->aggregated[options.rareOnEngines] = {(*module)->clone(),
                                                std::move(listener.said)};
  return module;
}

/// Sets the heads that are kept. Returns whether these are all: split-ppfs
/// makes channels.
bool Planner::setHeads(ModuleOp module) const {
  for (auto channel : module.getOps<ir::ChannelOp>()) {
    auto found = heads.find(channel.getSymNameAttr());
    if (found == heads.end())
      return false;
    if (found->second)
      channel->setAttr(ir::headAttrName, found->second);
  }
  return true;
}

/// Keeps the heads on the program's own channels: the same name may be another
/// channel where split-ppfs cuts elsewhere. Passes whose modules are written
/// run each time.
void Planner::keepHeads(ModuleOp module) {
  if (isDumpingPasses())
    return;
  SymbolTable planned(module);
  for (auto source : program.getOps<ir::ChannelOp>())
    if (auto channel = planned.lookup<ir::ChannelOp>(source.getSymName()))
      heads[source.getSymNameAttr()] =
          channel->getAttrOfType<ir::HeadAttr>(ir::headAttrName);
}

Result<OwningOpRef<ModuleOp>> Planner::plan(const PipelineOptions &options,
                                            size_t aggregatesMax) {
  beginPassDump(wholeProgram);
  auto module = aggregate(options);
  if (!module)
    return module;
  if (ir::aggregatesOf(**module).size() > aggregatesMax)
    return makeError("E-driver-002", "");
  PipelineOptions rest = options;
  if (setHeads(**module))
    rest.disabled.push_back(headsPass);
  if (Status done =
          runRows(**module, rest, aggregationEnd, "", keptAggregation(options));
      !done)
    return done.error();
  keepHeads(**module);
  if (swcache::exchangesCode(**module))
    ir::setNumber(**module, passes::stoppableAttrName,
                  passes::stopCheckInterval);
  if (options.isStoppable) {
    ir::setNumber(**module, passes::stoppableAttrName, 0);
    ir::addCoreTimer(**module, target::SavePowerTimerName,
                     target::runtime::SavePower, target::SavePowerIntervalUs);
  }
  return module;
}

} // namespace karakal::driver
