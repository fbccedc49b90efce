// Tests of the chip parameters, their settings, and the memory map.

#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/InstructionTable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

using namespace karakal;
using namespace karakal::target;
using testing::HasSubstr;

namespace {

TEST(ChipParameters, ASettingChangesAParameter) {
  ChipParameters chip;
  EXPECT_EQ(chip.sramLatency, 90u);
  ASSERT_TRUE(setParameter(chip, "sram.latency=150"));
  EXPECT_EQ(chip.sramLatency, 150u);
  ASSERT_TRUE(setParameter(chip, "sram.latency=0x20"));
  EXPECT_EQ(chip.sramLatency, 32u);
}

TEST(ChipParameters, InvalidSettingsAreRejected) {
  ChipParameters chip;
  const std::pair<const char *, const char *> wrong[] = {
      {"sram.latency", "E-target-ixp-090"},
      {"=5", "E-target-ixp-090"},
      {"sram.latency=", "E-target-ixp-090"},
      {"sram.latency=fast", "E-target-ixp-090"},
      {"sram.latency=-1", "E-target-ixp-090"},
      {"sram.latency=99999999999999999999", "E-target-ixp-090"},
      {"sram.speed=5", "E-target-ixp-091"},
      {"sram.latency=0", "E-target-ixp-092"},
      {"ports.count=17", "E-target-ixp-092"},
      {"dram.ecc=2", "E-target-ixp-092"}};
  for (const auto &[text, id] : wrong) {
    Status status = setParameter(chip, text);
    ASSERT_FALSE(status) << text;
    EXPECT_EQ(status.error().id, id) << text;
  }
  EXPECT_EQ(chip.sramLatency, 90u);
}

TEST(ChipParameters, AnErrorNamesTheValuesThatAreAllowed) {
  ChipParameters chip;
  EXPECT_THAT(setParameter(chip, "ports.count=17").error().message,
              HasSubstr("must be between 1 and 4 ports, not 17"));
  EXPECT_THAT(setParameter(chip, "dram.ecc=2").error().message,
              HasSubstr("'dram.ecc' must be 0 or 1, not 2"));
}

TEST(ChipParameters, DefaultsAreWithinTheirLimits) {
  std::set<std::string> names;
  ChipParameters chip;
  for (const ChipParameterRow &parameter : chipParameterTable()) {
    EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
    EXPECT_EQ(chip.*parameter.member, parameter.defaultValue);
    EXPECT_LE(parameter.least, parameter.defaultValue) << parameter.name;
    EXPECT_GE(parameter.most, parameter.defaultValue) << parameter.name;
    EXPECT_THAT(describeParameters(), HasSubstr(parameter.name));
  }
  EXPECT_EQ(chip.scratchBytes, ScratchBytes);
  EXPECT_EQ(chip.sramBytes, SramChannelBytes);
  EXPECT_EQ(chip.dramBytes, DramBytes);
}

TEST(MemoryMap, RegionsDoNotOverlap) {
  EXPECT_LE(bufferAddress(handleOfBuffer(BufferCount - 1)) + BufferBytes,
            DramGlobalsBase);
  EXPECT_LE(DramGlobalsBase, XScaleBase);
  EXPECT_GE(BufferStride, BufferBytes);
  EXPECT_EQ(bufferAddress(handleOfBuffer(1)) - BufferDramBase, BufferStride);
  EXPECT_GE(DescriptorBytes, 4 * DescriptorWords);
  EXPECT_LT(RingFreeLast, StatusRingCount);
  EXPECT_LE(ScratchRingsEnd, ScratchGlobalsBase);
  EXPECT_LE(ScratchGlobalsEnd, RxPacketsCounter);
  EXPECT_EQ(DropCounterBase + DropCounterCount * 4, ScratchBytes);
  EXPECT_LE(handleOfBuffer(BufferCount), HandleMask);
  for (uint32_t cluster : {4u, 8u})
    for (uint32_t engine = 0; engine < 2 * cluster; ++engine)
      EXPECT_EQ(engineIndex(engineHardwareNumber(engine, cluster), cluster),
                engine);
}

/// Without a hash of the bank's number: any power of two banks and block bytes,
/// and the three channels of an IXP2800.
TEST(MemoryMap, TheHeadersOfPacketsLieInAllBanksAlike) {
  for (uint32_t banks = 2; banks <= 16; banks *= 2)
    for (uint32_t block = 128; block <= 1024; block *= 2) {
      std::vector<uint32_t> packets(banks), ofChannel(3);
      for (uint32_t i = 0; i < BufferCount; ++i) {
        uint32_t at = bufferAddress(handleOfBuffer(i)) + BufferHeadroom;
        ++packets[at / block % banks];
        ++ofChannel[at / 128 % 3];
      }
      for (uint32_t count : packets)
        EXPECT_EQ(count, BufferCount / banks) << banks << " of " << block;
      for (uint32_t count : ofChannel)
        EXPECT_NEAR(count, BufferCount / 3, 1);
    }
}

TEST(LocalCsr, NamesAndNumbersAgree) {
  EXPECT_EQ(findLocalCsr("active_lm_addr_0"), 0x64);
  EXPECT_STREQ(localCsrName(0x108), "SAME_ME_SIGNAL");
  EXPECT_EQ(findLocalCsr("nonsense"), -1);
  EXPECT_EQ(findInputState("SCR_Ring1_Status"), 3);
  for (unsigned state = 0; state < 16; ++state)
    EXPECT_EQ(findInputState(inputStateName(state)), static_cast<int>(state));
}

} // namespace
