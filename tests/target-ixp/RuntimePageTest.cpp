// docs/runtime.md says the numbers of the memory map.
//
// Each sentence is made from the map's constants and must stand in the page, so
// that neither changes alone.

#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/Punts.h"
#include "target-ixp/chip/RingLayout.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

namespace karakal::target {
namespace {

using ::testing::HasSubstr;

/// The page as one line.
std::string page() {
  std::ifstream stream(KARAKAL_SOURCE_DIR "/docs/runtime.md");
  EXPECT_TRUE(bool(stream));
  std::string text;
  for (std::string word; stream >> word;)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

/// A number as the page writes it, such as "2,176" and "0x3AFF".
std::string decimal(uint32_t number) {
  std::string digits = std::to_string(number);
  for (size_t place = digits.size(); place > 3;)
    digits.insert(place -= 3, ",");
  return digits;
}
std::string hexadecimal(uint32_t number) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%X", number);
  return text;
}

TEST(RuntimePage, SaysWherePacketsLie) {
  std::string text = page();
  EXPECT_THAT(text, HasSubstr("a buffer of " + decimal(BufferBytes) +
                              " bytes in DRAM and a descriptor of " +
                              decimal(DescriptorWords) + " words in SRAM"));
  EXPECT_THAT(text, HasSubstr("Buffers begin every " + decimal(BufferStride) +
                              " bytes and descriptors every " +
                              decimal(HandleStep) + " words"));
  EXPECT_THAT(text,
              HasSubstr("`handle << " + decimal(HandleToDramShift) + "`"));
  EXPECT_THAT(text, HasSubstr("begins at byte " + decimal(BufferHeadroom) +
                              " of its buffer"));
  EXPECT_THAT(text, HasSubstr("| " + decimal(DescriptorMetadata) + "–" +
                              decimal(DescriptorWords - 1) +
                              " | the program's metadata"));
}

TEST(RuntimePage, SaysWhereGlobalsAndCountersLie) {
  std::string text = page();
  EXPECT_THAT(text, HasSubstr("in scratch (bytes `" +
                              hexadecimal(ScratchGlobalsBase) + "` to `" +
                              hexadecimal(ScratchGlobalsEnd - 1) + "`)"));
  EXPECT_THAT(text, HasSubstr("in SRAM (channel 0 from `" +
                              hexadecimal(Sram0GlobalsBase) + "` on)"));
  EXPECT_THAT(text, HasSubstr("in DRAM (from `" + hexadecimal(DramGlobalsBase) +
                              "` on)"));
  EXPECT_THAT(text, HasSubstr("in the table at scratch byte `" +
                              hexadecimal(DropCounterBase) + "`"));
  EXPECT_THAT(text, HasSubstr("scratch from byte `" +
                              hexadecimal(PuntStateBase) + "` on"));
}

TEST(RuntimePage, SaysTheSizesOfRings) {
  std::string text = page();
  for (auto [ring, name] :
       {std::pair{RingRx, "`rx`"}, std::pair{RingTx, "`tx`"},
        std::pair{RingToXScale, "`to_xscale`"},
        std::pair{RingFromXScale, "`from_xscale`"}})
    EXPECT_THAT(text, testing::ContainsRegex(
                          std::string("\\| ") + name + " \\| [^|]+ \\| " +
                          decimal(scratchRing(ring).words) + " \\|"));
}

} // namespace
} // namespace karakal::target
