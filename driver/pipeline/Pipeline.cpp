// The order of the passes.

#include "driver/pipeline/Pipeline.h"
#include "aggregation/Passes.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "swcache/Caches.h"
#include "swcache/Passes.h"

using namespace mlir;

namespace karakal::driver {

namespace {

/// The pass `first` must run before the pass `then`, for the reason `why`.
struct OrderRule {
  const char *first, *then, *why;
};

constexpr OrderRule orderRules[] = {
    {"baker-split-ppfs", "baker-assign-memory",
     "a cut adds metadata and a channel, which need numbers"},
    {"baker-assign-memory", "baker-lower-channels",
     "messages carry the numbers of channels"},
    {"baker-assign-memory", "baker-to-llvm",
     "addresses of globals and words of metadata become constants"},
    {"baker-assign-memory", "baker-plan-caches",
     "the version of a cached global lies in the same memory"},
    {"baker-plan-caches", "baker-init-globals",
     "versions have initial values too"},
    {"baker-plan-caches", "baker-make-caches",
     "the engines carry out the plan for all cores"},
    {"baker-lower-channels", "baker-make-caches",
     "version checks are in the engines' dispatch loop"},
    {"baker-plan-caches", "baker-fold-constants",
     "one core's program does not contain the stores of the others"},
    {"baker-pac", "baker-make-caches", "a copy also serves bursts of loads"},
    {"baker-make-caches", "baker-to-llvm",
     "copies are globals of the dialect, in local memory"},
    {"baker-init-globals", "baker-lower-channels",
     "the init function belongs to the XScale core's program"},
    {"baker-split-cores", "baker-lower-channels",
     "the cores of a channel's ends decide whether it is a call or a ring"},
    {"baker-split-cores", "baker-aggregation",
     "only PPFs of the engines form aggregates"},
    {"baker-aggregation", "baker-lower-channels",
     "channels between aggregates are rings"},
    {"baker-aggregation", "baker-place-locks",
     "a lock that one engine takes lies in its local memory"},
    {"baker-plan-caches", "baker-place-locks",
     "locks lie in local memory after the copies"},
    {"baker-aggregation", "baker-place-locals",
     "local arrays of different aggregates lie at the same addresses"},
    {"baker-plan-caches", "baker-place-locals",
     "local arrays lie in local memory after the copies"},
    {"baker-place-locks", "baker-place-locals",
     "local arrays lie in local memory after the locks"},
    {"baker-place-locals", "baker-lower-channels",
     "channels tell which functions' arrays are in use together"},
    {"baker-place-locals", "baker-to-llvm",
     "addresses of local arrays become constants"},
    {"baker-place-locks", "baker-to-llvm",
     "the memory of a lock selects the call that takes it"},
    {"baker-lower-channels", "baker-pac",
     "accesses of different PPFs can be combined"},
    {"baker-inline", "baker-pac",
     "accesses of different functions can be combined"},
    {"baker-remove-copies", "baker-pac",
     "accesses of a removed copy are accesses of the packet"},
    {"baker-channel-heads", "baker-lower-channels",
     "a packet from a ring has the head of its channel"},
    {"baker-lower-channels", "baker-to-llvm", "LLVM's dialect has no channels"},
    {"baker-lower-channels", "baker-inline",
     "lower-channels makes the entry function"},
    {"baker-inline", "baker-soar", "heads are known along inlined paths"},
    {"baker-soar", "baker-phr",
     "phr emits no headroom check and no head where soar knows the head"},
    {"baker-phr", "baker-to-llvm", "LLVM's dialect has no packets"},
    {"baker-to-llvm", "ensure-debug-info-scope-on-llvm-func",
     "scopes belong to LLVM's functions"},
    {"ensure-debug-info-scope-on-llvm-func", "baker-line-scopes",
     "the scope of a line lies in that of its function"},
};

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

bool hasPass(StringRef name, const PipelineOptions &options);

void addAssignMemory(OpPassManager &passes, ir::Core,
                     const PipelineOptions &options) {
  passes::AssignMemoryOptions memory;
  // Phr follows packets in registers.
  memory.descriptors = !includes(options.level, Level::Phr);
  if (hasPass("plan-caches", options))
    memory.copyWords = swcache::cacheWordsMax;
  passes.addPass(passes::createAssignMemory(memory));
}

void addPlanCaches(OpPassManager &passes, ir::Core,
                   const PipelineOptions &options) {
  swcache::PlanCachesOptions plan;
  plan.maxErrorRate = options.maxErrorRate;
  plan.engines = options.engineCount;
  plan.lookupCaches = options.cacheLookups;
  plan.arrayCaches = options.cacheArrays;
  plan.exchange = options.exchangesCode;
  passes.addPass(swcache::createPlanCaches(plan));
}

void addMakeLookupCaches(OpPassManager &passes, ir::Core,
                         const PipelineOptions &) {
  passes.addPass(swcache::createMakeLookupCaches());
}

void addFoldConstants(OpPassManager &passes, ir::Core,
                      const PipelineOptions &) {
  passes.addPass(swcache::createFoldConstants());
}

void addMakeCaches(OpPassManager &passes, ir::Core, const PipelineOptions &) {
  passes.addPass(swcache::createMakeCaches());
}

void addInitGlobals(OpPassManager &passes, ir::Core, const PipelineOptions &) {
  passes.addPass(passes::createInitGlobals());
}

void addSplitPpfs(OpPassManager &passes, ir::Core,
                  const PipelineOptions &options) {
  agg::SplitPpfsOptions split;
  split.wordsScale = options.wordsScale;
  passes.addPass(agg::createSplitPpfs(split));
}

void addSplitCores(OpPassManager &passes, ir::Core,
                   const PipelineOptions &options) {
  agg::SplitCoresOptions split;
  split.coldShare = options.coldShare;
  split.rareOnEngines = options.rareOnEngines;
  split.xscale = options.mappedXScale;
  split.puntRates = options.puntRates;
  passes.addPass(agg::createSplitCores(split));
}

void addAggregation(OpPassManager &passes, ir::Core,
                    const PipelineOptions &options) {
  agg::AggregationOptions aggregation;
  aggregation.engines = options.engineCount;
  aggregation.mapping = options.mapping;
  aggregation.wordsScale = options.wordsScale;
  passes.addPass(agg::createAggregation(aggregation));
}

void addPlaceLocks(OpPassManager &passes, ir::Core, const PipelineOptions &) {
  passes.addPass(agg::createPlaceLocks());
}

void addPlaceLocals(OpPassManager &passes, ir::Core, const PipelineOptions &) {
  passes.addPass(agg::createPlaceLocals());
}

void addLowerChannels(OpPassManager &passes, ir::Core core,
                      const PipelineOptions &options) {
  passes::LowerChannelsOptions channels;
  channels.core = core;
  channels.aggregate = options.aggregate;
  channels.contextMessages = hasPass("inline", options);
  passes.addPass(passes::createLowerChannels(channels));
}

void addPac(OpPassManager &passes, ir::Core, const PipelineOptions &options) {
  passes::PacOptions pac;
  // Phr replaces accesses of metadata by SSA values.
  pac.metadata = !includes(options.level, Level::Phr);
  pac.rareCopies = options.rareCopies;
  passes.addPass(passes::createSimplify());
  passes.addPass(passes::createPac(pac));
}

void addRemoveCopies(OpPassManager &passes, ir::Core, const PipelineOptions &) {
  passes.addPass(passes::createRemoveCopies());
}

void addInline(OpPassManager &passes, ir::Core, const PipelineOptions &) {
  passes.addPass(passes::createInline());
}

void addChannelHeads(OpPassManager &passes, ir::Core, const PipelineOptions &) {
  passes.addPass(passes::createChannelHeads());
}

void addSoar(OpPassManager &passes, ir::Core, const PipelineOptions &) {
  passes.addPass(passes::createSoar());
}

void addPhr(OpPassManager &passes, ir::Core, const PipelineOptions &) {
  passes.addPass(passes::createPhr());
}

void addToLlvm(OpPassManager &passes, ir::Core core, const PipelineOptions &) {
  passes::ToLlvmOptions toLlvm;
  toLlvm.core = core;
  passes.addPass(passes::createToLlvm(toLlvm));
}

void addDebugScopes(OpPassManager &passes, ir::Core, const PipelineOptions &) {
  passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
  passes.addPass(passes::createLineScopes());
}

// name, stage, first level, needed, reason, pass
constexpr PassRow rows[] = {
    {"split-ppfs", Stage::Program, Level::Base, false,
     "before metadata and channels get their numbers", addSplitPpfs},
    {"assign-memory", Stage::Program, Level::Base, true,
     "all cores must agree on addresses and numbers", addAssignMemory},
    {"plan-caches", Stage::Program, Level::Swc, false,
     "needs the profile and addresses; the XScale core raises versions where "
     "it writes cached globals",
     addPlanCaches},
    {"init-globals", Stage::Program, Level::Base, true,
     "the chip's memory starts as zeros, so the core stores other values",
     addInitGlobals},
    {"split-cores", Stage::Program, Level::Base, true,
     "needs the profile; lower-channels carries out its decisions",
     addSplitCores},
    {"aggregation", Stage::Program, Level::Base, true,
     "needs the cores; decides which engines run which PPFs", addAggregation},
    {"place-locks", Stage::Program, Level::Base, false,
     "needs the engines that take a lock and the predicted load of units",
     addPlaceLocks},
    {"place-locals", Stage::Program, Level::Base, true,
     "local arrays take what caches and locks leave of local memory",
     addPlaceLocals},
    {"channel-heads", Stage::Program, Level::Soar, false,
     "the part of soar that needs the whole program", addChannelHeads},
    {"lower-channels", Stage::EveryCore, Level::Base, true,
     "extracts one core's program from the PPF graph", addLowerChannels},
    {"make-lookup-caches", Stage::Engines, Level::Swc, false,
     "looks up the CAM while the look-up is still a call", addMakeLookupCaches},
    {"inline", Stage::Engines, Level::Pac, false,
     "the packet passes then see a packet from ring to ring", addInline},
    {"remove-copies", Stage::Engines, Level::Phr, false,
     "before pac, which treats a copy as another packet", addRemoveCopies},
    {"pac", Stage::Engines, Level::Pac, false,
     "few memory commands for many field accesses", addPac},
    {"soar", Stage::Engines, Level::Soar, false,
     "an access at a known offset needs no head pointer and no variable shift",
     addSoar},
    {"phr", Stage::Engines, Level::Phr, false,
     "the contents of descriptors become values", addPhr},
    {"fold-constants", Stage::Engines, Level::Swc, false,
     "after the passes that unroll loops; folded loads need no copy",
     addFoldConstants},
    {"make-caches", Stage::Engines, Level::Swc, false,
     "after the passes that make bursts of loads, which a copy can serve",
     addMakeCaches},
    {"to-llvm", Stage::EveryCore, Level::Base, true,
     "packets become handles, globals addresses", addToLlvm},
    {"debug-scopes", Stage::EveryCore, Level::Base, false,
     "the microcode's line table needs source lines", addDebugScopes},
};

bool isForCore(const PassRow &row, ir::Core core) {
  switch (row.stage) {
  case Stage::Program:
    return false;
  case Stage::Engines:
    return core == ir::Core::Me;
  case Stage::XScale:
    return core == ir::Core::XScale;
  case Stage::EveryCore:
    return true;
  }
  KARAKAL_UNREACHABLE("no such stage");
}

bool isOn(const PassRow &row, const PipelineOptions &options) {
  return includes(options.level, row.from) &&
         !llvm::is_contained(options.disabled, row.name);
}

void addExtraPasses(OpPassManager &passes, StringRef before,
                    const PipelineOptions &options) {
  for (const ExtraPasses &extra : options.extra)
    if (extra.before == before) {
      LogicalResult parsed = parsePassPipeline(extra.pipeline, passes);
      KARAKAL_ASSERT(succeeded(parsed), "extra passes were parsed before");
    }
}

const PassRow *findRow(StringRef name) {
  const PassRow *found =
      llvm::find_if(rows, [&](const PassRow &row) { return name == row.name; });
  return found == std::end(rows) ? nullptr : found;
}

bool hasPass(StringRef name, const PipelineOptions &options) {
  const PassRow *row = findRow(name);
  KARAKAL_ASSERT(row, "the pass is in the table");
  return isOn(*row, options);
}

} // namespace

llvm::ArrayRef<PassRow> passTable() { return rows; }

Status checkPassNames(const std::vector<std::string> &names) {
  std::string known;
  for (const PassRow &row : rows)
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  for (const std::string &name : names)
    if (!findRow(name))
      return makeError("E-driver-005", "there is no pass '" + name +
                                           "'. The passes are: " + known);
  return success();
}

Status checkCanBeDisabled(const std::vector<std::string> &names) {
  if (Status known = checkPassNames(names); !known)
    return known;
  for (const std::string &name : names)
    if (const PassRow *row = findRow(name); row->isNeeded)
      return makeError("E-driver-006",
                       "the pass '" + name +
                           "' cannot be disabled: " + row->reason);
  return success();
}

void addProgramPasses(OpPassManager &passes, const PipelineOptions &options,
                      StringRef after, StringRef last) {
  KARAKAL_ASSERT((after.empty() || findRow(after)) &&
                     (last.empty() || findRow(last)),
                 "the pass is in the table");
  bool isBegun = after.empty();
  for (const PassRow &row : rows) {
    if (isBegun && row.stage == Stage::Program && isOn(row, options))
      row.add(passes, ir::Core::Me, options);
    isBegun |= after == row.name;
    if (last == row.name)
      return;
  }
}

void addCorePasses(OpPassManager &passes, ir::Core core,
                   const PipelineOptions &options) {
  for (const PassRow &row : rows) {
    if (core == ir::Core::Me)
      addExtraPasses(passes, row.name, options);
    if (isForCore(row, core) && isOn(row, options))
      row.add(passes, core, options);
  }
}

std::vector<std::string> passFlags(ir::Core core,
                                   const PipelineOptions &options) {
  OpPassManager list(ModuleOp::getOperationName());
  addProgramPasses(list, options);
  addCorePasses(list, core, options);
  std::vector<std::string> flags;
  for (Pass &pass : list.getPasses())
    flags.push_back(pass.getArgument().str());
  return flags;
}

Status checkOrder(const std::vector<std::string> &flags) {
  for (const OrderRule &rule : orderRules) {
    auto then = llvm::find(flags, rule.then);
    if (std::find(then, flags.end(), rule.first) != flags.end())
      return makeError("E-driver-001", std::string(rule.first) +
                                           " must run before " + rule.then +
                                           ": " + rule.why);
  }
  return success();
}

} // namespace karakal::driver
