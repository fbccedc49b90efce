// What a program's packets add to the load of memories.

#include "passes/memory/UnitLoads.h"
#include "ir/dialect/Attributes.h"
#include "target-ixp/microcode/InstructionCost.h"
#include "tests/ir/ModuleText.h"

using namespace karakal;
using target::Memory;
using target::SharedUnit;

namespace {

const target::ChipParameters chip;

class UnitLoads : public ir::ModuleText {
protected:
  /// The load of a module with these functions.
  std::map<Memory, double> of(const std::string &functions,
                              bool usesDescriptors = true) {
    parse(R"(
      module attributes {baker.profile = {received = 100 : i64,
                                          traces = 1 : i64}} {
        baker.protocol @p min_bytes 14 [#baker.protocol_field<"type" at 96 : 16>]
        )" +
          functions + "\n}");
    return passes::unitLoads(*module, chip, usesDescriptors);
  }

  static std::string ppf(const std::string &body,
                         const std::string &attributes = "") {
    return "baker.channel @rx : \"p\" from \"rx\" to @f\n"
           "func.func @f(%p: !baker.packet<\"p\">) attributes {baker.kind = "
           "#baker.kind<ppf>" +
           attributes + "} {\n" + body + "return\n}\n";
  }

  static inline const std::string read =
      "%r = baker.packet_read %p \"type\" : !baker.packet<\"p\"> -> i16\n";
  static inline const std::string write =
      "%c = arith.constant 1 : i16\n"
      "baker.packet_write %c, %p \"type\" : i16, !baker.packet<\"p\">\n";

  static double busy(SharedUnit unit, uint64_t words) {
    return target::commandCost(chip, unit, target::CommandKind::Memory,
                               unsigned(words))
        .busy;
  }
  /// A header is read or written in two bursts.
  static double header() {
    return busy(SharedUnit::Dram, 2 * chip.dramBurstQuads);
  }
  static double descriptor() { return busy(SharedUnit::Sram0, 1); }

  /// What the functions add to an empty program.
  void expectAdded(const std::string &functions, double headers,
                   double descriptors, bool usesDescriptors = true) {
    auto none = of("", usesDescriptors), some = of(functions, usesDescriptors);
    EXPECT_NEAR(some[Memory::Dram] - none[Memory::Dram], headers * header(),
                1e-9);
    EXPECT_NEAR(some[Memory::Sram0] - none[Memory::Sram0],
                descriptors * descriptor(), 1e-9);
    EXPECT_EQ(some[Memory::Scratch], none[Memory::Scratch]);
  }
};

TEST_F(UnitLoads, APpfReadsAndWritesTheDescriptorOfEachPacket) {
  expectAdded(ppf(""), 0, 2);
  expectAdded(ppf(""), 0, 0, /*usesDescriptors=*/false);
}

TEST_F(UnitLoads, AHeaderIsReadOnceAndWrittenOnce) {
  expectAdded(ppf(read), 1, 2);
  expectAdded(ppf(write), 1, 2);
  expectAdded(ppf(read + write), 2, 2);
  expectAdded(ppf(read + "%s = baker.packet_read %p \"type\" : "
                         "!baker.packet<\"p\"> -> i16\n"),
              1, 2);
}

TEST_F(UnitLoads, APpfCountsByItsShareOfThePackets) {
  expectAdded(ppf(read + write, ", baker.profile = {packets = 25 : i64}"), 0.5,
              0.5);
  expectAdded(ppf(read, ", baker.profile = {packets = 0 : i64}"), 0, 0);
  expectAdded(ppf(read, ", baker.profile = {packets = 200 : i64}"), 2, 4);
}

TEST_F(UnitLoads, OnlyPpfsCountThatAreNotCold) {
  expectAdded(ppf(read, ", " + std::string(ir::coldAttrName)), 0, 0);
  expectAdded("func.func @g(%p: !baker.packet<\"p\">) {\n" + read +
                  "return\n}\n",
              0, 0);
}

TEST_F(UnitLoads, WhatAPpfCallsIsAPartOfIt) {
  expectAdded("func.func @g(%p: !baker.packet<\"p\">) {\n" + write +
                  "return\n}\n" +
                  ppf(read + "call @g(%p) : (!baker.packet<\"p\">) -> ()\n"),
              2, 2);
}

TEST_F(UnitLoads, PollsAndTheRuntimeOccupyMemoriesWithoutAProgram) {
  auto none = of("");
  EXPECT_EQ(none.size(), 3u);
  // Each packet is a message on two rings, beside what the runtime takes.
  EXPECT_GT(none[Memory::Scratch], 2 * busy(SharedUnit::Scratch, 2));
  EXPECT_GT(none[Memory::Sram0], 0);
  EXPECT_GT(none[Memory::Dram], 0);
}

} // namespace
