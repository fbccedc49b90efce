// Specialized code of a program that runs on x86.
//
// The program's own code takes every update at once and is always right. Beside
// it this class keeps code made for what tables and settings hold
// (codegen-x86/specialize/). It is asked before each burst:
//
//   update ──► a version changes ──► bursts run the program's own code
//                     │
//                     ▼ after a rest
//                 snapshot ──► built on another thread ──► used from the next
//                                                          burst on
//
// Code whose versions have changed while it was built is thrown away, and the
// rest doubles, up to a bound. So with updates that never end the code is that
// of the program, and after the last of them it is specialized within the bound
// and the time of one build. Replaced code is freed on the other thread; no
// packet is in it, since code is replaced between bursts alone. UpdateWatch.h
// says what is done about tables that change all the time.

#ifndef KARAKAL_HOST_SPECIALIZATION_H
#define KARAKAL_HOST_SPECIALIZATION_H

#include "codegen-x86/specialize/Prepare.h"
#include "codegen-x86/specialize/Snapshot.h"
#include "codegen-x86/specialize/Specialize.h"
#include "host/Jit.h"
#include "host/UpdateWatch.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace karakal::host {

enum class SpecializeWhen {
  Never,
  Background, ///< on a thread of its own, while packets run
  AtOnce,     ///< before the next packet, which waits: for tests and figures
};

struct SpecializeOptions {
  SpecializeWhen when = SpecializeWhen::Never;
  x86::SpecializeLimits limits;
  /// Seconds that a build may take; the result of a longer one is not used,
  /// and its state is not built again.
  double buildSecondsMax = 10;
  /// Milliseconds between two builds, after one that was used and at most.
  double restMsMin = 5, restMsMax = 1000;
  /// Whether the report explains.
  bool explains = false;
  /// Makes builds fail, for tests.
  std::function<bool()> failBuild;
};

struct SpecializeReport {
  /// Builds that ended, and of them those whose code was used, was out of date
  /// when it was done, or failed.
  uint64_t builds = 0, used = 0, outOfDate = 0, failed = 0;
  /// Bursts that ran specialized code and the program's own.
  uint64_t specializedBursts = 0, ownBursts = 0;
  /// Times that an update ended the use of specialized code.
  uint64_t undone = 0;
  /// Wall-clock seconds of each build.
  std::vector<double> buildSeconds;
  /// Processor time of builds on the thread of the packets.
  double waitedSeconds = 0;
  /// Why the last build failed.
  std::string failure;
  /// What the code last used assumes; only if asked for.
  x86::Explanations explanations;
};

/// Entry points of specialized code. In the order of JitProgram's.
struct SpecializedCode;

class Specialization {
public:
  /// `own` is the compiled program, which outlives this; `memory` are the
  /// symbols of its packets.
  Specialization(const HostProgram &program, JitProgram &own,
                 x86::Specializable specializable,
                 std::vector<SymbolAddress> memory,
                 const SpecializeOptions &options);
  ~Specialization();
  Specialization(const Specialization &) = delete;

  /// The code for the next burst. Call it between bursts, on the thread of the
  /// packets.
  const PacketEntries &entriesForBurst();

  /// Waits for a build and ends; then tells what happened.
  SpecializeReport finish();

private:
  class Builder;
  void exchange();
  void ask();
  /// Counts what made `broken` useless and frees it.
  void drop(std::unique_ptr<SpecializedCode> broken);

  JitProgram &own;
  SpecializeOptions options;
  std::unique_ptr<Builder> builder;
  std::unique_ptr<SpecializedCode> code;
  std::unique_ptr<UpdateWatch> watch;
  /// The rest after the last build, and when it ends.
  double restMs, restEndMs = 0;
  SpecializeReport report;
};

} // namespace karakal::host

#endif // KARAKAL_HOST_SPECIALIZATION_H
