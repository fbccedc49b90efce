// The accesses of packets and of control functions to global data.

#include "codegen-x86/specialize/GlobalAccesses.h"
#include "support/Assert.h"
#include "llvm/IR/Operator.h"
#include <algorithm>
#include <numeric>

namespace karakal::x86 {

using namespace llvm;

FunctionSet reachableFrom(Module &module,
                          const std::vector<std::string> &names) {
  FunctionSet reached;
  std::vector<Function *> work;
  for (const std::string &name : names)
    work.push_back(module.getFunction(name));
  while (!work.empty()) {
    Function *function = work.back();
    work.pop_back();
    if (!function || function->isDeclaration() ||
        !reached.insert(function).second)
      continue;
    for (BasicBlock &block : *function)
      for (Instruction &instruction : block)
        for (Value *operand : instruction.operands())
          if (auto *used = dyn_cast<Function>(operand))
            work.push_back(used);
  }
  return reached;
}

bool GlobalAccess::mayOverlap(const GlobalAccess &other) const {
  uint64_t step = std::gcd(stepBytes, other.stepBytes);
  if (step == 0)
    return firstByte < other.firstByte + other.bytes &&
           other.firstByte < firstByte + bytes;
  uint64_t ahead = (firstByte % step + step - other.firstByte % step) % step;
  return ahead < other.bytes || ahead + bytes > step;
}

bool GlobalAccesses::writes() const {
  return escapes || std::any_of(all.begin(), all.end(),
                                [](const auto &each) { return each.isWrite; });
}

namespace {

/// Follows the pointers into one global.
class Walk {
public:
  Walk(Module &module, const FunctionSet &functions, GlobalAccesses &accesses)
      : layout(module.getDataLayout()), functions(functions),
        accesses(accesses) {}

  void usesOf(Value *pointer, uint64_t first, uint64_t step) {
    for (User *user : pointer->users()) {
      auto *instruction = dyn_cast<Instruction>(user);
      if (instruction && !functions.contains(instruction->getFunction()))
        continue;
      if (auto *offset = dyn_cast<GEPOperator>(user)) {
        followOffset(offset, first, step);
        continue;
      }
      if (!instruction || !isAccess(*instruction, pointer, first, step))
        accesses.escapes |= !instruction || !isa<ICmpInst>(instruction);
    }
  }

private:
  /// A number that divides `index`.
  static uint64_t divisorOf(Value *index) {
    if (auto *wide = dyn_cast<ZExtInst>(index))
      index = wide->getOperand(0);
    auto *operation = dyn_cast<BinaryOperator>(index);
    auto *factor =
        operation ? dyn_cast<ConstantInt>(operation->getOperand(1)) : nullptr;
    if (!factor || factor->getValue().getActiveBits() > 32)
      return 1;
    if (operation->getOpcode() == Instruction::Mul)
      return std::max<uint64_t>(factor->getZExtValue(), 1);
    if (operation->getOpcode() == Instruction::Shl &&
        factor->getZExtValue() < 32)
      return uint64_t(1) << factor->getZExtValue();
    return 1;
  }

  void followOffset(GEPOperator *offset, uint64_t first, uint64_t step) {
    unsigned bits = layout.getIndexTypeSizeInBits(offset->getType());
    MapVector<Value *, APInt> variables;
    APInt constant(bits, 0);
    if (!offset->collectOffset(layout, bits, variables, constant)) {
      accesses.escapes = true;
      return;
    }
    for (auto &[index, scale] : variables)
      step = std::gcd(step, scale.getZExtValue() * divisorOf(index));
    usesOf(offset, first + constant.getZExtValue(), step);
  }

  bool isAccess(Instruction &instruction, Value *pointer, uint64_t first,
                uint64_t step) {
    Value *address = nullptr;
    Type *type = nullptr;
    bool isWrite = true;
    if (auto *load = dyn_cast<LoadInst>(&instruction)) {
      address = load->getPointerOperand();
      type = load->getType();
      isWrite = false;
    } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
      if (store->getValueOperand() == pointer)
        return false;
      address = store->getPointerOperand();
      type = store->getValueOperand()->getType();
    } else if (auto *update = dyn_cast<AtomicRMWInst>(&instruction)) {
      address = update->getPointerOperand();
      type = update->getType();
    }
    if (address != pointer)
      return false;
    accesses.all.push_back({&instruction, first, step,
                            layout.getTypeStoreSize(type).getFixedValue(),
                            isWrite});
    return true;
  }

  const DataLayout &layout;
  const FunctionSet &functions;
  GlobalAccesses &accesses;
};

} // namespace

GlobalAccesses accessesOf(GlobalVariable &global,
                          const FunctionSet &functions) {
  GlobalAccesses accesses;
  Walk(*global.getParent(), functions, accesses).usesOf(&global, 0, 0);
  return accesses;
}

AccessMap accessesOf(Module &module, const FunctionSet &functions) {
  KARAKAL_ASSERT(!module.getDataLayout().isDefault(),
                 "offsets are those of the target");
  AccessMap found;
  for (GlobalVariable &global : module.globals())
    if (!global.isDeclaration())
      found[&global] = accessesOf(global, functions);
  return found;
}

} // namespace karakal::x86
