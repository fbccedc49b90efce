// One mistake gives one error.
//
// The benchmark `diagnostics` measures 1,000 mutants; here are enough to notice
// when recovery from errors breaks.

#include "tests/baker-lang/SingleMutations.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace karakal;
namespace fs = std::filesystem;

TEST(SingleMutations, OneMistakeGivesOneError) {
  fs::path work = fs::path(testing::TempDir()) / "baker-single-mutations";
  fs::create_directories(work);
  SingleMutations mutations(KARAKAL_SOURCE_DIR "/apps", work,
                            KARAKAL_SOURCE_DIR "/runtime", /*seed=*/2);
  std::vector<uint32_t> counts;
  for (unsigned i = 0; i < 200; ++i) {
    counts.push_back(mutations.next().errorCount);
    ASSERT_GT(counts.back(), 0u);
  }
  fs::remove_all(work);
  std::sort(counts.begin(), counts.end());
  EXPECT_EQ(counts[100], 1u);
  EXPECT_LE(counts[180], 3u);
}
