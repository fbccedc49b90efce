// The choice of globals, look-up functions and arrays to cache: gains and
// decisions against values computed by hand. A load from SRAM takes 90 cycles.

#include "swcache/ChooseCached.h"
#include "swcache/ChooseCopies.h"
#include "tests/ir/ModuleText.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace karakal::swcache {
namespace {

/// Each of 1,000 packets calls @find once, and `hits` of these calls hit in 16
/// entries. @find loads a word of @a. Packets read both scalars of an element
/// of @b one after the other.
std::string program(unsigned hits, const std::string &key = "i32") {
  std::string count = std::to_string(hits);
  return R"(
module attributes {baker.profile = {received = 1000 : i64, traces = 1 : i64}} {
baker.global @a : !baker.array<65536 x i32> {baker.placement = #baker.placement<sram1 at 0>, baker.profile = {reads = 1000 : i64, writes = 0 : i64, read_words = 1000 : i64, write_words = 0 : i64, updates = 0 : i64, extent = 65536 : i64}}
baker.global @b : !baker.array<1000 x !baker.struct<"e", x : i32, y : i48>> {baker.placement = #baker.placement<sram1 at 327680>, baker.locality = array<i64: 1000, 1000, 1000, 1990, 1990, 1990, 1990>, baker.profile = {reads = 2000 : i64, writes = 0 : i64, read_words = 3000 : i64, write_words = 0 : i64, updates = 0 : i64, extent = 3000 : i64}}
baker.global @c : !baker.array<4 x i48> {baker.placement = #baker.placement<sram1 at 400000>, baker.profile = {reads = 2000 : i64, writes = 0 : i64, read_words = 4000 : i64, write_words = 0 : i64, updates = 0 : i64}}
func.func private @find(%key: )" +
         key +
         R"() -> i32 attributes {baker.kind = #baker.kind<function>, baker.locality = array<i64: 0, 0, 0, 0, )" +
         count + ", " + count + ", " + count +
         R"(>, baker.profile = {packets = 1000 : i64}} {
  %index = arith.constant 0 : i32
  %refs = baker.global_ref @a : !baker.ref<!baker.array<65536 x i32>>
  %ref = baker.element %refs[%index] : !baker.ref<!baker.array<65536 x i32>>
  %found = baker.load %ref : !baker.ref<i32>
  return %found : i32
}
}
)";
}

class Choice : public ir::ModuleText {
protected:
  target::ChipParameters chip;

  static CacheOptions options(uint32_t words) {
    CacheOptions options;
    options.words = words;
    options.wholeWords = 240;
    options.contexts = 48;
    return options;
  }
};

TEST(CacheGain, IsTheLatencySavedLessTheCostOfHitsAndMisses) {
  EXPECT_DOUBLE_EQ(cacheGain(90, 1, 1), 90 - 10);
  EXPECT_DOUBLE_EQ(cacheGain(90, 1, 0), -30);
  EXPECT_DOUBLE_EQ(cacheGain(180, 2, 0.5), 0.5 * 180 - 2 * (10 + 0.5 * 20));
}

TEST_F(Choice, ALookupFunctionWithManyHitsIsCached) {
  parse(program(900));
  CacheOptions only = options(240);
  only.lines = false;
  CacheChoice choice =
      chooseCamCaches(*module, GlobalUses(*module, 1e-3), only);
  ASSERT_EQ(choice.chosen.size(), 1u);
  CacheCandidate find = choice.chosen.front();
  EXPECT_EQ(find.entries, 16u);
  EXPECT_EQ(find.tag, 0u);
  EXPECT_DOUBLE_EQ(find.latency, 90);
  EXPECT_DOUBLE_EQ(find.hitRate, 0.9);
  EXPECT_DOUBLE_EQ(find.gain, 0.9 * 90 - (10 + 0.1 * 20));
}

TEST_F(Choice, ALookupFunctionWithFewHitsIsRefused) {
  // It would gain from 28 % hits on: 90 h = 10 + 20 (1 - h) for h = 0.2727.
  parse(program(272));
  CacheOptions only = options(240);
  only.lines = false;
  CacheChoice choice =
      chooseCamCaches(*module, GlobalUses(*module, 1e-3), only);
  EXPECT_TRUE(choice.chosen.empty());
  ASSERT_EQ(choice.refused.size(), 1u);
  EXPECT_EQ(choice.refused.front().second,
            "16 cached results would serve 0.27 of 1.00 calls per packet: the "
            "cache costs more than that saves");
  parse(program(273));
  choice = chooseCamCaches(*module, GlobalUses(*module, 1e-3), only);
  EXPECT_EQ(choice.chosen.size(), 1u);
}

TEST_F(Choice, TheCandidateThatGainsMostHasTheCamAlone) {
  parse(program(900, "i16"));
  GlobalUses uses(*module, 1e-3);
  // With eight entries each @find has no hits, so @b has all sixteen.
  CacheChoice choice = chooseCamCaches(*module, uses, options(240));
  ASSERT_EQ(choice.chosen.size(), 1u);
  CacheCandidate b = choice.chosen.front();
  EXPECT_EQ(b.array.getSymName(), "b");
  // Of two loads of an element the first counts; 10 of 1,000 elements miss.
  EXPECT_DOUBLE_EQ(b.probes, 1);
  EXPECT_DOUBLE_EQ(b.hitRate, 0.99);
  EXPECT_DOUBLE_EQ(b.gain, 0.99 * 90 - (10 + 0.01 * 20));
  auto find = llvm::find_if(
      choice.refused, [](auto &refused) { return bool(refused.first.lookup); });
  ASSERT_NE(find, choice.refused.end());
  EXPECT_EQ(find->second,
            "others save more, and all share the entries of one CAM");
}

TEST_F(Choice, ADirectMappedCacheHasAsManyLinesAsFit) {
  parse(program(0));
  GlobalUses uses(*module, 1e-3);
  // A cache line is element, tag and padding: four words.
  auto cache = chooseDirectMapped(*module, uses, options(64 * 4), {});
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->array.getSymName(), "b");
  EXPECT_EQ(cache->entryWords, 4u);
  EXPECT_EQ(cache->entries, 64u);
  EXPECT_DOUBLE_EQ(cache->gain, 0.99 * 90 - (10 + 0.01 * 20));
  cache = chooseDirectMapped(*module, uses, options(64 * 4 - 1), {});
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->entries, 32u);
  // 16 lines hit as four entries: never.
  EXPECT_FALSE(chooseDirectMapped(*module, uses, options(32 * 4 - 1), {}));
}

TEST_F(Choice, ADirectMappedCacheIsNotForACachedArray) {
  parse(program(0));
  auto b = module->lookupSymbol<ir::GlobalOp>("b");
  EXPECT_FALSE(chooseDirectMapped(*module, GlobalUses(*module, 1e-3),
                                  options(240), {b.getOperation()}));
}

TEST_F(Choice, ACopySavesTheLatencyOfItsLoads) {
  parse(program(0));
  auto c = module->lookupSymbol<ir::GlobalOp>("c");
  CopyCandidate candidate;
  EXPECT_EQ(refusalToCopy(c, GlobalUses(*module, 1e-3), 240, 48, candidate),
            "");
  EXPECT_EQ(candidate.words, 8u);
  // Two loads per packet, each of 90 cycles in SRAM and 5 in local memory.
  // Eight contexts share the engine, and a copy takes four more instructions.
  EXPECT_DOUBLE_EQ(candidate.latency, 2 * (90 - 5));
  EXPECT_DOUBLE_EQ(candidate.gain, 2 * ((90 - 5) / 8.0 - 4));
  EXPECT_EQ(candidate.interval, packetIntervalMax);
}

TEST_F(Choice, AGlobalLargerThanLocalMemoryHasNoCopy) {
  parse(program(0));
  auto b = module->lookupSymbol<ir::GlobalOp>("b");
  CopyCandidate candidate;
  EXPECT_EQ(refusalToCopy(b, GlobalUses(*module, 1e-3), 240, 48, candidate),
            "the 3000 words of it that packets read do not fit the 240 of "
            "local memory");
}

/// A candidate of `words` words that saves `gain` cycles.
CopyCandidate copyOf(MLIRContext &context, uint64_t words, double gain,
                     uint64_t interval = packetIntervalMax, double store = 0) {
  CopyCandidate candidate;
  candidate.type = IntegerType::get(&context, 32);
  candidate.words = words;
  candidate.gain = gain;
  candidate.interval = interval;
  candidate.rates.store = store;
  return candidate;
}

TEST_F(Choice, TheBestSetOfCopiesThatFitsIsChosen) {
  std::vector<CopyCandidate> candidates = {
      copyOf(context, 100, 5), copyOf(context, 150, 6), copyOf(context, 90, 4)};
  EXPECT_EQ(chooseCopies(candidates, 340, 6, chip).chosen.size(), 3u);
  // 5 + 4 cycles in 190 words are more than 6 in 150.
  CopyChoice choice = chooseCopies(candidates, 200, 6, chip);
  EXPECT_EQ(choice.chosen, (std::vector<size_t>{0, 2}));
  EXPECT_DOUBLE_EQ(choice.gain, 9);
  EXPECT_EQ(chooseCopies(candidates, 150, 6, chip).chosen,
            (std::vector<size_t>{1}));
  EXPECT_TRUE(chooseCopies(candidates, 89, 6, chip).chosen.empty());
}

TEST_F(Choice, CopiesMustSaveMoreThanTheirVersionChecksCost) {
  // Every context of six engines checks at each packet: three instructions, and
  // 90 cycles that eight contexts share, are 14.25 cycles.
  EXPECT_TRUE(chooseCopies({copyOf(context, 1, 14.2, 48, 1e-6)}, 240, 6, chip)
                  .chosen.empty());
  EXPECT_EQ(chooseCopies({copyOf(context, 1, 14.3, 48, 1e-6)}, 240, 6, chip)
                .chosen.size(),
            1u);
  // A global that is never written needs no checks.
  EXPECT_EQ(chooseCopies({copyOf(context, 1, 0.1)}, 240, 6, chip).chosen.size(),
            1u);
}

TEST_F(Choice, AFrequentlyWrittenGlobalDoesNotShortenTheIntervalOfOthers) {
  // Together they save 15 cycles and check at each packet (14.25 cycles). The
  // first alone saves 12 and checks at each 100th packet (3.1125 cycles).
  std::vector<CopyCandidate> candidates = {copyOf(context, 1, 12, 4800, 1e-6),
                                           copyOf(context, 1, 3, 48, 1e-6)};
  CopyChoice choice = chooseCopies(candidates, 240, 6, chip);
  EXPECT_EQ(choice.chosen, (std::vector<size_t>{0}));
  EXPECT_EQ(choice.interval, 4800u);
}

} // namespace
} // namespace karakal::swcache
