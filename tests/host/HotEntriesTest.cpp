// Entries that most packets find are compared first; the frames stay those of
// the program's own code, whatever becomes of the entries.

#include "RulesProgram.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <random>

using namespace karakal;
using namespace karakal::host;

namespace {

constexpr size_t Packets = 600;

/// The first word of a frame.
uint32_t keyOf(unsigned number) { return 0x0a000000 + 257 * number; }

/// Nearly all packets have one key, another one from the middle on.
std::vector<traces::Packet> makeSkewed(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<traces::Packet> trace = makeTrace(Packets);
  for (size_t i = 0; i < trace.size(); ++i) {
    unsigned favourite = i < trace.size() / 2 ? 3 : 11;
    uint32_t key = keyOf(random() % 8 ? favourite : random() % 20);
    for (unsigned byte = 0; byte < 4; ++byte)
      trace[i].bytes[byte] = uint8_t(key >> (24 - 8 * byte));
  }
  return trace;
}

std::string put(unsigned slot, uint32_t value, uint32_t mask, unsigned answer) {
  return "m.put(" + std::to_string(slot) + ", " + std::to_string(value & mask) +
         ", " + std::to_string(mask) + ", " + std::to_string(answer) + ")\n";
}

/// A rule for each key, and rarely one that covers some or all of them, which
/// goes again; the answers of the favourites change.
std::string makeHistory(unsigned seed) {
  std::mt19937 random(seed);
  std::string text;
  for (unsigned i = 0; i < 20; ++i)
    text += put(i + 1, keyOf(i), ~0u, 100 + i);
  unsigned covers = 0;
  for (size_t i = 100; i < Packets; i += 20 + random() % 40) {
    std::string at = "@packet " + std::to_string(i) + " ";
    if (covers != 0 && random() % 2) {
      text += at + "m.drop()\n";
      --covers;
    } else if (covers < 15 && random() % 2) {
      uint32_t masks[] = {~0u, 0xfffff000, 0xffff0000, 0};
      text += at + put(21 + covers, keyOf(random() % 2 ? 3 : 11),
                       masks[random() % 4], unsigned(i));
      ++covers;
    } else {
      text += at + "m.change(" + (random() % 2 ? "4" : "12") + ", " +
              std::to_string(i) + ")\n";
    }
  }
  return text;
}

RunOptions observing(SpecializeWhen when) {
  RunOptions options = optionsFor(when);
  options.specialize.sample = x86::SampleOptions::of(2, 16);
  options.specialize.restMsMin = 0;
  options.specialize.trafficRestMsMin = 0;
  options.specialize.trafficRestMsMax = 0;
  // The table keeps its own search.
  options.specialize.limits.maskSetsMax = 0;
  return options;
}

using Frames = std::vector<std::vector<uint8_t>>;

/// What a run sends, and what it reports.
struct Outcome {
  Frames frames;
  HostRun run;
};

Outcome outcomeOf(const RunOptions &options, unsigned seed,
                  const std::string &control) {
  auto done = run(makeRules(), makeSkewed(seed), makeControl(control), options);
  EXPECT_TRUE(bool(done));
  Outcome outcome;
  for (const traces::Packet &packet : done->transmitted)
    outcome.frames.push_back(packet.bytes);
  outcome.run = std::move(*done);
  return outcome;
}

Frames ownFrames(unsigned seed) {
  return outcomeOf(observing(SpecializeWhen::Never), seed, makeHistory(seed))
      .frames;
}

/// Builds that fail leave code whose hot entries have changed.
RunOptions failing() {
  RunOptions options = observing(SpecializeWhen::AtOnce);
  options.specialize.failBuild = [count = 0]() mutable {
    return ++count % 3 == 0;
  };
  return options;
}

TEST(HotEntriesTest, FramesAreThoseOfTheOwnCode) {
  for (unsigned seed : {1, 2}) {
    Frames own = ownFrames(seed);
    ASSERT_GT(own.size(), 400u);
    for (RunOptions options :
         {observing(SpecializeWhen::AtOnce),
          observing(SpecializeWhen::Background), failing()})
      EXPECT_EQ(outcomeOf(options, seed, makeHistory(seed)).frames, own);
  }
}

TEST(HotEntriesTest, TheHottestEntryIsComparedFirstAndExplained) {
  RunOptions options = observing(SpecializeWhen::AtOnce);
  options.specialize.explains = true;
  std::string rules;
  for (unsigned i = 0; i < 20; ++i)
    rules += put(i + 1, keyOf(i), ~0u, 100 + i);
  Outcome outcome = outcomeOf(options, 5, rules);
  SpecializeReport report = outcome.run.specialization;
  // No entry before there is traffic, one favourite, and then the other.
  EXPECT_GE(report.trafficBuilds, 2u);
  EXPECT_GT(report.observedBursts, 50u);
  // There is nothing to assume before there is traffic.
  EXPECT_LT(report.ownBursts, 20u);
  EXPECT_GT(report.specializedBursts, 60u);
  std::vector<std::string> texts;
  for (const auto &[symbol, text] : outcome.run.explanations)
    if (symbol == "m.t")
      texts.push_back(text);
  EXPECT_THAT(texts,
              testing::Contains(testing::AllOf(
                  testing::HasSubstr("compared first"),
                  testing::HasSubstr("(0xa000b0b)"),
                  testing::HasSubstr("undone by m.put, m.change, m.drop"),
                  testing::HasSubstr("and other traffic"))));
}

TEST(HotEntriesTest, EvenTrafficHasNoHotEntry) {
  RunOptions options = observing(SpecializeWhen::AtOnce);
  options.specialize.explains = true;
  // Few look-ups of 20 entries are never even.
  options.specialize.sample = x86::SampleOptions::of(2, 160);
  std::vector<traces::Packet> trace = makeTrace(Packets);
  std::string rules;
  for (unsigned i = 0; i < 20; ++i)
    rules += put(i + 1, i * 0x01010101, ~0u, i);
  for (size_t i = 0; i < trace.size(); ++i)
    trace[i].bytes.assign(60, uint8_t(i * 7 % 20));
  auto done = run(makeRules(), trace, makeControl(rules), options);
  ASSERT_TRUE(bool(done));
  for (const auto &[symbol, text] : done->explanations)
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("compared first")));
}

/// Shows that the test above would find code that does not compare versions.
TEST(HotEntriesTest, AFaultInTheGuardIsFound) {
  RunOptions options = failing();
  options.specialize.limits.skipsHotGuard = true;
  EXPECT_NE(outcomeOf(options, 1, makeHistory(1)).frames, ownFrames(1));
}

/// And entries that are compared before better ones: the favourites have none,
/// but all other keys have one that is better than the rule of the favourites.
TEST(HotEntriesTest, AFaultInTheOrderIsFound) {
  std::string control = put(30, keyOf(0), 0xffff0000, 7);
  for (unsigned i = 0; i < 20; ++i)
    if (i != 3 && i != 11)
      control += put(i + 1, keyOf(i), ~0u, 100 + i);
  RunOptions options = observing(SpecializeWhen::AtOnce);
  Frames own = outcomeOf(observing(SpecializeWhen::Never), 1, control).frames;
  EXPECT_EQ(outcomeOf(options, 1, control).frames, own);
  options.specialize.limits.ignoresOverlaps = true;
  EXPECT_NE(outcomeOf(options, 1, control).frames, own);
}

} // namespace
