// The switch with a program and ports in memory: frames, control, statistics.

#include "switch/Switch.h"
#include "FakeProgram.h"
#include "switch/Client.h"
#include "switch/Statistics.h"
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

using namespace karakal;
using namespace karakal::sw;
using testing::HasSubstr;

namespace {

traces::ControlCall parsed(const std::string &text) {
  auto calls = traces::parseControl(text, "test");
  EXPECT_TRUE(calls && calls->size() == 1) << text;
  return calls->front();
}

/// A switch of two ports in memory.
struct Bench {
  explicit Bench(uint32_t cores = 1,
                 std::vector<traces::TimerFunction> timers = {})
      : program(cores) {
    program.clocks = std::move(timers);
    for (MemoryPort *&port : memory) {
      auto made = std::make_unique<MemoryPort>(cores);
      port = made.get();
      ports.push_back(std::move(made));
    }
    served = std::make_unique<Switch>(program, ports, CoreOptions());
  }
  Result<std::string> call(const std::string &text) {
    return served->call(parsed(text));
  }

  FakeProgram program;
  Ports ports;
  MemoryPort *memory[2];
  std::unique_ptr<Switch> served;
};

} // namespace

TEST(Switch, SendsEachFrameInOrderAndCountsIt) {
  Bench bench;
  for (uint8_t i = 0; i < 200; ++i)
    bench.memory[0]->put({i, 1, 2});
  bench.served->start([] {});
  bench.served->stop(); // works off what is there
  auto out = bench.memory[1]->taken();
  ASSERT_EQ(out.size(), 200u);
  for (uint8_t i = 0; i < 200; ++i)
    EXPECT_EQ(out[i][0], i);
  Snapshot now = bench.served->snapshot();
  EXPECT_EQ(now.ports[0].counts.received, 200u);
  EXPECT_EQ(now.ports[1].counts.sent, 200u);
  EXPECT_EQ(now.total().packets.received, 200u);
}

TEST(Switch, AFrameToAPortThatIsNotThereIsCounted) {
  Bench bench;
  bench.memory[1]->put({1, 2, 3});
  bench.served->start([] {});
  bench.served->stop();
  EXPECT_EQ(bench.served->snapshot().total().own.noPort, 1u);
}

TEST(Switch, CallsNeverMeetABurst) {
  Bench bench;
  bench.served->start([] {});
  for (int i = 0; i < 2000; ++i) {
    bench.memory[0]->put({1});
    ASSERT_TRUE(bench.call("set(1)"));
  }
  bench.served->stop();
  EXPECT_FALSE(bench.program.core(0).metBurst);
  EXPECT_EQ(bench.memory[1]->taken().size(), 2000u);
}

TEST(Switch, CallsThatComeTogetherStopTheCoresOnce) {
  Bench bench;
  bench.served->start([] {});
  std::vector<traces::ControlCall> calls(1000, parsed("set(1)"));
  calls[3] = parsed("set(9)");
  calls[5] = parsed("get()");
  calls[7] = parsed("nosuch()");
  std::vector<Switch::Answer> answers = bench.served->call(calls);
  bench.served->stop();
  ASSERT_EQ(answers.size(), 1000u);
  EXPECT_EQ(*answers[0], "");
  EXPECT_EQ(answers[3].error().id, "E-switch-010");
  EXPECT_EQ(*answers[5], "7");
  EXPECT_EQ(answers[7].error().id, "E-traces-023");
  Snapshot now = bench.served->snapshot();
  EXPECT_EQ(now.calls, 999u);
  EXPECT_EQ(now.callsRefused, 2u);
  // One, but that this thread may lose its processor in a stop.
  EXPECT_LE(now.stops, 100u);
}

TEST(Switch, CallsThatTakeLongLeaveTimeForPackets) {
  Bench bench;
  constexpr size_t callCount = 12, frameCount = 8192;
  bench.program.core(0).callNs = Switch::StopNsMax * 3 / 4;
  for (size_t i = 0; i < frameCount; ++i)
    bench.memory[0]->put({1});
  bench.served->start([] {});
  while (bench.served->snapshot().total().packets.received == 0)
    std::this_thread::yield();
  uint64_t stops = bench.served->snapshot().stops;
  std::vector<traces::ControlCall> calls(callCount, parsed("set(1)"));
  for (const Switch::Answer &answer : bench.served->call(calls))
    EXPECT_TRUE(answer);
  bench.served->stop();
  EXPECT_GE(bench.served->snapshot().stops - stops, callCount / 2);
  // A stop has at most two of these calls, and frames flow after it.
  const auto &received = bench.program.core(0).receivedAtCalls;
  ASSERT_EQ(received.size(), callCount);
  for (size_t i = 3; i < callCount; ++i)
    if (received[i] < frameCount)
      EXPECT_GT(received[i], received[i - 3]) << i;
}

TEST(Switch, ATimerThatIsDueOftenIsCalledOnceAndMissesTheRest) {
  constexpr size_t clear = 3;
  Bench bench(1, {{clear, "m.routes.clear", 1000}});
  std::this_thread::sleep_for(std::chrono::milliseconds(6));
  auto [next, done] = bench.served->runTimers();
  EXPECT_TRUE(done);
  Snapshot now = bench.served->snapshot();
  EXPECT_EQ(bench.program.core(0).valuesOfCalls.size(), 1u);
  ASSERT_EQ(now.timers.size(), 1u);
  EXPECT_EQ(now.timers[0].calls, 1u);
  EXPECT_GE(now.timers[0].missed, 5u);
  auto json = nlohmann::json::parse(statisticsJson(now));
  EXPECT_EQ(json["control"]["timers"][0]["calls"], 1);
  EXPECT_THAT(
      statisticsPrometheus(now),
      HasSubstr("bakersw_timer_calls_total{timer=\"m.routes.clear\"} 1"));
  EXPECT_LT(next, UINT64_MAX);
  EXPECT_EQ(Bench().served->runTimers().first, UINT64_MAX);
}

TEST(Switch, CallsHaveTheErrorsOfControlFiles) {
  Bench bench;
  EXPECT_EQ(*bench.call("get()"), "7");
  EXPECT_EQ(bench.call("nosuch(1)").error().id, "E-traces-023");
  EXPECT_EQ(bench.call("set()").error().id, "E-traces-024");
  EXPECT_EQ(bench.call("set(9)").error().id, "E-switch-010");
  EXPECT_EQ(bench.call("@packet 3 set(1)").error().id, "E-switch-011");
  Snapshot now = bench.served->snapshot();
  EXPECT_EQ(now.calls, 2u);
  EXPECT_EQ(now.callsRefused, 4u);
}

TEST(Journal, FoldsTheCallsOfATable) {
  Bench bench;
  for (const char *text :
       {"routes.add(1, 10)", "set(1)", "routes.add(2, 20)",
        "routes.change(1, 11)", "routes.remove(2)", "get()", "set(9)",
        "m.routes.change(5, hop: 50)", "routes.change(5, 51)"})
    (void)bench.call(text);
  EXPECT_EQ(bench.served->journal().text(),
            "set(1)\nm.routes.add(1, 11)\nm.routes.change(5, 51)\n");
  ASSERT_TRUE(bench.call("routes.clear()"));
  EXPECT_EQ(bench.served->journal().text(), "set(1)\nroutes.clear()\n");
}

TEST(Journal, StaysSmallWhenATableChurns) {
  Bench bench;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(bench.call("routes.add(3, 1)"));
    ASSERT_TRUE(bench.call("routes.remove(3)"));
    ASSERT_TRUE(bench.call("routes.clear()"));
  }
  EXPECT_LE(bench.served->journal().size(), 1u);
}

TEST(Client, WordsOfAShellAreACall) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(callOfWords({"f"}), "f()");
  EXPECT_EQ(callOfWords({"f(1, 2)"}), "f(1, 2)");
  EXPECT_EQ(callOfWords({"routes.add", "10.0.0.0/8", "hop:", "3"}),
            "routes.add(10.0.0.0/8, hop: 3)");
  EXPECT_EQ(callOfWords({"routes.add", "10.0.0.0/8,", "hop=3"}),
            "routes.add(10.0.0.0/8, hop: 3)");
  EXPECT_EQ(callOfWords(Words{"s.add", "6", "80", "..", "90", "any"}),
            "s.add(6, 80 .. 90, any)");
  EXPECT_EQ(callOfWords(Words{"s.add", "10.0.0.0", "&", "255.0.0.0", "4"}),
            "s.add(10.0.0.0 & 255.0.0.0, 4)");
}

TEST(Statistics, AllFormsTellTheSame) {
  Bench bench;
  for (int i = 0; i < 3; ++i)
    bench.memory[0]->put({1, 2});
  bench.served->start([] {});
  bench.served->stop();
  Snapshot now = bench.served->snapshot();
  auto json = nlohmann::json::parse(statisticsJson(now));
  EXPECT_EQ(json["packets"]["received"], 3);
  EXPECT_EQ(json["ports"][1]["sent"], 3);
  EXPECT_EQ(json["drops"]["unspecified"], 0);
  std::string prometheus = statisticsPrometheus(now);
  EXPECT_THAT(
      prometheus,
      HasSubstr("bakersw_port_sent_total{port=\"1\",name=\"memory\"} 3"));
  EXPECT_THAT(prometheus,
              HasSubstr("# TYPE bakersw_packets_received_total counter"));
  EXPECT_THAT(statisticsTable(now), HasSubstr("frames that the program took"));
  Snapshot later = now;
  later.nanoseconds += 2'000'000'000;
  later.ports[1].counts.sent += 10;
  EXPECT_THAT(statisticsTable(later, &now), HasSubstr("5.0/s"));
}

TEST(Statistics, ALabelOfPrometheusIsQuoted) {
  Snapshot now;
  now.ports.push_back({"pcap,rx=a\"b\\c\nd", true, {}});
  EXPECT_THAT(statisticsPrometheus(now),
              HasSubstr("name=\"pcap,rx=a\\\"b\\\\c\\nd\""));
}
