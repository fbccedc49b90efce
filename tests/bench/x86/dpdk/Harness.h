// Compares and measures forwarders over the same frames.

#ifndef KARAKAL_TESTS_BENCH_X86_DPDK_HARNESS_H
#define KARAKAL_TESTS_BENCH_X86_DPDK_HARNESS_H

#include "tests/bench/x86/dpdk/Forwarder.h"
#include "traces/Packet.h"

namespace karakal::bench {

/// The frames of a trace, one after the other in memory.
class Harness {
public:
  explicit Harness(const std::vector<traces::Packet> &trace);

  /// An error that names the first frame which a variant does not send, or
  /// not as the first variant does. Otherwise the number of frames sent.
  Result<size_t> compare(const std::vector<Variant> &variants) const;

  /// Million packets a second of each variant: medians of rounds in which each
  /// runs over all frames, one variant after the other.
  std::vector<double> measure(const std::vector<Variant> &variants,
                              uint32_t rounds) const;

private:
  /// Calls `take` with the frames that leave, burst by burst.
  template <typename Take> void run(const Variant &variant, Take take) const;

  std::vector<uint8_t> memory;
  std::vector<Frame> frames;
};

} // namespace karakal::bench

#endif // KARAKAL_TESTS_BENCH_X86_DPDK_HARNESS_H
