// The memory of each lock.
//
// A lock is a word that is tested and set. Its memory determines the cost of
// taking the lock and the cores that can take it:
//
//   local memory  the contexts of one engine. A few instructions, no command,
//                 no swap, because another context runs only after a swap.
//   scratch       all engines and the XScale core.
//   SRAM          all engines. Test and set occupies both ports of a channel,
//                 longer than scratch, but the channel may be less busy.
//
//   baker.global @m.guard : i32
//       {baker.placement = #baker.placement<scratch at …>}
//   // all users in one aggregate of one engine
//   baker.global @m.guard : i32
//       {baker.placement = #baker.placement<local at …>}
//
// The pass chooses between scratch and SRAM by the loads that the throughput
// model predicts for the mapping. The cost of a memory is the unloaded latency
// of test and set plus the queueing delay of a command at the unit.
//
// Requires: `baker-aggregation`; locks lie in scratch. Cost: linear.

#include "aggregation/Passes.h"
#include "aggregation/model/MemoryWait.h"
#include "ir/analysis/Explain.h"
#include "ir/analysis/GlobalsEnd.h"
#include "ir/analysis/References.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/Services.h"
#include "ir/dialect/Target.h"
#include "target-ixp/chip/ChipLayout.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace karakal::agg {

#define GEN_PASS_DEF_PLACELOCKS
#include "aggregation/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral explainName = "aggregation";
constexpr uint32_t bytesPerWord = 4;
/// The cores that take a lock.
struct LockUsers {
  llvm::StringSet<> aggregates;
  bool onXScale = false;
};

class PlaceLocks : public impl::PlaceLocksBase<PlaceLocks> {
public:
  using PlaceLocksBase::PlaceLocksBase;

private:
  void runOnOperation() override;

  llvm::MapVector<Operation *, LockUsers> findUsers();
  bool isOneEngine(StringRef aggregate);
  bool placeLocally(ir::GlobalOp lock, const LockUsers &users);
  void placeByLoad(ir::GlobalOp lock);
  bool fits(ir::GlobalOp lock, target::Memory memory);
  void place(ir::GlobalOp lock, target::Memory memory, const Twine &reason);

  target::ChipParameters chip; ///< of the module
};

} // namespace

llvm::MapVector<Operation *, LockUsers> PlaceLocks::findUsers() {
  llvm::MapVector<Operation *, LockUsers> locks;
  for (auto root : getOperation().getOps<func::FuncOp>()) {
    ir::FunctionKind kind = ir::kindOf(root);
    if (kind == ir::FunctionKind::Function)
      continue; // counted for its callers
    bool isOnEngine =
        kind == ir::FunctionKind::Ppf && ir::coreOf(root) == ir::Core::Me;
    for (func::FuncOp function : ir::reachableFrom({root}))
      function.walk([&](ir::LockOp taken) {
        ir::GlobalOp lock = ir::globalOf(taken.getRef());
        if (!lock)
          return;
        LockUsers &users = locks[lock];
        if (isOnEngine)
          users.aggregates.insert(ir::aggregateOf(root));
        else
          users.onXScale = true;
      });
  }
  return locks;
}

bool PlaceLocks::isOneEngine(StringRef aggregate) {
  for (const ir::AggregatePlan &plan : ir::aggregatesOf(getOperation()))
    if (plan.name == aggregate)
      return plan.engines.size() == 1;
  return false;
}

void PlaceLocks::place(ir::GlobalOp lock, target::Memory memory,
                       const Twine &reason) {
  if (ir::placementOf(lock)->memory != memory)
    ir::setPlacement(lock, {memory, ir::globalsEnd(getOperation(), memory)});
  lock->setAttr(ir::placementReasonAttrName,
                StringAttr::get(&getContext(), reason));
  ir::explain(lock, explainName)
      << "lock " << lock.getSymName() << " lies in "
      << (memory == target::Memory::Local ? "local memory"
                                          : target::memoryName(memory))
      << ": " << reason.str();
}

/// Whether the lock lies in `memory` or fits there.
bool PlaceLocks::fits(ir::GlobalOp lock, target::Memory memory) {
  return ir::placementOf(lock)->memory == memory ||
         ir::globalsEnd(getOperation(), memory) +
                 bytesPerWord * ir::wordCount(lock.getType()) <=
             target::globalsRange(memory, chip).end;
}

/// Places the lock in local memory if all code that takes it runs on one
/// engine. Returns false otherwise.
bool PlaceLocks::placeLocally(ir::GlobalOp lock, const LockUsers &users) {
  if (users.onXScale || users.aggregates.size() != 1)
    return false;
  StringRef aggregate = users.aggregates.begin()->getKey();
  if (!isOneEngine(aggregate) || !fits(lock, target::Memory::Local))
    return false;
  place(lock, target::Memory::Local,
        "only the engine of aggregate " + aggregate +
            " takes it: no command and no swap");
  return true;
}

void PlaceLocks::placeByLoad(ir::GlobalOp lock) {
  std::optional<target::Memory> best;
  MemoryWait wait(getOperation());
  auto cyclesToTake = [&](target::Memory memory) {
    return wait.cycles(memory, target::CommandKind::Atomic);
  };
  std::string figures;
  for (target::Memory memory : target::sharedMemories(chip)) {
    if (memory == target::Memory::Dram) // has no test and set
      continue;
    double cycles = cyclesToTake(memory);
    figures +=
        llvm::formatv("{0}{1:f0} cycles in {2}, {3:f0} % busy",
                      figures.empty() ? "" : ", ", cycles,
                      target::memoryName(memory), 100 * wait.loadOf(memory))
            .str();
    if (fits(lock, memory) && (!best || cycles < cyclesToTake(*best)))
      best = memory;
  }
  place(lock, best.value_or(ir::placementOf(lock)->memory),
        "test and set takes " + figures);
}

void PlaceLocks::runOnOperation() {
  chip = ir::chipOf(getOperation());
  for (auto &[op, users] : findUsers()) {
    auto lock = cast<ir::GlobalOp>(op);
    if (placeLocally(lock, users))
      continue;
    if (users.onXScale)
      place(lock, target::Memory::Scratch, "the XScale core also takes it");
    else
      placeByLoad(lock);
  }
}

} // namespace karakal::agg
