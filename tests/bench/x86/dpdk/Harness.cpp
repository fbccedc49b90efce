// Compares and measures forwarders over the same frames.

#include "tests/bench/x86/dpdk/Harness.h"
#include "host/standalone/ThreadTime.h"
#include "support/Assert.h"
#include "target-ixp/chip/MemoryMap.h"
#include <algorithm>

namespace karakal::bench {

/// A frame begins in a line of its own, as in the packet memory of a card.
static size_t lineEnd(size_t bytes) { return (bytes + 63) / 64 * 64; }

Harness::Harness(const std::vector<traces::Packet> &trace) {
  KARAKAL_ASSERT(!trace.empty(), "a trace has packets");
  size_t end = 0;
  for (const traces::Packet &packet : trace)
    end += lineEnd(packet.bytes.size());
  memory.resize(end);
  end = 0;
  for (const traces::Packet &packet : trace) {
    uint8_t *at = memory.data() + end;
    std::copy(packet.bytes.begin(), packet.bytes.end(), at);
    frames.push_back(
        {at, uint32_t(packet.bytes.size()), packet.port, packet.timeNs});
    end += lineEnd(packet.bytes.size());
  }
}

template <typename Take>
void Harness::run(const Variant &variant, Take take) const {
  static std::vector<Frame> out(target::BufferCount);
  Forwarder &forwarder = *variant.forwarder;
  forwarder.begin();
  for (size_t first = 0; first < frames.size(); first += variant.burst) {
    auto count =
        uint32_t(std::min<size_t>(variant.burst, frames.size() - first));
    uint32_t sent = forwarder.batch(&frames[first], count, out.data());
    take(out.data(), sent);
  }
}

namespace {

/// What left: ports and bytes, one frame after the other.
struct Sent {
  std::vector<uint8_t> bytes;
  std::vector<size_t> starts;

  void add(const Frame *frames, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      starts.push_back(bytes.size());
      bytes.push_back(uint8_t(frames[i].port));
      bytes.insert(bytes.end(), frames[i].data,
                   frames[i].data + frames[i].bytes);
    }
  }
};

} // namespace

Result<size_t> Harness::compare(const std::vector<Variant> &variants) const {
  Sent expected;
  for (const Variant &variant : variants) {
    Sent sent;
    run(variant,
        [&](const Frame *out, uint32_t count) { sent.add(out, count); });
    if (&variant == &variants.front()) {
      expected = std::move(sent);
      continue;
    }
    std::string name =
        variant.name + " in bursts of " + std::to_string(variant.burst);
    if (sent.bytes == expected.bytes && sent.starts == expected.starts)
      continue;
    size_t at =
        size_t(std::mismatch(sent.bytes.begin(), sent.bytes.end(),
                             expected.bytes.begin(), expected.bytes.end())
                   .first -
               sent.bytes.begin());
    size_t frame = size_t(
        std::upper_bound(expected.starts.begin(), expected.starts.end(), at) -
        expected.starts.begin());
    return makeError("E-bench-003",
                     name + " sends " + std::to_string(sent.starts.size()) +
                         " frames where the Baker program sends " +
                         std::to_string(expected.starts.size()) +
                         "; they differ at sent frame " +
                         std::to_string(frame));
  }
  return expected.starts.size();
}

std::vector<double> Harness::measure(const std::vector<Variant> &variants,
                                     uint32_t rounds) const {
  KARAKAL_ASSERT(rounds >= 1, "a median is of something");
  std::vector<std::vector<double>> seconds(variants.size());
  uint64_t checksum = 0;
  auto take = [&](const Frame *out, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
      checksum += *out[i].data;
  };
  for (uint32_t round = 0; round < rounds; ++round)
    for (size_t i = 0; i < variants.size(); ++i) {
      double start = host::threadSeconds();
      run(variants[i], take);
      seconds[i].push_back(host::threadSeconds() - start);
    }
  KARAKAL_ASSERT(checksum != 0, "frames leave");
  std::vector<double> rates;
  for (std::vector<double> &times : seconds) {
    std::sort(times.begin(), times.end());
    rates.push_back(double(frames.size()) / times[times.size() / 2] / 1e6);
  }
  return rates;
}

} // namespace karakal::bench
