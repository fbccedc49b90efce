#include "swcache/GlobalUses.h"

#include "ir/analysis/References.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/ProfileAttributes.h"
#include "ir/dialect/Services.h"
#include "ir/dialect/Target.h"
#include "support/Assert.h"
#include "swcache/PacketPaths.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/LineRate.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace karakal::swcache {

namespace {

/// Stores per second assumed if the program can write a global but the profile
/// saw no store.
constexpr double unseenStores = 1;

} // namespace

GlobalUses::GlobalUses(ModuleOp module, double maxErrorRate, bool exchangesCode)
    : module(module), maxErrorRate(maxErrorRate), exchangesCode(exchangesCode) {
  if (std::optional<ir::ProgramProfile> program = ir::profileOf(module))
    received = double(program->received);
  findWriters();
  findLocked();
  writtenAndRead = findWrittenAndRead(module);
}

/// Finds the globals that PPFs and control functions write. Readers of a cached
/// one see a store late, which a caller of an exclusive function does not
/// expect: after it, packets see all that it did.
void GlobalUses::findWriters() {
  for (auto root : module.getOps<func::FuncOp>()) {
    bool isControl = ir::kindOf(root) == ir::FunctionKind::Control;
    if (!ir::isPpf(root) && (!isControl || exchangesCode))
      continue;
    for (func::FuncOp function : ir::reachableFrom(root))
      function.walk([&](Operation *op) {
        if (ir::GlobalOp global = ir::writtenBy(*op)) {
          written.insert(global);
          if (root->hasAttr(ir::exclusiveAttrName))
            writtenExclusively.insert(global);
        }
      });
  }
}

/// Finds the globals that functions with critical sections load, where a stale
/// copy would break mutual exclusion.
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

std::string GlobalUses::refusalToCache(ir::GlobalOp global) const {
  if (ir::isLocal(global))
    return "it is a local variable";
  if (writtenAndRead.contains(global))
    return llvm::formatv(
        "packets write it ({0:f4} stores per packet), and a "
        "packet that writes it also reads it",
        double(ir::profileOf(global).value_or(ir::GlobalProfile()).writes) /
            received);
  if (writtenExclusively.contains(global))
    return "an exclusive control function writes it";
  if (locked.contains(global))
    return "a function with a critical section uses it";
  if (ir::placementOf(global)->memory == target::Memory::Dram)
    return "it lies in DRAM";
  return "";
}

double GlobalUses::latencyOf(ir::GlobalOp global) {
  target::ChipParameters chip = ir::chipOf(global);
  switch (ir::placementOf(global)->memory) {
  case target::Memory::Scratch:
    return double(chip.scratchLatency);
  case target::Memory::Sram0:
  case target::Memory::Sram1:
  case target::Memory::Sram2:
  case target::Memory::Sram3:
    return double(chip.sramLatency);
  case target::Memory::Dram:
    return double(chip.dramLatency);
  case target::Memory::Local:
    return localCycles;
  }
  KARAKAL_UNREACHABLE("no such memory");
}

AccessRates GlobalUses::ratesOf(ir::GlobalOp global) const {
  KARAKAL_ASSERT(received > 0, "rates need packets in the profile");
  AccessRates rates;
  ir::GlobalProfile profile =
      ir::profileOf(global).value_or(ir::GlobalProfile());
  rates.load = double(profile.reads) / received;
  if (written.contains(global)) {
    uint64_t stores = profile.writes + (exchangesCode ? 0 : profile.updates);
    rates.store = stores ? double(stores) / received
                         : unseenStores / target::lineRate(ir::chipOf(global));
  }
  rates.errorMax = maxErrorRate;
  if (auto tolerated = global->getAttrOfType<IntegerAttr>(ir::tolerateAttrName))
    rates.errorMax = 1 / double(tolerated.getValue().getZExtValue());
  return rates;
}

} // namespace karakal::swcache
