// bakerc --run: a program on x86 over a trace, its table and its files.

#include "driver/RunProgram.h"
#include "driver/Batching.h"
#include "host/RunReport.h"
#include "host/profile/FunctionalProfile.h"
#include "host/standalone/ControlCalls.h"
#include "ir/analysis/Explain.h"
#include "target-ixp/chip/MemoryMap.h"
#include "traces/TraceWriter.h"
#include <cstdio>

using namespace mlir;

namespace karakal::driver {

/// Puts what the model chooses into `speed`, if it is asked.
static Status askModel(ModuleOp baker, const HostTraffic &traffic,
                       const BatchingRequest &request, HostSpeed &speed) {
  if (!request.usesModel())
    return success();
  auto choice = chooseForTraffic(baker, traffic, speed, request);
  if (!choice)
    return choice.error();
  KARAKAL_ASSERT(choice->chosen.burst > 0 &&
                     choice->chosen.subBatch <= choice->chosen.burst,
                 "a sub-batch is a part of a burst");
  explainChoice(baker, *choice);
  if (!request.sweep.empty())
    if (Status done = sweepGrid(baker, traffic, speed, *choice, request.sweep);
        !done)
      return done;
  speed.burst = choice->chosen.burst;
  speed.subBatch = choice->chosen.subBatch;
  speed.cuts = choice->cuts;
  return success();
}

Status runProgram(ModuleOp baker, const RunRequest &request) {
  HostSpeed speed = request.speed;
  speed.keepFrames = !request.out.empty();
  KARAKAL_ASSERT(speed.burst > 0, "packets come in bursts");
  if (Status known = checkCuts(baker, speed.cuts); !known)
    return known;
  auto traffic = readTraffic(request.inputs);
  if (!traffic)
    return traffic.error();
  if (Status asked = askModel(baker, *traffic, request.batching, speed); !asked)
    return asked;
  auto run = runTraffic(baker, *traffic, speed);
  if (!run)
    return run.error();
  host::Counts events;
  if (!speed.fast) {
    Status annotated = host::annotate(baker, host::makeProfile(baker, *run));
    if (!annotated)
      return annotated;
    events = host::eventCounts(baker);
  }
  if (!request.out.empty())
    if (Status status = traces::writeTrace(request.out, run->transmitted,
                                           target::PortCount);
        !status)
      return status;
  if (!request.stats.empty())
    if (Status status =
            host::writeStatistics(request.stats, *run, request.program, events);
        !status)
      return status;
  for (const auto &[symbol, text] : run->explanations)
    ir::explain(symbol.empty() ? baker.getOperation()
                               : baker.lookupSymbol(symbol),
                specializationName)
        << text;
  std::fputs(host::statisticsTable(*run, request.program).c_str(), stdout);
  return host::reportAll(run->refusedCalls);
}

} // namespace karakal::driver
