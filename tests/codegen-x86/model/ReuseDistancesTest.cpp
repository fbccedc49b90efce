// Reuse distances, against a list of the lines by last use.

#include "codegen-x86/model/ReuseDistances.h"
#include <algorithm>
#include <gmock/gmock.h>
#include <list>
#include <random>

using karakal::x86::ReuseDistances;

namespace {

/// The definition itself.
class PlainDistances {
public:
  uint64_t access(uint64_t line) {
    auto at = std::find(lines.begin(), lines.end(), line);
    uint64_t distance = at == lines.end() ? ReuseDistances::Never
                                          : std::distance(lines.begin(), at);
    if (at != lines.end())
      lines.erase(at);
    lines.push_front(line);
    return distance;
  }

private:
  std::list<uint64_t> lines;
};

TEST(ReuseDistances, CountsTheOtherLinesSinceTheLastUse) {
  ReuseDistances distances;
  auto access = [&](uint64_t line) { return distances.access(line)->distance; };
  EXPECT_EQ(access(7), ReuseDistances::Never);
  EXPECT_EQ(access(7), 0u);
  EXPECT_EQ(access(8), ReuseDistances::Never);
  EXPECT_EQ(access(9), ReuseDistances::Never);
  EXPECT_EQ(access(8), 1u); // 9
  EXPECT_EQ(access(7), 2u); // 8 and 9, of which 8 was used twice
  EXPECT_EQ(distances.lineCount(), 3u);
}

TEST(ReuseDistances, EqualsTheDefinitionAsLongAsAllLinesAreSampled) {
  ReuseDistances distances(64); // renumbers its times often
  PlainDistances plain;
  std::mt19937 random(5);
  for (int i = 0; i < 5000; ++i) {
    uint64_t line = random() % (random() % 64 + 1);
    auto found = distances.access(line);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->distance, plain.access(line)) << i;
    ASSERT_EQ(found->weight, 1);
  }
}

TEST(ReuseDistances, ASampleTellsWhatAllLinesWould) {
  // Each of 200,000 lines in turn: the distance is always 199,999.
  constexpr uint64_t lineCount = 200'000;
  ReuseDistances distances(4096);
  double first = 0, again = 0, sum = 0;
  for (int round = 0; round < 3; ++round)
    for (uint64_t line = 0; line < lineCount; ++line)
      if (auto found = distances.access(line)) {
        bool isFirst = found->distance == ReuseDistances::Never;
        (isFirst ? first : again) += round == 0 ? 0 : found->weight;
        if (!isFirst)
          sum += double(found->distance) * found->weight;
      }
  EXPECT_EQ(first, 0) << "a sampled line stays in the sample";
  EXPECT_NEAR(again, 2 * lineCount, 0.05 * 2 * lineCount);
  EXPECT_NEAR(sum / again, lineCount, 0.05 * lineCount);
  EXPECT_NEAR(double(distances.lineCount()), lineCount, 0.05 * lineCount);
}

} // namespace
