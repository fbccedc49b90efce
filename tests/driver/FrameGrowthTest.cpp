// The bytes that packets have gained when they are put on a channel.

#include "driver/report/FrameGrowth.h"
#include "tests/ir/ModuleText.h"

using namespace karakal;
using namespace karakal::driver;

namespace {

/// A buffer has 128 bytes before a frame, and 2,048 less these and the 60 of
/// the shortest frame after it.
constexpr int headMost = 128, tailMost = 1860;

class FrameGrowthOf : public ir::ModuleText {
protected:
  /// What a packet gains in `body`, the text of a PPF with the packet %p and
  /// the constants %c4, %c14 and %c100, an unknown number %n and condition %is.
  Growth of(const std::string &body, const std::string &channel = "out",
            const std::string &others = "") {
    parse(R"(
      baker.protocol @p min_bytes 14 [#baker.protocol_field<"type" at 96 : 16>]
      baker.channel @in : "p" from "rx" to @f
      baker.channel @out : "p" from "f" to @tx
      baker.channel @other : "p" from "f" to @tx
      func.func private @number() -> i32
      func.func private @flag() -> i1
      )" + others +
          R"(
      func.func @f(%p: !baker.packet<"p">)
          attributes {baker.kind = #baker.kind<ppf>} {
        %n = call @number() : () -> i32
        %is = call @flag() : () -> i1
        %c4 = arith.constant 4 : i32
        %c14 = arith.constant 14 : i32
        %c100 = arith.constant 100 : i32
        )" +
          body + "\n}");
    FrameGrowth growth(*module);
    return growth.ofPut(module->lookupSymbol<mlir::func::FuncOp>("f"),
                        module->lookupSymbol<ir::ChannelOp>(channel));
  }

  static std::string put(const std::string &packet,
                         const std::string &channel = "out") {
    return "baker.channel_put @" + channel + ", %" + packet +
           " : !baker.packet<\"p\">\n";
  }
  static std::string change(const std::string &to, const std::string &operation,
                            const std::string &from, const std::string &bytes) {
    const bool isHead = operation == "encap" || operation == "decap";
    return "%" + to + " = baker.packet_" + operation + " %" + from + ", %" +
           bytes + " : !baker.packet<\"p\">" +
           (isHead ? " -> !baker.packet<\"p\">\n" : "\n");
  }
};

void expectGrowth(Growth found, int head, int tail) {
  EXPECT_EQ(found.head, head);
  EXPECT_EQ(found.tail, tail);
}

TEST(Growth, AddsUpToTheSpaceOfABuffer) {
  Growth sum{100, 1000};
  sum += {28, 860};
  expectGrowth(sum, headMost, tailMost);
  sum += {1, 1};
  expectGrowth(sum, headMost, tailMost);
  sum += {-129, -1861};
  expectGrowth(sum, -1, -1);
  expectGrowth(FrameGrowth::most(), headMost, tailMost);
}

TEST(Growth, JoinsToTheMostOfEachEnd) {
  Growth joined{4, -6};
  joined.join({-4, 7});
  expectGrowth(joined, 4, 7);
  joined.join({5, 6});
  expectGrowth(joined, 5, 7);
  EXPECT_TRUE(joined == (Growth{5, 7}));
  EXPECT_FALSE(joined == (Growth{5, 8}));
  EXPECT_FALSE(joined == (Growth{6, 7}));
}

TEST_F(FrameGrowthOf, AnUnchangedPacketGainsNothing) {
  expectGrowth(of(put("p") + "return"), 0, 0);
}

TEST_F(FrameGrowthOf, HeadersThatAreTakenOffAndPutOnAreAddedUp) {
  expectGrowth(of(change("a", "decap", "p", "c14") +
                  change("b", "encap", "a", "c4") +
                  change("c", "encap", "b", "c14") + put("c") + "return"),
               4, 0);
  expectGrowth(of(change("a", "decap", "p", "c14") + put("a") + "return"), -14,
               0);
}

TEST_F(FrameGrowthOf, ATailIsCountedApart) {
  expectGrowth(of(change("a", "add_tail", "p", "c100") +
                  change("b", "encap", "a", "c4") + put("b") + "return"),
               4, 100);
  // How much a tail loses is not counted.
  expectGrowth(
      of(change("a", "remove_tail", "p", "c100") + put("a") + "return"), 0, 0);
}

TEST_F(FrameGrowthOf, AnUnknownNumberIsTheMostThatIsGainedAndTheLeastLost) {
  expectGrowth(of(change("a", "encap", "p", "n") + put("a") + "return"),
               headMost, 0);
  expectGrowth(of(change("a", "add_tail", "p", "n") + put("a") + "return"), 0,
               tailMost);
  expectGrowth(of(change("a", "decap", "p", "n") + put("a") + "return"), 0, 0);
}

TEST_F(FrameGrowthOf, ACopyHasGainedWhatItsOriginalHas) {
  expectGrowth(of(change("a", "encap", "p", "c4") +
                  "%k = baker.packet_copy %a : !baker.packet<\"p\">\n" +
                  put("k") + "return"),
               4, 0);
}

TEST_F(FrameGrowthOf, TheMostOfTwoPathsCounts) {
  const std::string body =
      "cf.cond_br %is, ^x, ^y\n^x:\n" + change("a", "encap", "p", "c14") +
      put("a") + "return\n^y:\n" + change("d", "add_tail", "p", "c4") +
      put("d") + "return";
  expectGrowth(of(body), 14, 4);
}

TEST_F(FrameGrowthOf, ChannelsAreCountedApart) {
  const std::string body = "cf.cond_br %is, ^x, ^y\n^x:\n" +
                           change("a", "encap", "p", "c14") + put("a") +
                           "return\n^y:\n" + put("p", "other") + "return";
  expectGrowth(of(body), 14, 0);
  expectGrowth(of(body, "other"), 0, 0);
  // Nothing is known of a channel on which nothing is put.
  expectGrowth(of(body, "in"), headMost, tailMost);
}

TEST_F(FrameGrowthOf, APacketOfABlockHasGainedTheMostOfItsPredecessors) {
  const std::string body =
      "cf.cond_br %is, ^x, ^y(%p : !baker.packet<\"p\">)\n^x:\n" +
      change("a", "encap", "p", "c4") +
      "cf.br ^y(%a : !baker.packet<\"p\">)\n^y(%q: !baker.packet<\"p\">):\n" +
      change("z", "encap", "q", "c14") + put("z") + "return";
  expectGrowth(of(body), 18, 0);
}

TEST_F(FrameGrowthOf, ALoopFillsTheHeadroom) {
  const std::string body =
      "cf.br ^x(%p : !baker.packet<\"p\">)\n^x(%q: !baker.packet<\"p\">):\n" +
      change("a", "encap", "q", "c4") +
      "cf.cond_br %is, ^x(%a : !baker.packet<\"p\">), ^y\n^y:\n" + put("a") +
      "return";
  expectGrowth(of(body), headMost, 0);
}

TEST_F(FrameGrowthOf, ACalledFunctionAddsItsBytes) {
  const std::string callee = R"(
      func.func @g(%q: !baker.packet<"p">) -> !baker.packet<"p"> {
        %c6 = arith.constant 6 : i32
        %r = baker.packet_encap %q, %c6 : !baker.packet<"p"> -> !baker.packet<"p">
        baker.channel_put @other, %r : !baker.packet<"p">
        return %r : !baker.packet<"p">
      })";
  const std::string body =
      change("a", "encap", "p", "c4") +
      "%r = call @g(%a) : (!baker.packet<\"p\">) -> !baker.packet<\"p\">\n" +
      put("r") + "return";
  expectGrowth(of(body, "out", callee), 10, 0);
  expectGrowth(of(body, "other", callee), 10, 0);
}

} // namespace
