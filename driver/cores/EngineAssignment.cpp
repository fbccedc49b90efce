// The engines of aggregates, assigned by the cost of the generated code.

#include "driver/cores/EngineAssignment.h"
#include "driver/cores/CodePrediction.h"
#include "ir/analysis/Explain.h"
#include "ir/analysis/References.h"
#include "ir/dialect/Services.h"
#include "ir/dialect/Target.h"
#include "target-ixp/chip/ChipLayout.h"
#include "target-ixp/chip/MemoryMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace karakal::driver {

namespace {

/// Returns the aggregates with a lock in local memory. Such a lock works only
/// between the contexts of one engine.
llvm::StringSet<> aggregatesWithLocalLock(ModuleOp program) {
  llvm::StringSet<> found;
  for (auto ppf : program.getOps<func::FuncOp>()) {
    if (!ir::isPpf(ppf) || ir::coreOf(ppf) != ir::Core::Me)
      continue;
    for (func::FuncOp function : ir::reachableFrom({ppf}))
      function.walk([&](ir::LockOp taken) {
        ir::GlobalOp lock = ir::globalOf(taken.getRef());
        if (lock && ir::placementOf(lock)->memory == target::Memory::Local)
          found.insert(ir::aggregateOf(ppf));
      });
  }
  return found;
}

/// Engine cycles of a stage per packet received.
double cyclesOf(const agg::Stage &stage, const target::ChipParameters &chip) {
  return stage.messages / agg::engineRate(stage.cost, chip);
}

/// Gives each stage one engine, then repeatedly one more to the slowest stage
/// that may have several.
std::vector<agg::Stage> divideEngines(std::vector<agg::Stage> stages,
                                      const llvm::StringSet<> &onOneEngine,
                                      const target::ChipParameters &chip) {
  size_t left = 0;
  for (agg::Stage &stage : stages) {
    left += stage.engines - 1;
    stage.engines = 1;
  }
  auto slowness = [&](const agg::Stage &stage) {
    return onOneEngine.contains(stage.name)
               ? 0
               : cyclesOf(stage, chip) / stage.engines;
  };
  for (; left > 0; --left)
    ++std::max_element(stages.begin(), stages.end(),
                       [&](const agg::Stage &a, const agg::Stage &b) {
                         return slowness(a) < slowness(b);
                       })
          ->engines;
  return stages;
}

} // namespace

void reassignEngines(ModuleOp planned, std::vector<AggregateCode> &engines) {
  std::vector<agg::Stage> stages = stagesOf(planned, engines);
  llvm::StringSet<> onOneEngine = aggregatesWithLocalLock(planned);
  if (onOneEngine.size() == stages.size())
    return;
  target::ChipParameters chip = ir::chipOf(planned);
  std::vector<agg::Stage> shared = divideEngines(stages, onOneEngine, chip);
  agg::Frames frames = framesOf(planned);
  if (agg::predict(shared, chip, frames).packetsPerSecond <=
      agg::predict(stages, chip, frames).packetsPerSecond)
    return;
  uint32_t next = target::AppEngineFirst;
  std::vector<ir::AggregatePlan> plans;
  for (size_t i = 0; i < shared.size(); ++i) {
    KARAKAL_ASSERT(shared[i].engines == 1 ||
                       !onOneEngine.contains(shared[i].name),
                   "a lock in local memory holds on one engine only");
    ir::AggregatePlan &plan = engines[i].plan;
    plan.engines.clear();
    for (unsigned n = 0; n < shared[i].engines; ++n)
      plan.engines.push_back(next++);
    plans.push_back(plan);
    ir::explain(planned, "aggregation")
        << "map " << plan.name << ": " << plan.engines.size()
        << (plan.engines.size() == 1 ? " engine for " : " engines for ")
        << llvm::formatv("{0:f0}", cyclesOf(shared[i], chip)).str()
        << " cycles of generated code per packet received";
  }
  KARAKAL_ASSERT(next <= target::txEngine(chip),
                 "the plan has no more engines than the chip");
  ir::setAggregates(planned, plans);
}

} // namespace karakal::driver
