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

  // Only operations that can change a packet's bytes or its head matter.
  static bool mayChange(Operation &op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    return !isMemoryEffectFree(&op) &&
           (!effects || effects.hasEffect<MemoryEffects::Write>() ||
            effects.hasEffect<MemoryEffects::Free>());
  }

  static bool isOneWord(ir::PacketLoadOp load) {
    return load.getWords().size() == 1 && !load.getAligned();
  }

  // The later load of the word before or after that of `load`, if nothing
  // between them may change the packet.
  static ir::PacketLoadOp neighbour(ir::PacketLoadOp load) {
    for (Operation *op = load->getNextNode(); op; op = op->getNextNode()) {
      auto other = dyn_cast<ir::PacketLoadOp>(op);
      if (other && isOneWord(other) && other.getPacket() == load.getPacket() &&
          std::abs(int(other.getAt()) - int(load.getAt())) == 4)
        return other;
      if (mayChange(*op))
        return {};
    }
    return {};
  }

  void combine(ir::PacketLoadOp load, ir::PacketLoadOp other) {
    OpBuilder builder(load);
    Type word = builder.getI32Type();
    bool isFirst = int(load.getAt()) < int(other.getAt());
    auto both = builder.create<ir::PacketLoadOp>(
        load.getLoc(), TypeRange{word, word}, load.getPacket(),
        isFirst ? load.getAtAttr() : other.getAtAttr(), UnitAttr());
    load.getWords()[0].replaceAllUsesWith(both.getWords()[isFirst ? 0 : 1]);
    other.getWords()[0].replaceAllUsesWith(both.getWords()[isFirst ? 1 : 0]);
    load.erase();
    other.erase();
  }

  // Hoists the load that both successors of a block begin with.
  void hoist(Block &block) {
    auto branch = dyn_cast<cf::CondBranchOp>(block.getTerminator());
    if (!branch || branch.getTrueDest() == branch.getFalseDest() ||
        !branch.getTrueDest()->getSinglePredecessor() ||
        !branch.getFalseDest()->getSinglePredecessor())
      return;
    auto first = dyn_cast<ir::PacketLoadOp>(branch.getTrueDest()->front());
    auto second = dyn_cast<ir::PacketLoadOp>(branch.getFalseDest()->front());
    if (!first || !second || first.getAt() != second.getAt() ||
        first.getPacket() != second.getPacket() ||
        first.getWords().size() != second.getWords().size() ||
        first.getPacket().getParentBlock() == branch.getTrueDest())
      return;
    first->moveBefore(branch);
    second.replaceAllUsesWith(first.getResults());
    second.erase();
  }

  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      hoist(block);
    for (Block &block : getOperation().getBody())
      for (Operation &op : llvm::make_early_inc_range(block))
        if (auto load = dyn_cast<ir::PacketLoadOp>(op); load && isOneWord(load))
          loads.push_back(load);
    while (!loads.empty()) {
      ir::PacketLoadOp load = loads.front();
      loads.erase(loads.begin());
      if (ir::PacketLoadOp other = neighbour(load)) {
        loads.erase(std::remove(loads.begin(), loads.end(), other),
                    loads.end());
        combine(load, other);
      }
    }
  }

  CombineLoads() = default;
  CombineLoads(const CombineLoads &other) : PassWrapper(other) {}

  std::vector<ir::PacketLoadOp> loads;
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "combine-loads", "1",
          [] { PassRegistration<CombineLoads>(); }};
}
