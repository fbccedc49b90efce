// Shortens bursts.
//
// A store of a field often also writes the words around it, although they still
// hold the loaded values. Such words are removed at both ends of the burst:
//
//   %v = load <4 x i32>, ptr addrspace(2) %p
//   %w = insertelement <4 x i32> %v', i32 %new, i64 3      (0 to 2 as in %v)
//   store <4 x i32> %w, ptr addrspace(2) %p
//     ->
//   store <2 x i32> %w', ptr addrspace(2) (%p + 8)
//
// Likewise, a load loses the words at its ends that have no use. DRAM moves
// pairs of words, so there pairs are removed.

#include "codegen-me/prepare/Prepare.h"
#include "codegen-me/target/IxpLowering.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace karakal::codegen {

namespace {

constexpr int64_t wordBytes = 4;

/// A pointer as a base and an offset in bytes.
struct Address {
  const Value *base;
  int64_t offset;
};

Address addressOf(const Value *pointer, const DataLayout &layout) {
  APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  const Value *base =
      pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
  return {base, offset.getSExtValue()};
}

/// The words of a burst: the elements of a vector of i32 in a memory that
/// commands access. 0 for other types and memories.
unsigned wordsOf(const Type *type, unsigned space) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  if (!vector || !vector->getElementType()->isIntegerTy(32) ||
      space == StackSpace || space == LocalSpace)
    return 0;
  return vector->getNumElements();
}

/// The smallest number of words that a command moves.
unsigned grainOf(unsigned space) { return space == DramSpace ? 2 : 1; }

/// Element `index` of a vector: the inserted value, or an extract from the
/// loaded vector; null if unknown.
Value *elementOf(IRBuilder<> &builder, Value *vector, unsigned index) {
  if (auto *insert = dyn_cast<InsertElementInst>(vector)) {
    auto *at = dyn_cast<ConstantInt>(insert->getOperand(2));
    if (!at)
      return nullptr;
    return at->equalsInt(index)
               ? insert->getOperand(1)
               : elementOf(builder, insert->getOperand(0), index);
  }
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(vector)) {
    auto *first = cast<FixedVectorType>(shuffle->getOperand(0)->getType());
    int from = shuffle->getMaskValue(index), size = first->getNumElements();
    if (from < 0)
      return PoisonValue::get(builder.getInt32Ty());
    return from < size
               ? elementOf(builder, shuffle->getOperand(0), from)
               : elementOf(builder, shuffle->getOperand(1), from - size);
  }
  if (isa<LoadInst>(vector))
    return builder.CreateExtractElement(vector, uint64_t(index));
  auto *constant = dyn_cast<Constant>(vector);
  return constant ? constant->getAggregateElement(index) : nullptr;
}

/// All elements of a vector; empty if one is unknown.
SmallVector<Value *, 16> elementsOf(IRBuilder<> &builder, Value *vector,
                                    unsigned count) {
  SmallVector<Value *, 16> elements;
  for (unsigned i = 0; i < count; ++i)
    elements.push_back(elementOf(builder, vector, i));
  if (is_contained(elements, nullptr))
    return {};
  return elements;
}

/// Whether `instr` does not write the memory of `space`.
bool doesNotWrite(const Instruction &instr, unsigned space) {
  if (!instr.mayWriteToMemory())
    return true;
  // The marks of paths.
  if (auto *call = dyn_cast<CallBase>(&instr);
      call && call->onlyAccessesInaccessibleMemory())
    return true;
  auto *store = dyn_cast<StoreInst>(&instr);
  return store && store->getPointerAddressSpace() != space;
}

/// Whether nothing between `load` and `store`, which it dominates, may write
/// their memory.
bool isUntouched(const LoadInst &load, const StoreInst &store) {
  unsigned space = store.getPointerAddressSpace();
  SmallVector<const BasicBlock *> work;
  SmallPtrSet<const BasicBlock *, 16> seen;
  // Scans a block backward. True if the scan reaches the load.
  auto scan = [&](const BasicBlock *block, const Instruction *from,
                  bool &isClean) {
    for (const Instruction *at = from; at; at = at->getPrevNode()) {
      if (at == &load)
        return true;
      isClean &= doesNotWrite(*at, space);
    }
    return false;
  };
  bool isClean = true;
  if (scan(store.getParent(), store.getPrevNode(), isClean))
    return isClean;
  llvm::append_range(work, predecessors(store.getParent()));
  while (isClean && !work.empty()) {
    const BasicBlock *block = work.pop_back_val();
    if (!seen.insert(block).second)
      continue;
    if (!scan(block, &block->back(), isClean))
      llvm::append_range(work, predecessors(block));
  }
  return isClean;
}

/// Whether `element`, stored at `address` plus `bytes`, is the value that a
/// load has read there, and memory still holds it.
bool isUnchanged(const Value *element, const StoreInst &store, Address address,
                 int64_t bytes, const DataLayout &layout) {
  auto *extract = dyn_cast<ExtractElementInst>(element);
  auto *load =
      extract ? dyn_cast<LoadInst>(extract->getVectorOperand()) : nullptr;
  auto *index =
      load ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;
  if (!index ||
      load->getPointerAddressSpace() != store.getPointerAddressSpace() ||
      !wordsOf(load->getType(), load->getPointerAddressSpace()))
    return false;
  Address from = addressOf(load->getPointerOperand(), layout);
  return from.base == address.base &&
         from.offset + wordBytes * int64_t(index->getZExtValue()) ==
             address.offset + bytes &&
         isUntouched(*load, store);
}

/// The address of word `first` of the burst at `pointer`.
Value *addressOfWord(IRBuilder<> &builder, Value *pointer, unsigned first) {
  return first == 0
             ? pointer
             : builder.CreateConstGEP1_32(builder.getInt32Ty(), pointer, first);
}

void trimStore(StoreInst &store, const DataLayout &layout) {
  unsigned space = store.getPointerAddressSpace();
  unsigned count = wordsOf(store.getValueOperand()->getType(), space);
  if (count == 0 || store.isVolatile())
    return;
  IRBuilder<> builder(&store);
  auto elements = elementsOf(builder, store.getValueOperand(), count);
  Address address = addressOf(store.getPointerOperand(), layout);
  auto isSame = [&](unsigned first) {
    for (unsigned i = first; i < first + grainOf(space); ++i)
      if (!isUnchanged(elements[i], store, address, wordBytes * i, layout))
        return false;
    return true;
  };
  unsigned grain = grainOf(space), first = 0, end = count;
  if (elements.empty() || count % grain != 0 ||
      store.getAlign() < wordBytes * grain)
    return;
  while (first < end && isSame(first))
    first += grain;
  while (end > first && isSame(end - grain))
    end -= grain;
  if (first == 0 && end == count)
    return;
  if (first != end) {
    Value *rest = PoisonValue::get(
        FixedVectorType::get(builder.getInt32Ty(), end - first));
    for (unsigned i = first; i < end; ++i)
      rest = builder.CreateInsertElement(rest, elements[i], i - first);
    builder.CreateAlignedStore(
        rest, addressOfWord(builder, store.getPointerOperand(), first),
        commonAlignment(store.getAlign(), wordBytes * first));
  }
  Value *whole = store.getValueOperand();
  store.eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructions(whole);
}

void trimLoad(LoadInst &load) {
  unsigned space = load.getPointerAddressSpace();
  unsigned count = wordsOf(load.getType(), space), grain = grainOf(space);
  // One command reads many words only if all of them are read.
  bool isWide = space == SramSpace && count == WideReadWords;
  if (count == 0 || load.isVolatile() || count % grain != 0 || isWide ||
      load.getAlign() < wordBytes * grain)
    return;
  unsigned first = count, end = 0;
  for (User *user : make_early_inc_range(load.users())) {
    auto *extract = dyn_cast<ExtractElementInst>(user);
    if (extract && extract->use_empty()) {
      extract->eraseFromParent();
      continue;
    }
    auto *index =
        extract ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;
    if (!index)
      return;
    unsigned at = unsigned(index->getZExtValue());
    first = std::min(first, at / grain * grain);
    end = std::max(end, at / grain * grain + grain);
  }
  if (first >= end || end - first == count)
    return;
  IRBuilder<> builder(&load);
  Value *words = builder.CreateAlignedLoad(
      FixedVectorType::get(builder.getInt32Ty(), end - first),
      addressOfWord(builder, load.getPointerOperand(), first),
      commonAlignment(load.getAlign(), wordBytes * first));
  for (User *user : make_early_inc_range(load.users())) {
    auto *extract = cast<ExtractElementInst>(user);
    uint64_t at =
        cast<ConstantInt>(extract->getIndexOperand())->getZExtValue() - first;
    builder.SetInsertPoint(extract);
    extract->replaceAllUsesWith(builder.CreateExtractElement(words, at));
    extract->eraseFromParent();
  }
  load.eraseFromParent();
}

template <typename Op> SmallVector<Op *> all(Module &module) {
  SmallVector<Op *> found;
  for (Function &function : module)
    for (Instruction &instr : instructions(function))
      if (auto *op = dyn_cast<Op>(&instr))
        found.push_back(op);
  return found;
}

} // namespace

void trimBursts(Module &module) {
  for (StoreInst *store : all<StoreInst>(module))
    trimStore(*store, module.getDataLayout());
  for (LoadInst *load : all<LoadInst>(module))
    trimLoad(*load);
}

} // namespace karakal::codegen
