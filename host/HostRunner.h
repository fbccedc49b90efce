// Runs a program on x86 over a trace.
//
// Init functions run first. Then, one packet at a time: the control calls that
// are due, Rx, the rx PPF, and every queued message in order until none is
// left. The result holds the frames sent, the counts of where packets ended,
// and the functional profile.
//
// With `RunOptions::fast` Rx and Tx move bursts, which end where control calls
// are due, and the code has neither counters nor guards: a program that loops
// without end never returns. Frames and counts are the same. Such runs also
// give the model of rates its counts, and measure bursts and sub-batches.
//
// Requires: a trace of at least one packet, control calls in the file's order.
// Ensures: received = forwarded + dropped + consumed, or an error that names
// the packet.
//
// | id | the run ends because |
// |---|---|
// | E-host-001 | an init or control function does something illegal |
// | E-host-002 | a control function returned an error |
// | E-host-003 | a control call waits for a clock cycle, which x86 lacks |
// | E-host-004 | a packet makes the program do something illegal |
// | E-host-005 | the program neither sent nor dropped some packets |

#ifndef KARAKAL_HOST_HOSTRUNNER_H
#define KARAKAL_HOST_HOSTRUNNER_H

#include "codegen-x86/model/RateModel.h"
#include "host/HostProgram.h"
#include "host/Locality.h"
#include "host/PacketRuntime.h"
#include "host/Specialization.h"
#include "host/observe/WorkObservation.h"
#include "host/standalone/RunStatistics.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"
#include "traces/ControlFile.h"
#include "traces/Packet.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace karakal::host {

struct RunOptions {
  BufferLayout layout;
  uint32_t portCount = 4;
  /// The clock of the engines whose time `timestamp` tells.
  uint64_t engineHz = target::ChipParameters().meClockHz;
  /// Loop iterations that one packet may take.
  int64_t fuelPerPacket = 10'000'000;
  /// Loop iterations that one init or control call may take.
  int64_t fuelPerCall = 1'000'000'000;
  /// Whether a run goes on after a control call that is refused.
  bool keepGoing = false;
  /// Whether the result holds the frames sent.
  bool keepFrames = true;
  /// Run at full speed: without fuel, counters and checks of handles, in bursts
  /// of `burst` packets, 1 to FastPackets::BurstMax. The packets lie as on the
  /// chip, whatever `layout` says, and the result has no profile.
  bool fast = false;
  uint32_t burst = 32;
  /// Packets that run in stages together, 1 to `burst`. 1: one by one.
  uint32_t subBatch = 1;
  /// With `fast`: code made for what tables hold.
  SpecializeOptions specialize;
  /// Packets to run, which repeats or cuts the trace; 0: the trace once.
  uint64_t packets = 0;
  /// With `fast`: count what packets take of the processor instead, packet by
  /// packet and in stages in turn. Control calls after the first packet are not
  /// made.
  WorkObservation *observation = nullptr;
  /// With `fast`: measure these bursts and sub-batches instead, in turn.
  /// Control calls after the first packet are not made.
  std::vector<x86::Batching> sweep;
};

struct HostRun : RunStatistics {
  /// Frames sent, in order.
  std::vector<traces::Packet> transmitted;
  /// Packets that entered each PPF.
  Counts packetsByPpf;
  /// The counters of host/Instrument.h: those of packets, and those of control
  /// calls after the first packet.
  std::vector<uint64_t> profile, updates;
  /// Loads of each global while packets were processed.
  std::vector<LruStack> locality;
  /// Seconds of processor time for optimization and code generation.
  double compileSeconds = 0;
  /// Of each entry of RunOptions::sweep: nanoseconds of processor time for a
  /// packet, the median of all rounds.
  std::vector<double> sweepNs;
  /// What became of specialization.
  SpecializeReport specialization;
  /// What the code last used assumes, if it was asked for.
  x86::Explanations explanations;
  /// With `keepGoing`: what refused each call, with its file and line.
  std::vector<Error> refusedCalls;
};

/// Runs `program` over `trace`. Consumes the program's module.
Result<HostRun> run(HostProgram program,
                    const std::vector<traces::Packet> &trace,
                    const std::vector<traces::ControlCall> &control,
                    const RunOptions &options = {});

} // namespace karakal::host

#endif // KARAKAL_HOST_HOSTRUNNER_H
