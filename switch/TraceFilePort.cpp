// A port whose frames are in pcap or pcapng files.
//
// `rx` names the frames that come in, all of them or those of one `interface`
// of the file, `repeat` times (0: without end), as fast as the cores take them
// or `rate` frames a second. Then a frame waits in a ring as that of a network
// card, and one that finds it full is missed. What leaves is written to `tx`
// with the time at which it leaves.

#include "switch/Core.h"
#include "switch/Ports.h"
#include "target-ixp/chip/MemoryMap.h"
#include "traces/TraceReader.h"
#include "traces/TraceWriter.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>

namespace karakal::sw {

namespace {

uint64_t wallNs() {
  using namespace std::chrono;
  return uint64_t(
      duration_cast<nanoseconds>(system_clock::now().time_since_epoch())
          .count());
}

class TraceFilePort : public Port {
public:
  using Port::Port;

  std::vector<traces::Packet> in;
  std::unique_ptr<traces::TraceWriter> out;
  uint64_t repeats = 1;
  uint64_t rate = 0; ///< frames a second; 0: no clock

  uint32_t receive(uint32_t queue, Frame *frames, uint32_t max) override {
    KARAKAL_ASSERT(queue == 0 && max != 0,
                   "the first core has room for a frame");
    uint32_t count = 0;
    PortCounts &counts = countsOf(0);
    max = uint32_t(std::min<uint64_t>(max, arrived(counts)));
    for (; count < max && !isEnded(); ++count) {
      const std::vector<uint8_t> &bytes = in[next].bytes;
      frames[count].data = bytes.data();
      frames[count].bytes = uint32_t(bytes.size());
      counts.receivedBytes += bytes.size();
      advance();
    }
    counts.received += count;
    return count;
  }

  void send(uint32_t queue, const Frame *frames, uint32_t count) override {
    std::lock_guard<std::mutex> lock(mutex);
    PortCounts &counts = countsOf(queue);
    for (uint32_t i = 0; i < count; ++i) {
      if (out && !write(frames[i])) {
        ++counts.sendErrors;
        continue;
      }
      ++counts.sent;
      counts.sentBytes += frames[i].bytes;
    }
  }

  bool keepsFrames() const override { return true; }
  bool isEnded() const override {
    return in.empty() ||
           (repeats != 0 && rounds.load(std::memory_order_relaxed) >= repeats);
  }
  Status close() override {
    if (firstError)
      return *firstError;
    return out ? out->close() : success();
  }

private:
  /// Frames that the ring of a card holds.
  static constexpr uint64_t ringFrames = 1024;

  void advance() {
    ++given;
    if (++next == in.size()) {
      next = 0;
      rounds.fetch_add(1, std::memory_order_relaxed);
    }
  }

  /// How many frames wait. Those that found the ring full are gone.
  uint64_t arrived(PortCounts &counts) {
    if (rate == 0)
      return UINT64_MAX;
    uint64_t now = monotonicNs();
    if (startNs == 0)
      startNs = now;
    constexpr double nsPerSecond = 1e9;
    uint64_t due = uint64_t(double(now - startNs) * double(rate) / nsPerSecond);
    for (; due - given > ringFrames && !isEnded(); advance())
      ++counts.missed;
    return due - given;
  }

  bool write(const Frame &frame) {
    if (firstError)
      return false;
    traces::Packet packet;
    packet.timeNs = wallNs();
    packet.bytes.assign(frame.data, frame.data + frame.bytes);
    if (Status written = out->write(packet); !written)
      firstError = std::make_unique<Error>(written.error());
    return !firstError;
  }

  size_t next = 0;
  /// Rounds through the file. Every core looks whether the port has ended.
  std::atomic<uint64_t> rounds{0};
  /// Frames that were given or missed.
  uint64_t given = 0;
  uint64_t startNs = 0;
  std::mutex mutex;
  std::unique_ptr<Error> firstError;
};

/// Reads a number below `end`.
Result<uint64_t> numberOf(const PortDescription &port, const char *key,
                          uint64_t standard, uint64_t end) {
  auto found = port.values.find(key);
  if (found == port.values.end())
    return standard;
  const std::string &text = found->second;
  bool isNumber = text.size() <= 18 &&
                  text.find_first_not_of("0123456789") == std::string::npos;
  if (!isNumber || std::stoull(text) >= end)
    return makeError("E-switch-001", "port '" + port.text + "': '" + key +
                                         "' is a number below " +
                                         std::to_string(end));
  return std::stoull(text);
}

} // namespace

Result<std::unique_ptr<Port>> openTraceFile(const PortDescription &port,
                                            const PortOptions &options) {
  auto made = std::make_unique<TraceFilePort>(port.text, options.cores);
  auto value = [&](const char *key) {
    auto found = port.values.find(key);
    return found == port.values.end() ? std::string() : found->second;
  };
  auto repeats = numberOf(port, "repeat", 1, 1'000'000'000'000);
  if (!repeats)
    return repeats.error();
  made->repeats = *repeats;
  auto rate = numberOf(port, "rate", 0, 1'000'000'000);
  if (!rate)
    return rate.error();
  made->rate = *rate;
  auto interface = numberOf(port, "interface", 0, target::PortCount);
  if (!interface)
    return interface.error();
  if (!value("rx").empty()) {
    auto frames = traces::readTrace(value("rx"), target::PortCount);
    if (!frames)
      return frames.error();
    for (traces::Packet &frame : *frames)
      if (value("interface").empty() || frame.port == *interface)
        made->in.push_back(std::move(frame));
  }
  if (!value("tx").empty()) {
    auto writer = traces::TraceWriter::create(value("tx"), 1);
    if (!writer)
      return writer.error();
    made->out = std::move(*writer);
  }
  return std::unique_ptr<Port>(std::move(made));
}

} // namespace karakal::sw
