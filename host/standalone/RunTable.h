// A program that was compiled ahead of time over a trace.
//
// What host/HostRunner.h does for code made in process, for what
// codegen-x86/ProgramTable.h names: the same packets, counts and errors.

#ifndef KARAKAL_HOST_STANDALONE_RUNTABLE_H
#define KARAKAL_HOST_STANDALONE_RUNTABLE_H

#include "codegen-x86/ProgramTable.h"
#include "host/standalone/RunStatistics.h"
#include "support/Error.h"
#include "traces/ControlFile.h"
#include "traces/Packet.h"
#include <vector>

namespace karakal::host {

/// The most packets of a burst. Buffers beyond them are for copies.
inline constexpr uint32_t TableBurstMax = 256;

struct TableRunOptions {
  /// Packets that enter and leave together, 1 to TableBurstMax, and how many of
  /// them run in stages together, 1 to `burst`.
  uint32_t burst = 32, subBatch = 1;
  /// Packets to run, which repeats or cuts the trace; 0: the trace once.
  uint64_t packets = 0;
  bool keepGoing = false;
  /// Whether the result holds the frames sent.
  bool keepFrames = true;
};

struct TableRun : RunStatistics {
  /// Frames sent, in order.
  std::vector<traces::Packet> transmitted;
  /// With `keepGoing`: what refused each call, with its file and line.
  std::vector<Error> refusedCalls;
};

/// The signatures of the program's control functions.
std::vector<traces::ControlSignature>
signaturesOf(const x86::ProgramTable &program);

/// Runs the program of this process once. Errors: E-host-001 to -005.
Result<TableRun> runTable(const x86::ProgramTable &program,
                          const std::vector<traces::Packet> &trace,
                          const std::vector<traces::ControlCall> &control,
                          const TableRunOptions &options);

} // namespace karakal::host

#endif // KARAKAL_HOST_STANDALONE_RUNTABLE_H
