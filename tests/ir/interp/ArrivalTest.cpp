// Packets on rings: the engine's program takes those of the rings that it
// reads.

#include "ir/dialect/Baker.h"
#include "ir/interp/Interpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

using namespace karakal::ir;

namespace {

/// An engine's program that reads ring 0 and ring 5 and drops each packet.
const char *const program = R"(
  baker.protocol @p min_bytes 4 []
  func.func private @__ixp_scratch_get2(i32) -> (i32, i32)
  func.func private @__ixp_sleep(i32)
  func.func @me_main() {
    %zero = arith.constant 0 : i32
    %five = arith.constant 5 : i32
    %cycles = arith.constant 32 : i32
    cf.br ^loop
  ^loop:
    %a:2 = func.call @__ixp_scratch_get2(%zero) : (i32) -> (i32, i32)
    %no = arith.cmpi eq, %a#0, %zero : i32
    cf.cond_br %no, ^other, ^first
  ^first:
    %ph = baker.packet_take %a#0, %a#1 from_rx : !baker.packet<"p">
    baker.packet_drop %ph : !baker.packet<"p">
    cf.br ^loop
  ^other:
    %b:2 = func.call @__ixp_scratch_get2(%five) : (i32) -> (i32, i32)
    %none = arith.cmpi eq, %b#0, %zero : i32
    cf.cond_br %none, ^idle, ^second
  ^idle:
    func.call @__ixp_sleep(%cycles) : (i32) -> ()
    cf.br ^loop
  ^second:
    %qh = baker.packet_take %b#0, %b#1 : !baker.packet<"p">
    baker.packet_drop %qh : !baker.packet<"p">
    cf.br ^loop
  })";

class Arrivals : public testing::Test {
protected:
  Arrivals() {
    context
        .loadDialect<BakerDialect, mlir::arith::ArithDialect,
                     mlir::cf::ControlFlowDialect, mlir::func::FuncDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(program, &context);
  }

  /// The run of a packet on each of these rings.
  RunResult run(const std::vector<uint32_t> &rings) {
    Stimulus stimulus;
    for (uint32_t ring : rings) {
      Arrival arrival;
      arrival.ring = ring;
      arrival.packet.bytes = std::vector<uint8_t>(60, 1);
      stimulus.packets.push_back(arrival);
    }
    return interpret(*module, stimulus);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(Arrivals, OnTheRingsOfTheProgramAreTaken) {
  ASSERT_TRUE(module);
  const RunResult result = run({0, 5, 0});
  EXPECT_EQ(result.unknown, "");
  EXPECT_EQ(result.packetCount, 3u);
  EXPECT_EQ(result.events.size(), 3u);
}

TEST_F(Arrivals, OnOtherRingsAreSkippedAndNotCounted) {
  const RunResult result = run({0, 6, 1});
  EXPECT_EQ(result.unknown, "");
  EXPECT_EQ(result.packetCount, 1u);
  EXPECT_EQ(result.events.size(), 1u);
}

} // namespace
