// What a snapshot lists of tables of each structure, and of other globals.

#include "codegen-x86/specialize/Snapshot.h"

#include <deque>
#include <gmock/gmock.h>

using namespace karakal::x86;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// Slots of `t` have a key, what `keyWords` adds to it, a state or the next
/// slot, and a value.
class TableContentTest : public testing::Test {
protected:
  TableContentTest() {
    shape.name = "t";
    shape.packed = {{0, 32, 0}};
    shape.packedBits = 32;
  }
  void add(const std::string &name, std::vector<uint32_t> words,
           int version = -1) {
    SharedGlobal global;
    global.name = name;
    global.words = words.size();
    global.version = version;
    program.globals.push_back(global);
    memories.push_back(std::move(words));
    memory.globals[name] = memories.back().data();
  }
  /// A global of the table.
  void own(const char *name, std::vector<uint32_t> words) {
    add("t.own." + std::string(name), std::move(words));
  }
  Snapshot take() {
    program.versionCount = 1;
    memory.versions = versions;
    return takeSnapshot(program, memory, limits);
  }
  std::optional<TableContent> content(const char *structure) {
    shape.structure = structure;
    shape.slotWords = shape.keyWords() + 2;
    shape.writtenWords.assign(shape.slotWords, false);
    program.tables = {shape};
    return take().tables.at(0);
  }
  /// The slots of the entries, in their order.
  std::vector<uint32_t> slots(const char *structure) {
    auto found = content(structure);
    EXPECT_TRUE(found);
    std::vector<uint32_t> numbers;
    for (const TableEntry &entry : found->entries)
      numbers.push_back(entry.slot);
    return numbers;
  }

  TableShape shape;
  Specializable program;
  ProgramMemory memory;
  SpecializeLimits limits;
  uint64_t versions[1] = {0};

private:
  std::deque<std::vector<uint32_t>> memories;
};

TEST_F(TableContentTest, TheBucketsOfAnIndexNameTheSlots) {
  own("entries", {0, 0, 7, 11, 0, 1, 12, 0, 2, 13, 0, 3});
  own("buckets", {0, 3, 0, 1});
  EXPECT_THAT(slots("index"), ElementsAre(3, 1));
  auto found = content("index");
  EXPECT_THAT(found->defaults, ElementsAre(0, 0, 7));
  EXPECT_THAT(found->entries[0].words, ElementsAre(13, 0, 3));
}

TEST_F(TableContentTest, AnEmptyTableIsKnownWhateverItsSize) {
  own("entries", {0, 0, 7, 11, 0, 1});
  own("buckets", {1, 1});
  own("used", {0});
  limits.readWordsMax = 1;
  EXPECT_THAT(slots("index"), IsEmpty());
}

TEST_F(TableContentTest, TooManyEntriesOrBucketsAreNotRead) {
  own("entries", {0, 0, 7, 11, 0, 1});
  own("buckets", {1, 0});
  own("used", {1});
  limits.indexedMax = 1;
  limits.readWordsMax = 2;
  EXPECT_TRUE(content("index"));
  limits.indexedMax = 0;
  EXPECT_FALSE(content("index"));
  limits.indexedMax = 1;
  limits.readWordsMax = 1;
  EXPECT_FALSE(content("index"));
}

TEST_F(TableContentTest, AListIsFollowed) {
  own("entries", {0, 0, 7, 11, 0, 1, 12, 3, 2, 13, 1, 3});
  own("head", {2});
  EXPECT_THAT(slots("list"), ElementsAre(2, 3, 1));
}

TEST_F(TableContentTest, StatesOfSlotsTellWhichAreUsed) {
  // The lowest bit counts; slot 0 has the default.
  own("entries", {0, 1, 7, 11, 1, 1, 12, 2, 2, 13, 3, 3});
  for (const char *structure : {"direct", "hash"})
    EXPECT_THAT(slots(structure), ElementsAre(1, 3)) << structure;
  limits.readWordsMax = 12;
  EXPECT_TRUE(content("hash"));
  limits.readWordsMax = 11;
  EXPECT_FALSE(content("hash"));
}

TEST_F(TableContentTest, OtherStructuresAreUnknown) {
  own("entries", {0, 1, 7, 11, 1, 1});
  EXPECT_FALSE(content("buckets"));
}

TEST_F(TableContentTest, LongerPrefixesComeFirst) {
  shape.hasLength = true;
  // Key, length, next, value.
  own("entries",
      {0, 0, 0, 7, 10, 8, 0, 1, 11, 16, 0, 2, 12, 8, 0, 3, 13, 32, 0, 4});
  own("buckets", {1, 2, 3, 4});
  EXPECT_THAT(slots("trie"), ElementsAre(4, 2, 1, 3));
}

TEST_F(TableContentTest, PrioritiesAndThenAgesOrderChains) {
  shape.hasMasks = true;
  // Key, mask, priority, next, value.
  own("entries", {0, 0, 0, 0, 7, 1, 1, 5, 3, 1, 2, 2, 9, 0, 2, 3, 3, 5, 0, 3});
  own("heads", {0, 1, 2});
  own("ages", {0, 8, 2, 4});
  EXPECT_THAT(slots("tuples"), ElementsAre(2, 3, 1));
}

TEST_F(TableContentTest, ChainsNeedHeadsAndAges) {
  shape.hasMasks = true;
  own("entries", {0, 0, 0, 0, 7});
  EXPECT_FALSE(content("tuples"));
  own("heads", {0});
  EXPECT_FALSE(content("tuples"));
  own("ages", {0});
  EXPECT_TRUE(content("tuples"));
}

TEST_F(TableContentTest, HoldersOfBitVectorsAreInTheirOrder) {
  shape.hasMasks = true;
  own("entries", {0, 0, 0, 0, 7, 1, 1, 5, 0, 1, 2, 2, 9, 0, 2});
  EXPECT_FALSE(content("bit_vectors"));
  own("holders", {0, 2, 0, 1});
  EXPECT_THAT(slots("bit_vectors"), ElementsAre(2, 1));
}

TEST_F(TableContentTest, SmallGlobalsBecomeConstants) {
  add("settings", {4, 5}, 0);
  limits.foldedWordsMax = 2;
  EXPECT_THAT(take().words["settings"], ElementsAre(4, 5));
  limits.foldedWordsMax = 1;
  EXPECT_THAT(take().words, IsEmpty());
}

TEST_F(TableContentTest, WhatPacketsWriteOrNobodyFollowsIsNoConstant) {
  add("followed", {4}, -1);
  add("counted", {5}, 0);
  program.globals.back().isWrittenByPackets = true;
  EXPECT_THAT(take().words, IsEmpty());
}

TEST_F(TableContentTest, LargeGlobalsMayBeAllZero) {
  limits.foldedWordsMax = 1;
  add("zero", {0, 0}, 0);
  add("other", {0, 1}, 0);
  EXPECT_THAT(take().zeros, ElementsAre("zero"));
  // Too large to read, but never changed since it was zero.
  limits.readWordsMax = 1;
  EXPECT_THAT(take().zeros, IsEmpty());
  program.globals[0].startsAsZero = true;
  EXPECT_THAT(take().zeros, ElementsAre("zero"));
  versions[0] = 1;
  EXPECT_THAT(take().zeros, IsEmpty());
}

TEST_F(TableContentTest, VersionsAreThoseOfTheState) {
  versions[0] = 42;
  EXPECT_THAT(take().versions, ElementsAre(42));
}

} // namespace
