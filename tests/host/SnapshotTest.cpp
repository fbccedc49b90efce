// What is read of a program's tables while its packets run.

#include "codegen-x86/specialize/Snapshot.h"
#include "RulesProgram.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace karakal;
using namespace karakal::host;
using testing::ElementsAre;

namespace {

/// The program of RulesProgram.h, and memory for its globals.
class SnapshotTest : public ::testing::Test {
protected:
  SnapshotTest() {
    HostProgram program = makeRules();
    program.module->setDataLayout("e-m:e-i64:64-n8:16:32:64-S128");
    x86::ProgramParts parts;
    parts.packetEntries = {"in"};
    for (const HostControl &control : program.controls)
      parts.controls.emplace_back(control.symbol, control.signature.name);
    parts.tables = program.tables;
    prepared = x86::prepareToSpecialize(*program.module, parts);
    for (const x86::SharedGlobal &global : prepared.globals) {
      words.emplace_back(global.words);
      memory.globals[global.name] = words.back().data();
      places[global.name] = words.back().data();
    }
    versions.resize(prepared.versionCount);
    memory.versions = versions.data();
  }
  x86::TableContent table() {
    x86::Snapshot taken = x86::takeSnapshot(prepared, memory, {});
    return taken.tables.at(0).value();
  }
  void fillSlot(uint32_t number, std::vector<uint32_t> content) {
    std::copy(content.begin(), content.end(),
              places.at("m.t.own.entries") + number * content.size());
  }

  x86::Specializable prepared;
  std::deque<std::vector<uint32_t>> words;
  std::vector<uint64_t> versions;
  std::map<std::string, uint32_t *> places;
  x86::ProgramMemory memory;
};

TEST_F(SnapshotTest, PacketsWriteTheHits) {
  ASSERT_EQ(prepared.tables.size(), 1u);
  EXPECT_THAT(prepared.tables[0].writtenWords,
              ElementsAre(false, false, false, false, false, true));
}

TEST_F(SnapshotTest, WhatPacketsWriteIsNotRead) {
  fillSlot(0, {1, 2, 3, 0, 5, 66});
  fillSlot(1, {10, 11, 12, 3, 14, 15});
  fillSlot(3, {30, 31, 32, 0, 34, 35});
  *places.at("m.t.own.head") = 1;
  x86::TableContent content = table();
  EXPECT_THAT(content.defaults, ElementsAre(1, 2, 3, 0, 5, 0));
  ASSERT_EQ(content.entries.size(), 2u);
  EXPECT_EQ(content.entries[0].slot, 1u);
  EXPECT_THAT(content.entries[0].words, ElementsAre(10, 11, 12, 3, 14, 0));
  EXPECT_EQ(content.entries[1].slot, 3u);
  EXPECT_THAT(content.entries[1].words, ElementsAre(30, 31, 32, 0, 34, 0));
}

} // namespace
