// Observers in the optimized code of a program, for the model of rates.

#include "codegen-x86/ObserveWork.h"
#include "codegen-x86/Optimize.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include <algorithm>

namespace karakal::x86 {

using namespace llvm;

namespace {

/// The numbers of x86::AccessKind, which is above LLVM's layer.
enum Kind : uint32_t { Free, Dependent, Prefetch };

/// The most that an instruction counts: calls of what is not known.
constexpr InstructionCost::CostType instructionCostMax = 40;

class WorkObserver {
public:
  WorkObserver(Module &module, TargetMachine &machine)
      : module(module), machine(machine) {
    Type *nothing = Type::getVoidTy(module.getContext());
    i32 = Type::getInt32Ty(module.getContext());
    Type *pointer = PointerType::getUnqual(module.getContext());
    block = module.getOrInsertFunction(ObserverSymbols::Block, nothing, i32);
    branch =
        module.getOrInsertFunction(ObserverSymbols::Branch, nothing, i32, i32);
    access = module.getOrInsertFunction(ObserverSymbols::Access, nothing, i32,
                                        pointer, i32);
  }

  void observe(Function &function);
  std::vector<std::string> takeNames() { return std::move(names); }

private:
  void observeAccess(Instruction &op, Value *address, bool isPrefetch);
  void observeBranch(Instruction &last);
  void addBranch(IRBuilder<> &builder, Value *taken);
  std::optional<uint32_t> objectOf(Value *address);
  bool isDependent(Value *address);
  Constant *number(uint64_t value) { return ConstantInt::get(i32, value); }

  Module &module;
  TargetMachine &machine;
  Type *i32;
  FunctionCallee block, branch, access;
  uint32_t branchCount = 0;
  DenseMap<const GlobalVariable *, uint32_t> objects;
  std::vector<std::string> names;
};

/// Whether a global is data of the program: not what the host defines, and not
/// the arrays of a batch.
bool isData(const GlobalVariable &global) {
  return !global.isDeclaration() && !global.getName().starts_with("karakal");
}

/// Returns the number of the program's global that `address` is in, if it is
/// in one only.
std::optional<uint32_t> WorkObserver::objectOf(Value *address) {
  SmallVector<const Value *, 4> roots;
  getUnderlyingObjects(address, roots, nullptr, /*MaxLookup=*/0);
  const GlobalVariable *global = nullptr;
  for (const Value *root : roots) {
    auto *found = dyn_cast<GlobalVariable>(root);
    if (!found || !isData(*found) || (global && global != found))
      return std::nullopt;
    global = found;
  }
  if (!global)
    return std::nullopt;
  auto [at, isNew] = objects.try_emplace(global, names.size());
  if (isNew)
    names.push_back(global->getName().str());
  return at->second;
}

/// Whether a load of the program's data is among the operands of `address`.
bool WorkObserver::isDependent(Value *address) {
  SmallVector<Value *> open = {address};
  SmallPtrSet<Value *, 16> seen;
  while (!open.empty()) {
    auto *op = dyn_cast<Instruction>(open.pop_back_val());
    if (!op || !seen.insert(op).second)
      continue;
    if (auto *load = dyn_cast<LoadInst>(op)) {
      if (objectOf(load->getPointerOperand()))
        return true;
      continue;
    }
    open.append(op->op_begin(), op->op_end());
  }
  return false;
}

void WorkObserver::observeAccess(Instruction &op, Value *address,
                                 bool isPrefetch) {
  std::optional<uint32_t> object = objectOf(address);
  if (!object)
    return;
  Kind kind = isPrefetch ? Prefetch : isDependent(address) ? Dependent : Free;
  IRBuilder<> builder(&op);
  builder.CreateCall(access, {number(kind), address, number(*object)});
}

void WorkObserver::addBranch(IRBuilder<> &builder, Value *taken) {
  builder.CreateCall(branch,
                     {number(branchCount++), builder.CreateZExt(taken, i32)});
}

/// A switch counts as comparisons with its first cases.
void WorkObserver::observeBranch(Instruction &last) {
  constexpr size_t comparisonsMax = 4;
  IRBuilder<> builder(&last);
  if (auto *jump = dyn_cast<BranchInst>(&last)) {
    if (jump->isConditional())
      addBranch(builder, jump->getCondition());
  } else if (auto *choice = dyn_cast<SwitchInst>(&last)) {
    for (auto &each : llvm::make_range(
             choice->case_begin(),
             choice->case_begin() +
                 std::min<size_t>(choice->getNumCases(), comparisonsMax)))
      addBranch(builder, builder.CreateICmpEQ(choice->getCondition(),
                                              each.getCaseValue()));
  }
}

void WorkObserver::observe(Function &function) {
  TargetTransformInfo costs = machine.getTargetTransformInfo(function);
  for (BasicBlock &body : function) {
    int64_t count = 0;
    SmallVector<std::tuple<Instruction *, Value *, bool>> accesses;
    for (Instruction &op : body) {
      auto cost = costs.getInstructionCost(
          &op, TargetTransformInfo::TCK_SizeAndLatency);
      count += std::min(cost.getValue().value_or(1), instructionCostMax);
      if (auto *load = dyn_cast<LoadInst>(&op))
        accesses.emplace_back(load, load->getPointerOperand(), false);
      else if (auto *store = dyn_cast<StoreInst>(&op))
        accesses.emplace_back(store, store->getPointerOperand(), false);
      else if (auto *call = dyn_cast<IntrinsicInst>(&op);
               call && call->getIntrinsicID() == Intrinsic::prefetch)
        accesses.emplace_back(call, call->getArgOperand(0), true);
    }
    for (auto [op, address, isPrefetch] : accesses)
      observeAccess(*op, address, isPrefetch);
    observeBranch(*body.getTerminator());
    IRBuilder<> builder(&body, body.getFirstInsertionPt());
    builder.CreateCall(block, {number(uint64_t(count))});
  }
}

} // namespace

std::vector<std::string> observeWork(Module &module, TargetMachine &machine) {
  WorkObserver observer(module, machine);
  for (Function &function : module)
    if (!function.isDeclaration())
      observer.observe(function);
  verify(module, "with observers");
  return observer.takeNames();
}

} // namespace karakal::x86
