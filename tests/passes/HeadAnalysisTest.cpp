// The positions of heads: the lattice against the sets of numbers that it
// stands for, and its flow through operations and channels.

#include "passes/packets/HeadAnalysis.h"

#include "tests/passes/FunctionText.h"

using namespace mlir;

namespace karakal::passes {

/// As GoogleTest prints it.
static void PrintTo(const Residue &residue, std::ostream *stream) {
  std::string text;
  llvm::raw_string_ostream out(text);
  residue.print(out);
  *stream << text;
}

namespace {

Residue exactly(uint32_t value) { return Residue::exactly(value); }
Residue modulo(uint32_t modulus, uint32_t value) {
  return Residue::modulo(modulus, value);
}
const Residue top, unknown = Residue::unknown();

//===----------------------------------------------------------------------===//
// The lattice
//===----------------------------------------------------------------------===//

TEST(Residue, MeetKeepsThePowerOfTwoThatDividesTheDifference) {
  EXPECT_EQ(Residue::join(exactly(142), exactly(142)), exactly(142));
  EXPECT_EQ(Residue::join(exactly(128), exactly(144)), modulo(8, 0));
  EXPECT_EQ(Residue::join(exactly(142), exactly(138)), modulo(4, 2));
  EXPECT_EQ(Residue::join(exactly(138), exactly(142)), modulo(4, 2));
  EXPECT_EQ(Residue::join(exactly(142), exactly(128)), modulo(2, 0));
  EXPECT_EQ(Residue::join(exactly(142), exactly(143)), unknown);
  EXPECT_EQ(Residue::join(exactly(142), modulo(8, 6)), modulo(8, 6));
  EXPECT_EQ(Residue::join(modulo(8, 6), exactly(2)), modulo(4, 2));
  EXPECT_EQ(Residue::join(modulo(8, 6), modulo(4, 2)), modulo(4, 2));
  EXPECT_EQ(Residue::join(modulo(8, 6), unknown), unknown);
}

TEST(Residue, MeetWithANumberThatNoPathReachedIsTheOther) {
  EXPECT_EQ(Residue::join(top, exactly(142)), exactly(142));
  EXPECT_EQ(Residue::join(modulo(4, 2), top), modulo(4, 2));
  EXPECT_EQ(Residue::join(top, top), top);
}

TEST(Residue, SumsAndDifferencesKeepTheSmallerModulus) {
  EXPECT_EQ(exactly(128) + exactly(14), exactly(142));
  EXPECT_EQ(exactly(142) - exactly(4), exactly(138));
  EXPECT_EQ(modulo(8, 6) + exactly(4), modulo(8, 2));
  EXPECT_EQ(modulo(8, 2) - exactly(4), modulo(8, 6));
  EXPECT_EQ(modulo(8, 6) + modulo(4, 3), modulo(4, 1));
  EXPECT_EQ(modulo(4, 1) - modulo(8, 3), modulo(4, 2));
  EXPECT_EQ(exactly(142) + unknown, unknown);
  EXPECT_EQ(unknown - exactly(4), unknown);
}

TEST(Residue, ProductsGainFactorsOfTwo) {
  EXPECT_EQ(exactly(3) * exactly(14), exactly(42));
  EXPECT_EQ(unknown * exactly(4), modulo(4, 0));
  EXPECT_EQ(exactly(4) * unknown, modulo(4, 0));
  EXPECT_EQ(unknown * exactly(16), modulo(8, 0));
  EXPECT_EQ(unknown * exactly(6), modulo(2, 0));
  EXPECT_EQ(unknown * exactly(3), unknown);
  EXPECT_EQ(modulo(2, 1) * exactly(4), modulo(8, 4));
  EXPECT_EQ(modulo(4, 2) * modulo(4, 2), modulo(8, 4));
  EXPECT_EQ(modulo(2, 0) * modulo(2, 0), modulo(4, 0));
  EXPECT_EQ(modulo(2, 1) * modulo(2, 1), modulo(2, 1));
  EXPECT_EQ(unknown * exactly(0), exactly(0));
}

TEST(Residue, OfANumberThatNoPathReachedIsNotReachedEither) {
  EXPECT_EQ(top + exactly(1), top);
  EXPECT_EQ(exactly(1) - top, top);
  EXPECT_EQ(top * unknown, top);
}

TEST(Residue, EveryResultStandsForAllNumbersThatItMayBe) {
  std::vector<Residue> all = {unknown};
  for (uint32_t modulus : {2, 4, 8})
    for (uint32_t value = 0; value < modulus; ++value)
      all.push_back(modulo(modulus, value));
  for (uint32_t value : {0, 1, 2, 3, 6, 12, 40, 142})
    all.push_back(exactly(value));
  auto contains = [](const Residue &residue, uint32_t number) {
    return residue.isSet &&
           (residue.modulus == 0 ? residue.value == number
                                 : number % residue.modulus == residue.value);
  };
  for (const Residue &a : all)
    for (const Residue &b : all)
      for (uint32_t x = 0; x < 150; ++x)
        for (uint32_t y = 0; contains(a, x) && y < 150; ++y) {
          if (!contains(b, y))
            continue;
          ASSERT_TRUE(contains(a + b, x + y)) << x << " + " << y;
          ASSERT_TRUE(contains(a - b, x - y)) << x << " - " << y;
          ASSERT_TRUE(contains(a * b, x * y)) << x << " * " << y;
          ASSERT_TRUE(contains(Residue::join(a, b), x)) << x;
          ASSERT_TRUE(contains(Residue::join(a, b), y)) << y;
          ASSERT_EQ(Residue::join(a, b), Residue::join(b, a));
        }
}

TEST(Residue, IsPrintedAsItIs) {
  auto printed = [](const Residue &residue) {
    std::string text;
    llvm::raw_string_ostream out(text);
    residue.print(out);
    return text;
  };
  EXPECT_EQ(printed(top), "top");
  EXPECT_EQ(printed(exactly(142)), "142");
  EXPECT_EQ(printed(modulo(4, 6)), "2 mod 4");
}

TEST(Residue, IsAnAttributeIfSomethingIsKnown) {
  MLIRContext context;
  context.loadDialect<ir::BakerDialect>();
  EXPECT_FALSE(top.attribute(&context));
  EXPECT_FALSE(unknown.attribute(&context));
  // Nothing lies after the buffer's end.
  EXPECT_FALSE(exactly(2049).attribute(&context));
  for (const Residue &residue :
       {exactly(0), exactly(142), exactly(2048), modulo(8, 6), modulo(2, 1)}) {
    ASSERT_TRUE(residue.attribute(&context));
    EXPECT_EQ(Residue::of(residue.attribute(&context)), residue);
  }
  EXPECT_EQ(Residue::of(nullptr), unknown);
}

//===----------------------------------------------------------------------===//
// The flow
//===----------------------------------------------------------------------===//

class Heads : public FunctionText {
protected:
  /// The residue of what the operation with `t.n = 1` makes. `operations` may
  /// use %m, of which nothing is known, and the 8-bit %byte.
  Residue integer(const std::string &operations) {
    return after("func.func @f(%m: i32, %byte: i8, %c: i1) {\n"
                 "  %three = arith.constant 3 : i32\n"
                 "  %four = arith.constant 4 : i32\n" +
                 operations + "\n  return\n}");
  }

  /// The same of a packet; %ph is received, %lost has an unknown head.
  Residue packet(const std::string &operations) {
    return after(
        "baker.protocol @p min_bytes 14 []\n"
        "baker.protocol @q min_bytes 4 []\n"
        "func.func @f(%m: i32, %n: i32, %c: i1, %lost: !baker.packet<\"p\">) "
        "{\n  %four = arith.constant 4 : i32\n"
        "  %ph = baker.packet_take %m, %n from_rx : !baker.packet<\"p\">\n" +
        operations + "\n  return\n}");
  }

private:
  Residue after(const std::string &text) {
    parse(text);
    return module ? HeadAnalysis(*module).of(value(1)) : top;
  }
};

TEST_F(Heads, ArithmeticOnConstants) {
  EXPECT_EQ(integer("%r = arith.addi %three, %four {t.n = 1} : i32"),
            exactly(7));
  EXPECT_EQ(integer("%r = arith.subi %four, %three {t.n = 1} : i32"),
            exactly(1));
  EXPECT_EQ(integer("%r = arith.muli %four, %three {t.n = 1} : i32"),
            exactly(12));
  EXPECT_EQ(integer("%r = arith.shli %four, %three {t.n = 1} : i32"),
            exactly(32));
  EXPECT_EQ(integer("%r = arith.constant {t.n = 1} 77 : i16"), exactly(77));
  EXPECT_EQ(integer("%r = arith.constant {t.n = 1} 77 : i64"), unknown);
}

TEST_F(Heads, ArithmeticOnUnknownNumbers) {
  EXPECT_EQ(integer("%r = arith.addi %m, %four {t.n = 1} : i32"), unknown);
  EXPECT_EQ(integer("%r = arith.muli %m, %four {t.n = 1} : i32"), modulo(4, 0));
  EXPECT_EQ(integer("%r = arith.shli %m, %three {t.n = 1} : i32"),
            modulo(8, 0));
  EXPECT_EQ(integer("%r = arith.shli %four, %m {t.n = 1} : i32"), unknown);
  EXPECT_EQ(integer("%s = arith.constant 32 : i32\n"
                    "%r = arith.shli %m, %s {t.n = 1} : i32"),
            unknown);
  EXPECT_EQ(integer("%s = arith.constant 31 : i32\n"
                    "%r = arith.shli %m, %s {t.n = 1} : i32"),
            modulo(8, 0));
  EXPECT_EQ(integer("%r = arith.divui %four, %three {t.n = 1} : i32"), unknown);
}

TEST_F(Heads, AMaskWithZerosInItsLowBitsGivesAMultiple) {
  auto masked = [&](const std::string &mask, const std::string &operands) {
    return integer("%mask = arith.constant " + mask +
                   " : i32\n%r = arith.andi " + operands + " {t.n = 1} : i32");
  };
  EXPECT_EQ(masked("60", "%m, %mask"), modulo(4, 0));
  EXPECT_EQ(masked("60", "%mask, %m"), modulo(4, 0));
  EXPECT_EQ(masked("62", "%m, %mask"), modulo(2, 0));
  EXPECT_EQ(masked("240", "%m, %mask"), modulo(8, 0));
  EXPECT_EQ(masked("61", "%m, %mask"), unknown);
}

TEST_F(Heads, ASelectionIsTheMeetOfBoth) {
  EXPECT_EQ(integer("%five = arith.constant 8 : i32\n"
                    "%r = arith.select %c, %four, %five {t.n = 1} : i32"),
            modulo(4, 0));
}

TEST_F(Heads, AnExtensionKeepsTheNumberAndATruncationDoesNot) {
  EXPECT_EQ(integer("%e = arith.constant 200 : i8\n"
                    "%r = arith.extui %e {t.n = 1} : i8 to i32"),
            exactly(200));
  EXPECT_EQ(integer("%r = arith.trunci %four {t.n = 1} : i32 to i8"), unknown);
}

TEST_F(Heads, NumbersWrapAtTheirWidth) {
  EXPECT_EQ(integer("%a = arith.constant 255 : i8\n"
                    "%b = arith.constant 3 : i8\n"
                    "%r = arith.addi %a, %b {t.n = 1} : i8"),
            exactly(2));
  EXPECT_EQ(integer("%a = arith.constant 65535 : i16\n"
                    "%b = arith.constant 4 : i16\n"
                    "%r = arith.addi %a, %b {t.n = 1} : i16"),
            exactly(3));
  // Narrower numbers are no amounts of bytes, and wider ones are not tracked.
  EXPECT_EQ(integer("%a = arith.constant 3 : i4\n"
                    "%r = arith.addi %a, %a {t.n = 1} : i4"),
            unknown);
  EXPECT_EQ(integer("%a = arith.extui %four : i32 to i64\n"
                    "%r = arith.addi %a, %a {t.n = 1} : i64"),
            unknown);
}

TEST_F(Heads, MoveByWhatIsTakenOffAndPutInFront) {
  EXPECT_EQ(packet("%r = baker.packet_decap %ph, %four {t.n = 1} : "
                   "!baker.packet<\"p\"> -> !baker.packet<\"q\">"),
            exactly(132));
  EXPECT_EQ(packet("%r = baker.packet_encap %ph, %four {t.n = 1} : "
                   "!baker.packet<\"p\"> -> !baker.packet<\"q\">"),
            exactly(124));
  EXPECT_EQ(packet("%r = baker.packet_decap %ph, %m {t.n = 1} : "
                   "!baker.packet<\"p\"> -> !baker.packet<\"q\">"),
            unknown);
  EXPECT_EQ(packet("%r = baker.packet_decap %lost, %four {t.n = 1} : "
                   "!baker.packet<\"p\"> -> !baker.packet<\"q\">"),
            unknown);
}

TEST_F(Heads, OfMadePacketsAreAfterTheHeadroom) {
  EXPECT_EQ(packet("%r = baker.packet_create %n {t.n = 1} : "
                   "!baker.packet<\"q\">"),
            exactly(128));
}

TEST_F(Heads, OfCopiesAndChangedTailsAreThoseOfTheOriginal) {
  const std::string moved =
      "%in = baker.packet_decap %ph, %four : !baker.packet<\"p\"> -> "
      "!baker.packet<\"q\">\n";
  EXPECT_EQ(packet(moved + "%r = baker.packet_copy %in {t.n = 1} : "
                           "!baker.packet<\"q\">"),
            exactly(132));
  EXPECT_EQ(packet(moved + "%r = baker.packet_add_tail %in, %n {t.n = 1} : "
                           "!baker.packet<\"q\">"),
            exactly(132));
  EXPECT_EQ(packet(moved + "%r = baker.packet_remove_tail %in, %n {t.n = 1} "
                           ": !baker.packet<\"q\">"),
            exactly(132));
}

TEST_F(Heads, OfAChosenPacketAreTheMeetOfBoth) {
  EXPECT_EQ(packet("%in = baker.packet_decap %ph, %four : "
                   "!baker.packet<\"p\"> -> !baker.packet<\"p\">\n"
                   "%r = arith.select %c, %ph, %in {t.n = 1} : "
                   "!baker.packet<\"p\">"),
            modulo(4, 0));
}

TEST_F(Heads, OfAPacketFromARingAreAsItsChannelSays) {
  EXPECT_EQ(packet("%r = baker.packet_take %m, %n {t.n = 1, baker.head = "
                   "#baker.head<mod 8 is 6>} : !baker.packet<\"p\">"),
            modulo(8, 6));
  EXPECT_EQ(packet("%r = baker.packet_take %m, %n {t.n = 1} : "
                   "!baker.packet<\"p\">"),
            unknown);
}

TEST_F(Heads, MeetWhereBlocksMeet) {
  EXPECT_EQ(packet(R"(
      %in = baker.packet_decap %ph, %four : !baker.packet<"p"> -> !baker.packet<"p">
      cf.cond_br %c, ^end(%ph : !baker.packet<"p">), ^end(%in : !baker.packet<"p">)
    ^end(%p: !baker.packet<"p">):
      %r = baker.packet_copy %p {t.n = 1} : !baker.packet<"p">)"),
            modulo(4, 0));
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

const char *const channels = R"(
  baker.protocol @p min_bytes 14 []
  baker.channel @rx : "p" from "rx" to @f
  baker.channel @one : "p" from "f" to @g
  baker.channel @two : "p" from "f" to @h
  baker.channel @idle : "p" from "f" to @never
  baker.channel @out : "p" from "g" to @tx
  func.func @f(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>} {
    %c = arith.constant 0 : i1
    %four = arith.constant 4 : i32
    %in = baker.packet_decap %ph, %four : !baker.packet<"p"> -> !baker.packet<"p">
    %length = baker.packet_length %in : !baker.packet<"p">
    %is = arith.cmpi eq, %length, %four : i32
    cf.cond_br %is, ^a, ^b
  ^a:
    %copy = baker.packet_copy %ph : !baker.packet<"p">
    baker.channel_put @two, %copy : !baker.packet<"p">
    baker.channel_put @one, %in : !baker.packet<"p">
    return
  ^b:
    %more = baker.packet_decap %in, %four : !baker.packet<"p"> -> !baker.packet<"p">
    baker.channel_put @one, %more : !baker.packet<"p">
    return
  }
  func.func @g(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>} {
    %keep = baker.packet_copy %ph {t.n = 1} : !baker.packet<"p">
    baker.packet_drop %keep : !baker.packet<"p">
    baker.channel_put @out, %ph : !baker.packet<"p">
    return
  }
  func.func @h(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>} {
    baker.packet_drop %ph : !baker.packet<"p">
    return
  }
  func.func @never(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>} {
    baker.packet_drop %ph : !baker.packet<"p">
    return
  })";

TEST_F(Heads, OfAChannelAreTheMeetOfAllThatIsPutOnIt) {
  parse(channels);
  const HeadAnalysis heads(*module);
  auto of = [&](const char *name) {
    return heads.ofChannel(module->lookupSymbol<ir::ChannelOp>(name));
  };
  EXPECT_EQ(of("rx"), exactly(128));
  EXPECT_EQ(of("one"), modulo(4, 0)); // 132 and 136
  EXPECT_EQ(of("two"), exactly(128));
  EXPECT_EQ(of("idle"), top);
  EXPECT_EQ(of("out"), top); // Tx is no PPF
  EXPECT_EQ(heads.of(value(1)), modulo(4, 0));
}

} // namespace
} // namespace karakal::passes
