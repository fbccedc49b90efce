//===- Run.cpp - programs on x86: bakerc --run and the profile ------------===//

#include "driver/Run.h"
#include "aggregation/Passes.h"
#include "host/Describe.h"
#include "host/Instrument.h"
#include "host/Report.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Passes.h"
#include "target-ixp/MemoryMap.h"
#include "traces/TraceReader.h"
#include "traces/TraceWriter.h"
#include <cstdio>

namespace karakal::driver {

using namespace mlir;

/// Cores are split as for the chip, so that the books tell which packets the
/// XScale core would have consumed.
static void addDecisions(PassManager &manager) {
  manager.addPass(agg::createSplitCores());
  manager.addPass(passes::createAssignMemory());
  manager.addPass(passes::createInitGlobals());
}

static void addLowering(PassManager &manager) {
  passes::LowerChannelsOptions channels;
  channels.core = "host";
  manager.addPass(passes::createLowerChannels(channels));
  passes::ToLlvmOptions llvm;
  llvm.target = "host";
  manager.addPass(passes::createToLlvm(llvm));
}

static Status runPasses(ModuleOp module, void (*add)(PassManager &)) {
  PassManager manager(module.getContext());
  add(manager);
  if (failed(manager.run(module)))
    return makeError("E-driver-030", "the program cannot be lowered for x86");
  return success();
}

static Result<host::HostProgram> lower(ModuleOp baker, bool withCounters) {
  OwningOpRef<ModuleOp> module = baker.clone();
  if (Status status = runPasses(*module, addDecisions); !status)
    return status.error();
  host::HostProgram program = host::describe(*module);
  if (withCounters)
    program.counters = host::instrument(*module);
  if (Status status = runPasses(*module, addLowering); !status)
    return status.error();
  host::attach(program, *module);
  return program;
}

static Result<std::vector<traces::ControlCall>>
readControl(const std::string &path) {
  if (path.empty())
    return std::vector<traces::ControlCall>();
  return traces::readControlFile(path);
}

Result<host::HostRun> runOnHost(ModuleOp baker, const HostInputs &inputs,
                                bool withCounters) {
  auto trace = traces::readTrace(inputs.trace, target::PortCount);
  if (!trace)
    return trace.error();
  auto control = readControl(inputs.control);
  if (!control)
    return control.error();
  auto program = lower(baker, withCounters);
  if (!program)
    return program.error();
  host::RunOptions options;
  options.portCount = target::PortCount;
  options.layout.count = target::BufferCount;
  options.layout.bytes = target::BufferBytes;
  options.layout.headroomBytes = target::BufferHeadroom;
  options.layout.firstHandle = target::HandleFirst;
  return host::run(std::move(*program), *trace, *control, options);
}

Status profileOnHost(ModuleOp baker, const HostInputs &inputs) {
  auto run = runOnHost(baker, inputs, false);
  if (!run)
    return run.error();
  host::annotate(baker, *run);
  return success();
}

Status runProgram(ModuleOp baker, const RunRequest &request) {
  auto run = runOnHost(baker, request.inputs, true);
  if (!run)
    return run.error();
  if (!request.out.empty())
    if (Status status = traces::writeTrace(request.out, run->transmitted,
                                           target::PortCount);
        !status)
      return status;
  if (!request.stats.empty())
    if (Status status =
            host::writeStatistics(request.stats, *run, request.program);
        !status)
      return status;
  std::fputs(host::statisticsTable(*run, request.program).c_str(), stdout);
  return success();
}

} // namespace karakal::driver
