// Look-up functions, constant globals, references and estimated costs.

#include "ir/analysis/ConstantGlobals.h"
#include "ir/analysis/Lookups.h"
#include "ir/analysis/OperationCost.h"
#include "ir/analysis/References.h"
#include "tests/ir/ModuleText.h"

#include <gmock/gmock.h>

using namespace karakal::ir;
using ::testing::ElementsAre;

namespace {

class Analysis : public ModuleText {
protected:
};

//===----------------------------------------------------------------------===//
// Look-up functions
//===----------------------------------------------------------------------===//

class Lookups : public Analysis {
protected:
  /// Whether a function with this signature, kind and body is a look-up.
  bool isLookup(const std::string &signature, const std::string &body,
                const std::string &kind = "function") {
    parse("baker.global @a : i32\nbaker.global @b : i48\n"
          "func.func private @outside(i32) -> i32\n"
          "func.func @f" +
          signature + " attributes {baker.kind = #baker.kind<" + kind +
          ">} {\n" + body + "\n}");
    return !lookupsOf(*module).empty();
  }

  const std::string load = R"(
    %ref = baker.global_ref @a : !baker.ref<i32>
    %value = baker.load %ref : !baker.ref<i32>)";
  const std::string wide = R"(
    %ref48 = baker.global_ref @b : !baker.ref<i48>
    %value48 = baker.load %ref48 : !baker.ref<i48>)";
  const std::string giveBack = "\nreturn %value : i32";
};

TEST_F(Lookups, LoadGlobalsAndComputeOneWordFromOneWord) {
  EXPECT_TRUE(isLookup("(%key: i32) -> i32", load + giveBack));
  EXPECT_TRUE(isLookup("(%key: i8) -> i32", load + giveBack));
  EXPECT_FALSE(isLookup("(%key: i33) -> i32", load + giveBack));
  EXPECT_FALSE(isLookup("() -> i32", load + giveBack));
  EXPECT_FALSE(isLookup("(%key: i32, %b: i32) -> i32", load + giveBack));
  EXPECT_FALSE(isLookup("(%key: i32)", load + "\nreturn"));
  EXPECT_FALSE(
      isLookup("(%key: i32) -> i48", wide + "\nreturn %value48 : i48"));
}

TEST_F(Lookups, AreFunctionsOfTheProgramOnly) {
  EXPECT_FALSE(isLookup("(%key: i32) -> i32", load + giveBack, "control"));
}

TEST_F(Lookups, MustLoadAndHaveNoOtherEffect) {
  EXPECT_FALSE(isLookup("(%key: i32) -> i32", "return %key : i32"));
  EXPECT_FALSE(
      isLookup("(%key: i32) -> i32",
               load + "\nbaker.store %key, %ref : !baker.ref<i32>" + giveBack));
  EXPECT_FALSE(isLookup("(%key: i32) -> i32",
                        load +
                            "\n%other = func.call @outside(%key) : (i32) "
                            "-> i32" +
                            giveBack));
  EXPECT_TRUE(isLookup("(%key: i32) -> i32",
                       load + "\n%sum = arith.addi %key, %value : i32\n"
                              "cf.br ^end\n^end:\nreturn %sum : i32"));
}

TEST_F(Lookups, NameTheGlobalsThatTheyLoadOnceEach) {
  ASSERT_TRUE(isLookup("(%key: i32) -> i32", wide + load + R"(
    %again = baker.load %ref : !baker.ref<i32>)" +
                                                 giveBack));
  std::vector<std::string> names;
  for (GlobalOp global : globalsOf(lookupsOf(*module).front()))
    names.push_back(global.getSymName().str());
  EXPECT_THAT(names, ElementsAre("b", "a"));
}

//===----------------------------------------------------------------------===//
// Globals and functions
//===----------------------------------------------------------------------===//

TEST_F(Analysis, AGlobalThatNothingWritesIsConstant) {
  parse(R"(
    baker.global @read : !baker.array<4 x i32>
    baker.global @written : !baker.array<4 x i32>
    func.func @f(%i: i32) attributes {baker.kind = #baker.kind<function>} {
      %r = baker.global_ref @read : !baker.ref<!baker.array<4 x i32>>
      %re = baker.element %r[%i] : !baker.ref<!baker.array<4 x i32>>
      %value = baker.load %re : !baker.ref<i32>
      %w = baker.global_ref @written : !baker.ref<!baker.array<4 x i32>>
      %we = baker.element %w[%i] : !baker.ref<!baker.array<4 x i32>>
      baker.store %value, %we : !baker.ref<i32>
      return
    })");
  markConstantGlobals(*module);
  EXPECT_TRUE(isConstantGlobal(module->lookupSymbol<GlobalOp>("read")));
  EXPECT_FALSE(isConstantGlobal(module->lookupSymbol<GlobalOp>("written")));
}

TEST_F(Analysis, AStoreThroughAnUnknownReferenceMayWriteAnyGlobal) {
  parse(R"(
    baker.global @g : i32
    func.func @f(%ref: !baker.ref<i32>, %v: i32) attributes {baker.kind = #baker.kind<function>} {
      baker.store %v, %ref : !baker.ref<i32>
      return
    })");
  markConstantGlobals(*module);
  EXPECT_FALSE(isConstantGlobal(module->lookupSymbol<GlobalOp>("g")));
}

TEST_F(Analysis, ReachableFunctionsIncludeCallsOfCalls) {
  parse(R"(
    func.func @a() { func.call @b() : () -> () return }
    func.func @b() { func.call @c() : () -> () func.call @a() : () -> () return }
    func.func @c() { return }
    func.func @d() { func.call @a() : () -> () return })");
  std::vector<std::string> names;
  for (auto function :
       reachableFrom({module->lookupSymbol<mlir::func::FuncOp>("a")}))
    names.push_back(function.getSymName().str());
  EXPECT_THAT(names, ElementsAre("a", "b", "c"));
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// A printable cost: instructions, then commands of the packet and of globals.
std::vector<uint32_t> listed(const OperationCost &cost) {
  return {cost.instructions, cost.scratch, cost.sram, cost.dram, cost.global};
}

class Costs : public Analysis {
protected:
  /// The cost of the last operation before the return.
  std::vector<uint32_t> of(const std::string &operations) {
    parse(R"(
      baker.protocol @ether min_bytes 14 constant_size
        [#baker.protocol_field<"type" at 96 : 16>]
      baker.global @g : i32
      baker.global @h : i64
      func.func @f(%ph: !baker.packet<"ether">, %a: i32, %w: i64) attributes {baker.kind = #baker.kind<function>} {
        %r = baker.global_ref @g : !baker.ref<i32>
        %rw = baker.global_ref @h : !baker.ref<i64>
      )" + operations +
          "\nreturn }");
    auto function = module->lookupSymbol<mlir::func::FuncOp>("f");
    mlir::Operation *end = function.getBody().back().getTerminator();
    return listed(costOf(end->getPrevNode()));
  }
};

TEST_F(Costs, ArithmeticCostsAnInstructionAWord) {
  EXPECT_THAT(of("%x = arith.addi %a, %a : i32"), ElementsAre(1, 0, 0, 0, 0));
  EXPECT_THAT(of("%x = arith.addi %w, %w : i64"), ElementsAre(2, 0, 0, 0, 0));
  EXPECT_THAT(of("%x = arith.cmpi eq, %w, %w : i64"),
              ElementsAre(2, 0, 0, 0, 0));
  EXPECT_THAT(of("%x = arith.constant 7 : i32"), ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(of("%x = arith.extui %a : i32 to i64"),
              ElementsAre(0, 0, 0, 0, 0));
}

TEST_F(Costs, MultiplicationDivisionAndShiftsCostMore) {
  EXPECT_THAT(of("%x = arith.muli %a, %a : i32"), ElementsAre(6, 0, 0, 0, 0));
  EXPECT_THAT(of("%x = arith.muli %w, %w : i64"), ElementsAre(30, 0, 0, 0, 0));
  EXPECT_THAT(of("%x = arith.divui %a, %a : i32"),
              ElementsAre(150, 0, 0, 0, 0));
  EXPECT_THAT(of("%x = arith.remsi %w, %w : i64"),
              ElementsAre(500, 0, 0, 0, 0));
  EXPECT_THAT(of("%x = arith.shli %a, %a : i32"), ElementsAre(2, 0, 0, 0, 0));
  EXPECT_THAT(of("%x = arith.shrui %w, %w : i64"), ElementsAre(8, 0, 0, 0, 0));
}

TEST_F(Costs, ALoadOrStoreOfAGlobalIsOneCommand) {
  EXPECT_THAT(of("%x = baker.load %r : !baker.ref<i32>"),
              ElementsAre(3, 0, 0, 0, 1));
  EXPECT_THAT(of("%x = baker.load %rw : !baker.ref<i64>"),
              ElementsAre(4, 0, 0, 0, 1));
  EXPECT_THAT(of("baker.store %w, %rw : !baker.ref<i64>"),
              ElementsAre(4, 0, 0, 0, 1));
}

TEST_F(Costs, PacketOperationsAccessDescriptorAndBuffer) {
  EXPECT_THAT(of("%x = baker.packet_read %ph \"type\" : "
                 "!baker.packet<\"ether\"> -> i16"),
              ElementsAre(26, 0, 1, 1, 0));
  EXPECT_THAT(of("%x = baker.packet_length %ph : !baker.packet<\"ether\">"),
              ElementsAre(5, 0, 1, 0, 0));
  EXPECT_THAT(of("baker.packet_drop %ph : !baker.packet<\"ether\">"),
              ElementsAre(14, 1, 1, 0, 0));
}

} // namespace
