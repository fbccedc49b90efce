// Which caches are chosen beside one another, and what keeps a global from
// being cached, against values computed by hand. A load from SRAM takes 90
// cycles; a hit costs 10 and a miss 20 more.

#include "swcache/ChooseCached.h"
#include "swcache/ChooseCopies.h"

#include "ir/dialect/ProfileAttributes.h"
#include "tests/ir/ModuleText.h"

#include <gmock/gmock.h>

using namespace mlir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

namespace karakal::swcache {
namespace {

std::string counts(std::initializer_list<unsigned> hits) {
  std::string text = "array<i64";
  for (unsigned hit : hits)
    text += (text.back() == '4' ? ": " : ", ") + std::to_string(hit);
  return text + ">";
}

class Candidates : public ir::ModuleText {
protected:
  /// A program of which 1,000 packets were counted.
  void parse(const std::string &text) {
    module = parseSourceString<ModuleOp>(
        "module attributes {baker.profile = {received = 1000 : i64, traces = 1 "
        ": i64}} {\n" +
            text + "\n}",
        &context);
    ASSERT_TRUE(module) << text;
  }

  /// A global in SRAM that packets read.
  static std::string global(const std::string &name, const std::string &type,
                            unsigned reads, const std::string &locality,
                            unsigned extent, const std::string &more = "") {
    const std::string n = std::to_string(reads);
    return "baker.global @" + name + " : " + type +
           " {baker.placement = #baker.placement<sram1 at 0>, baker.locality "
           "= " +
           locality + ", baker.profile = {reads = " + n +
           " : i64, writes = 0 : i64, read_words = " + n +
           " : i64, write_words = 0 : i64, updates = 0 : i64, extent = " +
           std::to_string(extent) + " : i64}" + more + "}\n";
  }

  /// A look-up that packets call 1,000 times and that loads a word of its own.
  static std::string lookup(const std::string &name,
                            const std::string &locality) {
    return "baker.global @of." + name +
           " : !baker.array<65536 x i32> {baker.placement = "
           "#baker.placement<sram1 at 0>, baker.profile = {reads = 1000 : "
           "i64, writes = 0 : i64, read_words = 1000 : i64, write_words = 0 : "
           "i64, updates = 0 : i64, extent = 65536 : i64}}\n"
           "func.func private @" +
           name +
           "(%key: i16) -> i32 attributes {baker.kind = "
           "#baker.kind<function>, baker.locality = " +
           locality +
           ", baker.profile = {packets = 1000 : i64}} {\n"
           "%index = arith.constant 0 : i32\n"
           "%refs = baker.global_ref @of." +
           name +
           " : !baker.ref<!baker.array<65536 x i32>>\n"
           "%ref = baker.element %refs[%index] : "
           "!baker.ref<!baker.array<65536 x i32>>\n"
           "%found = baker.load %ref : !baker.ref<i32>\n"
           "return %found : i32\n}\n";
  }

  GlobalUses uses() { return GlobalUses(*module, 1e-3); }

  CacheChoice choose(uint32_t words) {
    CacheOptions options;
    options.words = words;
    options.wholeWords = 240;
    options.contexts = 48;
    return chooseCamCaches(*module, uses(), options);
  }

  static std::vector<std::string> names(const CacheChoice &choice) {
    std::vector<std::string> found;
    for (const CacheCandidate &candidate : choice.chosen)
      found.push_back(
          SymbolTable::getSymbolName(candidate.op()).getValue().str());
    return found;
  }

  /// Why look-ups are refused. The arrays that they load never hit.
  static std::vector<std::string> refusals(const CacheChoice &choice) {
    std::vector<std::string> found;
    for (const auto &[candidate, reason] : choice.refused)
      if (candidate.lookup)
        found.push_back(reason);
    return found;
  }
};

/// Hits that are as many with 4 entries as with 64.
const std::string allHit = counts({0, 0, 900, 900, 900, 900, 900});

//===----------------------------------------------------------------------===//
// Several caches
//===----------------------------------------------------------------------===//

TEST_F(Candidates, TwoLookupsShareTheCam) {
  parse(lookup("one", allHit) + lookup("two", allHit));
  const CacheChoice choice = choose(32);
  EXPECT_THAT(names(choice), UnorderedElementsAre("one", "two"));
  EXPECT_THAT(refusals(choice), IsEmpty());
  std::vector<uint32_t> tags;
  for (const CacheCandidate &candidate : choice.chosen) {
    EXPECT_EQ(candidate.entries, 8u);
    EXPECT_DOUBLE_EQ(candidate.hitRate, 0.9);
    EXPECT_DOUBLE_EQ(candidate.gain, 0.9 * 90 - (10 + 0.1 * 20));
    EXPECT_EQ(candidate.interval, packetIntervalMax); // nothing writes it
    EXPECT_DOUBLE_EQ(candidate.rates.errorMax, 1e-3);
    tags.push_back(candidate.tag);
  }
  // The upper bit tells which.
  EXPECT_THAT(tags, ElementsAre(0u, 0x80000000u));
}

TEST_F(Candidates, CachesThatFitOneByOneMayNotFitTogether) {
  // Each has 16 words, as it may have all entries of the CAM at times.
  parse(lookup("one", allHit) + lookup("two", allHit));
  EXPECT_EQ(choose(31).chosen.size(), 1u);
  EXPECT_EQ(refusals(choose(31)).size(), 1u);
  EXPECT_EQ(choose(32).chosen.size(), 2u);
  EXPECT_EQ(choose(16).chosen.size(), 1u);
  EXPECT_EQ(choose(15).chosen.size(), 0u);
}

TEST_F(Candidates, ALookupAndAnArrayHaveHitsOfTheirOwn) {
  parse(lookup("one", counts({0, 0, 0, 800, 800, 800, 800})) +
        global("many", "!baker.array<1000 x i32>", 2000,
               counts({0, 0, 0, 1900, 1900, 1900, 1900}), 1000));
  const CacheChoice choice = choose(240);
  ASSERT_THAT(names(choice), UnorderedElementsAre("one", "many"));
  for (const CacheCandidate &candidate : choice.chosen) {
    const bool isLookup = bool(candidate.lookup);
    EXPECT_DOUBLE_EQ(candidate.hitRate, isLookup ? 0.8 : 0.95);
    EXPECT_DOUBLE_EQ(candidate.probes, isLookup ? 1 : 2);
    EXPECT_DOUBLE_EQ(candidate.gain, isLookup
                                         ? 0.8 * 90 - (10 + 0.2 * 20)
                                         : 0.95 * 180 - 2 * (10 + 0.05 * 20));
  }
}

TEST_F(Candidates, ALookupAndTheArrayThatItLoadsAreNotBothCached) {
  parse(lookup("one", allHit));
  module->lookupSymbol<ir::GlobalOp>("of.one")->setAttr(
      ir::localityAttrName,
      DenseI64ArrayAttr::get(&context, {0, 0, 950, 950, 950, 950, 950}));
  const CacheChoice choice = choose(240);
  EXPECT_THAT(names(choice), ElementsAre("of.one"));
  ASSERT_EQ(choice.refused.size(), 1u);
  EXPECT_THAT(choice.refused[0].second, HasSubstr("others save more"));
}

TEST_F(Candidates, ALookupThatNoPacketCallsIsRefused) {
  parse(lookup("one", allHit));
  module->lookupSymbol<func::FuncOp>("one")->removeAttr(ir::localityAttrName);
  const CacheChoice choice = choose(240);
  EXPECT_THAT(names(choice), IsEmpty());
  EXPECT_THAT(refusals(choice),
              ElementsAre("no packet of the profile calls it"));
}

TEST_F(Candidates, LoadsOfAnElementCountOnceUnlessTheyHitNothing) {
  const std::string pair =
      "!baker.array<1000 x !baker.struct<\"e\", x : i32, y : i32>>";
  // 1,500 of 2,000 loads follow one of the same element: 500 visits, but at
  // least one for each pair of scalars.
  parse(global("a", pair, 2000,
               counts({700, 1990, 1990, 1990, 1990, 1990, 1990}), 2000));
  EXPECT_DOUBLE_EQ(choose(240).chosen.at(0).probes, 1.3);
  parse(global("a", pair, 2000,
               counts({1500, 1990, 1990, 1990, 1990, 1990, 1990}), 2000));
  EXPECT_DOUBLE_EQ(choose(240).chosen.at(0).probes, 1);
}

TEST_F(Candidates, AnElementHasAtMostTheWordsOfABurst) {
  const auto array = [](unsigned words) {
    return "!baker.array<1000 x !baker.array<" + std::to_string(words) +
           " x i32>>";
  };
  parse(global("a", array(8), 1000, counts({0, 0, 990, 990, 990, 990, 990}),
               8000));
  EXPECT_EQ(choose(240).chosen.size(), 1u);
  parse(global("a", array(9), 1000, counts({0, 0, 990, 990, 990, 990, 990}),
               9000));
  const CacheChoice choice = choose(240);
  EXPECT_THAT(choice.chosen, IsEmpty());
  ASSERT_EQ(choice.refused.size(), 1u);
  EXPECT_EQ(choice.refused[0].second,
            "an element has 9 words, a burst at most 8");
}

TEST_F(Candidates, AnArrayThatCanHaveACopyIsNoCandidate) {
  const std::string hits = counts({0, 0, 990, 990, 990, 990, 990});
  parse(global("a", "!baker.array<1000 x i32>", 1000, hits, 240));
  EXPECT_THAT(choose(240).chosen, IsEmpty());
  EXPECT_THAT(choose(240).refused, IsEmpty());
  parse(global("a", "!baker.array<1000 x i32>", 1000, hits, 241));
  EXPECT_EQ(choose(240).chosen.size(), 1u);
}

TEST_F(Candidates, ARefusedArrayDoesNotKeepAnotherFromDirectMapping) {
  CacheOptions options;
  options.words = 240;
  options.wholeWords = 240;
  options.contexts = 48;
  const std::string hits = counts({0, 0, 0, 990, 990, 990, 990});
  // @wide has elements of 9 words, and hits as often.
  parse(global("wide", "!baker.array<1000 x !baker.array<9 x i32>>", 9000, hits,
               9000) +
        global("narrow", "!baker.array<1000 x i32>", 1000, hits, 1000));
  auto cache = chooseDirectMapped(*module, uses(), options, {});
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->array.getSymName(), "narrow");
  // 64 lines of two words hit as 16 entries, and 32 as eight.
  EXPECT_EQ(cache->entries, 64u);
  EXPECT_FALSE(chooseDirectMapped(*module, uses(), options,
                                  {cache->array.getOperation()}));
}

//===----------------------------------------------------------------------===//
// What is not cached
//===----------------------------------------------------------------------===//

/// The reason for each of these, with a PPF that has `body`.
std::string ppf(const std::string &body) {
  return "func.func @f(%ph: !baker.packet<\"p\">) attributes {baker.kind = "
         "#baker.kind<ppf>} {\n" +
         body + "baker.packet_drop %ph : !baker.packet<\"p\">\nreturn\n}\n";
}

const std::string guard =
    "baker.global @guard : i32 {baker.placement = #baker.placement<scratch at "
    "0>}\n";
const std::string lockGuard =
    "%lock = baker.global_ref @guard : !baker.ref<i32>\n"
    "baker.lock %lock : !baker.ref<i32>\n";
const std::string loadG = "%g = baker.global_ref @g : !baker.ref<i32>\n"
                          "%v = baker.load %g : !baker.ref<i32>\n";

TEST_F(Candidates, WhatAnExclusiveFunctionWritesIsNotCached) {
  const std::string store = "%c = arith.constant 1 : i32\n"
                            "%g = baker.global_ref @g : !baker.ref<i32>\n"
                            "baker.store %c, %g : !baker.ref<i32>\nreturn\n}\n";
  for (auto [attribute, reason] :
       {std::pair{"", ""},
        {"baker.exclusive, ", "an exclusive control function writes it"}}) {
    parse(global("g", "i32", 1000, allHit, 0) + ppf(loadG) +
          "func.func @helper() attributes {baker.kind = "
          "#baker.kind<function>} {\n" +
          store + "func.func @set() attributes {" + attribute +
          "baker.kind = #baker.kind<control>} {\n"
          "func.call @helper() : () -> ()\nreturn\n}\n");
    EXPECT_EQ(uses().refusalToCache(module->lookupSymbol<ir::GlobalOp>("g")),
              reason);
  }
}

TEST_F(Candidates, AGlobalOfACriticalSectionIsNotCached) {
  const std::string g = global("g", "i32", 1000, allHit, 0);
  parse(guard + g +
        ppf(lockGuard + loadG + "baker.unlock %lock : !baker.ref<i32>\n"));
  EXPECT_EQ(uses().refusalToCache(module->lookupSymbol<ir::GlobalOp>("g")),
            "a function with a critical section uses it");
  // Without the lock it is.
  parse(guard + g + ppf(loadG));
  EXPECT_EQ(uses().refusalToCache(module->lookupSymbol<ir::GlobalOp>("g")), "");
}

TEST_F(Candidates, AGlobalThatItsWriterReadsIsNotCached) {
  const std::string g = global("g", "i32", 1000, allHit, 0);
  const std::string storeG = "%w = arith.constant 1 : i32\n"
                             "baker.store %w, %g : !baker.ref<i32>\n";
  parse(g + ppf(loadG + storeG));
  EXPECT_THAT(uses().refusalToCache(module->lookupSymbol<ir::GlobalOp>("g")),
              HasSubstr("packets write it (0.0000 stores "));
  // On the XScale core it may be, and a control function may, too.
  parse(g + ppf(loadG + storeG));
  module->lookupSymbol<func::FuncOp>("f")->setAttr(ir::coldAttrName,
                                                   UnitAttr::get(&context));
  EXPECT_EQ(uses().refusalToCache(module->lookupSymbol<ir::GlobalOp>("g")), "");
  parse(g +
        "func.func @c() attributes {baker.kind = #baker.kind<control>} "
        "{\n" +
        loadG + storeG + "return\n}\n");
  EXPECT_EQ(uses().refusalToCache(module->lookupSymbol<ir::GlobalOp>("g")), "");
}

TEST_F(Candidates, AGlobalInDramIsNotCached) {
  parse(global("g", "i32", 1000, allHit, 0));
  auto g = module->lookupSymbol<ir::GlobalOp>("g");
  ir::setPlacement(g, {target::Memory::Dram, 0});
  EXPECT_EQ(uses().refusalToCache(g), "it lies in DRAM");
  ir::setPlacement(g, {target::Memory::Scratch, 0});
  EXPECT_EQ(uses().refusalToCache(g), "");
}

TEST_F(Candidates, RatesArePerPacketReceived) {
  const std::string g = global("g", "i32", 500, allHit, 0);
  parse(g + ppf(loadG));
  AccessRates rates = uses().ratesOf(module->lookupSymbol<ir::GlobalOp>("g"));
  EXPECT_DOUBLE_EQ(rates.load, 0.5);
  EXPECT_EQ(rates.store, 0);
  EXPECT_DOUBLE_EQ(rates.errorMax, 1e-3);
  // A global that a control function writes has one store a second, at four
  // Gbit/s of 64 bytes with preamble and gap, though the profile saw none.
  const std::string writer =
      "func.func @c(%w: i32) attributes {baker.kind = #baker.kind<control>} "
      "{\n%g = baker.global_ref @g : !baker.ref<i32>\n"
      "baker.store %w, %g : !baker.ref<i32>\nreturn\n}\n";
  parse(g + ppf(loadG) + writer);
  auto op = module->lookupSymbol<ir::GlobalOp>("g");
  EXPECT_DOUBLE_EQ(uses().ratesOf(op).store, 1 / (4e9 / ((64 + 20) * 8)));
  // Stores of packets and of the control plane add up.
  ir::GlobalProfile profile = *ir::profileOf(op);
  profile.updates = 3;
  profile.writes = 2;
  ir::setProfile(op, profile);
  EXPECT_DOUBLE_EQ(uses().ratesOf(op).store, 5.0 / 1000);
  op->setAttr(ir::tolerateAttrName,
              IntegerAttr::get(IntegerType::get(&context, 64), 50));
  EXPECT_DOUBLE_EQ(uses().ratesOf(op).errorMax, 1.0 / 50);
}

//===----------------------------------------------------------------------===//
// Copies of a part of an array
//===----------------------------------------------------------------------===//

class PartialCopies : public Candidates {
protected:
  /// A copy of an array of 100 words that packets load ten times each.
  CopyCandidate array(uint64_t interval = packetIntervalMax) {
    CopyCandidate candidate;
    candidate.global = module->lookupSymbol<ir::GlobalOp>("g");
    candidate.type = candidate.global.getType();
    candidate.words = 100;
    candidate.rates.load = 10;
    candidate.interval = interval;
    candidate.latency = 850;
    candidate.gain = 10 * whole;
    return candidate;
  }
  CopyCandidate scalar(uint64_t words, double gain) {
    CopyCandidate candidate;
    candidate.global = module->lookupSymbol<ir::GlobalOp>("g");
    candidate.type = IntegerType::get(&context, 32);
    candidate.words = words;
    candidate.gain = gain;
    candidate.interval = packetIntervalMax;
    return candidate;
  }
  static CopyChoice choose(const std::vector<CopyCandidate> &candidates,
                           uint64_t words) {
    return chooseCopies(candidates, words, 6, target::ChipParameters());
  }
  void SetUp() override {
    parse(global("g", "!baker.array<100 x i32>", 10000, allHit, 100));
  }

  /// Eight contexts share the engine; a load of a copy takes four cycles more.
  static constexpr double whole = (90 - 5) / 8.0 - 4;
};

TEST_F(PartialCopies, AsManyElementsAsFitAreCopied) {
  // Three cycles for the jump and two for the range, for each load.
  std::vector<CopyCandidate> candidates = {array()};
  CopyChoice choice = choose(candidates, 80);
  EXPECT_EQ(choice.chosen, (std::vector<size_t>{0}));
  EXPECT_EQ(choice.lastElements, 80u);
  EXPECT_DOUBLE_EQ(choice.gain, 10 * (0.8 * whole - 5));
  shortenLast(choice, candidates);
  EXPECT_EQ(candidates[0].words, 80u);
  EXPECT_DOUBLE_EQ(candidates[0].latency, 680);
  EXPECT_EQ(cast<ir::ArrayType>(candidates[0].type).getSize(), 80u);
}

TEST_F(PartialCopies, AWholeCopyIsNotShortened) {
  std::vector<CopyCandidate> candidates = {array()};
  CopyChoice choice = choose(candidates, 100);
  EXPECT_EQ(choice.lastElements, 0u);
  EXPECT_DOUBLE_EQ(choice.gain, 10 * whole);
  shortenLast(choice, candidates);
  EXPECT_EQ(candidates[0].words, 100u);
  EXPECT_DOUBLE_EQ(candidates[0].latency, 850);
}

TEST_F(PartialCopies, TooFewElementsDoNotPay) {
  // 75 of 100 save 4.97 of the 5 cycles that they cost, and 76 save 5.03.
  EXPECT_TRUE(choose({array()}, 75).chosen.empty());
  EXPECT_EQ(choose({array()}, 76).lastElements, 76u);
}

TEST_F(PartialCopies, TheRestOfLocalMemoryIsFilledUp) {
  const std::vector<CopyCandidate> candidates = {array(), scalar(10, 90)};
  const CopyChoice choice = choose(candidates, 100);
  // The scalar and 90 elements are better than all 100 elements.
  EXPECT_EQ(choice.chosen, (std::vector<size_t>{1, 0}));
  EXPECT_EQ(choice.lastElements, 90u);
  EXPECT_DOUBLE_EQ(choice.gain, 90 + 10 * (0.9 * whole - 5));
}

} // namespace
} // namespace karakal::swcache
