// Programs whose code is made again for what their globals hold.
//
// Whatever becomes of builds, the frames are those of a run without them.

#include "CountingProgram.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace karakal;
using namespace karakal::host;

namespace {

/// A change before every third packet.
std::string makeHistory(size_t packets) {
  std::string text;
  for (size_t i = 0; i < packets; i += 3)
    text += "@packet " + std::to_string(i) +
            (i % 2 ? " m.mode(" : " m.limit(") + std::to_string(i % 5) + ")\n";
  return text;
}

std::vector<std::vector<uint8_t>> framesOf(const HostRun &run) {
  std::vector<std::vector<uint8_t>> frames;
  for (const traces::Packet &packet : run.transmitted)
    frames.push_back(packet.bytes);
  return frames;
}

/// Runs the program, expects the frames of a run that is not specialized, and
/// returns the report.
SpecializeReport runAndCompare(const RunOptions &options,
                               const std::string &control, size_t packets = 60,
                               x86::Explanations *explanations = nullptr) {
  auto plain = run(makeCounting(), makeTrace(packets), makeControl(control),
                   optionsFor(SpecializeWhen::Never));
  auto special =
      run(makeCounting(), makeTrace(packets), makeControl(control), options);
  EXPECT_TRUE(bool(plain) && bool(special));
  EXPECT_EQ(framesOf(*special), framesOf(*plain));
  if (explanations)
    *explanations = special->explanations;
  return special->specialization;
}

TEST(SpecializationTest, CodeIsMadeForEachState) {
  SpecializeReport report =
      runAndCompare(optionsFor(SpecializeWhen::AtOnce), makeHistory(60));
  EXPECT_EQ(report.ownBursts, 0u);
  EXPECT_EQ(report.outOfDate, 0u);
  // Calls at odd packets alone change what is assumed. The array has a word
  // that packets write, so it is left alone, but its versions ask for a build.
  EXPECT_EQ(report.builds, 20u);
}

TEST(SpecializationTest, PacketsOfControlFunctionsSeeTheirUpdates) {
  runAndCompare(optionsFor(SpecializeWhen::AtOnce),
                "m.mode(1)\n@packet 9 m.mode(2)\n@packet 9 m.send()\n"
                "@packet 9 m.mode(3)\n@packet 9 m.send()\n");
}

TEST(SpecializationTest, UpdatesAreInForceAtOnceWhateverIsBuilt) {
  RunOptions options = optionsFor(SpecializeWhen::Background);
  options.specialize.restMsMin = 0;
  SpecializeReport report = runAndCompare(options, makeHistory(3000), 3000);
  EXPECT_GE(report.builds, 1u);
  EXPECT_EQ(report.builds, report.used + report.outOfDate);
  EXPECT_EQ(report.failed, 0u);
}

TEST(SpecializationTest, UpdatesThatNeverEndAreBuiltSeldom) {
  RunOptions options = optionsFor(SpecializeWhen::Background);
  options.specialize.restMsMin = options.specialize.restMsMax = 1e9;
  SpecializeReport report = runAndCompare(options, makeHistory(3000), 3000);
  EXPECT_EQ(report.builds, 1u);
}

TEST(SpecializationTest, FailedBuildsLeaveTheCodeThatRuns) {
  RunOptions options = optionsFor(SpecializeWhen::AtOnce);
  unsigned count = 0;
  options.specialize.failBuild = [&] { return ++count % 2 == 0; };
  SpecializeReport report = runAndCompare(options, makeHistory(60));
  EXPECT_EQ(report.failed, 10u);
  EXPECT_EQ(report.used, 10u);
  EXPECT_GT(report.ownBursts, 0u);
  EXPECT_EQ(report.failure, "a failure for a test");
}

TEST(SpecializationTest, SlowBuildsAreNotUsed) {
  RunOptions options = optionsFor(SpecializeWhen::AtOnce);
  options.specialize.buildSecondsMax = 0;
  SpecializeReport report = runAndCompare(options, makeHistory(60));
  EXPECT_EQ(report.used, 0u);
  EXPECT_EQ(report.failed, report.builds);
  EXPECT_EQ(report.specializedBursts, 0u);
}

TEST(SpecializationTest, ProgramsThatAreTooLargeAreLeftAlone) {
  RunOptions options = optionsFor(SpecializeWhen::AtOnce);
  options.specialize.limits.instructionsMax = 1;
  SpecializeReport report = runAndCompare(options, "");
  EXPECT_EQ(report.used, 0u);
  EXPECT_THAT(report.failure, testing::HasSubstr("more than 1"));
}

TEST(SpecializationTest, ExplanationsNameWhatUndoesThem) {
  RunOptions options = optionsFor(SpecializeWhen::AtOnce);
  options.specialize.explains = true;
  x86::Explanations said;
  runAndCompare(options, "m.mode(3)\n", 60, &said);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].first, "mode");
  EXPECT_THAT(said[0].second, testing::StartsWith("mode: is 3"));
  EXPECT_THAT(said[0].second, testing::HasSubstr("undone by m.mode"));
}

} // namespace
