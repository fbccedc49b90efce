// The packets of each PPF where no profile counts them.

#include "passes/memory/PacketShares.h"
#include "ir/dialect/Attributes.h"
#include "tests/ir/ModuleText.h"

using namespace karakal;

namespace {

class PacketShares : public ir::ModuleText {
protected:
  /// A PPF whose channels lead to these consumers.
  static std::string ppf(const std::string &name,
                         const std::vector<std::string> &consumers,
                         const std::string &attributes = "") {
    std::string text = "func.func @" + name +
                       ".in(%p: !baker.packet<\"p\">) attributes {baker.kind = "
                       "#baker.kind<ppf>" +
                       attributes + "} { return }\n";
    for (const std::string &consumer : consumers)
      text += "baker.channel @" + name + ".to_" + consumer +
              " : \"p\" from \"" + name + "\" to @" +
              (consumer == "tx" ? consumer : consumer + ".in") + "\n";
    return text;
  }
  void parsePpfs(const std::string &functions) {
    parse("baker.protocol @p min_bytes 14 "
          "[#baker.protocol_field<\"type\" at 96 : 16>]\n"
          "baker.channel @rx : \"p\" from \"rx\" to @first.in\n" +
          functions);
    shares = passes::packetShares(*module);
  }
  double of(const std::string &name) {
    return shares.lookup(module->lookupSymbol(name + ".in"));
  }

  passes::PacketShares shares;
};

TEST_F(PacketShares, APpfSendsEqualPartsOverItsChannels) {
  parsePpfs(ppf("first", {"left", "right", "tx"}) + ppf("left", {"last"}) +
            ppf("right", {"last", "tx"}) + ppf("last", {"tx"}));
  EXPECT_NEAR(of("first"), 1, 1e-9);
  EXPECT_NEAR(of("left"), 1 / 3.0, 1e-9);
  EXPECT_NEAR(of("right"), 1 / 3.0, 1e-9);
  EXPECT_NEAR(of("last"), 1 / 3.0 + 1 / 6.0, 1e-9);
}

TEST_F(PacketShares, AColdPpfGetsNone) {
  parsePpfs(ppf("first", {"rare", "last"}) +
            ppf("rare", {"last"}, ", " + std::string(ir::coldAttrName)) +
            ppf("last", {"tx"}));
  EXPECT_EQ(of("rare"), 0);
  EXPECT_NEAR(of("last"), 1, 1e-9);
}

TEST_F(PacketShares, PacketsGoRoundABoundedNumberOfTimes) {
  parsePpfs(ppf("first", {"again", "tx"}) + ppf("again", {"first", "tx"}));
  EXPECT_NEAR(of("first"), 4 / 3.0, 1e-4);
  EXPECT_NEAR(of("again"), 2 / 3.0, 1e-4);
  parsePpfs(ppf("first", {"again"}) + ppf("again", {"first"}));
  EXPECT_GT(of("again"), 1);
}

} // namespace
