// What the contexts of the engines do, segment by segment.

#ifndef KARAKAL_SIM_IXP_OBSERVE_SEGMENTOBSERVER_H
#define KARAKAL_SIM_IXP_OBSERVE_SEGMENTOBSERVER_H

#include <cstdint>

namespace karakal::sim {

/// A wait of a context, in cycles.
struct Wait {
  uint64_t begin;   ///< it gave up the engine
  uint64_t ready;   ///< its signals had come; another context had the engine
  uint64_t end;     ///< it ran again
  uint32_t pc;      ///< of the instruction that gave up the engine
  uint32_t signals; ///< bit n: it waited for signal n; bit 0: voluntary
};

/// Is told each segment and each wait when it is over. Those of one engine come
/// in the order of time; engines run ahead of each other.
class SegmentObserver {
public:
  virtual ~SegmentObserver() = default;
  /// A context ran from `begin` to `end`.
  virtual void addSegment(uint32_t engine, uint32_t context, uint64_t begin,
                          uint64_t end) = 0;
  /// A context waited.
  virtual void addWait(uint32_t engine, uint32_t context, const Wait &wait) = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_OBSERVE_SEGMENTOBSERVER_H
