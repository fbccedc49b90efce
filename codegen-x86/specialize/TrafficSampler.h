// Decides which bursts are observed, and keeps what they did, by core.
//
// One burst in `period` runs code with observers; until there are enough for a
// first conclusion, one in `firstPeriod`. A core that observes holds a lock;
// one that finds it held, since the sum is being taken, does not observe.

#ifndef KARAKAL_CODEGEN_X86_SPECIALIZE_TRAFFICSAMPLER_H
#define KARAKAL_CODEGEN_X86_SPECIALIZE_TRAFFICSAMPLER_H

#include "codegen-x86/Specialization.h"
#include "codegen-x86/specialize/Traffic.h"
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace karakal::x86 {

class TrafficSampler {
public:
  TrafficSampler(size_t tableCount, uint32_t cores,
                 const SampleOptions &options);

  // For the thread of a core.
  /// Whether this burst is observed, which then ends with `end`.
  bool begin(uint32_t core) {
    Core &mine = *cores[core];
    if (--mine.burstsLeft != 0)
      return false;
    return beginTurn(mine);
  }
  /// Ends a burst. True if the builder has something to do.
  bool end(uint32_t core) {
    Core &mine = *cores[core];
    return mine.isObserving ? endTurn(mine) : std::exchange(mine.asks, false);
  }

  // For the builder.
  /// Whether a burst would have been observed if there were code for it.
  bool wantsCode() const { return isWanted && !isReady; }
  /// Symbols of code with observers for a core. `ways` are those of its
  /// branches.
  void prepare(std::vector<unsigned> ways);
  std::vector<std::pair<const char *, void *>> symbols(uint32_t core);
  /// Observes from now on; or never, if code could not be made.
  void start() { isReady = true; }
  void giveUp() { isWanted = false, isOver = true; }
  bool hasNews() const { return isNews; }
  /// The sum over all cores; the news are known then.
  Traffic take();

private:
  struct alignas(64) Core {
    explicit Core(size_t tableCount) : traffic(tableCount) {}
    uint32_t burstsLeft = 1;
    bool isObserving = false;
    /// Whether the builder is to be told that code is wanted.
    bool asks = false;
    uint64_t observed = 0;
    std::mutex mutex;
    CoreTraffic traffic;
  };
  bool beginTurn(Core &core);
  bool endTurn(Core &core);

  SampleOptions options;
  std::vector<std::unique_ptr<Core>> cores;
  std::vector<unsigned> ways;
  std::atomic<bool> isWanted{false}, isReady{false}, isOver{false},
      isNews{false};
};

} // namespace karakal::x86

#endif // KARAKAL_CODEGEN_X86_SPECIALIZE_TRAFFICSAMPLER_H
