#include "driver/UncalledTimers.h"

#include "ir/dialect/Runtime.h"
#include "support/Assert.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace karakal::driver {

void warnOfTimers(ModuleOp program, TimerlessRunner runner) {
  for (auto function : program.getOps<func::FuncOp>()) {
    auto interval = function->getAttrOfType<IntegerAttr>(ir::intervalAttrName);
    if (!interval)
      continue;
    KARAKAL_ASSERT(interval.getInt() > 0, "a timer has an interval");
    std::string name = function.getSymName().str(), remedy;
    llvm::raw_string_ostream text(remedy);
    if (runner == TimerlessRunner::Switch)
      text << "bakersw does not call it by itself: give "
           << llvm::format("'--every=%g:", double(interval.getInt()) / 1e6)
           << name << "()'";
    else
      text << "an executable does not call it: 'bakerc --run' and the chip do";
    function.emitWarning() << "'" << name << "' is a timer; " << remedy;
  }
}

} // namespace karakal::driver
