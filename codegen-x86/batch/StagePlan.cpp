// The stages that a set of cuts makes of a batch's function.

#include "codegen-x86/batch/StagePlan.h"
#include "support/Assert.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace karakal::x86 {

StagePlan::StagePlan(func::FuncOp batch, Effects &effects,
                     ArrayRef<Operation *> loads)
    : batch(batch), effects(effects) {
  for (Operation *load : loads)
    asked.insert({load, unsigned(asked.size())});
  Resources used;
  batch.walk([&](Operation *op) {
    Resources resources = effects.of(op);
    if (op == batch || resources.empty())
      return;
    used.insert(resources.begin(), resources.end());
    touches[op] = std::move(resources);
  });
  reasons[OrderResource] = "packets keep their order";
  for (unsigned resource : effects.ofQueued())
    if (used.count(resource))
      reasons.try_emplace(resource, "PPFs that get queued packets use it");
  do
    scanAll();
  while (orderMore());
  sortStages();
  batch.walk([&](Operation *op) {
    if (auto at = touches.find(op);
        at != touches.end() && touchesOrdered(at->second))
      lastOps.push_back(op);
  });
}

bool StagePlan::touchesOrdered(const Resources &resources) const {
  return llvm::any_of(resources, [&](unsigned resource) {
    return reasons.count(resource) != 0;
  });
}

StagePlan::Stage StagePlan::scan(Block::iterator start, bool isCut) {
  Stage stage;
  llvm::SmallPtrSet<Block *, 32> seen;
  SmallVector<Block::iterator> open = {start};
  while (!open.empty()) {
    Block::iterator at = open.pop_back_val();
    Block *block = at->getBlock();
    bool isEnded = false;
    for (; at != block->end() && !isEnded; ++at) {
      auto found = touches.find(&*at);
      bool isTouching = found != touches.end();
      if (isTouching && touchesOrdered(found->second)) {
        isEnded = true;
      } else if (asked.count(&*at) && !isCut) {
        stage.next.insert(asked[&*at]);
        isEnded = true;
      } else if (isTouching) {
        stage.touched.insert(found->second.begin(), found->second.end());
      }
      isCut = false; // the first operation alone
    }
    if (!isEnded)
      for (Block *next : block->getSuccessors())
        if (seen.insert(next).second)
          open.push_back(next->begin());
  }
  return stage;
}

void StagePlan::scanAll() {
  stages.clear();
  first = scan(batch.front().begin(), /*isCut=*/false);
  SmallVector<unsigned> open(first.next.begin(), first.next.end());
  while (!open.empty()) {
    unsigned index = open.pop_back_val();
    if (stages.count(index))
      continue;
    Operation *load = asked.begin()[index].first;
    Stage &stage = stages[index] = scan(load->getIterator(), /*isCut=*/true);
    open.append(stage.next.begin(), stage.next.end());
  }
  reach.clear();
  for (const auto &[index, stage] : stages) {
    std::set<unsigned> &found = reach[index];
    SmallVector<unsigned> rest(stage.next.begin(), stage.next.end());
    while (!rest.empty()) {
      unsigned next = rest.pop_back_val();
      if (found.insert(next).second)
        rest.append(stages[next].next.begin(), stages[next].next.end());
    }
  }
}

/// Orders the resources that lie in several stages or in a repeated one; false
/// if there are none.
bool StagePlan::orderMore() {
  std::map<unsigned, unsigned> counts;
  size_t before = reasons.size();
  for (unsigned resource : first.touched)
    ++counts[resource];
  for (const auto &[index, stage] : stages)
    for (unsigned resource : stage.touched) {
      ++counts[resource];
      if (reach[index].count(index))
        reasons.try_emplace(resource,
                            "packets write it, and its stage repeats");
    }
  for (auto [resource, count] : counts)
    if (count > 1)
      reasons.try_emplace(resource,
                          "packets write it, and several stages use it");
  return reasons.size() != before;
}

void StagePlan::sortStages() {
  // A stage comes after all that reach it. Those that reach each other have the
  // same number of them, and are kept together by the least of them.
  std::vector<std::tuple<size_t, unsigned, unsigned>> keys;
  for (const auto &[index, stage] : stages) {
    size_t before = 0;
    unsigned least = index;
    for (const auto &[other, reached] : reach) {
      before += reached.count(index) || other == index;
      if (reached.count(index) && reach[index].count(other))
        least = std::min(least, other);
    }
    keys.emplace_back(before, least, index);
  }
  std::sort(keys.begin(), keys.end());
  for (auto [before, least, index] : keys)
    order.push_back(asked.begin()[index].first);
}

std::string StagePlan::whyNot(Operation *load) {
  KARAKAL_ASSERT(asked.count(load), "a cut that was asked for");
  if (stages.count(asked[load]))
    return "";
  auto at = touches.find(load);
  if (at != touches.end())
    for (unsigned resource : at->second)
      if (reasons.count(resource))
        return effects.nameOf(resource) + ": " + reasons[resource];
  return "the packet's path before it is in the last stage";
}

} // namespace karakal::x86
