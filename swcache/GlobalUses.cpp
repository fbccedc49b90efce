// What makes a global fit to be cached.

#include "swcache/GlobalUses.h"

#include "ir/analysis/References.h"
#include "ir/dialect/ProfileAttributes.h"
#include "ir/dialect/Services.h"
#include "target-ixp/chip/ChipParameters.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace karakal::swcache {

namespace {

/// Stores a second that are reckoned with where the program can write but the
/// profile saw none do it.
constexpr double unseenStores = 1;
/// Packets a second of 64 bytes at 2.5 Gbit/s.
constexpr double designPackets = 2.5e9 / (64 * 8);

} // namespace

ir::GlobalOp writtenBy(Operation &op) {
  if (auto store = dyn_cast<ir::StoreOp>(op))
    return ir::globalOf(store.getRef());
  if (auto add = dyn_cast<ir::AtomicAddOp>(op))
    return ir::globalOf(add.getRef());
  return {};
}

GlobalUses::GlobalUses(ModuleOp module, double maxErrorRate)
    : module(module), maxErrorRate(maxErrorRate) {
  if (std::optional<ir::ProgramProfile> program = ir::profileOf(module))
    received = double(program->received);
  findWriters();
  findLocked();
}

/// What PPFs and control functions write is seen late: it raises versions. A
/// PPF that reads what it stores must not make the new value of an old one.
void GlobalUses::findWriters() {
  for (auto root : module.getOps<func::FuncOp>()) {
    bool isPpf = ir::isPpf(root);
    if (!isPpf && ir::kindOf(root) != ir::FunctionKind::Control)
      continue;
    bool isOnEngines = isPpf && !root->hasAttr(ir::coldAttrName);
    DenseSet<Operation *> loaded, stored;
    for (func::FuncOp function : ir::reachableFrom(root))
      function.walk([&](Operation *op) {
        if (auto load = dyn_cast<ir::LoadOp>(op))
          loaded.insert(ir::globalOf(load.getRef()));
        else if (auto store = dyn_cast<ir::StoreOp>(op))
          stored.insert(ir::globalOf(store.getRef()));
        if (ir::GlobalOp global = writtenBy(*op))
          written.insert(global);
      });
    for (Operation *global : stored)
      if (isOnEngines && loaded.contains(global))
        readToWrite.insert(global);
  }
}

/// What functions with critical sections use: a copy would be late there.
void GlobalUses::findLocked() {
  SmallVector<func::FuncOp> roots;
  for (auto function : module.getOps<func::FuncOp>()) {
    bool hasSection = false;
    function.walk([&](ir::LockOp) { hasSection = true; });
    if (hasSection)
      roots.push_back(function);
  }
  for (func::FuncOp function : ir::reachableFrom(roots))
    function.walk(
        [&](ir::LoadOp load) { locked.insert(ir::globalOf(load.getRef())); });
}

std::string GlobalUses::refusalToKeep(ir::GlobalOp global) const {
  if (readToWrite.contains(global))
    return llvm::formatv("packets write it ({0:f4} stores a packet), and the "
                         "PPF that does reads it",
                         double(ir::profileOf(global)->writes) / received);
  if (locked.contains(global))
    return "a function with a critical section uses it";
  if (ir::placeOf(global)->memory == "dram")
    return "it lies in DRAM";
  return "";
}

double GlobalUses::latencyOf(ir::GlobalOp global) {
  target::ChipParameters chip;
  bool isScratch = ir::placeOf(global)->memory == "scratch";
  return double(isScratch ? chip.scratchLatency : chip.sramLatency);
}

AccessRates GlobalUses::ratesOf(ir::GlobalOp global) const {
  AccessRates rates;
  ir::GlobalProfile profile =
      ir::profileOf(global).value_or(ir::GlobalProfile());
  rates.load = double(profile.reads) / received;
  if (written.contains(global)) {
    uint64_t stores = profile.updates + profile.writes;
    rates.store =
        stores ? double(stores) / received : unseenStores / designPackets;
  }
  rates.errorMax = maxErrorRate;
  if (auto tolerated = global->getAttrOfType<IntegerAttr>(ir::tolerateAttrName))
    rates.errorMax = 1 / double(tolerated.getValue().getZExtValue());
  return rates;
}

} // namespace karakal::swcache
