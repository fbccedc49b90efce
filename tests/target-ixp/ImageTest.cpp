// Tests that an image is read as it was written and that damaged images are
// rejected.

#include "target-ixp/image/Image.h"
#include "target-ixp/chip/EngineTable.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/image/Elf.h"
#include "target-ixp/image/Manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>

using namespace karakal;
using namespace karakal::target;
using testing::HasSubstr;

namespace {

Image sample() {
  Image image;
  image.manifest = defaultManifest("l3-switch", "o1");
  image.manifest["aggregates"] = {
      {{"name", "main"}, {"ucode", "main"}, {"words", 3}, {"engines", {1, 2}}}};
  image.manifest["engines"] = {{{"engine", 0}, {"role", "rx"}, {"ucode", "rx"}},
                               {{"engine", 1},
                                {"role", "app"},
                                {"ucode", "main"},
                                {"aggregate", "main"}}};
  image.manifest["globals"] = {{{"name", "l3_switch.hops"},
                                {"memory", "sram1"},
                                {"address", 0},
                                {"bytes", 1024}}};
  image.manifest["xscale"] = {
      {"handler", XScaleBase},
      {"stack", XScaleStackTop},
      {"arguments", XScaleArguments},
      {"init", {{{"name", "setup"}, {"entry", XScaleBase + 4}}}},
      {"control",
       {{{"name", "route_add"},
         {"entry", XScaleBase + 8},
         {"params", {{{"name", "prefix"}, {"type", "u32"}}}},
         {"returns", "s32"}}}}};
  image.microcode["rx"] = {0xf0000c0300, 0xe000010000};
  image.microcode["main"] = {0xf0000cc005, 0xf0000c0300, 0xffffffffff};
  image.lines["rx"] = {{"rx.uc", 3}, {"rx.uc", 4}};
  image.locals["main"] = {{{"hop", "u16", {"a.baker", 12}, 30}},
                          {{0, 1, 3, {{ValuePart::Kind::GprA, 3, 0}}}}};
  image.xscale.push_back({".xscale.text", XScaleBase, {1, 2, 3, 4, 5}});
  return image;
}

std::vector<uint8_t> bytesOf(const Image &image) {
  return serializeImage(image);
}

void expectError(const std::vector<uint8_t> &bytes, const char *id,
                 const char *text) {
  Result<Image> image = parseImage(bytes, "x.ixp");
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().id, id) << image.error().message;
  EXPECT_THAT(image.error().message, HasSubstr(text));
  EXPECT_EQ(image.error().file, "x.ixp");
}

/// An image with one change to its manifest.
template <typename Change> std::vector<uint8_t> changed(Change change) {
  Image image = sample();
  change(image.manifest);
  return bytesOf(image);
}

TEST(Image, IsReadAsWritten) {
  Image image = sample();
  Result<Image> again = parseImage(bytesOf(image), "x.ixp");
  ASSERT_TRUE(again) << again.error().str();
  EXPECT_EQ(again->manifest, image.manifest);
  EXPECT_EQ(again->microcode, image.microcode);
  ASSERT_EQ(again->lines["rx"].size(), 2u);
  EXPECT_EQ(again->lines["rx"][1].file, "rx.uc");
  EXPECT_EQ(again->lines["rx"][1].line, 4u);
  ASSERT_EQ(again->locals["main"].ranges.size(), 1u);
  EXPECT_EQ(again->locals["main"].ranges[0].end, 3u);
  EXPECT_EQ(again->locals["main"].variables[0].name, "hop");
  ASSERT_EQ(again->xscale.size(), 1u);
  EXPECT_EQ(again->xscale[0].name, ".xscale.text");
  EXPECT_EQ(again->xscale[0].address, XScaleBase);
  EXPECT_EQ(again->xscale[0].bytes, image.xscale[0].bytes);
}

TEST(Image, RejectsLocalVariablesOfOtherWords) {
  for (auto [begin, end] : {std::pair(1u, 4u), std::pair(2u, 2u)}) {
    Image image = sample();
    image.locals["main"].ranges[0].begin = begin;
    image.locals["main"].ranges[0].end = end;
    expectError(bytesOf(image), "E-target-ixp-074",
                "the local variables of microcode 'main'");
  }
}

TEST(Image, RejectsAWrongSectionOfLocalVariables) {
  std::vector<uint8_t> bytes = bytesOf(sample());
  const std::string part = "last_line";
  auto at = std::search(bytes.begin(), bytes.end(), part.begin(), part.end());
  ASSERT_NE(at, bytes.end());
  *at = 'L';
  expectError(bytes, "E-target-ixp-074", "does not describe local variables");
}

TEST(Image, RejectsWrongFactsForObservers) {
  auto wrong = [](const char *key, nlohmann::json value, const char *text) {
    expectError(
        changed([&](nlohmann::json &manifest) { manifest[key] = value; }),
        "E-target-ixp-074", text);
  };
  nlohmann::json field = {{"name", "mark"}, {"word", 15}, {"words", 2}};
  wrong("metadata", nlohmann::json::array({field}),
        "'mark' does not fit the descriptor");
  nlohmann::json lock = {{"ucode", "rx"},
                         {"begin", 0},
                         {"end", 1},
                         {"calls", nlohmann::json::array()}};
  EXPECT_TRUE(parseImage(changed([&](nlohmann::json &manifest) {
                           manifest["lock_functions"] =
                               nlohmann::json::array({lock});
                         }),
                         "x.ixp"));
  for (auto [key, value] :
       {std::pair("end", 999), std::pair("begin", 1), std::pair("ucode", 3)}) {
    nlohmann::json other = lock;
    other[key] = value;
    wrong("lock_functions", nlohmann::json::array({other}), "lock_functions");
  }
  lock["calls"] = nlohmann::json::array({999});
  wrong("lock_functions", nlohmann::json::array({lock}),
        "words that do not exist");
}

TEST(Image, RejectsAWrongMultiplier) {
  using nlohmann::json;
  auto with = [](const json &hash) {
    return changed([&](json &manifest) { manifest["hash"] = hash; });
  };
  json fine = {{"multiplier", {1, 2, 3, 0xffffffffu}}};
  EXPECT_TRUE(parseImage(with(fine), "x.ixp"));
  fine["core_copy"] = DramBytes - 16;
  EXPECT_TRUE(parseImage(with(fine), "x.ixp"));
  const char *id = "E-target-ixp-074";
  expectError(with(json::object()), id, "no 'multiplier' of four words");
  expectError(with({{"multiplier", {1, 2, 3}}}), id, "of four words");
  expectError(with({{"multiplier", {1, 2, 3, 1ull << 32}}}), id, "of 32 bits");
  expectError(with({{"multiplier", {1, 2, 3, "4"}}}), id, "of 32 bits");
  fine["core_copy"] = DramBytes - 15;
  expectError(with(fine), id, "no address of DRAM");
}

TEST(Image, RejectsAWrongTableOfEngines) {
  auto with = [](const nlohmann::json &address) {
    return changed(
        [&](nlohmann::json &manifest) { manifest["engine_table"] = address; });
  };
  EXPECT_TRUE(parseImage(with(XScaleBase), "x.ixp"));
  for (const nlohmann::json &address :
       {nlohmann::json(XScaleBase - 4), nlohmann::json(XScaleBase + 2),
        nlohmann::json(ExchangeCodeBase - 4), nlohmann::json("here")})
    expectError(with(address), "E-target-ixp-074",
                "'engine_table' is not in the XScale core's data");
}

TEST(Image, BytesDependOnlyOnContents) {
  EXPECT_EQ(bytesOf(sample()), bytesOf(sample()));
}

TEST(Image, WritesAndReadsAFile) {
  std::string path = testing::TempDir() + "karakal-image-test.ixp";
  Status written = writeImage(path, sample());
  ASSERT_TRUE(written) << written.error().str();
  Result<Image> image = readImage(path);
  ASSERT_TRUE(image) << image.error().str();
  EXPECT_EQ(image->microcode.size(), 2u);
  std::remove(path.c_str());
}

TEST(Image, RejectsOtherFiles) {
  expectError({}, "E-target-ixp-072", "not a Karakal image");
  expectError({'h', 'e', 'l', 'l', 'o'}, "E-target-ixp-072",
              "not a Karakal image");
  std::vector<uint8_t> x86 = bytesOf(sample());
  x86[19] = 62; // EM_X86_64
  expectError(x86, "E-target-ixp-072", "not a Karakal image");
  expectError(writeElf({{".text", {1, 2, 3, 4}, true, 0}}), "E-target-ixp-072",
              "no manifest");
  std::string other = "{\"format\":\"other\"}";
  expectError(writeElf({{".manifest", {other.begin(), other.end()}}}),
              "E-target-ixp-072", "another format");
}

TEST(Image, RejectsTruncatedFiles) {
  std::vector<uint8_t> whole = bytesOf(sample());
  for (size_t size = 4; size < whole.size(); size += 7) {
    std::vector<uint8_t> cut(whole.begin(),
                             whole.begin() + static_cast<std::ptrdiff_t>(size));
    expectError(cut, "E-target-ixp-073", "cut short");
  }
}

TEST(Image, RejectsAnotherVersion) {
  std::vector<uint8_t> bytes = bytesOf(sample());
  std::string key = "\"version\": 1";
  auto at = std::search(bytes.begin(), bytes.end(), key.begin(), key.end());
  ASSERT_NE(at, bytes.end());
  at[static_cast<std::ptrdiff_t>(key.size()) - 1] = '9';
  expectError(bytes, "E-target-ixp-075", "version 9");
}

TEST(Image, RejectsAManifestThatViolatesTheSchema) {
  using nlohmann::json;
  const char *id = "E-target-ixp-074";
  expectError(changed([](json &m) { m.erase("rings"); }), id, "lacks 'rings'");
  expectError(changed([](json &m) { m["rings"] = 5; }), id, "wrong type");
  expectError(changed([](json &m) { m["rings"][0].erase("base"); }), id,
              "lacks 'base'");
  expectError(changed([](json &m) { m["rings"][0]["words"] = 100; }), id,
              "multiple of");
  expectError(changed([](json &m) { m["rings"][0]["status"] = "half"; }), id,
              "a ring's flag");
  expectError(changed([](json &m) { m["engines"][0]["engine"] = 8; }), id,
              "no microengine 8");
  expectError(changed([](json &m) { m["engines"][0]["engine"] = -1; }), id,
              "wrong type");
  expectError(changed([](json &m) { m["engines"][1]["engine"] = 0; }), id,
              "two programs");
  expectError(changed([](json &m) { m["engines"][0]["ucode"] = "ry"; }), id,
              "'ry'");
  expectError(changed([](json &m) { m["engines"][0]["role"] = "dj"; }), id,
              "role 'dj'");
  expectError(changed([](json &m) { m["buffers"]["count"] = 1 << 19; }), id,
              "do not fit the DRAM");
  expectError(changed([](json &m) { m["buffers"]["descriptor_bytes"] = 960; }),
              id, "do not fit the DRAM");
  expectError(changed([](json &m) { m["buffers"]["free_queue"] = {}; }), id,
              "free_queue");
  expectError(changed([](json &m) { m["globals"][0]["memory"] = "tape"; }), id,
              "no memory 'tape'");
  expectError(changed([](json &m) { m["globals"][0]["bytes"] = 1 << 30; }), id,
              "does not fit sram1");
  expectError(changed([](json &m) { m["globals"][0]["elements"] = 4; }), id,
              "lacks 'element_bits'");
  expectError(changed([](json &m) {
                m["globals"][0].update({{"elements", 4}, {"element_bits", 3}});
              }),
              id, "do not fit its bytes");
  expectError(changed([](json &m) {
                uint64_t bytes = m["globals"][0]["bytes"];
                m["globals"][0].update(
                    {{"elements", bytes + 1}, {"element_bits", 8}});
              }),
              id, "do not fit its bytes");
  expectError(changed([](json &m) { m["drop_counters"] = 2; }), id,
              "drop counters");
  expectError(changed([](json &m) { m["xscale"].erase("stack"); }), id,
              "lacks 'stack'");
  expectError(changed([](json &m) {
                m["xscale"]["control"][0]["params"][0].erase("type");
              }),
              id, "lacks 'type'");
}

TEST(Image, RejectsAProgramThatDoesNotFitTheControlStore) {
  Image image = sample();
  image.microcode["main"].assign(4097, 0xf0000c0300);
  Status written = writeImage("/tmp/never-written.ixp", image);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("4097 words"));
}

TEST(Image, ReportsFileErrors) {
  Result<Image> image = readImage("/nonexistent/x.ixp");
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().id, "E-support-001");
  Status written = writeImage("/nonexistent/x.ixp", sample());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().id, "E-support-002");
  EXPECT_FALSE(readImage("/tmp"));
}

// Damage yields an error or another valid image, but no crash.
TEST(Image, SurvivesRandomDamage) {
  std::vector<uint8_t> whole = bytesOf(sample());
  std::mt19937 random(5);
  for (int n = 0; n < 3000; ++n) {
    std::vector<uint8_t> bytes = whole;
    for (int hits = 0; hits < 3; ++hits)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    Result<Image> image = parseImage(bytes, "x.ixp");
    if (image)
      EXPECT_TRUE(validateImage(*image));
  }
}

} // namespace
