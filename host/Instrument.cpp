//===- Instrument.cpp - counters for the functional profile -----*- C++ -*-===//

#include "host/Instrument.h"
#include "ir/Attributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringMap.h"

namespace karakal::host {

using mlir::func::FuncOp;

namespace {

/// Numbers the counters in the order in which the program first needs them.
class Counters {
public:
  explicit Counters(mlir::ModuleOp module) : module(module) {}

  /// Counts `what` before `op`.
  void countBefore(mlir::Operation *op, const std::string &what) {
    auto [at, isNew] = numbers.try_emplace(what, names.size());
    if (isNew)
      names.push_back(what);
    mlir::OpBuilder builder(op);
    auto number = builder.create<mlir::arith::ConstantIntOp>(op->getLoc(),
                                                             at->second, 32);
    builder.create<mlir::func::CallOp>(op->getLoc(), countFunction(),
                                       mlir::ValueRange{number});
  }

  std::vector<std::string> names;

private:
  FuncOp countFunction() {
    if (!function) {
      auto builder = mlir::OpBuilder::atBlockBegin(module.getBody());
      auto type =
          builder.getFunctionType({builder.getI32Type()}, mlir::TypeRange());
      function =
          builder.create<FuncOp>(module.getLoc(), "baker_profile_count", type);
      function.setPrivate();
    }
    return function;
  }

  mlir::ModuleOp module;
  FuncOp function;
  llvm::StringMap<size_t> numbers;
};

} // namespace

/// The global that `ref` points into; empty if that is not known here.
static std::string rootOf(mlir::Value ref) {
  while (mlir::Operation *op = ref.getDefiningOp()) {
    if (auto global = llvm::dyn_cast<ir::GlobalRefOp>(op))
      return global.getGlobal().str();
    if (auto element = llvm::dyn_cast<ir::ElementOp>(op))
      ref = element.getArray();
    else if (auto field = llvm::dyn_cast<ir::FieldOp>(op))
      ref = field.getRecord();
    else
      break;
  }
  return "";
}

std::vector<std::string> instrument(mlir::ModuleOp baker) {
  Counters counters(baker);
  baker.walk([&](mlir::Operation *op) {
    if (auto put = llvm::dyn_cast<ir::ChannelPutOp>(op))
      counters.countBefore(op, "channel " + put.getChannel().str());
    else if (auto load = llvm::dyn_cast<ir::LoadOp>(op))
      counters.countBefore(op, "read " + rootOf(load.getRef()));
    else if (auto store = llvm::dyn_cast<ir::StoreOp>(op))
      counters.countBefore(op, "write " + rootOf(store.getRef()));
  });
  return counters.names;
}

void annotate(mlir::ModuleOp baker, const HostRun &run) {
  for (const auto &[symbol, packets] : run.packetsByPpf)
    if (auto function = baker.lookupSymbol<FuncOp>(symbol))
      ir::setProfilePackets(function, packets);
}

} // namespace karakal::host
