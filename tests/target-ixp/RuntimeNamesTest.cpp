// Tests that the runtime defines the names that compiled code calls.

#include "target-ixp/chip/RuntimeNames.h"

#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <string>

namespace karakal::target {
namespace {

struct Row {
  const char *constant, *symbol, *defined;
};

const Row functions[] = {
#define KARAKAL_RUNTIME_FUNCTION(constant, symbol, defined)                    \
  {#constant, symbol, defined},
#define KARAKAL_INTRINSIC(constant, symbol)
#include "target-ixp/chip/RuntimeNames.def"
};

const Row intrinsics[] = {
#define KARAKAL_RUNTIME_FUNCTION(constant, symbol, defined)
#define KARAKAL_INTRINSIC(constant, symbol) {#constant, symbol, ""},
#include "target-ixp/chip/RuntimeNames.def"
};

std::string textOf(const std::string &file) {
  std::ifstream stream(std::string(KARAKAL_RUNTIME_DIR) + "/" + file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

bool isDefined(const std::string &text, const std::string &symbol) {
  for (size_t at = text.find("@" + symbol + "("); at != std::string::npos;
       at = text.find("@" + symbol + "(", at + 1)) {
    size_t begin = text.rfind('\n', at) + 1;
    if (text.compare(begin, 7, "define ") == 0)
      return true;
  }
  return false;
}

TEST(RuntimeNames, TheirFilesDefineThem) {
  for (const Row &row : functions) {
    std::string file = row.defined;
    if (file == "compiler" || file == "host")
      continue;
    EXPECT_TRUE(isDefined(textOf(file), row.symbol))
        << row.symbol << " is not defined in runtime/" << file;
  }
}

TEST(RuntimeNames, AreUnique) {
  std::set<std::string> seen;
  for (const Row &row : functions)
    EXPECT_TRUE(seen.insert(row.symbol).second) << row.symbol;
  for (const Row &row : intrinsics)
    EXPECT_TRUE(seen.insert(row.symbol).second) << row.symbol;
}

TEST(RuntimeNames, BeginWithTheirPrefix) {
  for (const Row &row : functions) {
    if (std::string(row.defined) != "compiler") {
      EXPECT_EQ(std::string(row.symbol).rfind(runtime::Prefix, 0), 0u)
          << row.symbol;
    }
  }
  for (const Row &row : intrinsics)
    EXPECT_EQ(std::string(row.symbol).rfind(intrinsic::Prefix, 0), 0u)
        << row.symbol;
}

} // namespace
} // namespace karakal::target
