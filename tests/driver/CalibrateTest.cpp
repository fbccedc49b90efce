// The calibration solves the model for the figures of a machine.

#include "driver/Calibrate.h"
#include <gmock/gmock.h>

using namespace karakal;
using namespace karakal::driver;
using x86::Batching;

namespace {

x86::Machine knownMachine() {
  x86::Machine machine;
  machine.memory = {{1 << 14, 1, 1}, {1 << 27, 150, 8}};
  machine.instructionNs = 0.11;
  machine.mispredictionNs = 4.5;
  machine.burst = {{1, 35},  {2, 25},  {4, 20},   {8, 17},  {16, 16},
                   {32, 15}, {64, 15}, {128, 16}, {256, 18}};
  machine.cut = {{1, 0}, {2, 6}, {8, 4}, {32, 3}, {256, 7}};
  return machine;
}

x86::Work work(double instructions, double mispredictions) {
  x86::Work made;
  made.instructions = instructions;
  made.mispredictions = mispredictions;
  return made;
}

/// What a machine would measure on which the model holds exactly.
ReferenceRun runOn(const x86::Machine &machine, x86::ProgramWork work,
                   std::vector<Batching> points) {
  ReferenceRun run{std::move(work), std::move(points), {}};
  for (Batching point : run.points)
    run.ns.push_back(x86::timeOf(machine, run.work, point).total());
  return run;
}

ReferenceRuns runsOn(const x86::Machine &machine) {
  std::vector<Batching> bursts, stages;
  for (uint32_t size : x86::gridSizes()) {
    bursts.push_back({size, 1});
    if (size == 2 || size == 8 || size == 32 || size == 256)
      stages.push_back({std::max(size, 32u), size});
  }
  ReferenceRuns runs;
  runs.forward = runOn(machine, {work(40, 0.01), {}}, bursts);
  // The fit takes forward's mispredictions for a part of the burst.
  runs.forward.work.oneByOne.mispredictions = 0;
  runs.forward = runOn(machine, runs.forward.work, bursts);
  runs.work = runOn(machine, {work(240, 0.1), {}}, {{32, 1}});
  runs.branches = runOn(machine, {work(90, 4), {}}, {{32, 1}});
  x86::ProgramWork staged{work(80, 0), work(130, 0.5)};
  staged.staged->cuts = 3;
  staged.staged->lines.add(4096, 3);
  staged.staged->prefetched.add(4096, 3);
  runs.stages = runOn(machine, staged, stages);
  return runs;
}

TEST(Calibrate, FindsTheFiguresOfAMachineOnWhichTheModelHolds) {
  x86::Machine known = knownMachine(), found;
  found.memory = known.memory;
  fitMachine(found, runsOn(known));
  EXPECT_NEAR(found.instructionNs, known.instructionNs, 1e-9);
  EXPECT_NEAR(found.mispredictionNs, known.mispredictionNs, 1e-9);
  for (x86::PacketFigure burst : known.burst)
    EXPECT_NEAR(found.burstNs(burst.packets), burst.ns, 1e-9);
  for (x86::PacketFigure cut : known.cut)
    EXPECT_NEAR(found.cutNs(cut.packets), cut.ns, 1e-9);
}

TEST(Calibrate, NoFigureIsNegative) {
  ReferenceRuns runs = runsOn(knownMachine());
  for (double &ns : runs.stages.ns)
    ns = 1; // faster than the model without cuts
  x86::Machine found;
  found.memory = knownMachine().memory;
  fitMachine(found, runs);
  for (x86::PacketFigure cut : found.cut)
    EXPECT_EQ(cut.ns, 0);
}

} // namespace
