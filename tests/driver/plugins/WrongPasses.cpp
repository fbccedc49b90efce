// Passes that are wrong on purpose.
//
// Each is wrong in one way that the driver or the pass checker must find.

#include "ir/dialect/Baker.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "support/Error.h"

using namespace mlir;
using namespace karakal;

namespace {

/// A pass as a name and a function on the module; false fails it.
class WrongPass : public PassWrapper<WrongPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WrongPass)
  using Body = bool (*)(ModuleOp);

  WrongPass(StringRef name, Body body) : name(name), body(body) {}

  StringRef getArgument() const final { return name; }
  StringRef getDescription() const final { return "wrong on purpose"; }
  StringRef getName() const final { return name; }
  std::unique_ptr<Pass> clonePass() const final {
    return std::make_unique<WrongPass>(name, body);
  }
  void runOnOperation() final {
    if (!body(getOperation()))
      signalPassFailure();
  }

private:
  StringRef name;
  Body body;
};

bool stops(ModuleOp) { KARAKAL_UNREACHABLE("stopped on purpose"); }

bool crashes(ModuleOp) {
  volatile int *nowhere = nullptr;
  *nowhere = 1;
  return true;
}

bool failsSilently(ModuleOp) { return false; }

bool refuses(ModuleOp module) {
  module.emitError() << "refused on purpose";
  return false;
}

/// Reports an error and succeeds.
bool complains(ModuleOp module) {
  module.emitError() << "complained on purpose";
  return true;
}

/// A block without its terminator.
bool breaksModule(ModuleOp module) {
  module.walk([](Operation *op) {
    if (!op->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::advance();
    op->erase();
    return WalkResult::interrupt();
  });
  return true;
}

bool forgetsWrite(ModuleOp module) {
  module.walk([](ir::PacketWriteOp op) { op.erase(); });
  return true;
}

bool forgetsMetadata(ModuleOp module) {
  module.walk([](ir::MetaWriteOp op) { op.erase(); });
  return true;
}

bool forgetsStore(ModuleOp module) {
  module.walk([](ir::StoreOp op) { op.erase(); });
  return true;
}

/// Reads a field before the write that stands in front of it.
bool swapsWriteAndRead(ModuleOp module) {
  module.walk([&](ir::PacketReadOp read) {
    auto write = dyn_cast_or_null<ir::PacketWriteOp>(read->getPrevNode());
    if (write && write.getValue().getDefiningOp() != read)
      read->moveBefore(write);
  });
  return true;
}

bool dropsElsewhere(ModuleOp module) {
  module.walk([&](ir::PacketDropOp drop) {
    drop.setReasonAttr(FlatSymbolRefAttr::get(drop.getContext(), "truncated"));
  });
  return true;
}

void registerWrongPasses() {
  static const std::pair<StringRef, WrongPass::Body> all[] = {
      {"wrong-stops", stops},
      {"wrong-crashes", crashes},
      {"wrong-fails-silently", failsSilently},
      {"wrong-refuses", refuses},
      {"wrong-complains", complains},
      {"wrong-breaks-module", breaksModule},
      {"wrong-forgets-write", forgetsWrite},
      {"wrong-forgets-metadata", forgetsMetadata},
      {"wrong-forgets-store", forgetsStore},
      {"wrong-swaps-write-and-read", swapsWriteAndRead},
      {"wrong-drops-elsewhere", dropsElsewhere},
  };
  for (const auto &[name, body] : all)
    registerPass([name = name, body = body] {
      return std::make_unique<WrongPass>(name, body);
    });
}

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "wrong-passes", "1", registerWrongPasses};
}
