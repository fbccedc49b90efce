// Specialized code, as those see it who ask for it and tell what became of it:
// `bakerc --run --specialize` and `bakersw --specialize`.

#ifndef KARAKAL_CODEGEN_X86_SPECIALIZATION_H
#define KARAKAL_CODEGEN_X86_SPECIALIZATION_H

#include "codegen-x86/RecentTimes.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace karakal::x86 {

enum class SpecializeWhen {
  Never,
  Background, ///< on a thread of its own, while packets run
  AtOnce,     ///< before the next packet, which waits: for tests and figures
};

/// Which bursts are observed, so that code fits the traffic.
struct SampleOptions {
  /// One burst in so many is observed; 0: none.
  uint32_t period = 512;
  /// The first `firstBursts` observed ones come one in `firstPeriod`.
  uint32_t firstPeriod = 16, firstBursts = 64;
  /// Observed bursts of a core after which it says that there is news.
  uint32_t burstsPerNews = 16;
  /// Look-ups of a table from which something is concluded.
  uint32_t lookupsMin = 256;

  /// One burst in `period`, which concludes from `lookups`.
  static SampleOptions of(uint32_t period, uint32_t lookups);
  /// What `--observe=TEXT` says: `N` or `N,K`, a period and look-ups; none if
  /// it is neither.
  static std::optional<SampleOptions> read(const std::string &text);
  /// What to say if there is none.
  static constexpr const char *ReadError =
      "--observe takes N or N,K, such as 512,256";
};

/// One thing that specialized code takes for granted.
struct Assumption {
  /// Symbol of the table or the global.
  std::string name;
  /// What was assumed, in words.
  std::string what;
  /// Control functions that undo it.
  std::vector<std::string> undoneBy;
  /// Instructions that it saves, of LLVM IR before packet primitives are
  /// inlined; 0 until they are counted.
  int64_t savedInstructions = 0;
  /// Whether the code itself compares what would undo this, and goes on without
  /// it; also other traffic undoes it then.
  bool isCompared = false;
};

struct Assumptions {
  std::vector<Assumption> assumptions;
  /// Tables that keep their own look-up, and why.
  std::vector<std::pair<std::string, std::string>> left;
  /// Branches of the program's code that are laid out by traffic.
  unsigned weighedBranches = 0;
};

/// A sentence about each table and global that is assumed or left alone, by
/// symbol; about the program as a whole, without one.
using Explanations = std::vector<std::pair<std::string, std::string>>;
Explanations explain(const Assumptions &made);

struct SpecializeReport {
  /// Builds that ended, and of them those whose code was used, was out of date
  /// when it was done, or failed.
  uint64_t builds = 0, used = 0, outOfDate = 0, failed = 0;
  /// Times that an update ended the use of specialized code.
  uint64_t undone = 0;
  /// Bursts that ran specialized code and the program's own.
  uint64_t specializedBursts = 0, ownBursts = 0;
  /// Bursts that ran the program's own code with observers of its traffic, and
  /// builds that other traffic asked for.
  uint64_t observedBursts = 0, trafficBuilds = 0;
  /// Wall-clock milliseconds of builds, and from a change that ended the use of
  /// specialized code until the next one was used.
  RecentTimes buildMs, delayMs;
  /// Processor time of builds on the thread of the calls.
  double waitedSeconds = 0;
  /// Whether specialized code can run now.
  bool isInForce = false;
  /// Why the last build failed.
  std::string failure;

  double specializedShare() const {
    uint64_t all = specializedBursts + ownBursts;
    return all ? double(specializedBursts) / double(all) : 0;
  }
};

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_SPECIALIZATION_H
