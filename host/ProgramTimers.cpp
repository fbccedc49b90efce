#include "host/ProgramTimers.h"
#include "ir/dialect/Runtime.h"
#include "support/Assert.h"

namespace karakal::host {

std::vector<traces::TimerFunction> timersOf(const HostProgram &program) {
  KARAKAL_ASSERT(program.module, "the program has its code");
  std::vector<traces::TimerFunction> timers;
  for (size_t i = 0; i < program.controls.size(); ++i) {
    const HostControl &control = program.controls[i];
    const llvm::Function *wrapper = program.module->getFunction(control.symbol);
    uint64_t interval = 0;
    if (wrapper && !wrapper->getFnAttribute(ir::intervalAttrName)
                        .getValueAsString()
                        .getAsInteger(10, interval))
      timers.push_back({i, control.signature.name, interval});
  }
  return timers;
}

} // namespace karakal::host
