// The order of the passes and its check.

#include "driver/pipeline/Pipeline.h"
#include <gtest/gtest.h>

using namespace karakal;
using namespace karakal::driver;

TEST(PipelineTest, EveryCoreHasALegalOrder) {
  for (ir::Core target : {ir::Core::Me, ir::Core::XScale, ir::Core::Host})
    for (Level level : {Level::Base, Level::O1, Level::O2, Level::Pac,
                        Level::Soar, Level::Phr, Level::Swc}) {
      PipelineOptions options;
      options.level = level;
      Status ordered = checkOrder(passFlags(target, options));
      EXPECT_TRUE(bool(ordered)) << ordered.error().message;
    }
}

TEST(PipelineTest, AWrongOrderIsAnErrorWithTheReason) {
  Status ordered = checkOrder({"baker-to-llvm", "baker-lower-channels"});
  ASSERT_FALSE(bool(ordered));
  EXPECT_EQ(ordered.error().message,
            "baker-lower-channels must run before baker-to-llvm: LLVM's "
            "dialect has no channels");
}
