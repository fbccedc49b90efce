// The order of the passes.

#include "driver/pipeline/Pipeline.h"
#include "aggregation/Passes.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
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
     "a cut makes metadata and a channel, which get numbers"},
    {"baker-assign-memory", "baker-lower-channels",
     "messages carry the numbers of channels"},
    {"baker-assign-memory", "baker-to-llvm",
     "addresses of globals and words of metadata become constants"},
    {"baker-assign-memory", "baker-plan-caches",
     "the version of a cached global lies in the same memory"},
    {"baker-plan-caches", "baker-init-globals",
     "versions have initial values too"},
    {"baker-plan-caches", "baker-make-caches",
     "the engines carry out what was planned for all cores"},
    {"baker-lower-channels", "baker-make-caches",
     "looks at versions stand in the engines' loop"},
    {"baker-plan-caches", "baker-fold-constants",
     "one core's program does not show what the others write"},
    {"baker-pac", "baker-make-caches",
     "bursts of loads are served by a copy as single loads are"},
    {"baker-make-caches", "baker-to-llvm",
     "copies are globals of the dialect, in local memory"},
    {"baker-init-globals", "baker-lower-channels",
     "the init function belongs to the XScale core's program"},
    {"baker-split-cores", "baker-lower-channels",
     "a channel is a call or a ring by where its ends run"},
    {"baker-split-cores", "baker-aggregation",
     "only PPFs of the engines form aggregates"},
    {"baker-aggregation", "baker-lower-channels",
     "channels between aggregates are rings"},
    {"baker-aggregation", "baker-place-locks",
     "a lock that one engine takes lies in its local memory"},
    {"baker-plan-caches", "baker-place-locks",
     "locks lie in local memory behind the copies"},
    {"baker-place-locks", "baker-to-llvm",
     "taking a lock is a call that its memory names"},
    {"baker-lower-channels", "baker-pac", "accesses meet across PPFs"},
    {"baker-inline", "baker-pac", "accesses meet in one function"},
    {"baker-remove-copies", "baker-pac",
     "accesses of a copy are accesses of the packet that it has become"},
    {"baker-channel-heads", "baker-lower-channels",
     "a packet from a ring has the head of its channel"},
    {"baker-lower-channels", "baker-to-llvm", "LLVM's dialect has no channels"},
    {"baker-lower-channels", "baker-inline", "the entry is made there"},
    {"baker-inline", "baker-soar", "heads are known along inlined paths"},
    {"baker-soar", "baker-phr",
     "phr needs no check of room and no head where soar knows it"},
    {"baker-phr", "baker-to-llvm", "LLVM's dialect has no packets"},
    {"baker-to-llvm", "ensure-debug-info-scope-on-llvm-func",
     "scopes belong to LLVM's functions"},
};

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

void addAssignMemory(OpPassManager &passes, ir::Core, const PipelineOptions &) {
  passes.addPass(passes::createAssignMemory());
}

void addPlanCaches(OpPassManager &passes, ir::Core,
                   const PipelineOptions &options) {
  swcache::PlanCachesOptions plan;
  plan.maxErrorRate = options.maxErrorRate;
  plan.engines = options.engineCount;
  plan.lookupCaches = options.cacheLookups;
  plan.arrayCaches = options.cacheArrays;
  passes.addPass(swcache::createPlanCaches(plan));
}

void addMakeAnswers(OpPassManager &passes, ir::Core, const PipelineOptions &) {
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
  split.xscale = options.mappedXScale;
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

void addLowerChannels(OpPassManager &passes, ir::Core core,
                      const PipelineOptions &options) {
  passes::LowerChannelsOptions channels;
  channels.core = core;
  channels.aggregate = options.aggregate;
  passes.addPass(passes::createLowerChannels(channels));
}

void addPac(OpPassManager &passes, ir::Core, const PipelineOptions &options) {
  passes::PacOptions pac;
  // Phr replaces accesses of metadata by SSA values.
  pac.metadata = !includes(options.level, Level::Phr);
  // Without soar, accesses relative to unknown heads need much code.
  if (!includes(options.level, Level::Soar))
    pac.maxOperations = 2000;
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
}

// name, stage, first level, needed, reason, pass
constexpr PassRow rows[] = {
    {"split-ppfs", Stage::Program, Level::Base, false,
     "before metadata and channels get their numbers", addSplitPpfs},
    {"assign-memory", Stage::Program, Level::Base, true,
     "places and numbers: all cores must agree on them", addAssignMemory},
    {"plan-caches", Stage::Program, Level::Swc, false,
     "needs the profile and places; the XScale core raises flags where it "
     "writes what engines cache",
     addPlanCaches},
    {"init-globals", Stage::Program, Level::Base, true,
     "the chip's memory starts as zeros: the core stores other values",
     addInitGlobals},
    {"split-cores", Stage::Program, Level::Base, true,
     "needs the profile; decides what lower-channels carries out",
     addSplitCores},
    {"aggregation", Stage::Program, Level::Base, true,
     "needs the cores; decides which engine runs what", addAggregation},
    {"place-locks", Stage::Program, Level::Base, false,
     "which engines take a lock, and how busy units are, is known now",
     addPlaceLocks},
    {"channel-heads", Stage::Program, Level::Soar, false,
     "soar's part that needs the whole program", addChannelHeads},
    {"lower-channels", Stage::EveryCore, Level::Base, true,
     "cuts one core's program out of the PPF graph", addLowerChannels},
    {"make-lookup-caches", Stage::Engines, Level::Swc, false,
     "asks the CAM where the look-up is still a call", addMakeAnswers},
    {"inline", Stage::Engines, Level::Pac, false,
     "the packet passes see a packet from ring to ring", addInline},
    {"remove-copies", Stage::Engines, Level::Phr, false,
     "before pac, to which a copy is another packet", addRemoveCopies},
    {"pac", Stage::Engines, Level::Pac, false,
     "few commands of memory for many accesses of fields", addPac},
    {"soar", Stage::Engines, Level::Soar, false,
     "an access at a known place needs no head pointer and no variable shift",
     addSoar},
    {"phr", Stage::Engines, Level::Phr, false,
     "what descriptors say becomes values", addPhr},
    {"fold-constants", Stage::Engines, Level::Swc, false,
     "behind the passes that unroll loops; what is folded needs no copy",
     addFoldConstants},
    {"make-caches", Stage::Engines, Level::Swc, false,
     "behind the passes that make bursts of loads, so that a copy serves them",
     addMakeCaches},
    {"to-llvm", Stage::EveryCore, Level::Base, true,
     "packets become handles, globals addresses", addToLlvm},
    {"debug-scopes", Stage::EveryCore, Level::Base, false,
     "source lines survive into the microcode's line table", addDebugScopes},
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
                           "' cannot be left out: " + row->reason);
  return success();
}

void addProgramPasses(OpPassManager &passes, const PipelineOptions &options) {
  for (const PassRow &row : rows)
    if (row.stage == Stage::Program && isOn(row, options))
      row.add(passes, ir::Core::Me, options);
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
