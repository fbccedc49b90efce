// Programs of the baker dialect on x86.
//
// The passes for the host lower a program, which then runs over a trace. It has
// fields, metadata, globals wider than a word, control and init functions, and
// channels as calls and as rings.

#include "driver/RunOnHost.h"
#include "host/Instrument.h"
#include "host/profile/FunctionalProfile.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "tests/ir/ModuleText.h"
#include "traces/TraceWriter.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <fstream>

using namespace karakal;

namespace {

/// Frames of port 0 go to the cold PPF, which drops them. The others get the
/// address of the receiving port as source address and leave by that port.
const char *Program = R"(
module @demo {
  baker.protocol @ether min_bytes 14 constant_size
    [#baker.protocol_field<"dst" at 0 : 48>,
     #baker.protocol_field<"src" at 48 : 48>,
     #baker.protocol_field<"type" at 96 : 16>]
  baker.drop_reason @mine
  baker.metadata @mark : i48
  baker.global @m.mac : !baker.array<4 x i48>
  baker.global @m.start : i16 init [258]
  baker.channel @rx : "ether" from "rx" to @m.first.in_cc
  baker.channel @m.first.cold_cc : "ether" from "m.first" to @m.cold.in_cc
  baker.channel @m.first.out_cc : "ether" from "m.first" to @tx
  func.func @m.first.in_cc(%ph: !baker.packet<"ether">)
      attributes {baker.kind = #baker.kind<ppf>} {
    %port = baker.meta_read %ph @rx.port : !baker.packet<"ether"> -> i8
    %zero = arith.constant 0 : i8
    %isZero = arith.cmpi eq, %port, %zero : i8
    cf.cond_br %isZero, ^cold, ^back
  ^cold:
    baker.channel_put @m.first.cold_cc, %ph : !baker.packet<"ether">
    return
  ^back:
    %index = arith.extui %port : i8 to i32
    %all = baker.global_ref @m.mac : !baker.ref<!baker.array<4 x i48>>
    %one = baker.element %all[%index] : !baker.ref<!baker.array<4 x i48>>
    %mac = baker.load %one : !baker.ref<i48>
    baker.meta_write %mac, %ph @mark : i48, !baker.packet<"ether">
    %mark = baker.meta_read %ph @mark : !baker.packet<"ether"> -> i48
    baker.packet_write %mark, %ph "src" : i48, !baker.packet<"ether">
    %ref = baker.global_ref @m.start : !baker.ref<i16>
    %type = baker.load %ref : !baker.ref<i16>
    baker.packet_write %type, %ph "type" : i16, !baker.packet<"ether">
    baker.meta_write %port, %ph @tx.port : i8, !baker.packet<"ether">
    baker.channel_put @m.first.out_cc, %ph : !baker.packet<"ether">
    return
  }
  func.func @m.cold.in_cc(%ph: !baker.packet<"ether">)
      attributes {baker.kind = #baker.kind<ppf>, baker.cold} {
    baker.packet_drop %ph reason @mine : !baker.packet<"ether">
    return
  }
  func.func @m.set(%i: i8 {baker.name = "port", baker.type = "u8"},
                   %v: i48 {baker.name = "mac", baker.type = "u48"})
      -> (i32 {baker.type = "s32"}) attributes {baker.kind = #baker.kind<control>} {
    %index = arith.extui %i : i8 to i32
    %all = baker.global_ref @m.mac : !baker.ref<!baker.array<4 x i48>>
    %one = baker.element %all[%index] : !baker.ref<!baker.array<4 x i48>>
    baker.store %v, %one : !baker.ref<i48>
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
}
)";

class RunTest : public ir::ModuleText {
protected:
  RunTest() {
    context.loadDialect<mlir::LLVM::LLVMDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(Program, &context);
    KARAKAL_ASSERT(module, "the program parses");
    std::vector<traces::Packet> frames(8);
    for (traces::Packet &frame : frames)
      frame.bytes.assign(64, 0xee);
    inputs.trace = testing::TempDir() + "host-run-test.pcap";
    inputs.control = testing::TempDir() + "host-run-test.control";
    KARAKAL_ASSERT(bool(traces::writeTrace(inputs.trace, frames, 4)),
                   "a trace can be written");
    std::ofstream(inputs.control) << "set(1, 02:00:00:00:00:01)\n"
                                     "set(3, 02:00:00:00:00:03)\n"
                                     "@packet 5 set(1, 02:00:00:00:00:11)\n";
  }

  driver::HostInputs inputs;
};

TEST_F(RunTest, TheProgramRunsOnX86) {
  auto run = driver::runOnHost(*module, inputs);
  ASSERT_TRUE(bool(run)) << run.error().str();
  EXPECT_EQ(run->packets.received, 8u);
  EXPECT_EQ(run->packets.forwarded, 6u);
  EXPECT_EQ(run->packets.consumed, 2u);
  EXPECT_EQ(run->packets.toXScale, 2u);
  ASSERT_EQ(run->transmitted.size(), 6u);
  auto sourceOf = [&](size_t index) {
    const std::vector<uint8_t> &bytes = run->transmitted[index].bytes;
    return std::vector<uint8_t>(bytes.begin() + 6, bytes.begin() + 14);
  };
  using Bytes = std::vector<uint8_t>;
  EXPECT_EQ(run->transmitted[0].port, 1u);
  EXPECT_EQ(sourceOf(0), (Bytes{2, 0, 0, 0, 0, 1, 1, 2}));
  EXPECT_EQ(sourceOf(1), (Bytes{0, 0, 0, 0, 0, 0, 1, 2}));
  EXPECT_EQ(sourceOf(3), (Bytes{2, 0, 0, 0, 0, 0x11, 1, 2}));
  EXPECT_EQ(run->transmitted[0].bytes[0], 0xee);
  EXPECT_EQ(run->transmitted[0].bytes[14], 0xee);
}

TEST_F(RunTest, CountersIncludeChannelsAndGlobals) {
  ASSERT_TRUE(bool(driver::profileProgram(*module, {inputs, {}, ""})));
  EXPECT_THAT(host::eventCounts(*module),
              testing::ElementsAre(testing::Pair("channel m.first.cold_cc", 2),
                                   testing::Pair("channel m.first.out_cc", 6),
                                   testing::Pair("read m.mac", 6),
                                   testing::Pair("read m.start", 6)));
}

TEST_F(RunTest, TheProfileStaysOnTheProgram) {
  ASSERT_TRUE(bool(driver::profileProgram(*module, {inputs, {}, ""})));
  auto packetsOf = [&](const char *symbol) {
    return ir::profilePacketsOf(
        module->lookupSymbol<mlir::func::FuncOp>(symbol));
  };
  EXPECT_EQ(packetsOf("m.first.in_cc"), 8u);
  EXPECT_EQ(packetsOf("m.cold.in_cc"), 2u);
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*module)));
}

/// The profile of one run over the trace.
host::Profile profileOf(mlir::ModuleOp module,
                        const driver::HostInputs &inputs) {
  auto run = driver::runOnHost(module, inputs);
  KARAKAL_ASSERT(bool(run), "the program runs");
  return host::makeProfile(module, *run);
}

TEST_F(RunTest, TheProfileCountsBranchesGlobalsAndPacketOperations) {
  ASSERT_TRUE(bool(driver::profileProgram(*module, {inputs, {}, ""})));
  EXPECT_EQ(ir::profileOf(*module)->received, 8u);
  auto first = module->lookupSymbol<mlir::func::FuncOp>("m.first.in_cc");
  ir::FunctionProfile function = *ir::profileOf(first);
  EXPECT_EQ(function.packetWrites, 12u);
  EXPECT_EQ(function.metaReads, 8u + 6);
  EXPECT_EQ(function.metaWrites, 12u);
  EXPECT_EQ(function.puts, 8u);
  EXPECT_GT(function.instructions, 8u * 100);
  mlir::Operation *branch = first.getBody().front().getTerminator();
  EXPECT_THAT(ir::branchCountsOf(branch), testing::ElementsAre(2, 6));
  EXPECT_DOUBLE_EQ(ir::branchProbability(branch, 0), 0.25);
  auto mac = *ir::profileOf(module->lookupSymbol<ir::GlobalOp>("m.mac"));
  EXPECT_EQ(mac.reads, 6u);
  EXPECT_EQ(mac.readWords, 12u);
  EXPECT_EQ(mac.writes, 0u);
  EXPECT_EQ(mac.updates, 1u);
  // All four addresses are one entry of at most 16 words.
  EXPECT_DOUBLE_EQ(mac.hitRate(1), 5.0 / 6);
}

TEST_F(RunTest, ProfilesMergeAndSurviveTheirText) {
  host::Profile one = profileOf(*module, inputs), two = one;
  ASSERT_TRUE(bool(host::merge(two, one)));
  EXPECT_EQ(two.received, 16u);
  EXPECT_EQ(two.traces, 2u);
  std::string text = host::profileText(two);
  auto read = host::parseProfile(text, "p");
  ASSERT_TRUE(bool(read)) << read.error().str();
  EXPECT_EQ(host::profileText(*read), text);
  ASSERT_EQ(read->globals.size(), two.globals.size());
  for (size_t i = 0; i < two.globals.size(); ++i)
    EXPECT_EQ(read->globals[i].hits, two.globals[i].hits);
  ASSERT_TRUE(bool(host::annotate(*module, *read)));
  EXPECT_EQ(
      ir::profileOf(module->lookupSymbol<mlir::func::FuncOp>("m.cold.in_cc"))
          ->packets,
      4u);
}

TEST_F(RunTest, AStaleProfileIsRefusedWithAReason) {
  host::Profile profile = profileOf(*module, inputs);
  auto cold = module->lookupSymbol<mlir::func::FuncOp>("m.cold.in_cc");
  cold.walk([](ir::PacketDropOp drop) { drop.removeReasonAttr(); });
  Status done = host::annotate(*module, profile);
  ASSERT_FALSE(bool(done));
  EXPECT_EQ(done.error().id, "E-host-008");
  EXPECT_THAT(done.error().message,
              testing::HasSubstr("function m.cold.in_cc has changed"));
}

TEST_F(RunTest, ProfilesOfDifferentProgramsDoNotMerge) {
  host::Profile one = profileOf(*module, inputs), two = one;
  two.functions.front().shape ^= 1;
  Status done = host::merge(one, two);
  ASSERT_FALSE(bool(done));
  EXPECT_EQ(done.error().id, "E-host-007");
}

TEST_F(RunTest, ADamagedProfileNamesItsLine) {
  std::string text = host::profileText(profileOf(*module, inputs));
  for (const char *damage : {"x", "  blocks -1", "  hits 1 2", "branch 1"}) {
    auto read = host::parseProfile(text + damage + "\n", "file.profile");
    bool isLegal = std::string(damage) == "branch 1";
    EXPECT_EQ(bool(read), isLegal) << damage;
    if (read)
      EXPECT_EQ(host::annotate(*module, *read).error().id, "E-host-008");
    else
      EXPECT_EQ(read.error().file, "file.profile");
  }
}

TEST(LocalityTest, OnePassCountsTheHitsOfEverySize) {
  host::LruStack stack;
  for (uint32_t round = 0; round < 3; ++round)
    for (uint32_t line = 0; line < 5; ++line)
      stack.access(line);
  EXPECT_EQ(stack.hits(4), 0u);
  EXPECT_EQ(stack.hits(5), 10u);
  EXPECT_EQ(stack.hits(64), 10u);
}

TEST(LocalityTest, LinesBeyondTheStackAreEvicted) {
  host::LruStack stack;
  for (uint32_t round = 0; round < 2; ++round)
    for (uint32_t line = 0; line < 100; ++line)
      stack.access(line);
  EXPECT_EQ(stack.hits(64), 0u);
  stack.access(99);
  stack.access(36);
  EXPECT_EQ(stack.hits(64), 2u);
}

TEST_F(RunTest, AMissingTraceIsAnError) {
  inputs.trace = testing::TempDir() + "no-such-trace.pcap";
  auto run = driver::runOnHost(*module, inputs);
  ASSERT_FALSE(bool(run));
  EXPECT_EQ(run.error().file, inputs.trace);
}

} // namespace
