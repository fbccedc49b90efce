// Counts for the model of rates, from a run over a trace.

#include "host/observe/WorkObservation.h"
#include "codegen-x86/ObserveWork.h"
#include "support/Assert.h"

namespace karakal::host {

static thread_local x86::WorkCounts *active = nullptr;

ActiveWorkCounts::ActiveWorkCounts(x86::WorkCounts &counts) {
  KARAKAL_ASSERT(!active, "one run is observed at a time");
  active = &counts;
}

ActiveWorkCounts::~ActiveWorkCounts() { active = nullptr; }

static void countBlock(uint32_t instructions) {
  if (active)
    active->block(instructions);
}

static void countBranch(uint32_t site, uint32_t taken) {
  if (active)
    active->branch(site, taken != 0);
}

static void countAccess(uint32_t kind, const void *address, uint32_t object) {
  if (active)
    active->access(x86::AccessKind(kind), reinterpret_cast<uintptr_t>(address),
                   object);
}

std::vector<std::pair<const char *, void *>> observerSymbols() {
  using Names = x86::ObserverSymbols;
  return {{Names::Block, reinterpret_cast<void *>(countBlock)},
          {Names::Branch, reinterpret_cast<void *>(countBranch)},
          {Names::Access, reinterpret_cast<void *>(countAccess)}};
}

} // namespace karakal::host
