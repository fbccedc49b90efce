#include "driver/pipeline/RegisterAllPasses.h"
#include "aggregation/Passes.h"
#include "passes/Passes.h"
#include "swcache/Passes.h"

namespace karakal::driver {

void registerAllPasses() {
  passes::registerPassesPasses();
  agg::registerAggregationPasses();
  swcache::registerCachesPasses();
}

} // namespace karakal::driver
