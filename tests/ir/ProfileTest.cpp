// The profile of a program: what is set is read again, and what follows from
// it.

#include "ir/dialect/ProfileAttributes.h"
#include "tests/ir/ModuleText.h"

#include <gmock/gmock.h>

using namespace karakal::ir;
using mlir::func::FuncOp;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

class Profile : public ModuleText {
protected:
  Profile() {
    module = mlir::parseSourceString<mlir::ModuleOp>(R"(
      baker.global @g : !baker.array<4 x i32>
      baker.channel @rx : "p" from "rx" to @f
      func.func @f(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>} {
        %c = arith.constant true
        cf.cond_br %c, ^a, ^b
      ^a:
        cf.br ^b
      ^b:
        return
      })",
                                                     &context);
  }

  GlobalOp global() { return *module->getOps<GlobalOp>().begin(); }
  ChannelOp channel() { return *module->getOps<ChannelOp>().begin(); }
  FuncOp function() { return *module->getOps<FuncOp>().begin(); }
  mlir::Operation *branch() {
    return function().getBody().front().getTerminator();
  }

  /// The module as text, which is read again: what is set is valid.
  std::string printed() {
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    EXPECT_TRUE(mlir::parseSourceString<mlir::ModuleOp>(text, &context));
    return text;
  }
};

TEST_F(Profile, AProgramWithoutOneHasNone) {
  EXPECT_FALSE(profileOf(*module));
  EXPECT_FALSE(profileOf(function()));
  EXPECT_FALSE(profileOf(global()));
  EXPECT_FALSE(profileOf(channel()));
  EXPECT_FALSE(lookupHitsOf(function()));
  EXPECT_FALSE(profilePacketsOf(function()));
  EXPECT_THAT(branchCountsOf(branch()), IsEmpty());
}

TEST_F(Profile, OfTheProgramIsKept) {
  setProfile(*module, ProgramProfile{100, 3});
  EXPECT_EQ(profileOf(*module)->received, 100u);
  EXPECT_EQ(profileOf(*module)->traces, 3u);
  EXPECT_THAT(printed(), HasSubstr("received = 100"));
}

TEST_F(Profile, OfAFunctionIsKeptWithItsNames) {
  setProfile(function(), FunctionProfile{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const FunctionProfile profile = *profileOf(function());
  EXPECT_THAT((std::vector<uint64_t>{
                  profile.packets, profile.instructions, profile.packetReads,
                  profile.packetWrites, profile.headMoves, profile.lengthReads,
                  profile.metaReads, profile.metaWrites, profile.puts,
                  profile.drops, profile.copies}),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  EXPECT_EQ(profilePacketsOf(function()), 1u);
  const std::string text = printed();
  for (const char *entry :
       {"packets = 1 ", "instructions = 2 ", "packet_reads = 3 ",
        "packet_writes = 4 ", "head_moves = 5 ", "length_reads = 6 ",
        "meta_reads = 7 ", "meta_writes = 8 ", "puts = 9 ", "drops = 10 ",
        "copies = 11 "})
    EXPECT_THAT(text, HasSubstr(entry));
}

TEST_F(Profile, OfNothingIsZero) {
  setProfile(function(), FunctionProfile());
  for (const char *entry :
       {"packets = 0 ", "instructions = 0 ", "packet_reads = 0 ",
        "packet_writes = 0 ", "head_moves = 0 ", "length_reads = 0 ",
        "meta_reads = 0 ", "meta_writes = 0 ", "puts = 0 ", "drops = 0 ",
        "copies = 0 "})
    EXPECT_THAT(printed(), HasSubstr(entry));
  setProfile(global(), GlobalProfile());
  for (const char *entry : {"reads = 0 ", "writes = 0 ", "read_words = 0 ",
                            "write_words = 0 ", "updates = 0 ", "extent = 0 "})
    EXPECT_THAT(printed(), HasSubstr(entry));
}

TEST_F(Profile, OfAGlobalIsKeptWithItsHits) {
  setProfile(global(),
             GlobalProfile{80, 2, 81, 3, 4, 5, {8, 16, 24, 32, 40, 48, 56}});
  const GlobalProfile profile = *profileOf(global());
  EXPECT_THAT((std::vector<uint64_t>{profile.reads, profile.writes,
                                     profile.readWords, profile.writeWords,
                                     profile.updates, profile.extent}),
              ElementsAre(80, 2, 81, 3, 4, 5));
  EXPECT_THAT(profile.hits, ElementsAre(8, 16, 24, 32, 40, 48, 56));
  const std::string text = printed();
  for (const char *entry : {"reads = 80 ", "writes = 2 ", "read_words = 81 ",
                            "write_words = 3 ", "updates = 4 ", "extent = 5 "})
    EXPECT_THAT(text, HasSubstr(entry));
}

TEST_F(Profile, HitsAndCountsOfAGlobalAreIndependent) {
  setProfile(global(), GlobalProfile{8, 0, 8, 0, 0, 4, {1, 2, 3, 4, 5, 6, 7}});
  global()->removeAttr(localityAttrName);
  EXPECT_EQ(profileOf(global())->reads, 8u);
  EXPECT_THAT(profileOf(global())->hits, Each(0u));
  setProfile(global(), GlobalProfile{8, 0, 8, 0, 0, 4, {1, 2, 3, 4, 5, 6, 7}});
  global()->removeAttr(profileAttrName);
  EXPECT_FALSE(profileOf(global()));
}

TEST_F(Profile, OfAChannelIsThePacketsPutOnIt) {
  setProfile(channel(), 77);
  EXPECT_EQ(profileOf(channel()), 77u);
  EXPECT_THAT(printed(), HasSubstr("packets = 77 "));
}

TEST_F(Profile, PacketsOfAFunctionAlone) {
  setProfilePackets(function(), 12);
  EXPECT_EQ(profilePacketsOf(function()), 12u);
  EXPECT_EQ(profileOf(function())->packets, 12u);
  EXPECT_EQ(profileOf(function())->puts, 0u);
}

TEST_F(Profile, HitRateIsThatOfTheCacheSize) {
  const GlobalProfile profile{80, 2, 81, 3, 4, 5, {8, 16, 24, 32, 40, 48, 56}};
  EXPECT_EQ(profile.hitRate(1), 0.1);
  EXPECT_EQ(profile.hitRate(8), 0.4);
  EXPECT_EQ(profile.hitRate(64), 0.7);
  // No such size was recorded.
  EXPECT_EQ(profile.hitRate(0), 0);
  EXPECT_EQ(profile.hitRate(3), 0);
  EXPECT_EQ(profile.hitRate(128), 0);
  // No load at all.
  EXPECT_EQ((GlobalProfile{0, 2, 0, 3, 4, 5, {}}).hitRate(8), 0);
}

TEST_F(Profile, HitsOfALookupAreKept) {
  setLookupHits(function(), {0, 0, 1, 2, 3, 5, 8});
  EXPECT_THAT(*lookupHitsOf(function()), ElementsAre(0, 0, 1, 2, 3, 5, 8));
}

TEST_F(Profile, BranchProbabilityIsTheShareOfTheCounts) {
  setBranchCounts(branch(), {30, 10});
  EXPECT_THAT(branchCountsOf(branch()), ElementsAre(30, 10));
  EXPECT_EQ(branchProbability(branch(), 0), 0.75);
  EXPECT_EQ(branchProbability(branch(), 1), 0.25);
}

TEST_F(Profile, ABranchThatNeverRanHasEqualShares) {
  EXPECT_EQ(branchProbability(branch(), 0), 0.5);
  EXPECT_EQ(branchProbability(branch(), 1), 0.5);
  setBranchCounts(branch(), {0, 0});
  EXPECT_EQ(branchProbability(branch(), 0), 0.5);
  mlir::Operation *jump = (*++function().getBody().begin()).getTerminator();
  EXPECT_EQ(branchProbability(jump, 0), 1);
}

TEST_F(Profile, IsRemovedFromTheWholeProgram) {
  setProfile(*module, ProgramProfile{1, 1});
  setProfile(function(), FunctionProfile{1});
  setLookupHits(function(), {1, 1, 1, 1, 1, 1, 1});
  setProfile(global(), GlobalProfile{1, 1, 1, 1, 1, 1, {}});
  setProfile(channel(), 1);
  setBranchCounts(branch(), {1, 0});
  removeProfile(*module);
  const std::string text = printed();
  EXPECT_EQ(text.find("baker.profile"), std::string::npos);
  EXPECT_EQ(text.find("baker.locality"), std::string::npos);
  EXPECT_EQ(text.find("baker.branch"), std::string::npos);
  // It is no profile that says which function is a PPF.
  EXPECT_TRUE(isPpf(function()));
}

using ProfileDeathTest = Profile;

TEST_F(ProfileDeathTest, CountsOfALargerCacheNeverFall) {
  EXPECT_EXIT(setLookupHits(function(), {0, 0, 2, 1, 3, 5, 8}),
              testing::ExitedWithCode(3), "larger cache");
  EXPECT_EXIT(setLookupHits(function(), {0, 0, 1}), testing::ExitedWithCode(3),
              "larger cache");
}

TEST_F(ProfileDeathTest, ABranchHasACountForEachSuccessor) {
  EXPECT_EXIT(setBranchCounts(branch(), {1, 2, 3}), testing::ExitedWithCode(3),
              "successor");
  EXPECT_EXIT((void)branchProbability(branch(), 2), testing::ExitedWithCode(3),
              "successor");
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

class Decisions : public Profile {};

TEST_F(Decisions, PlacementIsMemoryAndAddress) {
  EXPECT_FALSE(placementOf(global()));
  setPlacement(global(), {karakal::target::Memory::Sram1, 12});
  EXPECT_EQ(placementOf(global())->memory, karakal::target::Memory::Sram1);
  EXPECT_EQ(placementOf(global())->address, 12u);
  EXPECT_THAT(printed(), HasSubstr("#baker.placement<sram1 at 12>"));
}

TEST_F(Decisions, AFunctionWithoutAKindIsAFunction) {
  function()->removeAttr(kindAttrName);
  EXPECT_EQ(kindOf(function()), FunctionKind::Function);
  EXPECT_FALSE(isPpf(function()));
  setKind(function(), FunctionKind::Ppf);
  EXPECT_TRUE(isPpf(function()));
}

TEST_F(Decisions, AggregatesAreKeptInOrder) {
  EXPECT_THAT(aggregatesOf(*module), IsEmpty());
  setAggregates(*module, {{"first", {1, 2}}, {"second", {5}}});
  const std::vector<AggregatePlan> plans = aggregatesOf(*module);
  ASSERT_EQ(plans.size(), 2u);
  EXPECT_EQ(plans[0].name, "first");
  EXPECT_THAT(plans[0].engines, ElementsAre(1, 2));
  EXPECT_EQ(plans[1].name, "second");
  EXPECT_THAT(plans[1].engines, ElementsAre(5));
  EXPECT_EQ(aggregateOf(function()), "");
  setAggregate(function(), "second");
  EXPECT_EQ(aggregateOf(function()), "second");
}

TEST_F(Decisions, BuiltInMetadataHasItsWidth) {
  EXPECT_EQ(builtinMetadataType(&context, "rx.port").getWidth(), 8u);
  EXPECT_EQ(builtinMetadataType(&context, "tx.port").getWidth(), 8u);
  EXPECT_EQ(builtinMetadataType(&context, "sequence").getWidth(), 32u);
  EXPECT_FALSE(builtinMetadataType(&context, "hop"));
}

TEST_F(Decisions, DropReasonsAreNumberedBuiltInOnesFirst) {
  auto program = mlir::parseSourceString<mlir::ModuleOp>(R"(
    baker.drop_reason @ttl
    baker.drop_reason @acl
    func.func @f(%a: !baker.packet<"p">, %b: !baker.packet<"p">, %c: !baker.packet<"p">) {
      baker.packet_drop %a : !baker.packet<"p">
      baker.packet_drop %b reason @acl : !baker.packet<"p">
      baker.packet_drop %c reason @truncated : !baker.packet<"p">
      return
    })",
                                                         &context);
  ASSERT_TRUE(program);
  EXPECT_THAT(dropReasonsOf(*program),
              ElementsAre("unspecified", "truncated", "no_port", "ttl", "acl"));
  std::vector<uint32_t> numbers;
  program->walk(
      [&](PacketDropOp drop) { numbers.push_back(dropReasonNumber(drop)); });
  EXPECT_THAT(numbers, ElementsAre(0, 4, 1));
}

} // namespace
