// Joins loads of adjacent words.

#include "codegen-me/prepare/JoinLoads.h"
#include "codegen-me/target/Ixp.h"
#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include <vector>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace karakal::codegen {

namespace {

constexpr int64_t wordBytes = 4, commandBytesMax = 32;

/// An address as a base and an offset in bytes.
struct Address {
  Value *base;
  int64_t offset;
};

/// The words of one load.
struct Part {
  LoadInst *load;
  int64_t begin, end; ///< byte offsets from the group's base
};

/// Loads that become one command at the first of them.
struct Group {
  Value *base;
  std::vector<Part> parts;
  int64_t begin, end;

  LoadInst *first() const { return parts.front().load; }
  unsigned space() const { return first()->getPointerAddressSpace(); }
};

bool isJoinable(unsigned space) {
  return space == codegen::SramSpace || space == codegen::ScratchSpace;
}

/// The size in bytes of a load of whole words from SRAM or scratch; 0 for other
/// loads.
int64_t bytesOf(const LoadInst &load) {
  auto *vector = dyn_cast<FixedVectorType>(load.getType());
  if (!load.isSimple() || !isJoinable(load.getPointerAddressSpace()) ||
      !load.getType()->getScalarType()->isIntegerTy(8 * wordBytes))
    return 0;
  return wordBytes * (vector ? vector->getNumElements() : 1);
}

Address addressOf(Value *pointer, const DataLayout &layout) {
  APInt bytes(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  Value *base = pointer->stripAndAccumulateConstantOffsets(layout, bytes, true);
  Address address = {base, bytes.getSExtValue()};
  Value *number;
  if (!match(base, m_IntToPtr(m_Value(number))))
    return address;
  address.base = number;
  Value *rest;
  const APInt *constant;
  if (match(number, m_APInt(constant))) {
    address.base = ConstantInt::getNullValue(number->getType());
    address.offset += constant->getSExtValue();
  } else if (match(number, m_AddLike(m_Value(rest), m_APInt(constant)))) {
    address.base = rest;
    address.offset += constant->getSExtValue();
  }
  return address;
}

class Joiner {
public:
  Joiner(Function &function, FunctionAnalysisManager &analyses,
         const target::ChipParameters &chip)
      : function(function), chip(chip), layout(function.getDataLayout()),
        dominators(analyses.getResult<DominatorTreeAnalysis>(function)),
        postDominators(analyses.getResult<PostDominatorTreeAnalysis>(function)),
        frequencies(analyses.getResult<BlockFrequencyAnalysis>(function)) {}

  bool run();

private:
  bool isObstacle(const Instruction &instr, const Group &group) const;
  bool isClean(const Group &group, const LoadInst &load) const;
  bool exists(const Group &group, const LoadInst &load, int64_t begin,
              int64_t end) const;
  bool pays(const Group &group, const LoadInst &load, int64_t more) const;
  bool join(Group &group, const Part &part) const;
  void emit(const Group &group) const;

  Function &function;
  const target::ChipParameters &chip;
  const DataLayout &layout;
  DominatorTree &dominators;
  PostDominatorTree &postDominators;
  BlockFrequencyInfo &frequencies;
  std::vector<Group> groups;
};

/// Whether loads of the group must not move before `instr`.
bool Joiner::isObstacle(const Instruction &instr, const Group &group) const {
  if (auto *load = dyn_cast<LoadInst>(&instr))
    return isJoinable(load->getPointerAddressSpace()) &&
           addressOf(const_cast<Value *>(load->getPointerOperand()), layout)
                   .base != group.base;
  if (auto *store = dyn_cast<StoreInst>(&instr))
    return store->getPointerAddressSpace() == group.space();
  return instr.mayReadOrWriteMemory();
}

/// Whether no path from the group's first load to `load`, which it dominates,
/// contains an obstacle.
bool Joiner::isClean(const Group &group, const LoadInst &load) const {
  SmallPtrSet<const BasicBlock *, 16> seen;
  SmallVector<const Instruction *> work = {&load};
  while (!work.empty()) {
    const Instruction *from = work.pop_back_val(), *at = from->getPrevNode();
    for (; at && at != group.first(); at = at->getPrevNode())
      if (isObstacle(*at, group))
        return false;
    if (at)
      continue;
    for (const BasicBlock *pred : predecessors(from->getParent()))
      if (seen.insert(pred).second) {
        if (isObstacle(*pred->getTerminator(), group))
          return false;
        work.push_back(pred->getTerminator());
      }
  }
  return true;
}

/// Whether the words from `begin` to `end` exist at the first load: either the
/// program always reads the new words, or they share an aligned block with
/// those of the first.
bool Joiner::exists(const Group &group, const LoadInst &load, int64_t begin,
                    int64_t end) const {
  if (postDominators.dominates(load.getParent(), group.first()->getParent()))
    return true;
  KnownBits known = computeKnownBits(group.base, layout);
  int64_t block = int64_t(1) << std::min(known.countMinTrailingZeros(), 5u);
  return (begin & -block) == ((end - 1) & -block);
}

/// Whether saving a command is worth reading `more` bytes that may be unused.
bool Joiner::pays(const Group &group, const LoadInst &load,
                  int64_t more) const {
  double share =
      double(frequencies.getBlockFreq(load.getParent()).getFrequency()) /
      double(
          frequencies.getBlockFreq(group.first()->getParent()).getFrequency());
  return share * double(chip.sramOpCycles) >=
         (1 - share) * double(more / wordBytes * chip.sramWordCycles);
}

bool Joiner::join(Group &group, const Part &part) const {
  int64_t begin = std::min(group.begin, part.begin);
  int64_t end = std::max(group.end, part.end);
  int64_t more = (end - begin) - (group.end - group.begin);
  if (end - begin > commandBytesMax ||
      !dominators.dominates(group.first(), part.load) ||
      !exists(group, *part.load, begin, end) ||
      !pays(group, *part.load, more) || !isClean(group, *part.load))
    return false;
  group.begin = begin;
  group.end = end;
  group.parts.push_back(part);
  return true;
}

void Joiner::emit(const Group &group) const {
  KARAKAL_ASSERT(group.end - group.begin <= commandBytesMax,
                 "one command reads the whole group");
  IRBuilder<> builder(group.first());
  unsigned space = group.space();
  Type *i32 = builder.getInt32Ty();
  Value *number = group.base;
  if (number->getType()->isPointerTy())
    number = builder.CreatePtrToInt(number, i32);
  Value *pointer = builder.CreateIntToPtr(
      builder.CreateAdd(number, ConstantInt::get(i32, group.begin)),
      builder.getPtrTy(space));
  Value *words = builder.CreateAlignedLoad(
      FixedVectorType::get(i32, (group.end - group.begin) / wordBytes), pointer,
      Align(wordBytes));
  for (const Part &part : group.parts) {
    KARAKAL_ASSERT(part.begin >= group.begin && part.end <= group.end &&
                       (part.begin - group.begin) % wordBytes == 0,
                   "a part is whole words of its group");
    builder.SetInsertPoint(part.load);
    uint64_t word = (part.begin - group.begin) / wordBytes;
    Value *value;
    if (part.load->getType()->isVectorTy()) {
      value = PoisonValue::get(part.load->getType());
      for (uint64_t i = 0; i < uint64_t(part.end - part.begin) / wordBytes; ++i)
        value = builder.CreateInsertElement(
            value, builder.CreateExtractElement(words, word + i), i);
    } else {
      value = builder.CreateExtractElement(words, word);
    }
    part.load->replaceAllUsesWith(value);
    part.load->eraseFromParent();
  }
}

bool Joiner::run() {
  ReversePostOrderTraversal<Function *> blocks(&function);
  for (BasicBlock *block : blocks)
    for (Instruction &instr : *block) {
      auto *load = dyn_cast<LoadInst>(&instr);
      int64_t bytes = load ? bytesOf(*load) : 0;
      if (bytes == 0)
        continue;
      Address address = addressOf(load->getPointerOperand(), layout);
      Part part = {load, address.offset, address.offset + bytes};
      bool joined = llvm::any_of(groups, [&](Group &group) {
        return group.base == address.base &&
               group.space() == load->getPointerAddressSpace() &&
               join(group, part);
      });
      if (!joined)
        groups.push_back({address.base, {part}, part.begin, part.end});
    }
  bool changed = false;
  for (const Group &group : groups)
    if (group.parts.size() > 1) {
      emit(group);
      changed = true;
    }
  return changed;
}

} // namespace

PreservedAnalyses JoinLoads::run(Function &function,
                                 FunctionAnalysisManager &analyses) {
  return Joiner(function, analyses, chip).run() ? PreservedAnalyses::none()
                                                : PreservedAnalyses::all();
}

} // namespace karakal::codegen
