// How many threads compile.

#include "driver/pipeline/Threads.h"
#include "support/Assert.h"
#include "llvm/Support/Threading.h"

namespace karakal::driver {

static unsigned askedThreads = 0;

void setThreadCount(unsigned asked) { askedThreads = asked; }

unsigned threadCount() {
  unsigned count =
      llvm::hardware_concurrency(askedThreads).compute_thread_count();
  KARAKAL_ASSERT(count > 0, "a machine has a core");
  return count;
}

} // namespace karakal::driver
