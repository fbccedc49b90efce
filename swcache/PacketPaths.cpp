// What a packet reads and writes on its way through the PPFs.

#include "swcache/PacketPaths.h"

#include "ir/analysis/References.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>

using namespace mlir;

namespace karakal::swcache {
namespace {

/// The globals that some code may load and write.
struct Uses {
  GlobalSet loads, writes;

  void add(Operation &op, bool isCached) {
    if (auto load = dyn_cast<ir::LoadOp>(op))
      if (isCached)
        loads.insert(ir::globalOf(load.getRef()));
    if (ir::GlobalOp global = ir::writtenBy(op))
      writes.insert(global);
  }
  /// Returns whether anything was new.
  bool add(const Uses &other) {
    size_t before = loads.size() + writes.size();
    loads.insert(other.loads.begin(), other.loads.end());
    writes.insert(other.writes.begin(), other.writes.end());
    return loads.size() + writes.size() != before;
  }
};

class PacketPaths {
public:
  explicit PacketPaths(ModuleOp module) : module(module) {
    for (auto function : module.getOps<func::FuncOp>())
      if (ir::isPpf(function))
        ppfs.push_back(function);
  }

  GlobalSet run() {
    for (func::FuncOp ppf : ppfs)
      later[ppf] = usesOf(ppf, ppf);
    followChannels();
    for (func::FuncOp ppf : ppfs) {
      Uses own = usesOf(ppf, ppf);
      addBoth(own, own);
      for (func::FuncOp function : ir::reachableFrom(ppf))
        function.walk([&](ir::ChannelPutOp put) {
          func::FuncOp consumer = consumerOf(put);
          if (!consumer)
            return;
          Uses before = function == ppf ? usesBefore(put, ppf) : own;
          const Uses &after = later[consumer];
          addBoth(before, after);
          addBoth(after, before);
        });
    }
    return std::move(found);
  }

private:
  func::FuncOp consumerOf(ir::ChannelPutOp put) {
    auto channel = module.lookupSymbol<ir::ChannelOp>(put.getChannel());
    return channel.goesToTx()
               ? func::FuncOp()
               : module.lookupSymbol<func::FuncOp>(channel.getConsumer());
  }

  /// The uses of a function, which `ppf` calls, and of what it calls.
  const Uses &usesOf(func::FuncOp function, func::FuncOp ppf) {
    bool isCached = !ppf->hasAttr(ir::coldAttrName);
    auto [at, isNew] = known.try_emplace({function, isCached});
    Uses &uses = at->second;
    if (!isNew)
      return uses;
    for (func::FuncOp each : ir::reachableFrom(function))
      each.walk([&](Operation *op) { uses.add(*op, isCached); });
    return uses;
  }

  /// The uses of a PPF that may come before `op`.
  Uses usesBefore(Operation *op, func::FuncOp ppf) {
    Uses uses;
    bool isCached = !ppf->hasAttr(ir::coldAttrName);
    auto add = [&](Operation &each) {
      uses.add(each, isCached);
      if (auto call = dyn_cast<func::CallOp>(each))
        if (auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee()))
          uses.add(usesOf(callee, ppf));
    };
    llvm::SetVector<Block *> before;
    for (Block *block : op->getBlock()->getPredecessors())
      before.insert(block);
    for (size_t i = 0; i < before.size(); ++i)
      for (Block *block : before[i]->getPredecessors())
        before.insert(block);
    for (Block *block : before)
      for (Operation &each : *block)
        add(each);
    for (Operation &each : *op->getBlock()) {
      if (&each == op)
        break;
      add(each);
    }
    return uses;
  }

  /// Completes `later` by what PPFs after channels do.
  void followChannels() {
    bool isChanged = true;
    while (isChanged) {
      isChanged = false;
      for (func::FuncOp ppf : ppfs)
        for (func::FuncOp function : ir::reachableFrom(ppf))
          function.walk([&](ir::ChannelPutOp put) {
            if (func::FuncOp consumer = consumerOf(put))
              isChanged |= later[ppf].add(Uses(later[consumer]));
          });
    }
  }

  /// Adds the globals that `one` loads and `other` writes.
  void addBoth(const Uses &one, const Uses &other) {
    for (Operation *global : one.loads)
      if (other.writes.contains(global))
        found.insert(global);
  }

  ModuleOp module;
  std::vector<func::FuncOp> ppfs;
  /// Results of usesOf, by function and whether its PPF is frequent.
  std::map<std::pair<Operation *, bool>, Uses> known;
  /// What a packet may do from the begin of a PPF on.
  llvm::DenseMap<func::FuncOp, Uses> later;
  GlobalSet found;
};

} // namespace

GlobalSet findWrittenAndRead(ModuleOp module) {
  return PacketPaths(module).run();
}

} // namespace karakal::swcache
