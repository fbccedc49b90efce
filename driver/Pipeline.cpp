//===- Pipeline.cpp - the order of the passes -----------------------------===//

#include "driver/Pipeline.h"
#include "aggregation/Passes.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "passes/Passes.h"

using namespace mlir;

namespace karakal::driver {

namespace {

/// `first` must run before `then`, because of `why`.
struct OrderRule {
  const char *first, *then, *why;
};

constexpr OrderRule orderRules[] = {
    {"baker-assign-memory", "baker-lower-channels",
     "messages carry the numbers of channels"},
    {"baker-assign-memory", "baker-to-llvm",
     "addresses of globals and words of metadata become constants"},
    {"baker-init-globals", "baker-lower-channels",
     "the init function belongs to the XScale core's program"},
    {"baker-split-cores", "baker-lower-channels",
     "a channel is a call or a ring by where its ends run"},
    {"baker-lower-channels", "baker-to-llvm", "LLVM's dialect has no channels"},
    {"baker-to-llvm", "ensure-debug-info-scope-on-llvm-func",
     "scopes belong to LLVM's functions"},
};

} // namespace

const char *coreTargetName(CoreTarget target) {
  switch (target) {
  case CoreTarget::Me:
    return "me";
  case CoreTarget::XScale:
    return "xscale";
  case CoreTarget::Host:
    return "host";
  }
  KARAKAL_UNREACHABLE("no such core");
}

void addProgramPasses(OpPassManager &passes, double coldShare) {
  // Places and numbers: all copies of the program must agree on them.
  passes.addPass(passes::createAssignMemory());
  // The chip's memory starts as zeros: the core stores other values.
  passes.addPass(passes::createInitGlobals());
  // Needs the profile; decides what lower-channels carries out.
  agg::SplitCoresOptions split;
  split.coldShare = coldShare;
  passes.addPass(agg::createSplitCores(split));
}

void addCorePasses(OpPassManager &passes, CoreTarget target, Level level) {
  // Cuts one core's program out of the PPF graph.
  passes::LowerChannelsOptions channels;
  channels.core = coreTargetName(target);
  passes.addPass(passes::createLowerChannels(channels));
  // Packets become handles, globals addresses.
  passes::ToLlvmOptions toLlvm;
  toLlvm.target = coreTargetName(target);
  passes.addPass(passes::createToLlvm(toLlvm));
  // Source lines survive into the microcode's line table.
  passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
}

std::vector<std::string> passFlags(CoreTarget target, Level level) {
  OpPassManager list(ModuleOp::getOperationName());
  addProgramPasses(list, 0);
  addCorePasses(list, target, level);
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
