// Which passes each core runs at each level.

#include "driver/pipeline/Pipeline.h"

#include <gmock/gmock.h>

using namespace karakal;
using namespace karakal::driver;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Not;

namespace {

std::vector<std::string> flags(ir::Core core, Level level,
                               std::vector<std::string> disabled = {}) {
  PipelineOptions options;
  options.level = level;
  options.disabled = std::move(disabled);
  return passFlags(core, options);
}

TEST(PassList, EndsWithTheLoweringToLlvm) {
  for (ir::Core core : {ir::Core::Me, ir::Core::XScale, ir::Core::Host}) {
    EXPECT_THAT(flags(core, Level::Base), Contains("baker-to-llvm"));
    EXPECT_THAT(flags(core, Level::Swc), Contains("baker-to-llvm"));
  }
}

TEST(PassList, HasNoPassWithoutAFlag) {
  EXPECT_THAT(flags(ir::Core::Me, Level::Swc), Each(Not("")));
}

TEST(PassList, ALevelHasThePassesOfThoseBelowIt) {
  EXPECT_THAT(flags(ir::Core::Me, Level::O2), Not(Contains("baker-pac")));
  EXPECT_THAT(flags(ir::Core::Me, Level::Pac), Contains("baker-pac"));
  EXPECT_THAT(flags(ir::Core::Me, Level::Pac), Not(Contains("baker-soar")));
  EXPECT_THAT(flags(ir::Core::Me, Level::Soar), Contains("baker-pac"));
  EXPECT_THAT(flags(ir::Core::Me, Level::Soar), Contains("baker-soar"));
  EXPECT_THAT(flags(ir::Core::Me, Level::Soar), Not(Contains("baker-phr")));
  EXPECT_THAT(flags(ir::Core::Me, Level::Phr), Contains("baker-phr"));
  EXPECT_THAT(flags(ir::Core::Me, Level::Phr),
              Not(Contains("baker-plan-caches")));
  EXPECT_THAT(flags(ir::Core::Me, Level::Swc), Contains("baker-plan-caches"));
  EXPECT_THAT(flags(ir::Core::Me, Level::Swc), Contains("baker-phr"));
}

TEST(PassList, ADisabledPassIsLeftOut) {
  EXPECT_THAT(flags(ir::Core::Me, Level::Phr, {"phr"}),
              Not(Contains("baker-phr")));
  EXPECT_THAT(flags(ir::Core::Me, Level::Phr, {"phr"}), Contains("baker-pac"));
}

} // namespace
