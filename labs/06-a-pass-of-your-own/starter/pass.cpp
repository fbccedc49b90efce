// Combines two loads of neighbouring words of a packet into one, and hoists a
// load that both branches begin with.
#include "plugin.h"

using namespace mlir;
using namespace karakal;

namespace {

struct CombineLoads
    : public PassWrapper<CombineLoads, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CombineLoads)

  StringRef getArgument() const final { return "lab-combine-loads"; }

  // Whether an operation may change a packet's bytes or its head.
  static bool mayChange(Operation &op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    return !isMemoryEffectFree(&op) &&
           (!effects || effects.hasEffect<MemoryEffects::Write>() ||
            effects.hasEffect<MemoryEffects::Free>());
  }

  static bool isOneWord(ir::PacketLoadOp load) {
    return load.getWords().size() == 1 && !load.getAligned();
  }

  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      for (Operation &op : llvm::make_early_inc_range(block))
        if (auto load = dyn_cast<ir::PacketLoadOp>(op);
            load && isOneWord(load)) {
          // Your code here: find the load of a neighbouring word, and replace
          // both by one load of two words.
        }
    // Then hoist a load that both branches begin with.
  }

  CombineLoads() = default;
  CombineLoads(const CombineLoads &other) : PassWrapper(other) {}
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "combine-loads", "1",
          [] { PassRegistration<CombineLoads>(); }};
}
