#include "driver/RegisterAllPasses.h"
#include "aggregation/Passes.h"
#include "passes/Passes.h"

namespace karakal::driver {

void registerAllPasses() {
  passes::registerPassesPasses();
  agg::registerAggregationPasses();
}

} // namespace karakal::driver
