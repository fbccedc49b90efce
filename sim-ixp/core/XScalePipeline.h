// The time that the XScale's instructions take.
//
// An in-order pipeline with a scoreboard: an instruction issues when its source
// registers are ready (ArmInstruction). Around it are the parts that decide
// what an instruction costs in practice (Intel XScale Core Developer's Manual,
// 273473, chapters 4 to 6 and 10):
//
//   - two caches of 32 KB for what only the core uses: its code, its data and
//     its stack. A miss reads a line of 32 bytes;
//   - a branch target buffer of 128 entries, with two bits of history each;
//   - four loads that are under way at a time; the core goes on until it needs
//     a result;
//   - a write buffer of eight entries. A store leaves the core at once; the
//     ninth waits for the first.
//
// Memory that the microengines use too is not cached, because nothing keeps a
// cache of the core coherent with them. Device registers are strongly ordered:
// the core waits for the stores before the access, and for the access.

#ifndef KARAKAL_SIM_IXP_CORE_XSCALEPIPELINE_H
#define KARAKAL_SIM_IXP_CORE_XSCALEPIPELINE_H

#include "sim-ixp/core/ArmInstruction.h"
#include "sim-ixp/core/XScaleCache.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

namespace karakal::sim {

/// A range of addresses that only the core uses.
struct XScalePrivate {
  uint32_t base = 0;  ///< a multiple of 4,096
  uint32_t bytes = 0; ///< a multiple of 4,096
};

/// Counters of the core in chip time.
struct XScaleTimes {
  uint64_t fetchMisses = 0;  ///< of the instruction cache
  uint64_t dataMisses = 0;   ///< of the data cache
  uint64_t mispredicted = 0; ///< branches
  uint64_t accesses = 0;     ///< loads, stores and registers outside the caches
};

/// The core's clock.
class XScalePipeline {
public:
  /// An access of `bytes` outside the caches, which begins at chip cycle
  /// `cycle`: returns the cycle at which it is done.
  using Transfer = std::function<double(uint32_t address, uint32_t bytes,
                                        bool isWrite, double cycle)>;

  /// `cyclesPerClock`: chip cycles of a cycle of the core.
  XScalePipeline(const XScalePrivate &cached, double cyclesPerClock,
                 Transfer transfer);

  /// A job begins at chip cycle `cycle`.
  void start(double cycle);
  /// The instruction `word` at `pc` is next. Its accesses follow.
  void issue(uint32_t pc, uint32_t word);
  /// A load or store of the instruction that was issued last.
  void access(uint32_t address, uint32_t bytes, bool isWrite);
  /// An access of it to a device register, which ends before the next
  /// instruction.
  void accessDevice(uint32_t address, bool isWrite);
  /// The chip cycle of the next instruction.
  double clock() const { return time; }
  /// Waits for all loads and stores.
  void finish();

  const XScaleTimes &times() const { return counters; }

private:
  /// The end of the oldest of accesses under way, of which there is room for
  /// `size`.
  template <size_t size> struct Buffer {
    std::array<double, size> ends{};
    size_t next = 0;
    /// Waits for a free entry: returns the cycle at which there is one.
    double enter(double now) const { return std::max(now, ends[next]); }
    void add(double end) {
      ends[next] = end;
      next = (next + 1) % size;
    }
    double last() const { return *std::max_element(ends.begin(), ends.end()); }
  };
  struct Branch {
    uint32_t pc = 0;
    uint8_t history = 0; ///< 0, 1: not taken; 2, 3: taken
  };

  bool isPrivate(uint32_t address) const {
    return address - cached.base < cached.bytes;
  }
  void resolveBranch(uint32_t pc);
  void fetch(uint32_t pc);
  void load(uint32_t address, uint32_t bytes);
  void store(uint32_t address, uint32_t bytes);
  void replace(const XScaleCache::Miss &miss);

  XScalePrivate cached;
  double clockCycles;
  Transfer transfer;
  XScaleCache instructionCache, dataCache;
  XScaleTimes counters;

  double time = 0;
  std::array<double, 16> readyAt{};
  ArmInstruction current;
  uint32_t currentPc = 0;
  uint32_t fetchedLine = ~0u;
  Buffer<4> loads;
  Buffer<8> stores;
  std::array<Branch, 128> branches{};
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_CORE_XSCALEPIPELINE_H
