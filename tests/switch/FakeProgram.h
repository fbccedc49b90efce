// A program for tests of the switch: it sends each frame to the port after the
// one it came from, and has a table's control functions.

#ifndef KARAKAL_TESTS_SWITCH_FAKEPROGRAM_H
#define KARAKAL_TESTS_SWITCH_FAKEPROGRAM_H

#include "switch/Port.h"
#include <atomic>
#include <chrono>
#include <deque>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

namespace karakal::sw {

class FakeCore : public x86::LiveCore {
public:
  std::unique_ptr<x86::LiveAttachment> attach() override {
    return std::make_unique<x86::LiveAttachment>();
  }
  void run(const Frame *frames, uint32_t count, uint64_t,
           x86::FrameSink &sink) override {
    inBurst = true;
    for (uint32_t i = 0; i < count; ++i) {
      Frame frame = frames[i];
      frame.port += step;
      sink.send(frame);
    }
    sink.flush();
    sum.received += count;
    sum.forwarded += count;
    inBurst = false;
  }
  Result<uint32_t> call(size_t function, const std::vector<uint64_t> &arguments,
                        uint64_t, x86::FrameSink &) override {
    metBurst |= inBurst;
    receivedAtCalls.push_back(sum.received);
    valuesOfCalls.push_back(arguments.empty() ? 0 : arguments[0]);
    if (callNs != 0)
      std::this_thread::sleep_for(std::chrono::nanoseconds(callNs));
    constexpr size_t get = 5;
    if (function == get)
      return 7u;
    return uint32_t(!arguments.empty() && arguments[0] == 9);
  }
  x86::LiveCounts counts() const override { return sum; }
  std::vector<uint64_t> drops() const override { return {0}; }
  std::string lastFault() const override { return ""; }

  x86::LiveCounts sum;
  uint32_t step = 1;
  uint64_t callNs = 0; ///< how long a call takes at least
  /// Frames received before each call, and its first argument.
  std::vector<uint64_t> receivedAtCalls, valuesOfCalls;
  std::atomic<bool> inBurst{false};
  bool metBurst = false;
};

class FakeProgram : public x86::LiveProgram {
public:
  explicit FakeProgram(uint32_t cores = 1) : all(cores) {}
  const std::string &name() const override { return called; }
  const std::vector<traces::ControlSignature> &controls() const override {
    return functions;
  }
  const std::vector<std::string> &dropReasons() const override {
    return reasons;
  }
  const std::vector<std::string> &refusals() const override { return words; }
  const std::vector<traces::TimerFunction> &timers() const override {
    return clocks;
  }
  const std::vector<std::string> &changedTables() const override {
    return changed;
  }
  uint32_t coreCount() const override { return uint32_t(all.size()); }
  FakeCore &core(uint32_t index) override { return all[index]; }
  Status init() override { return success(); }

  std::vector<traces::TimerFunction> clocks;
  std::vector<std::string> changed;

private:
  std::string called = "fake";
  std::vector<traces::ControlSignature> functions = {
      {"m.routes.add", {{"ip", "u32"}, {"hop", "u16"}}, "int", 100},
      {"m.routes.change", {{"ip", "u32"}, {"hop", "u16"}}, "int", 100},
      {"m.routes.remove", {{"ip", "u32"}}, "int", 100},
      {"m.routes.clear", {}, "int", 100},
      {"m.set", {{"value", "u32"}}, "int", 0},
      {"m.get", {}, "u32", 0}};
  std::vector<std::string> reasons = {"unspecified"};
  std::vector<std::string> words; ///< of refusals
  std::deque<FakeCore> all;
};

/// A port in memory: frames that a test puts in, frames that it takes out.
class MemoryPort : public Port {
public:
  explicit MemoryPort(uint32_t queues) : Port("memory", queues) {}

  void put(std::vector<uint8_t> bytes) {
    std::lock_guard<std::mutex> lock(mutex);
    waiting.push_back(std::move(bytes));
  }
  std::vector<std::vector<uint8_t>> taken() {
    std::lock_guard<std::mutex> lock(mutex);
    return out;
  }

  uint32_t receive(uint32_t queue, Frame *frames, uint32_t max) override {
    EXPECT_EQ(queue, 0u) << "its flows are not spread";
    std::lock_guard<std::mutex> lock(mutex);
    given.clear();
    while (given.size() < max && !waiting.empty()) {
      given.push_back(std::move(waiting.front()));
      waiting.pop_front();
    }
    for (size_t i = 0; i < given.size(); ++i) {
      frames[i].data = given[i].data();
      frames[i].bytes = uint32_t(given[i].size());
    }
    countsOf(0).received += given.size();
    return uint32_t(given.size());
  }
  void send(uint32_t queue, const Frame *frames, uint32_t count) override {
    std::lock_guard<std::mutex> lock(mutex);
    for (uint32_t i = 0; i < count; ++i)
      out.emplace_back(frames[i].data, frames[i].data + frames[i].bytes);
    countsOf(queue).sent += count;
  }

private:
  std::mutex mutex;
  std::deque<std::vector<uint8_t>> waiting;
  std::vector<std::vector<uint8_t>> given, out;
};

} // namespace karakal::sw

#endif // KARAKAL_TESTS_SWITCH_FAKEPROGRAM_H
