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
    // Your code here, first: hoist a load that both branches begin with.
    for (Block &block : getOperation().getBody()) {
      SmallVector<ir::PacketLoadOp> loads;
      for (auto load : block.getOps<ir::PacketLoadOp>())
        if (isOneWord(load))
          loads.push_back(load);
      // Your code here, then: find loads of neighbouring words, and replace
      // each two by one load of two words.
    }
  }

  CombineLoads() = default;
  CombineLoads(const CombineLoads &other) : PassWrapper(other) {}
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "combine-loads", "1",
          [] { PassRegistration<CombineLoads>(); }};
}
