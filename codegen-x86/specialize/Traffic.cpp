// What packets do with the tables and conditions of a running program.

#include "codegen-x86/specialize/Traffic.h"
#include "support/Assert.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace karakal::x86 {

using namespace llvm;

double Traffic::OfTable::shareOf(uint32_t slot) const {
  for (const Found &each : slots)
    if (each.slot == slot)
      return each.share;
  return 0;
}

Traffic trafficOf(const std::vector<const CoreTraffic *> &cores,
                  const std::vector<unsigned> &ways, uint64_t lookupsMin) {
  KARAKAL_ASSERT(!cores.empty(), "a program runs on a core");
  Traffic sum;
  sum.tables.resize(cores.front()->found.size());
  for (size_t i = 0; i < sum.tables.size(); ++i) {
    Traffic::OfTable &table = sum.tables[i];
    std::map<uint32_t, uint64_t> counts;
    for (const CoreTraffic *core : cores) {
      table.lookups += core->found[i].total();
      for (const SpaceSaving::Counter &each : core->found[i].counters())
        if (each.count > each.error)
          counts[each.element] += each.count - each.error;
    }
    if (table.lookups < lookupsMin)
      continue;
    for (auto [slot, count] : counts)
      table.slots.push_back({slot, double(count) / double(table.lookups)});
    std::stable_sort(
        table.slots.begin(), table.slots.end(),
        [](const auto &a, const auto &b) { return a.share > b.share; });
  }
  size_t edge = 0;
  for (unsigned count : ways) {
    std::vector<uint64_t> &branch = sum.branches.emplace_back(count);
    for (unsigned i = 0; i < count; ++i, ++edge)
      for (const CoreTraffic *core : cores)
        branch[i] += core->edges[edge];
  }
  return sum;
}

/// The part of a table's look-ups that finds something else.
static double distance(const Traffic::OfTable &before,
                       const Traffic::OfTable &now) {
  double sum = 0;
  for (const Traffic::Found &each : now.slots)
    sum += std::abs(each.share - before.shareOf(each.slot));
  for (const Traffic::Found &each : before.slots)
    if (now.shareOf(each.slot) == 0)
      sum += each.share;
  return sum / 2;
}

/// The part of a branch's packets that goes another way.
static double distance(const std::vector<uint64_t> &before,
                       const std::vector<uint64_t> &now) {
  constexpr double metMin = 256;
  double were = std::accumulate(before.begin(), before.end(), 0.0);
  double are = std::accumulate(now.begin(), now.end(), 0.0);
  if (are < metMin)
    return 0;
  if (were < metMin)
    return 1;
  double sum = 0;
  for (size_t i = 0; i < now.size(); ++i)
    sum += std::abs(double(now[i]) / are - double(before[i]) / were);
  return sum / 2;
}

bool isFar(const Traffic &before, const Traffic &now) {
  constexpr double farMin = 0.2;
  for (size_t i = 0; i < now.tables.size(); ++i) {
    const Traffic::OfTable &table = now.tables[i];
    if (!table.slots.empty() &&
        distance(before.tables.empty() ? Traffic::OfTable() : before.tables[i],
                 table) > farMin)
      return true;
  }
  for (size_t i = 0; i < now.branches.size(); ++i)
    if (distance(before.branches.empty() ? std::vector<uint64_t>()
                                         : before.branches[i],
                 now.branches[i]) > farMin)
      return true;
  return false;
}

namespace {

/// The branches of a module in their order, with the number of the first of
/// their ways out.
struct Branch {
  Instruction *at;
  size_t first;
};

} // namespace

static std::vector<Branch> branchesOf(Module &module) {
  std::vector<Branch> branches;
  size_t edgeCount = 0;
  for (Function &function : module)
    for (BasicBlock &block : function) {
      Instruction *end = block.getTerminator();
      if (!isa<BranchInst, SwitchInst>(end) || end->getNumSuccessors() < 2)
        continue;
      branches.push_back({end, edgeCount});
      edgeCount += end->getNumSuccessors();
    }
  return branches;
}

/// Counts at each way out of `branch`.
static void countEdges(const Branch &branch, GlobalVariable *edges) {
  BasicBlock *from = branch.at->getParent();
  Type *i64 = Type::getInt64Ty(from->getContext());
  for (unsigned i = 0; i < branch.at->getNumSuccessors(); ++i) {
    BasicBlock *to = branch.at->getSuccessor(i);
    BasicBlock *edge =
        BasicBlock::Create(from->getContext(), "edge", from->getParent(), to);
    IRBuilder<> builder(edge);
    Value *count =
        builder.CreateConstInBoundsGEP1_64(i64, edges, branch.first + i);
    builder.CreateStore(
        builder.CreateAdd(builder.CreateLoad(i64, count), builder.getInt64(1)),
        count);
    builder.CreateBr(to);
    branch.at->setSuccessor(i, edge);
    // One way of several to the same block.
    for (PHINode &phi : to->phis())
      phi.setIncomingBlock(unsigned(phi.getBasicBlockIndex(from)), edge);
  }
}

std::vector<unsigned> observeTraffic(Module &module,
                                     const Specializable &program) {
  LLVMContext &context = module.getContext();
  Type *i32 = Type::getInt32Ty(context), *i64 = Type::getInt64Ty(context);
  Type *pointer = PointerType::get(context, 0);
  std::vector<Branch> branches = branchesOf(module);
  std::vector<unsigned> ways;
  size_t edgeCount = 0;
  for (const Branch &branch : branches) {
    ways.push_back(branch.at->getNumSuccessors());
    edgeCount += ways.back();
  }
  auto *edges = new GlobalVariable(
      module, ArrayType::get(i64, std::max<size_t>(edgeCount, 1)), false,
      GlobalValue::ExternalLinkage, nullptr, TrafficSymbols::Edges);
  for (const Branch &branch : branches)
    countEdges(branch, edges);
  auto *traffic = new GlobalVariable(module, Type::getInt8Ty(context), false,
                                     GlobalValue::ExternalLinkage, nullptr,
                                     TrafficSymbols::Traffic);
  FunctionCallee note = module.getOrInsertFunction(
      TrafficSymbols::NoteFound, Type::getVoidTy(context), pointer, i32, i32);
  for (size_t i = 0; i < program.tables.size(); ++i) {
    Function *find = module.getFunction(program.tables[i].find());
    KARAKAL_ASSERT(find && find->getReturnType()->isIntegerTy(32),
                   "a table has a look-up");
    for (BasicBlock &block : *find)
      if (auto *end = dyn_cast<ReturnInst>(block.getTerminator())) {
        IRBuilder<> builder(end);
        builder.CreateCall(note, {traffic, builder.getInt32(uint32_t(i)),
                                  end->getReturnValue()});
      }
  }
  return ways;
}

unsigned weighBranches(Module &module,
                       const std::vector<std::vector<uint64_t>> &counts) {
  constexpr uint64_t metMin = 64, weightMax = 1 << 20;
  std::vector<Branch> branches = branchesOf(module);
  KARAKAL_ASSERT(branches.size() == counts.size(), "what was observed");
  MDBuilder metadata(module.getContext());
  unsigned weighed = 0;
  for (size_t i = 0; i < branches.size(); ++i) {
    uint64_t met = 0;
    for (uint64_t count : counts[i])
      met += count;
    if (met < metMin)
      continue;
    // A way that was not taken may be taken: never a weight of 0.
    std::vector<uint32_t> weights;
    for (uint64_t count : counts[i])
      weights.push_back(uint32_t(count * weightMax / met + 1));
    branches[i].at->setMetadata(LLVMContext::MD_prof,
                                metadata.createBranchWeights(weights));
    ++weighed;
  }
  return weighed;
}

} // namespace karakal::x86
