// Code that is kept in a folder.

#include "driver/cores/CodeCache.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

using namespace karakal;
using namespace karakal::driver;
namespace fs = std::filesystem;

namespace {

class CodeCacheTest : public testing::Test {
protected:
  CodeCacheTest() {
    llvm::SmallString<128> made;
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("code-cache", made));
    folder = made.str().str();
  }
  ~CodeCacheTest() override { fs::remove_all(folder); }
  fs::path file() const { return folder + "/llvmcache-" + key; }

  std::string folder;
  CodeCache cache() const { return CodeCache(folder); }
  const std::string key = CodeCache::keyOf({"input"});
  const std::string code = std::string("\0\1code", 6);
};

TEST_F(CodeCacheTest, FindsWhatIsKept) {
  EXPECT_EQ(cache().find(key), std::nullopt);
  ASSERT_TRUE(cache().keep(key, code));
  EXPECT_EQ(cache().find(key), code);
  EXPECT_EQ(cache().find(CodeCache::keyOf({"other"})), std::nullopt);
}

TEST_F(CodeCacheTest, CodeMayBeEmpty) {
  ASSERT_TRUE(cache().keep(key, ""));
  EXPECT_EQ(cache().find(key), "");
}

TEST_F(CodeCacheTest, LaterCodeReplacesEarlierCode) {
  ASSERT_TRUE(cache().keep(key, "earlier"));
  ASSERT_TRUE(cache().keep(key, code));
  EXPECT_EQ(cache().find(key), code);
  EXPECT_TRUE(fs::exists(file()));
}

TEST_F(CodeCacheTest, KeysTellInputsApart) {
  std::set<std::string> keys;
  for (std::vector<std::string> inputs : {std::vector<std::string>{},
                                          {""},
                                          {"", ""},
                                          {"ab", "c"},
                                          {"a", "bc"},
                                          {"c", "ab"},
                                          {"abc"}})
    keys.insert(CodeCache::keyOf(inputs));
  EXPECT_EQ(keys.size(), 7u);
  EXPECT_EQ(CodeCache::keyOf({"ab", "c"}), CodeCache::keyOf({"ab", "c"}));
}

TEST_F(CodeCacheTest, ADamagedFileIsNoCode) {
  ASSERT_TRUE(cache().keep(key, code));
  std::string bytes =
      (*llvm::MemoryBuffer::getFile(file().string()))->getBuffer().str();
  // Each byte counts, those of the checksum, too; so does the length.
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string wrong = bytes;
    wrong[i] ^= 1;
    std::ofstream(file(), std::ios::binary) << wrong;
    EXPECT_EQ(cache().find(key), std::nullopt) << i;
    std::ofstream(file(), std::ios::binary) << bytes.substr(0, i);
    EXPECT_EQ(cache().find(key), std::nullopt) << i;
  }
  std::ofstream(file(), std::ios::binary) << bytes;
  EXPECT_EQ(cache().find(key), code);
}

TEST_F(CodeCacheTest, TheFolderIsMade) {
  CodeCache deeper(folder + "/a/b");
  EXPECT_EQ(deeper.find(key), std::nullopt);
  ASSERT_TRUE(deeper.keep(key, code));
  EXPECT_EQ(deeper.find(key), code);
}

TEST_F(CodeCacheTest, AFolderThatCannotBeMadeIsAnError) {
  std::ofstream(folder + "/file") << "not a folder";
  Status kept = CodeCache(folder + "/file/a").keep(key, code);
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().id, "E-driver-023");
  EXPECT_EQ(kept.error().file, folder + "/file/a");
}

TEST_F(CodeCacheTest, OtherFilesOfTheFolderStay) {
  std::ofstream(folder + "/mine") << "text";
  ASSERT_TRUE(cache().keep(key, code));
  EXPECT_TRUE(fs::exists(folder + "/mine"));
}

} // namespace
