// The file with a machine's figures.

#include "codegen-x86/model/Machine.h"
#include <cstdlib>
#include <gmock/gmock.h>

using namespace karakal;
using namespace karakal::x86;
using testing::HasSubstr;

namespace {

Machine someMachine() {
  Machine machine;
  machine.processor = "Some (R) CPU 3.5GHz";
  machine.instructionNs = 0.125;
  machine.mispredictionNs = 4;
  machine.memory = {{32768, 1, 0.5}, {1 << 27, 170, 8}};
  machine.burst = {{1, 30}, {32, 12}};
  machine.cut = {{2, 8}, {32, 3}};
  return machine;
}

std::string without(std::string text, const std::string &key) {
  size_t at = text.find('"' + key + '"');
  EXPECT_NE(at, std::string::npos) << key;
  return text.replace(at, key.size() + 2, "\"other\"");
}

TEST(MachineFile, ReadsWhatItWrote) {
  std::string text = machineText(someMachine());
  auto read = parseMachine(text, "m.json");
  ASSERT_TRUE(read) << read.error().str();
  EXPECT_EQ(machineText(*read), text);
  EXPECT_EQ(read->memory[1].bytes, uint64_t(1) << 27);
  EXPECT_EQ(read->cut[1].ns, 3);
}

TEST(MachineFile, SaysWhatIsWrong) {
  auto fault = [](const std::string &text) {
    auto read = parseMachine(text, "m.json");
    return read ? "" : read.error().str();
  };
  std::string good = machineText(someMachine());
  for (const char *key : {"schema", "processor", "instruction_ns", "memory",
                          "latency_ns", "burst_ns", "cut_ns", "packets"})
    EXPECT_THAT(fault(without(good, key)),
                HasSubstr("m.json: error: no figures of a machine: '" +
                          std::string(key) + "'"));
  EXPECT_THAT(fault("{"), HasSubstr("not JSON"));
  EXPECT_THAT(fault("[]"), HasSubstr("not an object"));
  EXPECT_THAT(fault(good), testing::IsEmpty());
  Machine machine = someMachine();
  machine.cut = {};
  EXPECT_THAT(fault(machineText(machine)), HasSubstr("at least 1"));
  machine = someMachine();
  std::swap(machine.burst[0], machine.burst[1]);
  EXPECT_THAT(fault(machineText(machine)), HasSubstr("must ascend"));
  EXPECT_THAT(fault(machineText(machine)), HasSubstr("bakerc --calibrate"));
}

TEST(MachineFile, AMissingOneTellsTheRemedy) {
  auto read = readMachine("/nowhere/machine.json");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().id, "E-codegen-x86-001");
  EXPECT_THAT(read.error().str(), HasSubstr("bakerc --calibrate"));
}

TEST(MachineFile, LiesInTheCacheFolderByTheNameOfTheProcessor) {
  setenv("XDG_CACHE_HOME", "/tmp/c", 1);
  EXPECT_EQ(machinePath("Some (R) CPU 3.5GHz"),
            "/tmp/c/karakal/machine-1-some-r-cpu-3-5ghz.json");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/home/u", 1);
  EXPECT_EQ(machinePath("X"), "/home/u/.cache/karakal/machine-1-x.json");
  EXPECT_FALSE(processorName().empty());
}

} // namespace
