// The simulator's command line.
//
// Runs the executable and checks what it writes, its exit status, and its
// messages about inputs that it refuses.

#include "ForwardImage.h"
#include "sim-ixp/report/StatisticTable.h"
#include "target-ixp/assembler/Assembler.h"
#include "traces/TraceReader.h"
#include "traces/TraceWriter.h"

#include "gtest/gtest.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sys/wait.h>

using namespace karakal;
using namespace karakal::sim::testing;
namespace fs = std::filesystem;

namespace {

class IxpsimTest : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    folder = ::testing::TempDir();
    image = (folder / "forward.ixp").string();
    trace = (folder / "in.pcapng").string();
    ASSERT_TRUE(static_cast<bool>(
        target::writeImage(image, makeImage(forwardProgram()))));
    ASSERT_TRUE(
        static_cast<bool>(traces::writeTrace(trace, makeTrace(100, 60), 4)));
  }

  /// Runs ixpsim; its output and errors go to `text`.
  int ixpsim(const std::string &arguments) {
    fs::path tool =
        fs::read_symlink("/proc/self/exe").parent_path() / "../bin/ixpsim";
    std::string line = tool.string() + " " + arguments + " 2>&1";
    FILE *pipe = ::popen(line.c_str(), "r");
    text.clear();
    std::array<char, 4096> buffer;
    while (size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
      text.append(buffer.data(), got);
    int status = ::pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string path(const char *name) { return (folder / name).string(); }
  std::string bytesOf(const std::string &file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string &file, const std::string &bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
  }

  static fs::path folder;
  static std::string image, trace;
  std::string text;
};

fs::path IxpsimTest::folder;
std::string IxpsimTest::image, IxpsimTest::trace;

} // namespace

TEST_F(IxpsimTest, WritesFramesStatisticsAndTimeline) {
  ASSERT_EQ(ixpsim(image + " --trace=" + trace + " --out=" + path("o.pcapng") +
                   " --stats=" + path("s.json") +
                   " --timeline=" + path("t.json")),
            0)
      << text;
  EXPECT_NE(text.find("100 received, 100 forwarded"), std::string::npos);
  auto out = traces::readTrace(path("o.pcapng"), 4);
  ASSERT_TRUE(static_cast<bool>(out));
  EXPECT_EQ(out->size(), 100u);
  auto stats = nlohmann::json::parse(bytesOf(path("s.json")));
  EXPECT_EQ(stats["packets"]["forwarded"], 100);
  for (const char *key :
       {"schema", "cycles", "clock_hz", "seconds", "packets", "rate",
        "per_packet", "latency_cycles", "units", "microengines"})
    EXPECT_TRUE(stats.contains(key)) << key;
  EXPECT_EQ(stats["microengines"].size(), 8u);
  auto timeline = nlohmann::json::parse(bytesOf(path("t.json")));
  EXPECT_GT(timeline["traceEvents"].size(), 100u);
  // Segments and waits of contexts, queues of units, paths of packets.
  std::map<std::string, uint64_t> kinds, names;
  for (const auto &event : timeline["traceEvents"]) {
    ++kinds[event["ph"]];
    ++names[event["name"]];
  }
  EXPECT_GT(names["run"], 0u);
  EXPECT_GT(names["voluntary"] + names["scratch[get]"], 0u);
  EXPECT_GT(names["dram"], 0u);
  EXPECT_GT(kinds["b"], 0u);
  EXPECT_EQ(kinds["b"], kinds["e"]) << "each packet ends";
  // The memories' queues are empty again; contexts still poll their rings.
  std::map<std::string, int> last;
  for (const auto &event : timeline["traceEvents"])
    if (event["ph"] == "C")
      last[event["name"]] = event["args"]["commands"];
  EXPECT_EQ(last["dram"], 0);
  EXPECT_EQ(last["sram0"], 0);
}

TEST_F(IxpsimTest, TheSameCommandWritesTheSameBytes) {
  std::string command = image + " --quiet --trace=" + trace + " --packets=300";
  ASSERT_EQ(ixpsim(command + " --out=" + path("1.pcap") +
                   " --stats=" + path("1.json")),
            0);
  ASSERT_EQ(ixpsim(command + " --out=" + path("2.pcap") +
                   " --stats=" + path("2.json")),
            0);
  EXPECT_EQ(bytesOf(path("1.pcap")), bytesOf(path("2.pcap")));
  EXPECT_EQ(bytesOf(path("1.json")), bytesOf(path("2.json")));
}

TEST_F(IxpsimTest, DescribesChipAndImage) {
  EXPECT_EQ(ixpsim("--describe " + image), 0);
  EXPECT_NE(text.find("sram.latency"), std::string::npos);
  EXPECT_NE(text.find("engine 7: tx"), std::string::npos);
  for (const sim::StatisticRow &row : sim::statisticTable())
    EXPECT_NE(text.find(std::string("  ") + row.key + " "), std::string::npos)
        << row.key;
}

/// The keys of all values that are not objects or lists.
static void listKeys(const nlohmann::json &value, const std::string &key,
                     std::vector<std::string> &keys) {
  if (!value.is_structured())
    keys.push_back(key);
  for (const auto &[name, inner] : value.items())
    if (value.is_object())
      listKeys(inner, key.empty() ? name : key + "." + name, keys);
    else if (value.is_array())
      listKeys(inner, key + "[]", keys);
}

TEST_F(IxpsimTest, EachStatisticIsDescribed) {
  ASSERT_EQ(ixpsim(image + " --trace=" + trace + " --stats=" + path("s.json")),
            0)
      << text;
  std::vector<std::string> keys;
  listKeys(nlohmann::json::parse(bytesOf(path("s.json"))), "", keys);
  EXPECT_GT(keys.size(), 60u);
  for (const std::string &key : keys)
    EXPECT_NE(sim::findStatistic(key), nullptr) << key;
  EXPECT_EQ(sim::findStatistic("microengines[].speed"), nullptr);
  EXPECT_EQ(sim::findStatistic("drops"), nullptr);
  std::string page =
      bytesOf(std::string(KARAKAL_SOURCE_DIR) + "/docs/statistics.md");
  for (const sim::StatisticRow &row : sim::statisticTable())
    EXPECT_NE(page.find(std::string("| `") + row.key + "` | " + row.unit +
                        " | " + row.meaning + " |\n"),
              std::string::npos)
        << row.key;
}

TEST_F(IxpsimTest, RefusesAWrongCommandLine) {
  EXPECT_EQ(ixpsim(""), 2);
  EXPECT_EQ(ixpsim(image), 2);
  EXPECT_EQ(ixpsim(image + " --trace=" + trace + " --mes=0"), 2);
  EXPECT_EQ(ixpsim(image + " --trace=" + trace + " --nonsense"), 2);
  EXPECT_EQ(ixpsim(image + " --trace=" + trace + " --set sram.latencies=1"), 2);
  EXPECT_NE(text.find("no parameter 'sram.latencies'; did you mean "
                      "'sram.latency'? 'ixpsim --describe' lists all"),
            std::string::npos)
      << text;
}

TEST_F(IxpsimTest, RefusesBadTraces) {
  EXPECT_EQ(ixpsim(image + " --trace=" + path("none.pcap")), 1);
  EXPECT_NE(text.find("none.pcap"), std::string::npos) << text;
  write(path("empty.pcap"), "");
  EXPECT_EQ(ixpsim(image + " --trace=" + path("empty.pcap")), 1);
  std::string whole = bytesOf(trace);
  write(path("cut.pcapng"), whole.substr(0, whole.size() / 2));
  EXPECT_EQ(ixpsim(image + " --trace=" + path("cut.pcapng")), 1);
}

TEST_F(IxpsimTest, RefusesBadImages) {
  EXPECT_EQ(ixpsim(path("none.ixp") + " --trace=" + trace), 1);
  write(path("text.ixp"), "this is no image");
  EXPECT_EQ(ixpsim(path("text.ixp") + " --trace=" + trace), 1);
  std::string whole = bytesOf(image);
  write(path("cut.ixp"), whole.substr(0, whole.size() / 2));
  EXPECT_EQ(ixpsim(path("cut.ixp") + " --trace=" + trace), 1);
  EXPECT_NE(text.find("cut.ixp"), std::string::npos) << text;
}

TEST_F(IxpsimTest, ReportsTheLineOfABadControlCall) {
  write(path("bad.control"), "# routes\nroute_add(1\n");
  EXPECT_EQ(
      ixpsim(image + " --trace=" + trace + " --control=" + path("bad.control")),
      1);
  EXPECT_NE(text.find("bad.control:2"), std::string::npos) << text;
}

TEST_F(IxpsimTest, AProfileAccountsForEveryBusyCycle) {
  ASSERT_EQ(ixpsim(image + " --trace=" + trace + " --profile=" +
                   path("p.json") + " --stats=" + path("s.json")),
            0)
      << text;
  auto profile = nlohmann::json::parse(bytesOf(path("p.json")));
  auto stats = nlohmann::json::parse(bytesOf(path("s.json")));
  for (const char *role : {"rx", "tx", "app"}) {
    uint64_t wanted = 0, found = 0;
    for (const auto &engine : stats["microengines"])
      if (engine["role"] == role)
        wanted += engine["cycles"].get<uint64_t>() -
                  engine["idle_cycles"].get<uint64_t>();
    for (const auto &[name, code] : profile["microcode"].items())
      if (code["role"] == role)
        for (const auto &row : code["instructions"]) {
          EXPECT_TRUE(row["location"].is_string());
          EXPECT_NE(row["text"], "");
          found += row["issued"].get<uint64_t>() +
                   row["aborted"].get<uint64_t>() +
                   row["stalled"].get<uint64_t>();
        }
    // Dead slots of the last swap extend past the end of the run.
    EXPECT_NEAR(found, wanted, 3 * 8) << role;
  }
  EXPECT_EQ(bytesOf(path("p.json.folded")).substr(0, 4), "app;");
}

TEST_F(IxpsimTest, FollowsOnePacketFromRxToTheWire) {
  ASSERT_EQ(ixpsim(image + " --trace=" + trace + " --trace-packet=3"), 0)
      << text;
  EXPECT_NE(text.find("received: buffer"), std::string::npos) << text;
  EXPECT_NE(text.find(" gets it from ring 1 (tx)"), std::string::npos);
  EXPECT_NE(text.find("engine 7 context "), std::string::npos);
  EXPECT_NE(text.find("dram[tbuf_wr]"), std::string::npos);
  EXPECT_NE(text.find("frees the buffer"), std::string::npos);
  EXPECT_NE(text.find("has left port"), std::string::npos);
  ASSERT_EQ(ixpsim(image + " --trace=" + trace + " --trace-packet=100"), 0);
  EXPECT_NE(text.find("no packet has this number; the first is 0, and "
                      "100 were received"),
            std::string::npos)
      << text;
}

TEST_F(IxpsimTest, StopsAtABreakpointAndPrintsTheState) {
  ASSERT_EQ(ixpsim(image + " --trace=" + trace + " --break=5"), 0) << text;
  EXPECT_NE(text.find("PC 5"), std::string::npos) << text;
  EXPECT_NE(text.find("lm_addr0"), std::string::npos);
  EXPECT_EQ(ixpsim(image + " --trace=" + trace + " --break=nowhere:7"), 1);
  EXPECT_NE(text.find("E-sim-ixp-015"), std::string::npos) << text;
}

TEST_F(IxpsimTest, NamesTheBottleneck) {
  ASSERT_EQ(ixpsim(image + " --trace=" + trace), 0);
  EXPECT_NE(text.find("what helps:"), std::string::npos) << text;
}

TEST_F(IxpsimTest, AHazardIsAWarningAndWithStrictAnError) {
  // sram[read, $0, 0, 0, 1], sig_done[s2]; alu[--, --, B, $0]; ctx_arb[kill].
  std::ofstream(path("early.uc"))
      << ".sig s\n.reg read $x\n.reg zero\n"
         "a#:\n immed[zero, 0]\n"
         " sram[read, $x, zero, 0, 1], sig_done[s]\n"
         " alu[zero, --, B, $x]\n"
         " ctx_arb[s]\n ctx_arb[kill]\n";
  auto program = target::assembleFile(path("early.uc"), {});
  ASSERT_TRUE(static_cast<bool>(program)) << program.error().str();
  std::ofstream out(path("early.ucode"), std::ios::binary);
  for (uint64_t word : program->words)
    for (int shift = 32; shift >= 0; shift -= 8)
      out.put(static_cast<char>(word >> shift));
  out.close();
  EXPECT_EQ(ixpsim("--ucode=1:" + path("early.ucode")), 0) << text;
  EXPECT_NE(text.find("before the command that fills it is complete"),
            std::string::npos)
      << text;
  EXPECT_EQ(ixpsim("--strict --ucode=1:" + path("early.ucode")), 1);
  EXPECT_NE(text.find("context 0, PC 2"), std::string::npos) << text;
}

TEST_F(IxpsimTest, RawMicrocodeRunsOnABareChip) {
  // ctx_arb[kill] and its two dead slots.
  std::string words("\xe0\x00\x01\x00\x00", 5);
  std::ofstream(path("kill.ucode"), std::ios::binary) << words;
  std::string loop = "--ucode=2:" + path("kill.ucode");
  ASSERT_EQ(ixpsim(loop + " --stats=" + path("raw.json")), 0) << text;
  auto stats = nlohmann::json::parse(bytesOf(path("raw.json")));
  EXPECT_EQ(stats["ended"], "stopped");
  EXPECT_EQ(stats["microengines"][2]["instructions"], 8);
  EXPECT_EQ(stats["microengines"][2]["cycles"], stats["cycles"]);
  EXPECT_NE(text.find("every context stopped"), std::string::npos) << text;
}

TEST_F(IxpsimTest, RawMicrocodeThatSleepsReportsEachContext) {
  std::vector<target::Diagnostic> diagnostics;
  auto program = target::assembleText(".sig one\nctx_arb[one]\nctx_arb[kill]\n",
                                      "sleep.uc", {}, diagnostics);
  ASSERT_TRUE(program);
  std::string bytes;
  for (uint64_t word : program->words)
    for (int shift = 32; shift >= 0; shift -= 8)
      bytes += static_cast<char>(word >> shift);
  write(path("sleep.ucode"), bytes);
  ASSERT_EQ(ixpsim("--ucode=3:" + path("sleep.ucode") + " --threads=2"), 0);
  EXPECT_NE(text.find("every context sleeps for good"), std::string::npos);
  EXPECT_NE(text.find("engine 3 context 1: asleep at PC 1, waits for all of "
                      "signals "),
            std::string::npos)
      << text;
}

TEST_F(IxpsimTest, RawMicrocodeWithoutPacketsTakesNoOptionOfThem) {
  std::ofstream(path("kill.ucode"), std::ios::binary)
      << std::string("\xe0\x00\x01\x00\x00", 5);
  std::string kill = "--ucode=2:" + path("kill.ucode");
  EXPECT_EQ(ixpsim(kill + " --out=" + path("o.pcap")), 2);
  EXPECT_NE(text.find("has no ports"), std::string::npos) << text;
  EXPECT_EQ(ixpsim(kill + " --rate=1"), 2);
  EXPECT_EQ(ixpsim(kill + " --break=1"), 2);
  EXPECT_NE(text.find("it goes with --trace"), std::string::npos) << text;
}

TEST_F(IxpsimTest, RawMicrocodeThatTakesNoPacketFails) {
  std::vector<target::Diagnostic> diagnostics;
  auto program = target::assembleText("loop#:\nctx_arb[voluntary]\nbr[loop#]\n",
                                      "idle.uc", {}, diagnostics);
  ASSERT_TRUE(program);
  std::string bytes;
  for (uint64_t word : program->words)
    for (int shift = 32; shift >= 0; shift -= 8)
      bytes += static_cast<char>(word >> shift);
  write(path("idle.ucode"), bytes);
  EXPECT_EQ(ixpsim("--ucode=1:" + path("idle.ucode") + " --trace=" + trace +
                   " --stall-cycles=200000"),
            1);
  EXPECT_NE(text.find("E-sim-ixp-031"), std::string::npos) << text;
  EXPECT_NE(text.find("0 have left"), std::string::npos) << text;
  // Contexts that stop end the run before.
  std::ofstream(path("kill.ucode"), std::ios::binary)
      << std::string("\xe0\x00\x01\x00\x00", 5);
  EXPECT_EQ(ixpsim("--ucode=1:" + path("kill.ucode") + " --trace=" + trace), 0);
  EXPECT_NE(text.find("every context stopped"), std::string::npos) << text;
  EXPECT_NE(text.find("0 transmitted"), std::string::npos) << text;
}

TEST_F(IxpsimTest, InvalidRawMicrocodeIsRejected) {
  std::ofstream(path("half.ucode"), std::ios::binary) << "abc";
  EXPECT_EQ(ixpsim("--ucode=1:" + path("half.ucode")), 1);
  EXPECT_NE(text.find("5 bytes per word"), std::string::npos) << text;
  EXPECT_NE(text.find("E-sim-ixp-013"), std::string::npos) << text;
  EXPECT_EQ(ixpsim("--ucode=9:" + path("half.ucode")), 1);
  EXPECT_NE(text.find("no engine 9"), std::string::npos) << text;
  EXPECT_EQ(ixpsim("--ucode=" + path("half.ucode")), 1);
  EXPECT_NE(text.find("ENGINE:FILE"), std::string::npos) << text;
  EXPECT_EQ(ixpsim("--ucode=1:x " + image), 2);
}

TEST_F(IxpsimTest, AConfigurationChangesTheChip) {
  EXPECT_EQ(ixpsim("--describe --chip=ixp2800"), 0);
  EXPECT_NE(text.find("me.count=16"), std::string::npos) << text;
  EXPECT_NE(text.find("default 8"), std::string::npos) << text;
  EXPECT_NE(text.find("calibrated"), std::string::npos) << text;
  auto other = target::readImage(image);
  ASSERT_TRUE(other);
  other->manifest["target"] = "ixp2800";
  ASSERT_TRUE(target::writeImage(path("ixp2800.ixp"), *other));
  EXPECT_EQ(ixpsim(path("ixp2800.ixp") + " --quiet --trace=" + trace +
                   " --stats=" + path("s.json")),
            0)
      << text;
  auto stats = nlohmann::json::parse(bytesOf(path("s.json")));
  EXPECT_EQ(stats["clock_hz"], 1400000000);
  EXPECT_EQ(stats["microengines"].size(), 16u);
  EXPECT_EQ(stats["units"]["sram"].size(), 4u);
  EXPECT_EQ(stats["units"]["dram"]["bank_utilization"].size(), 12u);

  std::ofstream(path("slow.chip")) << "# half the clock\n"
                                      "me.clock_hz=300000000 sram.latency=45\n";
  EXPECT_EQ(ixpsim("--describe --chip=" + path("slow.chip")), 0);
  EXPECT_NE(text.find("me.clock_hz=300000000"), std::string::npos) << text;
}

TEST_F(IxpsimTest, AConfigurationThatDoesNotFitTheImageIsRejected) {
  EXPECT_EQ(ixpsim("--describe --chip=ixp9"), 2);
  EXPECT_NE(text.find("ixp2400-400"), std::string::npos) << text;
  EXPECT_EQ(ixpsim(image + " --quiet --trace=" + trace + " --chip=ixp1200"), 1);
  EXPECT_NE(text.find("E-sim-ixp-016"), std::string::npos) << text;
  EXPECT_EQ(ixpsim(image + " --quiet --trace=" + trace + " --chip=ixp2800"), 1);
  EXPECT_NE(text.find("clusters of 8: compile it"), std::string::npos) << text;
}

TEST_F(IxpsimTest, ARingThatCouldOverflowIsRejected) {
  std::string run = image + " --quiet --trace=" + trace;
  EXPECT_EQ(ixpsim(run + " --set=ring.full_part=8"), 1);
  EXPECT_NE(text.find("ring tx of the image has 512 words, and puts of 128"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("the chip leaves 64 (ring.full_part=8, bus.inlet=16)"),
            std::string::npos)
      << text;
  EXPECT_EQ(ixpsim(run + " --set=ring.full_part=3"), 0) << text;
  EXPECT_EQ(ixpsim(run + " --set=bus.inlet=17"), 1);
  EXPECT_NE(text.find("ring tx of the image has 512 words, and puts of 130"),
            std::string::npos)
      << text;
  EXPECT_EQ(ixpsim(run + " --set=bus.inlet=8"), 0) << text;
}

TEST_F(IxpsimTest, ReportsAFileThatCannotBeWritten) {
  EXPECT_EQ(ixpsim(image + " --quiet --trace=" + trace +
                   " --stats=/nonexistent/s.json"),
            1);
  EXPECT_NE(text.find("/nonexistent/s.json"), std::string::npos) << text;
}
