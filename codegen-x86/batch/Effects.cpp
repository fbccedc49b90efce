// What the code of packets does that other packets may see.

#include "codegen-x86/batch/Effects.h"
#include "ir/analysis/References.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Batches.h"
#include "ir/dialect/Services.h"
#include "support/Assert.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace karakal::x86 {

Effects::Effects(ModuleOp module) : module(module) {
  SmallVector<func::FuncOp> ppfs;
  for (auto function : module.getOps<func::FuncOp>())
    if (ir::isPpf(function))
      ppfs.push_back(function);
  for (func::FuncOp function : ir::reachableFrom(ppfs))
    function.walk([&](Operation *op) {
      Value ref = llvm::TypeSwitch<Operation *, Value>(op)
                      .Case<ir::StoreOp, ir::StoreWordsOp, ir::AtomicOp>(
                          [](auto store) { return store.getRef(); })
                      .Default([](Operation *) { return Value(); });
      if (!ref)
        return;
      if (ir::GlobalOp global = ir::globalOf(ref))
        return addGlobal(global);
      // A reference of a caller may lead to any global.
      for (auto global : module.getOps<ir::GlobalOp>())
        addGlobal(global);
    });
}

void Effects::addGlobal(ir::GlobalOp global) {
  if (numbers.try_emplace(global, names.size()).second)
    names.push_back("@" + global.getSymName().str());
}

std::string Effects::nameOf(unsigned resource) const {
  KARAKAL_ASSERT(resource < names.size(), "a resource of this program");
  return names[resource];
}

Resources Effects::ofAccess(ir::GlobalOp global) const {
  Resources found;
  if (global) {
    auto at = numbers.find(global);
    if (at != numbers.end())
      found.insert(at->second);
    return found;
  }
  for (auto [any, number] : numbers)
    found.insert(number);
  return found;
}

const Resources &Effects::ofFunction(func::FuncOp function) {
  auto at = functions.find(function);
  if (at != functions.end())
    return at->second;
  Resources found;
  if (function.isDeclaration())
    found.insert(OrderResource);
  function.walk([&](Operation *op) {
    if (op != function)
      for (unsigned resource : of(op))
        found.insert(resource);
  });
  return functions[function] = found;
}

Resources Effects::of(Operation *op) {
  return llvm::TypeSwitch<Operation *, Resources>(op)
      .Case<ir::LoadOp, ir::LoadWordsOp, ir::StoreOp, ir::StoreWordsOp,
            ir::AtomicOp>(
          [&](auto access) { return ofAccess(ir::globalOf(access.getRef())); })
      .Case<ir::LockOp, ir::UnlockOp, ir::RandomOp, ir::TraceOp,
            ir::DropCountOp, ir::PacketCopyOp, ir::PacketCreateOp,
            ir::PacketCloneOp, ir::PacketBlankOp, ir::PacketKeepOp>(
          [](auto) { return Resources{OrderResource}; })
      .Case([&](func::CallOp call) {
        auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
        KARAKAL_ASSERT(callee, "a call has a callee");
        return ofFunction(callee);
      })
      .Default([](Operation *) { return Resources(); });
}

Resources Effects::ofQueued() {
  Resources found;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(ir::queuedAttrName))
      for (unsigned resource : ofFunction(function))
        found.insert(resource);
  return found;
}

} // namespace karakal::x86
