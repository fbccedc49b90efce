// The figures of this machine for the model of rates: bakerc --calibrate.
//
// Four small programs (runtime/x86/calibration/) run through the same code
// generator and the same loop over bursts as any program: one that forwards,
// one that computes, one whose branches are random, one in stages. Their
// counts and times give what an instruction, a misprediction, a burst and a cut
// cost; random accesses to memory give its latencies.

#ifndef KARAKAL_DRIVER_CALIBRATE_H
#define KARAKAL_DRIVER_CALIBRATE_H

#include "codegen-x86/model/Machine.h"
#include "codegen-x86/model/RateModel.h"
#include "support/Error.h"

namespace karakal::driver {

/// A program of the calibration: its counts, and a packet's time for each point
/// that ran.
struct ReferenceRun {
  x86::ProgramWork work;
  std::vector<x86::Batching> points;
  std::vector<double> ns;

  double at(x86::Batching point) const;
};

struct ReferenceRuns {
  ReferenceRun forward, work, branches, stages;
};

/// Solves the model for the machine's figures. Pure. `machine` has those of
/// memory.
void fitMachine(x86::Machine &machine, const ReferenceRuns &runs);

/// Measures this machine, about two seconds when it is idle.
/// E-driver-044 if its figures contradict each other: other programs disturbed
/// the measurement.
Result<x86::Machine> calibrate();

/// Calibrates and writes the file; empty: that of this machine. Prints its
/// name.
Status calibrateTo(const std::string &path);

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_CALIBRATE_H
