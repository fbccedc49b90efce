// A pass in a plugin.
//
// Counts the operations that touch packets, and says for each function how
// many there are: an example of a pass that stands outside of Karakal's tree.

#include "ir/analysis/Explain.h"
#include "ir/dialect/Baker.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;
using namespace karakal;

namespace {

struct CountAccesses
    : public PassWrapper<CountAccesses, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountAccesses)

  CountAccesses() = default;
  CountAccesses(const CountAccesses &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "example-count-accesses"; }
  StringRef getDescription() const final {
    return "count the accesses of packets in each function";
  }

  void runOnOperation() override {
    uint64_t count = 0;
    getOperation().walk([&](Operation *op) {
      count += isa<ir::PacketReadOp, ir::PacketWriteOp>(op) && isCounted(op);
    });
    accessCount += count;
    ir::explain(getOperation(), "example-count-accesses")
        << "@" << getOperation().getSymName() << " has " << count
        << " accesses: one for each field that it names";
  }

  bool isCounted(Operation *op) {
    return !writesOnly || isa<ir::PacketWriteOp>(op);
  }

  Option<bool> writesOnly{*this, "writes-only",
                          llvm::cl::desc("count only writes")};
  Statistic accessCount{this, "accesses", "Accesses of packets"};
};

} // namespace

/// Where the tools look for the passes of a shared library.
extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "count-accesses", "1",
          [] { PassRegistration<CountAccesses>(); }};
}
