#include "driver/pipeline/RegisterAllPasses.h"
#include "aggregation/Passes.h"
#include "baker-lang/tables/LowerTables.h"
#include "codegen-x86/batch/Passes.h"
#include "driver/pipeline/LlvmStage.h"
#include "passes/Passes.h"
#include "swcache/Passes.h"

namespace karakal::driver {

void registerAllPasses() {
  lang::setTableTemplates(runtimeDirectory() + "/tables");
  lang::registerTablesPasses();
  passes::registerPassesPasses();
  agg::registerAggregationPasses();
  swcache::registerCachesPasses();
  x86::registerBatchPasses();
}

} // namespace karakal::driver
