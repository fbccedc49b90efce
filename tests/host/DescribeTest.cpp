// The description and the counters of a program.

#include "host/Describe.h"
#include "host/Instrument.h"
#include "host/parts/ExtractPart.h"
#include "ir/dialect/Attributes.h"
#include "mlir/IR/Verifier.h"
#include "tests/ir/ModuleText.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace karakal;
using testing::ElementsAre;

namespace {

const char *Program = R"(
module @demo {
  baker.protocol @ether min_bytes 14 constant_size
    [#baker.protocol_field<"dst" at 0 : 48>,
     #baker.protocol_field<"src" at 48 : 48>,
     #baker.protocol_field<"type" at 96 : 16>]
  baker.drop_reason @mine
  baker.global @m.seen : !baker.array<4 x i32>
  baker.channel @rx : "ether" from "rx" to @m.first.in_cc
  baker.channel @m.first.slow_cc : "ether" from "m.first" to @m.cold.in_cc
      {baker.via = #baker.via<ring>, baker.ring = 2 : i32, baker.id = 3 : i32}
  baker.channel @m.first.out_cc : "ether" from "m.first" to @tx
  func.func @m.first.in_cc(%ph: !baker.packet<"ether">)
      attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<me>} {
    %port = baker.meta_read %ph @rx.port : !baker.packet<"ether"> -> i8
    %index = arith.extui %port : i8 to i32
    %all = baker.global_ref @m.seen : !baker.ref<!baker.array<4 x i32>>
    %seen = baker.element %all[%index] : !baker.ref<!baker.array<4 x i32>>
    %old = baker.load %seen : !baker.ref<i32>
    baker.store %old, %seen : !baker.ref<i32>
    %copy = baker.packet_copy %ph : !baker.packet<"ether">
    baker.channel_put @m.first.slow_cc, %copy : !baker.packet<"ether">
    baker.channel_put @m.first.out_cc, %ph : !baker.packet<"ether">
    return
  }
  func.func @m.cold.in_cc(%ph: !baker.packet<"ether">)
      attributes {baker.kind = #baker.kind<ppf>, baker.core = #baker.core<xscale>} {
    baker.packet_drop %ph reason @mine : !baker.packet<"ether">
    return
  }
  func.func @m.set(%v: i32 {baker.name = "value", baker.type = "s32"})
      -> (i32 {baker.type = "s32"}) attributes {baker.kind = #baker.kind<control>} {
    return %v : i32
  }
  func.func @m.start() attributes {baker.kind = #baker.kind<init>} {
    return
  }
}
)";

class DescribeTest : public ir::ModuleText {
protected:
  DescribeTest() {
    module = mlir::parseSourceString<mlir::ModuleOp>(Program, &context);
    KARAKAL_ASSERT(module, "the program parses");
  }
};

TEST_F(DescribeTest, NamesEntriesAndCores) {
  host::HostProgram program = host::describe(*module);
  EXPECT_EQ(program.name, "demo");
  EXPECT_EQ(program.rxEntry, "m.first.in_cc");
  ASSERT_EQ(program.ppfs.size(), 2u);
  EXPECT_EQ(program.ppfs[0].symbol, "m.first.in_cc");
  EXPECT_FALSE(program.ppfs[0].onXScale);
  EXPECT_TRUE(program.ppfs[1].onXScale);
  EXPECT_THAT(program.inits, ElementsAre("init.m.start"));
  EXPECT_THAT(program.dropReasons,
              ElementsAre("unspecified", "truncated", "no_port", "mine"));
}

TEST_F(DescribeTest, OnlyNumberedChannelsAreQueued) {
  host::HostProgram program = host::describe(*module);
  ASSERT_EQ(program.channels.size(), 1u);
  EXPECT_EQ(program.channels[0].id, 3u);
  EXPECT_EQ(program.channels[0].consumer, "m.cold.in_cc");
}

TEST_F(DescribeTest, ControlSignaturesKeepTheSourcesTypes) {
  host::HostProgram program = host::describe(*module);
  ASSERT_EQ(program.controls.size(), 1u);
  EXPECT_EQ(program.controls[0].symbol, "control.m.set");
  const traces::ControlSignature &signature = program.controls[0].signature;
  EXPECT_EQ(signature.name, "m.set");
  ASSERT_EQ(signature.params.size(), 1u);
  EXPECT_EQ(signature.params[0].name, "value");
  EXPECT_EQ(signature.params[0].type, "s32");
}

TEST_F(DescribeTest, APartHasItsFunctionsAndDeclaresOtherPpfs) {
  auto first = host::functionOf(*module, "m.first.in_cc");
  auto part = host::extractPart(*module, {first});
  auto find = [&](llvm::StringRef name) {
    return part->lookupSymbol<mlir::func::FuncOp>(name);
  };
  ASSERT_TRUE(find("m.first.in_cc") && find("m.cold.in_cc"));
  EXPECT_FALSE(find("m.first.in_cc").isExternal());
  EXPECT_TRUE(find("m.cold.in_cc").isExternal());
  EXPECT_FALSE(find("m.set"));
  EXPECT_TRUE(part->lookupSymbol("m.seen"));
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*part)));
}

TEST_F(DescribeTest, AWrapperIsThatOfAFunction) {
  EXPECT_EQ(host::functionOf(*module, "control.m.set").getSymName(), "m.set");
  EXPECT_EQ(host::functionOf(*module, "init.m.start").getSymName(), "m.start");
}

TEST_F(DescribeTest, EachBlockAndEachLoadHasACounter) {
  EXPECT_EQ(host::instrument(*module), 4u);
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*module)));
  unsigned adds = 0, loads = 0;
  module->walk([&](mlir::func::CallOp call) {
    adds += call.getCallee() == "baker_profile_add";
    loads += call.getCallee() == "baker_profile_load";
  });
  EXPECT_EQ(adds, 4u);
  EXPECT_EQ(loads, 1u);
}

} // namespace
