// The figures of this machine for the model of rates: bakerc --calibrate.

#include "driver/Calibrate.h"
#include "baker-lang/syntax/DiagnosticCatalogue.h"
#include "codegen-x86/model/MeasureMemory.h"
#include "driver/ReadProgram.h"
#include "driver/RunOnHost.h"
#include "driver/pipeline/LlvmStage.h"
#include "support/Files.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <cstdio>
#include <random>

namespace karakal::driver {

/// The burst whose time other programs are compared with, and the sub-batch in
/// bursts of that size.
static constexpr uint32_t usual = host::WorkObservation::Burst;

double ReferenceRun::at(x86::Batching point) const {
  auto found = std::find(points.begin(), points.end(), point);
  KARAKAL_ASSERT(found != points.end(), "a point that ran");
  return ns[found - points.begin()];
}

/// Computes what is left of a time after all terms of the model but `cuts`.
static double cutsLeft(const x86::Machine &machine, const ReferenceRun &stages,
                       x86::Batching point) {
  x86::PacketTime time = x86::timeOf(machine, stages.work, point);
  return stages.at(point) - (time.total() - time.cuts);
}

void fitMachine(x86::Machine &machine, const ReferenceRuns &runs) {
  // forward = burst + i·α; work - forward and branches - forward are without
  // burst, and mispredict little and much.
  auto extra = [&](const ReferenceRun &run) {
    const x86::Work &more = run.work.oneByOne;
    const x86::Work &less = runs.forward.work.oneByOne;
    struct {
      double ns, instructions, mispredictions;
    } found{run.at({usual, 1}) - runs.forward.at({usual, 1}),
            more.instructions - less.instructions,
            more.mispredictions - less.mispredictions};
    return found;
  };
  auto work = extra(runs.work), branches = extra(runs.branches);
  // Two equations in α and μ.
  double determinant = work.instructions * branches.mispredictions -
                       branches.instructions * work.mispredictions;
  KARAKAL_ASSERT(determinant != 0, "the programs differ");
  machine.instructionNs =
      (work.ns * branches.mispredictions - branches.ns * work.mispredictions) /
      determinant;
  machine.mispredictionNs =
      (work.instructions * branches.ns - branches.instructions * work.ns) /
      determinant;
  const x86::Work &forward = runs.forward.work.oneByOne;
  machine.burst.clear();
  for (uint32_t burst : x86::gridSizes())
    machine.burst.push_back(
        {burst,
         std::max(0.0, runs.forward.at({burst, 1}) -
                           forward.instructions * machine.instructionNs)});
  machine.cut = {{1, 0}};
  for (x86::Batching point : runs.stages.points)
    if (point.subBatch > 1 && runs.stages.work.staged) {
      double left = cutsLeft(machine, runs.stages, point);
      double cuts = std::max(runs.stages.work.staged->cuts, 1.0);
      machine.cut.push_back({point.subBatch, std::max(0.0, left / cuts)});
    }
}

/// Frames of 60 random bytes from all ports.
static std::vector<traces::Packet> randomFrames() {
  constexpr size_t count = 20'000, bytes = 60, ports = 4;
  std::mt19937 random(11);
  std::vector<traces::Packet> frames(count);
  for (traces::Packet &frame : frames) {
    frame.port = random() % ports;
    frame.bytes.resize(bytes);
    for (uint8_t &byte : frame.bytes)
      byte = uint8_t(random());
  }
  return frames;
}

static Result<ReferenceRun>
measureProgram(const std::string &name,
               const std::vector<traces::Packet> &frames,
               std::vector<x86::Batching> points) {
  Options options;
  options.inputs = {runtimeDirectory() + "/x86/calibration/" + name + ".baker"};
  options.run = true;
  options.warnings = *lang::warningPolicy({"no-unlocked-update"});
  mlir::MLIRContext context;
  std::vector<Remark> remarks;
  prepareContext(context, options, remarks);
  auto read = readProgram(options, context);
  if (!read)
    return read.error();
  HostTraffic traffic{frames, {}};
  HostSpeed speed;
  speed.fast = true;
  speed.keepFrames = false;
  speed.withStages = true;
  host::WorkObservation observation;
  speed.observation = &observation;
  if (auto run = runTraffic(**read, traffic, speed); !run)
    return run.error();
  speed.observation = nullptr;
  speed.sweep = points;
  auto run = runTraffic(**read, traffic, speed);
  if (!run)
    return run.error();
  ReferenceRun result;
  result.work.oneByOne = observation.counts.work(x86::Schedule::OneByOne);
  if (observation.hasStages)
    result.work.staged = observation.counts.work(x86::Schedule::Staged);
  result.points = std::move(points);
  result.ns = run->sweepNs;
  return result;
}

static Result<ReferenceRuns> measurePrograms() {
  std::vector<x86::Batching> bursts, stages;
  for (uint32_t size : x86::gridSizes()) {
    bursts.push_back({size, 1});
    if (size > 1)
      stages.push_back({std::max(size, usual), size});
  }
  std::vector<traces::Packet> frames = randomFrames();
  ReferenceRuns runs;
  struct {
    const char *name;
    ReferenceRun &run;
    std::vector<x86::Batching> points;
  } programs[] = {{"forward", runs.forward, bursts},
                  {"work", runs.work, {{usual, 1}}},
                  {"branches", runs.branches, {{usual, 1}}},
                  {"stages", runs.stages, stages}};
  for (auto &program : programs) {
    auto run = measureProgram(program.name, frames, program.points);
    if (!run)
      return run.error();
    program.run = std::move(*run);
  }
  KARAKAL_ASSERT(runs.stages.work.staged, "the program has stages");
  return runs;
}

Result<x86::Machine> calibrate() {
  constexpr uint64_t memoryBytesMax = 128 << 20;
  x86::Machine machine;
  machine.processor = x86::processorName();
  machine.memory = x86::measureMemory(memoryBytesMax);
  auto runs = measurePrograms();
  if (!runs)
    return runs.error();
  fitMachine(machine, *runs);
  if (machine.instructionNs <= 0 || machine.mispredictionNs < 0)
    return makeError("E-driver-044",
                     "the figures of this machine contradict each other, since "
                     "other programs disturbed the measurement; calibrate "
                     "again when the machine is quiet");
  return machine;
}

Status calibrateTo(const std::string &path) {
  std::string file =
      path.empty() ? x86::machinePath(x86::processorName()) : path;
  if (file.empty())
    return makeError("E-driver-042",
                     "neither XDG_CACHE_HOME nor HOME tells where to keep the "
                     "figures of this machine; name a file with --machine");
  auto machine = calibrate();
  if (!machine)
    return machine.error();
  // If the folder cannot be made, the file cannot be written.
  (void)llvm::sys::fs::create_directories(llvm::sys::path::parent_path(file));
  if (Status written = writeFile(file, x86::machineText(*machine)); !written)
    return written;
  std::printf("%s: %.3f ns an instruction, %.1f a mispredicted branch, %.1f to "
              "enter and leave in bursts of %u, %.0f a miss of %llu MiB; kept "
              "in %s\n",
              machine->processor.c_str(), machine->instructionNs,
              machine->mispredictionNs, machine->burstNs(usual), usual,
              machine->memory.back().latencyNs,
              (unsigned long long)(machine->memory.back().bytes >> 20),
              file.c_str());
  return success();
}

} // namespace karakal::driver
