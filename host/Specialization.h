// Specialized code of a program that runs on x86, on one core or several.
//
// The program's own code takes every update at once and is always right. Beside
// it this class keeps code made for what tables and settings hold
// (codegen-x86/specialize/). Each core asks for it before a burst:
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
// and the time of one build. Replaced code is freed when no core is in a burst
// that began with it (codegen-x86/CodeExchange.h). UpdateWatch.h says what is
// done about tables that change all the time.
//
// Some bursts run the program's own code with observers of the traffic
// (codegen-x86/specialize/TrafficSampler.h). When it is far from what the code
// was made for, code is made again, with a rest of its own.
//
// Requires: no core is in a burst while a control function runs. A snapshot is
// taken beside bursts, but never beside a control function, so it is one state.

#ifndef KARAKAL_HOST_SPECIALIZATION_H
#define KARAKAL_HOST_SPECIALIZATION_H

#include "codegen-x86/CodeExchange.h"
#include "codegen-x86/Specialization.h"
#include "codegen-x86/specialize/Prepare.h"
#include "codegen-x86/specialize/Snapshot.h"
#include "codegen-x86/specialize/Specialize.h"
#include "codegen-x86/specialize/TrafficSampler.h"
#include "host/Jit.h"
#include "host/UpdateWatch.h"
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

namespace karakal::host {

using x86::SpecializeReport;
using x86::SpecializeWhen;

struct SpecializeOptions {
  SpecializeWhen when = SpecializeWhen::Never;
  x86::SpecializeLimits limits;
  /// Seconds that a build may take; the result of a longer one is not used,
  /// and its state is not built again.
  double buildSecondsMax = 10;
  /// Milliseconds between two builds, after one that was used and at most.
  double restMsMin = 5, restMsMax = 1000;
  /// Milliseconds between two builds that other traffic asks for: at least, and
  /// at most if each is followed by the next.
  double trafficRestMsMin = 1000, trafficRestMsMax = 30'000;
  x86::SampleOptions sample;
  /// Whether a run explains.
  bool explains = false;
  /// Makes builds fail, for tests.
  std::function<bool()> failBuild;
  /// A fault, for tests: bursts do not look at versions.
  bool skipsGuard = false;
};

/// Code for one state, compiled for each core.
struct SpecializedCode {
  std::vector<std::unique_ptr<llvm::orc::LLJIT>> jits;
  /// By core.
  std::vector<PacketEntries> entries;
  /// Numbers of versions and the values that they must have.
  std::vector<std::pair<unsigned, uint64_t>> assumed;
  /// As above, of those that the code compares itself.
  std::vector<std::pair<unsigned, uint64_t>> compared;

  SpecializedCode();
  ~SpecializedCode();
  bool isValid(const uint64_t *versions) const {
    for (auto [number, version] : assumed)
      if (versions[number] != version)
        return false;
    return true;
  }
};

class Specialization {
public:
  /// `own` is the compiled program, which defines its data and outlives this;
  /// `memories` are the symbols of the packets of each core.
  Specialization(const HostProgram &program, JitProgram &own,
                 x86::Specializable specializable,
                 std::vector<std::vector<SymbolAddress>> memories,
                 const SpecializeOptions &options);
  ~Specialization();
  Specialization(const Specialization &) = delete;

  // For the thread of a core.
  /// Begins a burst. The code for it; null: the program's own.
  const PacketEntries *begin(uint32_t core);
  void end(uint32_t core) {
    exchange.end(core);
    if (sampler && sampler->end(core))
      wake.notify_one();
  }
  /// Bursts of a core that ran specialized code, and the program's own. While
  /// it is in none.
  struct Bursts {
    uint64_t specialized = 0, own = 0, observed = 0;
  };
  Bursts burstsOf(uint32_t core) const { return bursts[core].counts; }

  // For the thread that calls control functions.
  /// Held while control functions run.
  std::unique_lock<std::mutex> change() {
    return std::unique_lock<std::mutex>(mutex);
  }
  /// Looks at what was changed; between the calls and the next burst. The first
  /// call starts it all.
  void settle();
  /// Whether `settle` has something to do although no call was made.
  bool wantsToSettle() const {
    return isAtOnce() && sampler &&
           (sampler->hasNews() || sampler->wantsCode());
  }
  /// Waits for a build and ends.
  void finish();

  /// What has happened. No core is in a burst.
  SpecializeReport report();
  /// What the code last used assumes; nothing if what that saves is still being
  /// counted: ask again.
  std::optional<x86::Assumptions> explain();

private:
  using Lock = std::unique_lock<std::mutex>;
  /// A state, and the versions that must not be assumed.
  struct Request {
    x86::Snapshot snapshot;
    std::set<unsigned> restless;
  };
  /// What code was made of.
  struct Basis {
    x86::Specialized made;
    Request request;
    bool hasSavings = false;
  };
  /// A build that ended: code, or why there is none.
  struct Built {
    std::unique_ptr<SpecializedCode> code;
    std::shared_ptr<Basis> basis;
    std::string failure;
    double ms = 0;
  };
  struct alignas(64) CoreBursts {
    Bursts counts;
  };

  void work();
  bool buildIfDue(Lock &lock);
  Built build(Request asked);
  Built tryToBuild(Basis &basis);
  void take(Built built);
  void noteBroken();
  bool makeObserver(Lock &lock);
  void enter(SpecializedCode &code,
             std::vector<std::unique_ptr<llvm::orc::LLJIT>> jits) const;
  void lookAtTraffic();
  bool wantsTrafficBuild(double now) const {
    return otherTraffic && !isOver && (isAtOnce() || now >= trafficRestEndMs);
  }
  void noteTrafficBuild(double now);
  void withdrawBroken();
  void freeUnused(Lock &lock);
  void countSavings(Lock &lock);
  void rest(Lock &lock);
  bool isAtOnce() const { return options.when == SpecializeWhen::AtOnce; }
  bool isInForce() const {
    return exchange.get() && exchange.get()->isValid(state.versions);
  }

  const HostProgram &program;
  x86::Specializable specializable;
  std::vector<std::vector<SymbolAddress>> symbols; ///< by core
  SpecializeOptions options;
  std::unique_ptr<llvm::TargetMachine> machine;
  x86::ProgramMemory state;
  std::vector<CoreBursts> bursts; ///< by core
  x86::CodeExchange<SpecializedCode> exchange;
  std::optional<x86::TrafficSampler> sampler;
  /// The program's own code with observers: the sampler says when it is ready.
  SpecializedCode observer;

  std::thread thread;
  /// Guards the program's versions and all below.
  std::mutex mutex;
  std::condition_variable wake;
  UpdateWatch watch;
  SpecializeReport told;
  std::shared_ptr<Basis> basis;
  /// The rest after the last build, and when it ends.
  double restMs, restEndMs = 0;
  /// When the change came since which no specialized code runs.
  std::optional<double> changedMs;
  /// Whether the code that is offered has been counted as broken.
  bool isBroken = false;
  /// Whether it has been counted that the code compares what has changed.
  bool isCompareNoted = false;
  /// What the last build was made for, and traffic that is far from it.
  x86::Traffic builtTraffic;
  std::optional<x86::Traffic> otherTraffic;
  double trafficRestMs, trafficRestEndMs = 0;
  bool isOver = false, isAsleep = false, wantsSavings = false;
};

} // namespace karakal::host

#endif // KARAKAL_HOST_SPECIALIZATION_H
